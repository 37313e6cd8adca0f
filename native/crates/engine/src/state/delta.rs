//! Conv state and recurrent state of a gated delta layer.

use crate::{Tensor, forward::Rows, net::GatedDelta};
use moire_base::{Dtype, Result};
use moire_kernels::delta::{DeltaInputs, DeltaShape};

/// State of every batch row, what the forward in progress staged, and what a rewind of the last verify needs.
#[derive(Clone)]
pub struct DeltaCache {
    shape: DeltaShape,
    /// `[batch, taps - 1, C]`: raw rows of in_proj_qkv, oldest first.
    conv: Vec<f32>,
    channels: usize,
    dtype: Dtype,
    /// `[batch, Hv, Dv, Dk]`.
    recurrent: Vec<f32>,
    /// Of the forward in progress.
    pub staged: Option<Staged>,
    verified: Option<Staged>,
    /// A buffer to copy the recurrent state into.
    spare: Vec<f32>,
}

/// A recurrent state, and the inputs of a block: staged, the state after the block; verified, the state before it.
#[derive(Clone)]
pub struct Staged {
    /// `[batch, Hv, Dv, Dk]`.
    pub recurrent: Vec<f32>,
    /// Inputs of the block.
    pub block: DeltaBlock,
}

/// Inputs of the recurrence for `width` positions of every batch row, `[batch · width, ...]` each.
#[derive(Clone)]
pub struct DeltaBlock {
    /// Positions.
    pub width: usize,
    /// Per batch row the conv state before the block, then its rows of in_proj_qkv: `[batch, taps - 1 + width, C]`.
    pub window: Vec<f32>,
    /// Normalised and scaled queries.
    pub q: Rows,
    /// Normalised keys.
    pub k: Rows,
    /// Values.
    pub v: Rows,
    /// Write strength.
    pub beta: Rows,
    /// log g.
    pub log_decay: Rows,
    /// g.
    pub decay: Rows,
}

impl DeltaBlock {
    /// The first `rows` positions of batch row `b`.
    pub fn inputs(&self, b: usize, rows: usize) -> DeltaInputs<'_> {
        let first = b * self.width;
        let part = |r: &'_ Rows| first * r.width..(first + rows) * r.width;
        DeltaInputs {
            q: &self.q.values[part(&self.q)],
            k: &self.k.values[part(&self.k)],
            v: &self.v.values[part(&self.v)],
            beta: &self.beta.values[part(&self.beta)],
            decay: &self.decay.values[part(&self.decay)],
            log_decay: &self.log_decay.values[part(&self.log_decay)],
        }
    }
}

impl DeltaCache {
    /// Zeros for `batch` rows.
    pub fn new(batch: usize, m: &GatedDelta, dtype: Dtype) -> Self {
        let DeltaShape { value_heads, key_dim, value_dim, .. } = m.shape;
        Self {
            shape: m.shape,
            conv: vec![0.0; batch * (m.conv.taps - 1) * m.conv.channels],
            channels: m.conv.channels,
            dtype,
            recurrent: vec![0.0; batch * value_heads * value_dim * key_dim],
            staged: None,
            verified: None,
            spare: Vec::new(),
        }
    }

    /// Per batch row its conv state and then its rows of `qkv`.
    pub fn window(&mut self, qkv: &Rows, batch: usize) -> Vec<f32> {
        self.dtype = qkv.dtype;
        let old = self.conv.chunks_exact(self.conv.len() / batch);
        let new = qkv.values.chunks_exact(qkv.values.len() / batch);
        old.zip(new).flat_map(|(old, new)| old.iter().chain(new)).copied().collect()
    }

    /// The recurrent state, to go on with.
    pub fn copy_of_recurrent(&mut self) -> Vec<f32> {
        let mut copy = std::mem::take(&mut self.spare);
        copy.clone_from(&self.recurrent);
        copy
    }

    /// The staged state becomes the state; after a verify the one before it is kept for a rewind.
    pub fn commit(&mut self, batch: usize, verify: bool) {
        let Some(Staged { recurrent, block }) = self.staged.take() else { return };
        for b in 0..batch {
            self.take_conv(&block, batch, b, block.width);
        }
        let before = std::mem::replace(&mut self.recurrent, recurrent);
        let verified = verify.then_some(block);
        let retired = match verified {
            Some(block) => self.verified.replace(Staged { recurrent: before, block }).map(|v| v.recurrent),
            None => {
                self.verified = None;
                Some(before)
            }
        };
        self.spare = retired.unwrap_or_default();
    }

    /// For every batch row with dropped rows: conv state from its kept rows, recurrent state by `recompute(block, batch row, state before the block)`.
    pub fn rewind(
        &mut self,
        kept: &[usize],
        mut recompute: impl FnMut(&DeltaBlock, usize, &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let Some(Staged { recurrent: before, block }) = self.verified.take() else { return Ok(()) };
        let one = self.recurrent.len() / kept.len();
        for (b, kept_rows) in kept.iter().enumerate().filter(|(_, n)| **n < block.width) {
            let state = &mut self.recurrent[b * one..(b + 1) * one];
            state.copy_from_slice(&before[b * one..(b + 1) * one]);
            recompute(&block, b, state)?;
            self.take_conv(&block, kept.len(), b, *kept_rows);
        }
        self.spare = before;
        Ok(())
    }

    /// Conv state of batch row `b` after the first `rows` rows of a block.
    fn take_conv(&mut self, block: &DeltaBlock, batch: usize, b: usize, rows: usize) {
        let (one, window) = (self.conv.len() / batch, block.window.len() / batch);
        let from = b * window + rows * self.channels;
        self.conv[b * one..(b + 1) * one].copy_from_slice(&block.window[from..from + one]);
    }

    /// `conv_state` `[batch, taps - 1, C]` and `recurrent_state` `[batch, Hv, Dv, Dk]`.
    pub fn tensors(&self, batch: usize) -> [(&'static str, Tensor); 2] {
        let DeltaShape { value_heads, key_dim, value_dim, .. } = self.shape;
        let rows = self.conv.len() / (batch * self.channels);
        let conv = Tensor::from_f32(self.dtype, vec![batch, rows, self.channels], &self.conv);
        let recurrent = vec![batch, value_heads, value_dim, key_dim];
        [("conv_state", conv), ("recurrent_state", Tensor::from_f32(Dtype::F32, recurrent, &self.recurrent))]
    }
}
