//! What a drafter says about itself: the `DrafterInfo` document of `moire.h`.

use crate::{Quantisation, SwitchInfo, draft::switches};
use moire_checkpoint::{DrafterConfig, DrafterKind, ModelConfig, Summary};
use serde::Serialize;

/// Facts of a drafter, its switches, and the taps of the target that it reads.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrafterInfo {
    /// Folder it was opened from.
    pub path: String,
    /// `dflash` or `mtp`.
    pub family: &'static str,
    /// Every layer in order.
    pub layers: Vec<DraftLayerInfo>,
    /// Hidden size, the target's.
    pub hidden: usize,
    /// Vocabulary, the target's.
    pub vocab: usize,
    /// Rows of a verification pass that the checkpoint declares.
    pub block_size: Option<usize>,
    /// Token id in the rows after the anchor, DFlash.
    pub mask_id: Option<u32>,
    /// Taps of the target, in the order in which an observation lists them.
    pub taps: Vec<String>,
    /// Positions that a sliding layer sees.
    pub sliding_window: Option<usize>,
    /// Float type of the weights.
    pub dtype: &'static str,
    /// How the weights are packed; `null` for a float checkpoint.
    pub quantisation: Option<Quantisation>,
    /// Parameters of its own.
    pub parameters: u64,
    /// Bytes of their tensors.
    pub weight_bytes: u64,
    /// Hash of config, headers and its own weights.
    pub fingerprint: String,
    /// What a user should know of this folder.
    pub warnings: Vec<String>,
    /// What a draft session may choose.
    pub switches: Vec<SwitchInfo>,
}

/// One layer.
#[derive(Clone, Debug, Serialize)]
pub struct DraftLayerInfo {
    /// From 0.
    pub index: usize,
    /// `full` or `sliding`.
    pub kind: &'static str,
}

/// The document for a drafter of `target`.
pub fn describe(config: &DrafterConfig, summary: &Summary, target: &ModelConfig) -> DrafterInfo {
    let decoder = &config.decoder;
    let (family, mask_id, taps) = match &config.kind {
        DrafterKind::Dflash(d) => {
            let taps = d.target_layers.iter().map(|layer| format!("{layer}.layer_output")).collect();
            ("dflash", Some(d.mask_id), taps)
        }
        DrafterKind::Mtp => ("mtp", None, vec![format!("{}.final_norm", target.layers.len())]),
    };
    let kind = |window: &Option<usize>| if window.is_some() { "sliding" } else { "full" };
    let layers = decoder.windows.iter().enumerate().map(|(index, w)| DraftLayerInfo { index, kind: kind(w) });
    DrafterInfo {
        path: summary.path.display().to_string(),
        family,
        layers: layers.collect(),
        hidden: decoder.hidden,
        vocab: target.vocab,
        block_size: config.block_size,
        mask_id,
        taps,
        sliding_window: decoder.windows.iter().find_map(|w| *w),
        dtype: decoder.dtype.name(),
        quantisation: decoder.quantisation.map(|q| Quantisation { bits: q.bits, group: q.group, mixed: q.mixed }),
        parameters: summary.parameters,
        weight_bytes: summary.weight_bytes,
        fingerprint: summary.fingerprint.clone(),
        warnings: summary.warnings.clone(),
        switches: switches::table(&config.kind),
    }
}
