//! The files beside the weights: generation config, tokenizer, tokenizer config, chat template. All optional.

use crate::{
    chat::ChatTemplate,
    config::{Eos, eos_ids},
    files::{is_missing, json, json::Object, read_bounded},
    tokenizer::Tokenizer,
};
use moire_base::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

const GENERATION: &str = "generation_config.json";
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const SPECIAL_TOKENS: &str = "special_tokens_map.json";
const TEMPLATE: &str = "chat_template.jinja";
const TEMPLATE_JSON: &str = "chat_template.json";
const MAX_SMALL_FILE: u64 = 16 << 20;
const MAX_TOKENIZER: u64 = 512 << 20;
/// Special tokens that templates may name.
const SPECIAL: [&str; 7] = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// The companion files, read but not yet built into a tokenizer and a template.
pub(crate) struct Companions {
    generation: Value,
    tokenizer: Option<Vec<u8>>,
    tokenizer_config: Value,
    special_tokens: Value,
    /// Sources by name; `default` is the usual one.
    templates: BTreeMap<String, String>,
}

impl Companions {
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(TOKENIZER);
        let tokenizer_config = optional_object(folder, TOKENIZER_CONFIG)?;
        Ok(Self {
            generation: optional_object(folder, GENERATION)?,
            tokenizer: (!is_missing(&path)).then(|| read_bounded(&path, MAX_TOKENIZER)).transpose()?,
            templates: templates(folder, &tokenizer_config)?,
            special_tokens: optional_object(folder, SPECIAL_TOKENS)?,
            tokenizer_config,
        })
    }

    pub(crate) fn has_tokenizer(&self) -> bool {
        self.tokenizer.is_some()
    }

    pub(crate) fn has_chat_template(&self) -> bool {
        !self.templates.is_empty()
    }

    /// End-of-text ids: generation config, model config (`text`), then the tokenizer's eos token.
    pub(crate) fn eos(&self, text: &Value, vocab: usize) -> Result<Eos> {
        let sources = [Object::new(&self.generation, GENERATION)?, Object::new(text, "config.json")?];
        eos_ids(&sources, self.special("eos_token").and_then(|token| self.added_id(token)), vocab)
    }

    /// Tokenizer, chat template, warnings. A template that does not compile is a warning: everything but `chat` works without it.
    pub(crate) fn load(&self, vocab: usize) -> Result<(Option<Tokenizer>, Option<ChatTemplate>, Vec<String>)> {
        let mut warnings = Vec::new();
        let tokenizer = self.tokenizer.as_deref().map(Tokenizer::from_bytes).transpose()?;
        if let Some(tokenizer) = &tokenizer {
            warnings.extend(tokenizer.warnings(vocab));
        }
        let special = SPECIAL.iter().filter_map(|name| Some(((*name).to_owned(), self.special(name)?.to_owned())));
        let chat = match (self.has_chat_template()).then(|| ChatTemplate::new(&self.templates, special.collect())) {
            Some(Err(e)) => {
                warnings.push(format!("{e}; chat is not available, everything else is"));
                None
            }
            built => built.transpose()?,
        };
        Ok((tokenizer, chat, warnings))
    }

    /// The content of special token `name`: a string, or an object with `content`.
    fn special(&self, name: &str) -> Option<&str> {
        [&self.tokenizer_config, &self.special_tokens].into_iter().find_map(|file| token_text(file.get(name)?))
    }

    /// Id of an added token, by tokenizer.json or by the older list in tokenizer_config.json.
    fn added_id(&self, token: &str) -> Option<u32> {
        let listed: Option<AddedTokens> =
            self.tokenizer.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok());
        if let Some(t) = listed.unwrap_or_default().added_tokens.iter().find(|t| t.content == token) {
            return Some(t.id);
        }
        let decoder = self.tokenizer_config.get("added_tokens_decoder")?.as_object()?;
        decoder.iter().find(|(_, t)| token_text(t) == Some(token))?.0.parse().ok()
    }
}

/// The part of tokenizer.json that names the added tokens.
#[derive(Default, Deserialize)]
struct AddedTokens {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content")?.as_str())
}

/// The JSON object in `folder/name`, an empty one if there is no such file.
fn optional_object(folder: &Path, name: &str) -> Result<Value> {
    let path = folder.join(name);
    if is_missing(&path) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let value = json::parse(&read_bounded(&path, MAX_SMALL_FILE)?, name)?;
    Object::new(&value, name)?;
    Ok(value)
}

/// `chat_template.jinja`, else `chat_template.json`, else `chat_template` of the tokenizer config: one source, or a list of `{name, template}`.
fn templates(folder: &Path, tokenizer_config: &Value) -> Result<BTreeMap<String, String>> {
    let path = folder.join(TEMPLATE);
    let one = |source: String| BTreeMap::from([("default".to_owned(), source)]);
    if !is_missing(&path) {
        let text = String::from_utf8(read_bounded(&path, MAX_SMALL_FILE)?);
        return text.map(one).map_err(|e| Error::format(TEMPLATE, format!("is not UTF-8 text: {e}")));
    }
    let other = optional_object(folder, TEMPLATE_JSON)?;
    match other.get("chat_template").or_else(|| tokenizer_config.get("chat_template")) {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::String(source)) => Ok(one(source.clone())),
        Some(Value::Array(list)) => list.iter().map(named_template).collect(),
        Some(other) => Err(Error::format(
            TOKENIZER_CONFIG,
            format!("chat_template must be a string or a list of named templates, found {}", json::kind(other)),
        )),
    }
}

fn named_template(entry: &Value) -> Result<(String, String)> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    text("name")
        .zip(text("template"))
        .ok_or_else(|| Error::format(TOKENIZER_CONFIG, "every entry of chat_template must have a name and a template"))
}
