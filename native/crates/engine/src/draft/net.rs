//! The layers of a drafter as its forward uses them.

use crate::net::{self, Attention, Layer, Mixer};
use moire_base::{Dtype, Linear};
use moire_checkpoint::{DrafterConfig, DrafterKind, DrafterWeights, ModelConfig};
use moire_kernels::{Weights, attention::Mask, rope::Rope};

/// A whole drafter but for embedding and head.
pub struct DraftNet {
    /// Sizes and facts of its layers.
    pub config: ModelConfig,
    /// DFlash or MTP.
    pub kind: DrafterKind,
    /// `[H, n·H]`: features to hidden; MTP `[H, 2H]`: token and feature to hidden.
    pub fc: Linear,
    /// On the features, after `fc` in DFlash, before it in MTP.
    pub hidden_norm: Weights,
    /// On the tokens, in MTP.
    pub embedding_norm: Option<Weights>,
    /// First to last.
    pub layers: Vec<Layer>,
    /// Before the head.
    pub norm: Weights,
    /// Rotation of the layers.
    pub rope: Rope,
    /// The float type of all weights, if they have one.
    pub dtype: Option<Dtype>,
}

impl DraftNet {
    /// Layers over a checkpoint's weights, which were checked against `config`.
    pub fn new(config: DrafterConfig, weights: DrafterWeights) -> Self {
        let DrafterConfig { decoder: config, kind, .. } = config;
        Self {
            dtype: one_dtype(&weights),
            hidden_norm: Weights::from(&weights.hidden_norm),
            embedding_norm: weights.embedding_norm.as_ref().map(Weights::from),
            layers: weights.layers.into_iter().enumerate().map(|(i, l)| net::layer(&config, i, l)).collect(),
            norm: Weights::from(&weights.norm),
            rope: net::rope(&config),
            fc: weights.fc,
            config,
            kind,
        }
    }

    /// The mixer of a layer.
    pub fn attention(layer: &Layer) -> &Attention {
        match &layer.mixer {
            Mixer::Attention(m) => m,
            Mixer::GatedDelta(_) => unreachable!("a drafter's layers have attention"),
        }
    }

    /// Which keys the rows of a block see in a layer (model-spec 3.5). `sliding_causal`: the switch, `None` for what the file says.
    pub fn mask(&self, layer: usize, sliding_causal: Option<bool>) -> Mask {
        let DrafterKind::Dflash(d) = &self.kind else { return Mask::CAUSAL };
        let window = self.config.windows[layer];
        let causal = match window {
            Some(_) => sliding_causal.or(d.is_causal).unwrap_or(true),
            None => d.is_causal.unwrap_or(false),
        };
        Mask { causal, window }
    }
}

fn one_dtype(weights: &DrafterWeights) -> Option<Dtype> {
    let first = weights.fc.weight.dtype();
    let mut all = weights.matrices().map(|m| m.dtype()).chain(weights.norms().map(|v| v.dtype));
    all.all(|d| d == first).then_some(first)
}
