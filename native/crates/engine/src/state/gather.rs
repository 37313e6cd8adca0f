//! A state out of batch rows of others: some rows of one batch, or the rows of several.

use super::{DeltaCache, KvCache, LayerCache, State};
use moire_base::{Result, memory};

impl State {
    /// The batch rows `(state, its batch row)`, in this order, of states of one model under one set of switches. Pages of keys and values are shared until one
    /// side writes, the states of gated delta layers are copied. What a rewind needs is not in it.
    ///
    /// # Errors
    /// `Memory`.
    pub fn gather(rows: &[(&Self, usize)]) -> Result<Self> {
        // A row that has run knows in which dtypes the layers keep what they keep.
        let (like, _) = rows.iter().find(|(state, b)| state.position[*b] > 0).unwrap_or(&rows[0]);
        memory::require(format!("a session of {} batch rows", rows.len()), rows.len() * like.delta_bytes())?;
        let layer = |(layer, like): (usize, &LayerCache)| match like {
            LayerCache::Attention(like) => {
                let pages = rows.iter().map(|(state, b)| state.keys_values(layer).row(*b));
                LayerCache::Attention(like.with_rows(pages.collect()))
            }
            LayerCache::GatedDelta(like) => {
                let both: Vec<_> =
                    rows.iter().map(|(state, b)| state.delta(layer).row(state.position.len(), *b)).collect();
                LayerCache::GatedDelta(Box::new(like.with_rows(&both)))
            }
        };
        Ok(Self {
            layers: like.layers.iter().enumerate().map(layer).collect(),
            position: rows.iter().map(|(state, b)| state.position[*b]).collect(),
            verified: None,
        })
    }

    /// Bytes of one batch row in all gated delta layers.
    fn delta_bytes(&self) -> usize {
        let of = |layer: &LayerCache| match layer {
            LayerCache::Attention(_) => 0,
            LayerCache::GatedDelta(cache) => cache.row(self.position.len(), 0).map(size_of_val).iter().sum(),
        };
        self.layers.iter().map(of).sum()
    }

    fn keys_values(&self, layer: usize) -> &KvCache {
        match &self.layers[layer] {
            LayerCache::Attention(cache) => cache,
            LayerCache::GatedDelta(_) => unreachable!("states of one model have the same layers"),
        }
    }

    fn delta(&self, layer: usize) -> &DeltaCache {
        match &self.layers[layer] {
            LayerCache::GatedDelta(cache) => cache,
            LayerCache::Attention(_) => unreachable!("states of one model have the same layers"),
        }
    }
}
