//! The `tojson` filter as transformers defines it: `json.dumps(x, ensure_ascii=False, indent=…, separators=…, sort_keys=…)`.

use super::python::float_repr;
use minijinja::{Error, ErrorKind, Value, value::Kwargs};
use serde_json::Value as Json;

struct Style {
    indent: Option<usize>,
    comma: String,
    colon: String,
    ascii: bool,
    sort: bool,
}

pub(super) fn tojson(value: Value, kwargs: Kwargs) -> Result<String, Error> {
    let json = serde_json::to_value(&value)
        .map_err(|e| Error::new(ErrorKind::InvalidOperation, format!("cannot be written as JSON: {e}")))?;
    let style = style(&kwargs)?;
    kwargs.assert_all_used()?;
    let mut out = String::new();
    write(&mut out, &json, &style, 0);
    Ok(out)
}

fn style(kwargs: &Kwargs) -> Result<Style, Error> {
    let indent: Option<usize> = kwargs.get("indent")?;
    let separators: Option<Vec<String>> = kwargs.get("separators")?;
    let (comma, colon) = match separators.as_deref() {
        Some([comma, colon]) => (comma.clone(), colon.clone()),
        Some(_) => return Err(Error::new(ErrorKind::InvalidOperation, "separators of tojson must be two strings")),
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
    };
    Ok(Style {
        indent,
        comma,
        colon,
        ascii: kwargs.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false),
        sort: kwargs.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
    })
}

fn write(out: &mut String, json: &Json, style: &Style, depth: usize) {
    match json {
        Json::Number(n) if n.is_f64() => out.push_str(&float_repr(n.as_f64().unwrap_or(f64::NAN))),
        Json::String(s) => write_text(out, s, style.ascii),
        Json::Array(items) => {
            write_all(out, ['[', ']'], items.iter(), style, depth, |out, item| write(out, item, style, depth + 1))
        }
        Json::Object(map) => {
            let mut entries: Vec<(&String, &Json)> = map.iter().collect();
            if style.sort {
                entries.sort_by_key(|(k, _)| *k);
            }
            write_all(out, ['{', '}'], entries.into_iter(), style, depth, |out, (key, value)| {
                write_text(out, key, style.ascii);
                out.push_str(&style.colon);
                write(out, value, style, depth + 1);
            });
        }
        other => out.push_str(&other.to_string()),
    }
}

fn write_all<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl ExactSizeIterator<Item = T>,
    style: &Style,
    depth: usize,
    mut each: impl FnMut(&mut String, T),
) {
    let empty = items.len() == 0;
    let line = |out: &mut String, depth: usize| {
        if let Some(n) = style.indent.filter(|_| !empty) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', n * depth));
        }
    };
    out.push(open);
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push_str(&style.comma);
        }
        line(out, depth + 1);
        each(out, item);
    }
    line(out, depth);
    out.push(close);
}

fn write_text(out: &mut String, text: &str, ascii: bool) {
    let quoted = Json::from(text).to_string();
    if !ascii {
        out.push_str(&quoted);
        return;
    }
    for c in quoted.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(template: &str) -> String {
        let mut env = minijinja::Environment::new();
        env.add_filter("tojson", tojson);
        let x = serde_json::json!({"b": [1, 2.0, 1e-7, null, true], "a": {"ü": "<\"\n\u{1f600}>"}, "e": [], "o": {}});
        env.render_str(template, minijinja::context! { x => Value::from(minijinja::value::Serde(&x)) })
            .expect("renders")
    }

    #[test]
    fn reads_as_python_writes() {
        assert_eq!(
            dump("{{ x | tojson }}"),
            r#"{"b": [1, 2.0, 1e-07, null, true], "a": {"ü": "<\"\n😀>"}, "e": [], "o": {}}"#
        );
        assert_eq!(dump("{{ x.a | tojson(ensure_ascii=true) }}"), r#"{"\u00fc": "<\"\n\ud83d\ude00>"}"#);
        assert_eq!(
            dump("{{ x | tojson(indent=1, sort_keys=true) }}"),
            "{\n \"a\": {\n  \"ü\": \"<\\\"\\n😀>\"\n },\n \"b\": [\n  1,\n  2.0,\n  1e-07,\n  null,\n  true\n ],\n \"e\": [],\n \"o\": {}\n}"
        );
        assert_eq!(dump("{{ x.b | tojson(separators=(',', ':')) }}"), "[1,2.0,1e-07,null,true]");
    }
}
