//! `config.json` of a drafter (model-spec 2.1 and 3.1), read beside the target that it is to serve.

use super::{
    Architecture, LayerKind, ModelConfig, Plan,
    parse::{CONFIG, MAX_LAYERS, MAX_VOCAB, merged, model_config},
};
use crate::{
    files::json::{self, Object},
    names::{self, Naming},
};
use moire_base::{Error, Result};
use serde_json::{Value, json};

const SUPPORTED: &str = "supported are DFlash (DFlashDraftModel) and the MTP head of Qwen 3.5 (qwen3_5_mtp, or mtp.* tensors in the model folder)";
const MAX_BLOCK: usize = 1 << 16;

/// Drafters of other families, by a part of their architecture or model type.
const OTHERS: [(&str, &str); 8] = [
    ("dflash2", "a DFlash 2 drafter"),
    ("dspark", "a DSpark drafter"),
    ("eagle", "an EAGLE drafter"),
    ("medusa", "a Medusa drafter"),
    ("laguna", "a Laguna drafter"),
    ("assistant", "an assistant drafter"),
    ("mtp", "an MTP head of another family"),
    ("draft", "a drafter of another family"),
];

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

/// What kind of folder holds the drafter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrafterFolder {
    Dflash,
    Mtp,
    /// The target's own folder, or that of the same model.
    Model,
}

impl DrafterFolder {
    pub(crate) fn naming(self) -> Naming {
        match self {
            Self::Dflash => names::DFLASH,
            Self::Mtp => names::MTP,
            Self::Model => names::MTP_IN_MODEL,
        }
    }
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
    let folder = folder(top)?;
    let text = with_defaults(merged(top)?, target, folder);
    let text = Object::new(&text, CONFIG)?;
    let config = match folder {
        DrafterFolder::Dflash => dflash(top, text, target)?,
        DrafterFolder::Mtp | DrafterFolder::Model => mtp(top, text, target)?,
    };
    check_fit(text, &config.decoder, target)?;
    Ok(ParsedDrafter { config, quantisation: Plan::parse(top, text, folder.naming())?, folder })
}

fn folder(top: Object<'_>) -> Result<DrafterFolder> {
    let architecture = top.list("architectures")?.and_then(|a| a.first()).and_then(Value::as_str).unwrap_or_default();
    let model_type = top.text("model_type")?.unwrap_or_default();
    let refuse = |why: String| Err(top.unsupported("architectures", format!("{why}; {SUPPORTED}")));
    match (architecture, model_type) {
        ("DFlashDraftModel", "qwen3" | "") => return Ok(DrafterFolder::Dflash),
        ("DFlashDraftModel", other) => return refuse(format!("say DFlash with layers of \"{other}\", not of qwen3")),
        (_, "qwen3_5_mtp") => return Ok(DrafterFolder::Mtp),
        _ => {}
    }
    let name = if architecture.is_empty() { model_type } else { architecture };
    let spelled = format!("{architecture} {model_type}").to_lowercase();
    if let Some((_, what)) = OTHERS.iter().find(|(part, _)| spelled.contains(part)) {
        return refuse(format!("say \"{name}\": {what}, which is not supported"));
    }
    match model_type {
        "qwen3_5" | "qwen3_5_text" => Ok(DrafterFolder::Model),
        _ => refuse(format!("say \"{name}\", which is no drafter")),
    }
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

fn dflash(top: Object<'_>, text: Object<'_>, target: &ModelConfig) -> Result<DrafterConfig> {
    let nested = top.get("dflash_config").map(|v| Object::new(v, "config.json/dflash_config")).transpose()?;
    // Each key stands in dflash_config, else at the top level.
    let holder = |key: &str| nested.filter(|n| n.get(key).is_some()).unwrap_or(top);
    let decoder = model_config(text, Architecture::Qwen3, "qwen3".to_owned())?;
    if let Some(n) = text.size("num_target_layers", 1, MAX_LAYERS)?.filter(|n| *n != target.layers.len()) {
        return Err(misfit(text, "num_target_layers", n, target.layers.len()));
    }
    let ids = holder("target_layer_ids");
    let target_layers = match ids.list("target_layer_ids")? {
        Some(list) => listed_layers(ids, list, target.layers.len())?,
        None => default_layers(decoder.layers.len(), target.layers.len()),
    };
    check_layers(ids, &target_layers, target.layers.len())?;
    let factor = |key: &str| Ok::<_, Error>(holder(key).number(key)?.map(|x| x as f32));
    let kind = Dflash {
        mask_id: mask_id(holder("mask_token_id"), target)?,
        target_layers,
        is_causal: text.flag("is_causal")?,
        input_scale: factor("input_embedding_scale")?.unwrap_or(1.0),
        output_multiplier: factor("output_multiplier")?.unwrap_or(1.0),
        softcap: softcap(holder("final_logit_softcapping"))?,
    };
    Ok(DrafterConfig { decoder, block_size: block_size(holder("block_size"))?, kind: DrafterKind::Dflash(kind) })
}

fn block_size(object: Object<'_>) -> Result<Option<usize>> {
    object.size("block_size", 2, MAX_BLOCK)
}

fn mask_id(object: Object<'_>, target: &ModelConfig) -> Result<u32> {
    let key = "mask_token_id";
    match object.size(key, 0, MAX_VOCAB)? {
        Some(id) if id < target.vocab => Ok(id as u32),
        Some(id) => Err(object.error(key, format!("is {id}, beyond the vocabulary of {} of the target", target.vocab))),
        None => Err(object.error(key, "is missing; it must be the token id that stands for an unknown draft")),
    }
}

fn softcap(object: Object<'_>) -> Result<Option<f32>> {
    let key = "final_logit_softcapping";
    match object.number(key)? {
        Some(cap) if cap <= 0.0 => Err(object.error(key, format!("must be above 0, found {cap}"))),
        cap => Ok(cap.map(|c| c as f32)),
    }
}

fn listed_layers(object: Object<'_>, list: &[Value], target: usize) -> Result<Vec<usize>> {
    let index = |v: &Value| v.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n < target);
    let wrong = |v: &Value| {
        let message = format!("must be layers of the target, 0 to {}, found {}", target - 1, json::kind(v));
        object.error("target_layer_ids", message)
    };
    list.iter().map(|v| index(v).ok_or_else(|| wrong(v))).collect()
}

/// The rule by which drafters were trained whose file does not list the layers: from 1 to N - 3 in even steps (model-spec 3.1).
fn default_layers(layers: usize, target: usize) -> Vec<usize> {
    if layers == 1 {
        return vec![target / 2];
    }
    let step = (target as f64 - 4.0) / (layers as f64 - 1.0);
    (0..layers).map(|i| (1.0 + i as f64 * step).round_ties_even().max(0.0) as usize).collect()
}

fn check_layers(object: Object<'_>, layers: &[usize], target: usize) -> Result<()> {
    let key = "target_layer_ids";
    if layers.is_empty() {
        return Err(object.error(key, "is empty; it must list the target layers that the drafter reads"));
    }
    let twice = layers.iter().enumerate().find(|(i, l)| layers[..*i].contains(l) || **l >= target);
    twice.map_or(Ok(()), |(_, l)| {
        Err(object.error(key, format!("gives layer {l} of a target with {target} layers twice, or beyond the last")))
    })
}

fn mtp(top: Object<'_>, text: Object<'_>, target: &ModelConfig) -> Result<DrafterConfig> {
    if target.architecture != Architecture::Qwen35 {
        let message = format!(
            "is that of a Qwen 3.5 MTP head, the target is a {} model; a head serves only its own model",
            target.architecture.name()
        );
        return Err(text.unsupported("model_type", message));
    }
    if let Some(n) = text.size("mtp_num_hidden_layers", 0, MAX_LAYERS)?.filter(|n| *n > 1) {
        return Err(text.unsupported("mtp_num_hidden_layers", format!("is {n}; heads of one layer are supported")));
    }
    if text.flag("mtp_use_dedicated_embeddings")? == Some(true) {
        let message = "is true; only heads that share the target's embedding are supported";
        return Err(text.unsupported("mtp_use_dedicated_embeddings", message));
    }
    let whole = model_config(text, Architecture::Qwen35, "qwen3_5_mtp".to_owned())?;
    let decoder = ModelConfig { layers: vec![LayerKind::Attention], windows: vec![None], delta: None, ..whole };
    Ok(DrafterConfig { decoder, block_size: block_size(top)?, kind: DrafterKind::Mtp })
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
    text.error(key, format!("is {own}, the target has {target}; this drafter belongs to another model"))
}
