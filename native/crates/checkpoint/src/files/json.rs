//! JSON with places: every error says which key of which file is wrong.

use moire_base::{Error, Result};
use serde_json::{Map, Value};

/// Characters of the source shown around a syntax error.
const EXCERPT: usize = 60;

/// Parses `text` (the content of `place`). A syntax error shows the source around it, since Python writes `NaN` and `Infinity`, which JSON does not have.
pub(crate) fn parse(text: &[u8], place: &str) -> Result<Value> {
    let text = std::str::from_utf8(text).map_err(|e| Error::format(place, format!("is not UTF-8 text: {e}")))?;
    // Some editors write a byte order mark; it means nothing in UTF-8.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Error::format(place, "is empty; it must hold a JSON object. Fetch the file again"));
    }
    serde_json::from_str(text).map_err(|e| Error::format(place, format!("is not valid JSON: {e}{}", excerpt(text, &e))))
}

fn excerpt(text: &str, error: &serde_json::Error) -> String {
    let Some(line) = error.line().checked_sub(1).and_then(|n| text.lines().nth(n)) else {
        return String::new();
    };
    let chars = |s: &str| s.chars().count();
    let before: String = {
        let head = line.get(..error.column().min(line.len())).unwrap_or(line);
        head.chars().skip(chars(head).saturating_sub(EXCERPT)).collect()
    };
    let bare =
        ["NaN", "Infinity"].iter().any(|w| line.get(error.column().saturating_sub(2)..).is_some_and(|s| s.contains(w)));
    let hint = if bare { ". NaN and Infinity are no JSON numbers" } else { "" };
    format!("; it goes wrong after `{}`{hint}", before.trim())
}

/// An object of a JSON file, with its place for messages (`config.json/text_config`).
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    map: &'a Map<String, Value>,
    place: &'a str,
}

impl<'a> Object<'a> {
    pub(crate) fn new(value: &'a Value, place: &'a str) -> Result<Self> {
        let map = value
            .as_object()
            .ok_or_else(|| Error::format(place, format!("must be an object, found {}", kind(value))))?;
        Ok(Self { map, place })
    }

    pub(crate) fn place(&self) -> &'a str {
        self.place
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.iter()
    }

    /// The value of `key`; `null` counts as absent, as in the files that Python writes.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|v| !v.is_null())
    }

    pub(crate) fn error(&self, key: &str, message: impl AsRef<str>) -> Error {
        Error::format(format!("{}/{key}", self.place), format!("{key} {}", message.as_ref()))
    }

    pub(crate) fn unsupported(&self, key: &str, message: impl AsRef<str>) -> Error {
        Error::unsupported(format!("{}/{key}", self.place), format!("{key} {}", message.as_ref()))
    }

    fn typed<T>(&self, key: &str, want: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.error(key, format!("must be {want}, found {}", kind(value))))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.typed(key, "a string", Value::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>> {
        self.typed(key, "true or false", Value::as_bool)
    }

    pub(crate) fn list(&self, key: &str) -> Result<Option<&'a Vec<Value>>> {
        self.typed(key, "a list", Value::as_array)
    }

    /// A finite number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f64>> {
        self.typed(key, "a finite number", |v| v.as_f64().filter(|x| x.is_finite()))
    }

    /// A whole number from `min` to `max`.
    pub(crate) fn size(&self, key: &str, min: usize, max: usize) -> Result<Option<usize>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let fits = |n: &u64| (min as u64..=max as u64).contains(n);
        value.as_u64().filter(fits).map(|n| Some(n as usize)).ok_or_else(|| {
            self.error(key, format!("must be a whole number from {min} to {max}, found {}", kind(value)))
        })
    }
}

/// What stands there, short enough for a message.
pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::String(s) => format!("the string \"{}\"", s.chars().take(40).collect::<String>()),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
