//! What a session carries from token to token. A forward writes behind the position or stages; only `commit` makes it count,
//! so a cancelled, failed or panicked forward leaves the state as it was.

mod delta;
mod gather;
mod kv;

pub use delta::{DeltaBlock, DeltaCache, Staged};
pub use kv::{KvCache, Pages};

use crate::{
    LayerRewind, LayerState, NamedTensor, forward,
    net::{Mixer, Net},
};
use moire_base::{Dtype, Result};
use moire_checkpoint::LayerKind;
use moire_kernels::{Ctx, delta::DeltaStates};

/// State of one layer.
#[derive(Clone)]
pub enum LayerCache {
    /// Keys and values.
    Attention(KvCache),
    /// Conv state and recurrent state.
    GatedDelta(Box<DeltaCache>),
}

/// State of all layers and batch rows.
#[derive(Clone)]
pub struct State {
    /// First to last.
    pub layers: Vec<LayerCache>,
    /// Tokens in the state, per batch row.
    pub position: Vec<usize>,
    /// Width of the last call if it was a verify and can be rewound.
    pub verified: Option<usize>,
}

impl State {
    /// Empty, for `batch` rows with activations of `act`.
    pub fn new(net: &Net, batch: usize, act: Dtype) -> Self {
        let config = &net.config;
        let layers = net.layers.iter().map(|layer| match &layer.mixer {
            Mixer::Attention(_) => LayerCache::Attention(KvCache::new(batch, config.kv_heads, config.head_dim, act)),
            Mixer::GatedDelta(m) => LayerCache::GatedDelta(Box::new(DeltaCache::new(batch, m, act))),
        });
        Self { layers: layers.collect(), position: vec![0; batch], verified: None }
    }

    /// The forward of `width` positions that just ended becomes part of the state. After a verify what a rewind needs is kept.
    pub fn commit(&mut self, width: usize, verify: bool) {
        for layer in &mut self.layers {
            if let LayerCache::GatedDelta(cache) = layer {
                cache.commit(self.position.len(), verify);
            }
        }
        self.position.iter_mut().for_each(|p| *p += width);
        self.verified = verify.then_some(width);
    }

    /// Drop what a failed forward staged or wrote.
    pub fn discard(&mut self) {
        for layer in &mut self.layers {
            match layer {
                LayerCache::GatedDelta(cache) => cache.staged = None,
                LayerCache::Attention(cache) => cache.trim(&self.position),
            }
        }
    }

    /// Bytes by which the KV caches grow for a forward of `width` positions.
    pub fn growth(&self, width: usize) -> usize {
        let caches = self.layers.iter().filter_map(|layer| match layer {
            LayerCache::Attention(cache) => Some(cache),
            LayerCache::GatedDelta(_) => None,
        });
        let of =
            |cache: &KvCache| self.position.iter().enumerate().map(|(b, p)| cache.growth(b, *p, width)).sum::<usize>();
        caches.map(of).sum()
    }

    /// Keep `kept[batch row]` rows of the verified block of `width` rows.
    pub fn rewind(&mut self, net: &Net, ctx: &Ctx, width: usize, kept: &[usize]) -> Result<Vec<LayerRewind>> {
        let nothing = kept.iter().all(|k| *k == width);
        let mut layers = Vec::with_capacity(self.layers.len());
        for (layer, cache) in self.layers.iter_mut().enumerate() {
            let how = match (cache, &net.layers[layer].mixer) {
                (LayerCache::GatedDelta(cache), Mixer::GatedDelta(m)) => {
                    cache.rewind(kept, |block, b, before, after| {
                        forward::recompute(ctx, m.shape, block, (b, kept[b]), DeltaStates { before, after })
                    })?;
                    "recompute"
                }
                _ => "truncate",
            };
            layers.push(LayerRewind { layer, how: if nothing { "none" } else { how } });
        }
        for (position, kept) in self.position.iter_mut().zip(kept) {
            *position -= width - kept;
        }
        self.verified = None;
        Ok(layers)
    }

    /// The state tensors of a layer. Keys and values have the length of the longest row; shorter rows end in zeros.
    ///
    /// # Errors
    /// `Memory`.
    pub fn tensors(&self, net: &Net, layer: usize) -> Result<LayerState> {
        let named = |(name, tensor): (&str, _)| NamedTensor { name: name.to_owned(), tensor };
        let kind: LayerKind = net.kind(layer);
        let tensors = match &self.layers[layer] {
            LayerCache::Attention(cache) => cache.tensors(&self.position)?.map(named).to_vec(),
            LayerCache::GatedDelta(cache) => cache.tensors(self.position.len()).map(named).to_vec(),
        };
        Ok(LayerState { layer, kind: kind.name(), tensors })
    }
}
