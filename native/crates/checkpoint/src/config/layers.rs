//! What each layer is, and how far its attention sees.

use super::{Architecture, LayerKind};
use crate::files::json::Object;
use moire_base::Result;

const MAX_WINDOW: usize = 1 << 30;
/// Default of the Qwen 3.5 family: three gated delta layers, then one of attention.
const FULL_ATTENTION_INTERVAL: usize = 4;

/// Kind of each of `count` layers. `layer_types` and `full_attention_interval` must agree where both are given, since readers differ in which one they follow.
pub(crate) fn kinds(text: Object<'_>, architecture: Architecture, count: usize) -> Result<Vec<LayerKind>> {
    let named = named_kinds(text, architecture, count)?;
    if architecture != Architecture::Qwen35 {
        return Ok(named.unwrap_or_else(|| vec![LayerKind::Attention; count]));
    }
    let interval = text.size("full_attention_interval", 1, usize::MAX)?;
    let every = |n: usize| {
        (0..count)
            .map(|i| if (i + 1) % n == 0 { LayerKind::Attention } else { LayerKind::GatedDelta })
            .collect::<Vec<_>>()
    };
    let Some(named) = named else { return Ok(every(interval.unwrap_or(FULL_ATTENTION_INTERVAL))) };
    match interval.map(|n| (n, every(n))) {
        Some((n, by_interval)) if by_interval != named => {
            let at = named.iter().zip(&by_interval).position(|(a, b)| a != b).unwrap_or(0);
            Err(text.error(
                "layer_types",
                format!("and full_attention_interval {n} disagree about layer {at}; correct the one that is wrong"),
            ))
        }
        _ => Ok(named),
    }
}

fn named_kinds(text: Object<'_>, architecture: Architecture, count: usize) -> Result<Option<Vec<LayerKind>>> {
    let Some(names) = type_names(text, count)? else { return Ok(None) };
    let kind = |(i, name): (usize, &str)| match (name, architecture) {
        ("full_attention", _) | ("sliding_attention", Architecture::Qwen3 | Architecture::Llama) => {
            Ok(LayerKind::Attention)
        }
        ("linear_attention", Architecture::Qwen35) => Ok(LayerKind::GatedDelta),
        _ => Err(text.unsupported(
            "layer_types",
            format!("holds \"{name}\" at layer {i}, which {} models do not have", architecture.name()),
        )),
    };
    names.into_iter().enumerate().map(kind).collect::<Result<Vec<_>>>().map(Some)
}

fn type_names<'a>(text: Object<'a>, count: usize) -> Result<Option<Vec<&'a str>>> {
    let Some(list) = text.list("layer_types")? else { return Ok(None) };
    if list.len() != count {
        return Err(text.error("layer_types", format!("has {} entries for num_hidden_layers {count}", list.len())));
    }
    let name =
        |v: &'a serde_json::Value| v.as_str().ok_or_else(|| text.error("layer_types", "must be a list of strings"));
    list.iter().map(name).collect::<Result<Vec<_>>>().map(Some)
}

/// Sliding window of each layer. `layer_types` decides where it is given; else Qwen 3 slides from `max_window_layers` on if `use_sliding_window` says so.
pub(crate) fn windows(
    text: Object<'_>,
    architecture: Architecture,
    layers: &[LayerKind],
) -> Result<Vec<Option<usize>>> {
    let window = text.size("sliding_window", 1, MAX_WINDOW)?;
    let slides: Vec<bool> = match type_names(text, layers.len())? {
        Some(names) => names.iter().map(|n| *n == "sliding_attention").collect(),
        None if architecture == Architecture::Qwen3 && text.flag("use_sliding_window")? == Some(true) => {
            let first = text.size("max_window_layers", 0, usize::MAX)?.unwrap_or(0);
            (0..layers.len()).map(|i| i >= first).collect()
        }
        None => vec![false; layers.len()],
    };
    if slides.contains(&true) && window.is_none() {
        return Err(text.error(
            "sliding_window",
            "is missing, but some layers slide; it must be the number of positions they see",
        ));
    }
    Ok(slides.into_iter().map(|s| window.filter(|_| s)).collect())
}
