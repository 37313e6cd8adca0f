//! What a draft session carries from round to round. A forward writes behind the position: only `commit` makes it count.

use super::net::DraftNet;
use crate::{
    forward::Rows,
    state::{KvCache, Pages},
};
use moire_base::Dtype;

/// State of all layers and batch rows.
#[derive(Clone)]
pub struct DraftState {
    /// Keys and values, first layer to last. DFlash: of committed rows. MTP: an entry for every committed row, then the `drafted` ones.
    pub caches: Vec<KvCache>,
    /// Committed rows, per batch row.
    pub position: Vec<usize>,
    /// The token after the last committed row, per batch row; `None` before the first.
    pub next: Vec<Option<u32>>,
    /// Of an MTP head.
    pub chain: Chain,
    /// What the features of the first observation were.
    pub features: Dtype,
}

/// Outputs of an MTP head after its last norm, from which it goes on (model-spec 2.4).
#[derive(Clone)]
pub struct Chain {
    /// Of the last committed row, `[batch, H]`.
    pub seed: Rows,
    /// Of the last entry, committed or drafted, `[batch, H]`.
    pub tail: Rows,
    /// Entries behind the committed ones, the same number in every batch row.
    pub drafted: usize,
}

impl Chain {
    /// Back to the last committed row.
    pub fn restart(&mut self) {
        self.tail = self.seed.clone();
        self.drafted = 0;
    }
}

impl DraftState {
    /// Empty, for `batch` rows.
    pub fn new(net: &DraftNet, batch: usize) -> Self {
        let none = Rows::zeros(batch, net.config.hidden, Dtype::F32);
        Self {
            caches: Vec::new(),
            position: vec![0; batch],
            next: vec![None; batch],
            chain: Chain { seed: none.clone(), tail: none, drafted: 0 },
            features: Dtype::F32,
        }
    }

    /// The batch rows `(state, its batch row)`, in this order, of states of one drafter under one set of switches, which saw features of one dtype and have
    /// drafted as many entries. Pages of keys and values are shared until one side writes.
    pub fn gather(rows: &[(&Self, usize)]) -> Self {
        // A row that has seen something knows the dtypes; one that has not may have no caches.
        let (like, _) = rows.iter().find(|(state, b)| state.position[*b] > 0).unwrap_or(&rows[0]);
        let pages =
            |(state, b): &(&Self, usize), layer: usize| state.caches.get(layer).map_or_else(Pages::new, |c| c.row(*b));
        let cache =
            |(layer, like): (usize, &KvCache)| like.with_rows(rows.iter().map(|row| pages(row, layer)).collect());
        let outputs = |of: fn(&Chain) -> &Rows| {
            let row = |(state, b): &(&Self, usize)| of(&state.chain).gather(&[*b]).values;
            Rows { values: rows.iter().flat_map(row).collect(), ..*of(&like.chain) }
        };
        Self {
            caches: like.caches.iter().enumerate().map(cache).collect(),
            position: rows.iter().map(|(state, b)| state.position[*b]).collect(),
            next: rows.iter().map(|(state, b)| state.next[*b]).collect(),
            chain: Chain { seed: outputs(|c| &c.seed), tail: outputs(|c| &c.tail), drafted: like.chain.drafted },
            features: like.features,
        }
    }

    /// What the features of the first observation were, if there was one.
    pub fn observed(&self) -> Option<Dtype> {
        (!self.is_empty()).then_some(self.features)
    }

    /// Whether no row was committed yet.
    pub fn is_empty(&self) -> bool {
        self.position.iter().all(|p| *p == 0)
    }

    /// Caches for features of this dtype, before the first rows. Where weights, features and activations have one dtype, so have keys and values.
    pub fn prepare(&mut self, net: &DraftNet, act: Dtype, features: Dtype) {
        let (batch, kv_heads, dim) = (self.position.len(), net.config.kv_heads, net.config.head_dim);
        let one = net.dtype == Some(act) && features == act;
        let cache = if one { KvCache::new(batch, kv_heads, dim, act) } else { KvCache::of_any(batch, kv_heads, dim) };
        self.caches = vec![cache; net.layers.len()];
        self.features = features;
    }

    /// `counts[batch row]` new rows, which a forward wrote, become part of the state. What no later row sees goes.
    pub fn commit(&mut self, net: &DraftNet, counts: &[usize], last: impl Iterator<Item = Option<u32>>) {
        for (b, (count, last)) in counts.iter().zip(last).enumerate() {
            self.position[b] += count;
            self.next[b] = last.or(self.next[b]);
        }
        for (cache, window) in self.caches.iter_mut().zip(&net.config.windows) {
            for (b, position) in self.position.iter().enumerate() {
                cache.forget(b, window.map_or(0, |w| (position + 1).saturating_sub(w)));
            }
        }
    }

    /// Drop what a failed observation wrote.
    pub fn discard(&mut self) {
        self.caches.iter_mut().for_each(|cache| cache.trim(&self.position));
    }

    /// Bytes by which the caches grow when `widths[batch row]` positions are written behind `behind` others.
    pub fn growth(&self, behind: usize, widths: &[usize]) -> usize {
        let of = |cache: &KvCache| -> usize {
            widths.iter().enumerate().map(|(b, w)| cache.growth(b, self.position[b] + behind, *w)).sum()
        };
        self.caches.iter().map(of).sum()
    }
}
