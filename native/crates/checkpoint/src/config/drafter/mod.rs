//! `config.json` of a drafter (model-spec 2.1 and 3.1), read beside the target that it is to serve.

mod dflash;
mod family;
mod mtp;

pub(crate) use family::DrafterFolder;

use super::{
    ModelConfig, Plan,
    parse::{CONFIG, merged},
};
use crate::files::json::{self, Object};
use moire_base::{Error, Result};
use serde_json::{Value, json};

const MAX_BLOCK: usize = 1 << 16;

/// A small network that proposes tokens for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct DrafterConfig {
    /// Its layers as those of a decoder, all with attention. `vocab` is the target's; `tied` and `eos` mean nothing.
    pub decoder: ModelConfig,
    /// Rows of a verification pass, if the file says.
    pub block_size: Option<usize>,
    /// What it does beside its layers.
    pub kind: DrafterKind,
}

/// The families.
#[derive(Clone, Debug, PartialEq)]
pub enum DrafterKind {
    /// Fills a block of mask tokens in one forward (model-spec 3).
    Dflash(Dflash),
    /// Multi-token-prediction head: token by token (model-spec 2).
    Mtp,
}

impl DrafterKind {
    /// For messages.
    pub(crate) fn describes(&self) -> &'static str {
        match self {
            Self::Dflash(_) => "a DFlash drafter",
            Self::Mtp => "an MTP head",
        }
    }
}

/// What a DFlash config says beside its layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Dflash {
    /// Stands in every row of the block but the first.
    pub mask_id: u32,
    /// Target layers whose outputs are the features, in the order in which `fc` reads them. Not empty, no two alike.
    pub target_layers: Vec<usize>,
    /// Whether a row of the block sees later ones; `None`: by layer kind (model-spec 3.5).
    pub is_causal: Option<bool>,
    /// Factor on the embedding.
    pub input_scale: f32,
    /// Factor on the logits.
    pub output_multiplier: f32,
    /// `c · tanh(logits / c)`.
    pub softcap: Option<f32>,
}

/// A parsed config and what the weights are found by.
pub(crate) struct ParsedDrafter {
    pub config: DrafterConfig,
    pub quantisation: Plan,
    pub folder: DrafterFolder,
}

/// Parses the bytes of `config.json` of a drafter for `target`.
pub(crate) fn parse_drafter(bytes: &[u8], target: &ModelConfig) -> Result<ParsedDrafter> {
    let whole = json::parse(bytes, CONFIG)?;
    let top = Object::new(&whole, CONFIG)?;
    let folder = family::folder(top)?;
    let text = with_defaults(merged(top)?, target, folder);
    let text = Object::new(&text, CONFIG)?;
    let config = match folder {
        DrafterFolder::Dflash => dflash::parse(top, text, target)?,
        DrafterFolder::Mtp | DrafterFolder::Model => mtp::parse(top, text, target)?,
    };
    check_fit(text, &config.decoder, target)?;
    Ok(ParsedDrafter { config, quantisation: Plan::parse(top, text, folder.naming())?, folder })
}

/// The sizes that a drafter may leave to its target.
fn with_defaults(mut text: Value, target: &ModelConfig, folder: DrafterFolder) -> Value {
    for (key, value) in [("vocab_size", target.vocab), ("max_position_embeddings", target.max_positions)] {
        if text[key].is_null() {
            text[key] = json!(value);
        }
    }
    if folder == DrafterFolder::Dflash && text["layer_types"].is_null() {
        text["use_sliding_window"] = json!(false);
    }
    text
}

fn block_size(object: Object<'_>) -> Result<Option<usize>> {
    object.size("block_size", 2, MAX_BLOCK)
}

/// Embedding and head are the target's, so that the widths must be.
fn check_fit(text: Object<'_>, decoder: &ModelConfig, target: &ModelConfig) -> Result<()> {
    for (key, own, targets) in
        [("hidden_size", decoder.hidden, target.hidden), ("vocab_size", decoder.vocab, target.vocab)]
    {
        if own != targets {
            return Err(misfit(text, key, own, targets));
        }
    }
    Ok(())
}

fn misfit(text: Object<'_>, key: &str, own: usize, target: usize) -> Error {
    text.error(key, format!("is {own}, the target has {target}; this drafter belongs to another model, give one that was made for the target"))
}
