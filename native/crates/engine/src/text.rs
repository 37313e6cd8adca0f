//! Text in and out of a model: its tokenizer and chat template.

use moire_base::{Error, Result, Status};
use moire_checkpoint::{ChatTemplate, Tokenizer};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a checkpoint brings for text; both are optional.
pub struct Text {
    /// `tokenizer.json`.
    pub tokenizer: Option<Tokenizer>,
    /// `chat_template`.
    pub chat: Option<ChatTemplate>,
}

/// A rendered conversation.
#[derive(Clone, Debug, Serialize)]
pub struct Chat {
    /// What the template made of it.
    pub text: String,
    /// Its ids.
    pub ids: Vec<u32>,
}

/// The text of ids.
#[derive(Clone, Debug, Serialize)]
pub struct Pieces {
    /// Of all together.
    pub text: String,
    /// Of each id by itself; a part of a character shows as U+FFFD.
    pub pieces: Vec<String>,
    /// Of further lists, each together.
    pub more: Vec<String>,
}

impl Text {
    fn tokenizer(&self) -> Result<&Tokenizer> {
        self.tokenizer.as_ref().ok_or_else(|| missing("tokenizer.json"))
    }

    /// Ids of `text`; `special` adds what the tokenizer puts around a text by itself.
    pub fn tokenize(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        self.tokenizer()?.encode(text, special)
    }

    /// Text of `ids`, together and one by one, and of the lists `more`.
    pub fn detokenize(&self, ids: &[u32], skip_special: bool, more: &[Vec<u32>]) -> Result<Pieces> {
        let tokenizer = self.tokenizer()?;
        let decode = |ids: &[u32]| tokenizer.decode(ids, skip_special);
        let more = more.iter().map(|list| decode(list)).collect::<Result<_>>()?;
        Ok(Pieces { text: decode(ids)?, pieces: tokenizer.pieces(ids)?, more })
    }

    /// A conversation through the chat template. Its ids take no further special tokens: the template wrote them.
    pub fn chat(&self, messages: &Value, add_generation_prompt: bool, variables: &Map<String, Value>) -> Result<Chat> {
        let template = self.chat.as_ref().ok_or_else(|| missing("chat template"))?;
        let text = template.render(messages, add_generation_prompt, variables)?;
        let ids = self.tokenizer()?.encode(&text, false)?;
        Ok(Chat { text, ids })
    }
}

fn missing(what: &str) -> Error {
    let message = format!("the model folder has no usable {what}; give token ids instead, or add the file");
    Error::new(Status::Unsupported, what, message)
}
