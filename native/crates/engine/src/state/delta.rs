//! Conv state and recurrent state of a gated delta layer.

use crate::{Tensor, forward::Rows, net::GatedDelta};
use moire_base::{Dtype, Result};
use moire_kernels::{
    Aligned, Columns,
    delta::{DeltaInputs, DeltaShape},
};
use std::sync::Arc;

/// State of every batch row, what the forward in progress staged, and what a rewind of the last verify needs. Nothing that was committed is written again
/// while somebody shares it, so a clone shares all of it.
#[derive(Clone)]
pub struct DeltaCache {
    shape: DeltaShape,
    /// `[batch, taps - 1, C]`: raw rows of in_proj_qkv, oldest first.
    conv: Arc<Vec<f32>>,
    channels: usize,
    dtype: Dtype,
    /// `[batch, Hv, Dv, Dk]`.
    recurrent: Arc<Aligned>,
    /// Of the forward in progress.
    pub staged: Option<Staged>,
    verified: Option<Arc<Verified>>,
    /// For the next recurrent state; empty after a clone.
    spare: Spare,
}

/// The recurrent state `[batch, Hv, Dv, Dk]` after a block, and the inputs of the block.
#[derive(Clone)]
pub struct Staged {
    /// State after the block.
    pub recurrent: Aligned,
    /// Inputs of the block.
    pub block: DeltaBlock,
}

/// Both states before a block, and its inputs.
struct Verified {
    conv: Arc<Vec<f32>>,
    recurrent: Arc<Aligned>,
    block: DeltaBlock,
}

/// A buffer that a clone does not copy.
#[derive(Default)]
struct Spare(Option<Aligned>);

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Inputs of the recurrence for `width` positions of every batch row, `[batch · width, ...]` each.
#[derive(Clone)]
pub struct DeltaBlock {
    /// Positions.
    pub width: usize,
    /// Rows of in_proj_qkv.
    pub qkv: Rows,
    /// Normalised and scaled queries.
    pub q: Rows,
    /// Normalised keys.
    pub k: Rows,
    /// Values: the last columns of the convolution.
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
    pub fn inputs(&self, shape: DeltaShape, b: usize, rows: usize) -> DeltaInputs<'_> {
        let first = b * self.width;
        let part = |r: &'_ Rows| first * r.width..(first + rows) * r.width;
        let values = self.v.width - shape.value_heads * shape.value_dim..self.v.width;
        DeltaInputs {
            q: &self.q.values[part(&self.q)],
            k: &self.k.values[part(&self.k)],
            v: Columns::new(&self.v.values[part(&self.v)], self.v.width, values),
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
            conv: Arc::new(vec![0.0; batch * (m.conv.taps - 1) * m.conv.channels]),
            channels: m.conv.channels,
            dtype,
            recurrent: Arc::new(Aligned::new(batch * value_heads * value_dim * key_dim)),
            staged: None,
            verified: None,
            spare: Spare::default(),
        }
    }

    /// The conv state of batch row `b` of `batch`, `[taps - 1, C]`.
    pub fn conv(&self, batch: usize, b: usize) -> &[f32] {
        let one = self.conv.len() / batch;
        &self.conv[b * one..(b + 1) * one]
    }

    /// Conv state `[taps - 1, C]` and recurrent state `[Hv, Dv, Dk]` of batch row `b` of `batch`.
    pub fn row(&self, batch: usize, b: usize) -> [&[f32]; 2] {
        let one = self.recurrent.len() / batch;
        [self.conv(batch, b), &self.recurrent[b * one..(b + 1) * one]]
    }

    /// A cache for the same layer with copies of these batch rows. It has nothing to rewind.
    pub fn with_rows(&self, rows: &[[&[f32]; 2]]) -> Self {
        let conv: Vec<&[f32]> = rows.iter().map(|[conv, _]| *conv).collect();
        let one = self.shape.value_heads * self.shape.value_dim * self.shape.key_dim;
        let mut recurrent = Aligned::new(rows.len() * one);
        for (to, [_, from]) in recurrent.chunks_exact_mut(one).zip(rows) {
            to.copy_from_slice(from);
        }
        Self {
            shape: self.shape,
            conv: Arc::new(conv.concat()),
            channels: self.channels,
            dtype: self.dtype,
            recurrent: Arc::new(recurrent),
            staged: None,
            verified: None,
            spare: Spare::default(),
        }
    }

    /// The recurrent state of all batch rows.
    pub fn recurrent(&self) -> &[f32] {
        &self.recurrent
    }

    /// Room for the next recurrent state, of any content.
    pub fn room(&mut self) -> Aligned {
        self.spare.0.take().unwrap_or_else(|| Aligned::new(self.recurrent.len()))
    }

    /// The staged state becomes the state; after a verify the one before it is kept for a rewind.
    pub fn commit(&mut self, batch: usize, verify: bool) {
        let Some(Staged { recurrent, block }) = self.staged.take() else { return };
        self.dtype = block.qkv.dtype;
        self.forget_verified();
        let before = std::mem::replace(&mut self.recurrent, Arc::new(recurrent));
        let conv_before = verify.then(|| Arc::clone(&self.conv));
        for b in 0..batch {
            self.take_conv(&block, batch, b, block.width);
        }
        match conv_before {
            Some(conv) => self.verified = Some(Arc::new(Verified { conv, recurrent: before, block })),
            None => self.keep_spare(before),
        }
    }

    /// For every batch row with dropped rows: conv state from its kept rows, recurrent state by
    /// `recompute(block, batch row, state before the block, state to write)`.
    pub fn rewind(
        &mut self,
        kept: &[usize],
        mut recompute: impl FnMut(&DeltaBlock, usize, &[f32], &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let Some(verified) = self.verified.clone() else { return Ok(()) };
        if kept.iter().any(|n| *n < verified.block.width) {
            self.go_back(&verified, kept, &mut recompute)?;
        }
        drop(verified);
        self.forget_verified();
        Ok(())
    }

    fn go_back(
        &mut self,
        verified: &Verified,
        kept: &[usize],
        recompute: &mut impl FnMut(&DeltaBlock, usize, &[f32], &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let block = &verified.block;
        let mut recurrent = self.room();
        let after = std::mem::replace(&mut self.conv, Arc::clone(&verified.conv));
        let (one, conv) = (recurrent.len() / kept.len(), after.len() / kept.len());
        for (b, kept_rows) in kept.iter().enumerate() {
            let part = b * one..(b + 1) * one;
            if *kept_rows == block.width {
                recurrent[part.clone()].copy_from_slice(&self.recurrent[part]);
                let part = b * conv..(b + 1) * conv;
                Arc::make_mut(&mut self.conv)[part.clone()].copy_from_slice(&after[part]);
            } else {
                recompute(block, b, &verified.recurrent[part.clone()], &mut recurrent[part])?;
                self.take_conv(block, kept.len(), b, *kept_rows);
            }
        }
        let retired = std::mem::replace(&mut self.recurrent, Arc::new(recurrent));
        self.keep_spare(retired);
        Ok(())
    }

    /// Conv state of batch row `b` after the first `rows` rows of a block: the last rows of the state before it and them.
    fn take_conv(&mut self, block: &DeltaBlock, batch: usize, b: usize, rows: usize) {
        let (one, width) = (self.conv.len() / batch, self.channels);
        let new = b * block.width * width..(b * block.width + rows) * width;
        let new = &block.qkv.values[new];
        let state: &mut [f32] = &mut Arc::make_mut(&mut self.conv)[b * one..(b + 1) * one];
        let kept = one.saturating_sub(new.len());
        state.copy_within(one - kept.., 0);
        state[kept..].copy_from_slice(&new[new.len() - (one - kept)..]);
    }

    fn forget_verified(&mut self) {
        if let Some(retired) = self.verified.take().and_then(Arc::into_inner) {
            self.keep_spare(retired.recurrent);
        }
    }

    /// Use a state's memory again, unless somebody shares it.
    fn keep_spare(&mut self, state: Arc<Aligned>) {
        if let Some(state) = Arc::into_inner(state) {
            self.spare.0 = Some(state);
        }
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
