//! DFlash keys: in `dflash_config`, else at the top level (model-spec 3.1).

use super::{Dflash, DrafterConfig, DrafterKind, block_size, misfit};
use crate::{
    config::{
        Architecture, ModelConfig,
        parse::{MAX_LAYERS, MAX_VOCAB, model_config},
    },
    files::json::{self, Object},
};
use moire_base::{Error, Result};
use serde_json::Value;

/// The config of a DFlash drafter for `target`.
pub(super) fn parse(top: Object<'_>, text: Object<'_>, target: &ModelConfig) -> Result<DrafterConfig> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists of published drafters that were trained by it (model-spec 3.1), by draft layers and target layers.
    #[test]
    fn the_old_rule_gives_the_published_layers() {
        assert_eq!(default_layers(5, 32), [1, 8, 15, 22, 29]);
        assert_eq!(default_layers(8, 32), [1, 5, 9, 13, 17, 21, 25, 29]);
        assert_eq!(default_layers(5, 64), [1, 16, 31, 46, 61]);
        assert_eq!(default_layers(1, 32), [16]);
        // A target too small for it: the check of the list refuses these.
        assert_eq!(default_layers(3, 2), [1, 0, 0]);
    }
}
