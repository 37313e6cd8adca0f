//! The MTP head of Qwen 3.5: a decoder layer of the family (model-spec 2.1).

use super::{DrafterConfig, DrafterKind, block_size};
use crate::{
    config::{
        Architecture, LayerKind, ModelConfig,
        parse::{MAX_LAYERS, model_config},
    },
    files::json::Object,
};
use moire_base::Result;

/// The config of an MTP head of `target`. `text` may be the whole model's: the head has one layer, always with attention.
pub(super) fn parse(top: Object<'_>, text: Object<'_>, target: &ModelConfig) -> Result<DrafterConfig> {
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
