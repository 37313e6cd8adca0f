//! Text to ids and back, by the `tokenizers` crate, from `tokenizer.json`.

use crate::files::json;
use moire_base::{Error, Result};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use tokenizers::{NormalizedString, Normalizer};

const FILE: &str = "tokenizer.json";
const MODELS: [&str; 4] = ["BPE", "WordPiece", "WordLevel", "Unigram"];

/// A tokenizer. Ids are those of the embedding table.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// Bytes that a byte-level vocabulary has no token for.
    missing_bytes: Vec<u8>,
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokenizer({} tokens)", self.size())
    }
}

impl Tokenizer {
    /// Builds a tokenizer from the bytes of a `tokenizer.json`.
    ///
    /// # Errors
    /// `Format` for a file that is malformed, or whose parts do not fit together.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let value = json::parse(bytes, FILE)?;
        check_model(&value)?;
        check_ids(&value)?;
        let mut inner = tokenizers::Tokenizer::from_bytes(bytes).map_err(|e| refused(&e.to_string()))?;
        // Callers ask for the ids of a whole text; cutting and padding are for batches of training data.
        inner.with_truncation(None).map_err(|e| refused(&e.to_string()))?;
        inner.with_padding(None);
        let missing_bytes = if is_byte_level(&value) { missing_bytes(&inner) } else { Vec::new() };
        Ok(Self { inner, missing_bytes })
    }

    /// Number of tokens, added ones included. The embedding may have more rows.
    pub fn size(&self) -> usize {
        self.inner.get_vocab_size(true)
    }

    /// Ids of `text`. Added tokens in it (such as `<|im_start|>`) become their one id. `special` adds what the tokenizer puts around a text by itself (a bos token, for some).
    ///
    /// # Errors
    /// `Invalid` if the vocabulary cannot express the text.
    pub fn encode(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        self.check_expressible(text)?;
        let encoding = self
            .inner
            .encode(text, special)
            .map_err(|e| Error::invalid("text", format!("cannot be tokenized: {e}")))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Text of `ids`; `skip_special` leaves special tokens out. An id without a token is an unused row of the embedding and gives no text.
    /// Bytes that are no UTF-8 become U+FFFD.
    ///
    /// # Errors
    /// `Invalid` if the decoder of the file refuses.
    pub fn decode(&self, ids: &[u32], skip_special: bool) -> Result<String> {
        self.inner.decode(ids, skip_special).map_err(|e| Error::invalid("ids", format!("cannot be decoded: {e}")))
    }

    /// The text of every id by itself. A part of a multi-byte character shows as U+FFFD.
    ///
    /// # Errors
    /// As `decode`.
    pub fn pieces(&self, ids: &[u32]) -> Result<Vec<String>> {
        ids.iter().map(|id| self.decode(&[*id], false)).collect()
    }

    /// The token of `id` as the vocabulary spells it (bytes in the byte-level alphabet), `None` for an unused row.
    pub fn token(&self, id: u32) -> Option<String> {
        self.inner.id_to_token(id)
    }

    /// The id of a token as the vocabulary spells it.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// What a user of a model with `vocab` embedding rows should know.
    pub(crate) fn warnings(&self, vocab: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(id) = self.inner.get_vocab(true).into_values().max().filter(|id| *id as usize >= vocab) {
            warnings.push(format!("{FILE}: ids go up to {id}, beyond the vocabulary of {vocab} of the model; text with such tokens cannot be run"));
        }
        if let Some(byte) = self.missing_bytes.first() {
            warnings.push(format!("{FILE}: {} of the 256 byte tokens are missing (the first is 0x{byte:02x}); text with such bytes is refused", self.missing_bytes.len()));
        }
        warnings
    }

    /// Without this a byte that has no token would vanish from the ids without a word.
    fn check_expressible(&self, text: &str) -> Result<()> {
        if self.missing_bytes.is_empty() {
            return Ok(());
        }
        let mut normalized = NormalizedString::from(text);
        if let Some(normalizer) = self.inner.get_normalizer() {
            normalizer
                .normalize(&mut normalized)
                .map_err(|e| Error::invalid("text", format!("cannot be normalised: {e}")))?;
        }
        match normalized.get().bytes().find(|b| self.missing_bytes.contains(b)) {
            None => Ok(()),
            Some(byte) => {
                Err(Error::invalid("text", format!("holds the byte 0x{byte:02x}, for which {FILE} has no token")))
            }
        }
    }
}

fn refused(why: &str) -> Error {
    let regex = ["regex", "Parsing error", "Error compiling"].iter().any(|w| why.contains(w));
    let what = if regex { "holds a regex that does not compile" } else { "is not a usable tokenizer" };
    Error::format(FILE, format!("{what}: {why}; fetch the file again"))
}

/// The crate answers an unknown model with "did not match any variant"; this says which.
fn check_model(value: &Value) -> Result<()> {
    let Some(model) = value.get("model").filter(|m| m.is_object()) else {
        return Err(Error::format(FILE, "has no model; fetch the file again"));
    };
    match model.get("type").and_then(Value::as_str) {
        // Old files leave the type out.
        None => Ok(()),
        Some(kind) if MODELS.contains(&kind) => Ok(()),
        Some(kind) => Err(Error::unsupported(
            format!("{FILE}/model/type"),
            format!("\"{kind}\" is not supported; supported are {}", MODELS.join(", ")),
        )),
    }
}

/// Two tokens with one id would decode to whichever was read last.
fn check_ids(value: &Value) -> Result<()> {
    let mut by_id: HashMap<u64, &str> = HashMap::new();
    let vocab = value.pointer("/model/vocab").and_then(Value::as_object);
    let base = vocab.into_iter().flatten().filter_map(|(token, id)| Some((token.as_str(), id.as_u64()?)));
    let added = value.get("added_tokens").and_then(Value::as_array);
    let added = added.into_iter().flatten().filter_map(|t| Some((t.get("content")?.as_str()?, t.get("id")?.as_u64()?)));
    for (token, id) in base.chain(added) {
        if let Some(other) = by_id.insert(id, token).filter(|other| *other != token) {
            return Err(Error::format(
                FILE,
                format!("gives the id {id} to two tokens, \"{other}\" and \"{token}\"; the file is damaged"),
            ));
        }
    }
    Ok(())
}

fn is_byte_level(value: &Value) -> bool {
    let kind = |v: &Value| v.get("type").and_then(Value::as_str) == Some("ByteLevel");
    let decoder = value.get("decoder").unwrap_or(&Value::Null);
    kind(decoder) || decoder.get("decoders").and_then(Value::as_array).is_some_and(|d| d.iter().any(kind))
}

fn missing_bytes(inner: &tokenizers::Tokenizer) -> Vec<u8> {
    let alphabet = byte_alphabet();
    // These bytes never occur in UTF-8 text, so that a vocabulary may do without them.
    let occurs = |b: &u8| !matches!(b, 0xc0 | 0xc1 | 0xf5..=0xff);
    (0..=255).filter(occurs).filter(|b| inner.token_to_id(&alphabet[b].to_string()).is_none()).collect()
}

/// The byte-level alphabet (model-spec 6.1): printable bytes stand for themselves, the other 68 for U+0100 and up.
fn byte_alphabet() -> BTreeMap<u8, char> {
    let printable = |b: &u8| matches!(b, 33..=126 | 161..=172 | 174..=255);
    let others = (0..=255).filter(|b| !printable(b)).zip('\u{100}'..);
    (0..=255).filter(printable).map(|b| (b, char::from(b))).chain(others).collect()
}
