//! Chunks of up to 64 tokens (model-spec 8.1), everything fp32. With γ the cumulative log decay of a chunk and S `[Dv, Dk]` the incoming state:
//!
//! * A[i,j] = -β_i (k_i·k_j) exp(γ_i - γ_j) for j < i; U and W solve (I - A) U = β V and (I - A) W = β K exp γ by forward substitution
//! * Vn = U - W·S; O = exp γ (q·S) + Σ_{j ≤ i} (q_i·k_j) exp(γ_i - γ_j) Vn_j; S = S exp γ_last + Σ_i Vn_i exp(γ_last - γ_i) k_i
//!
//! Every sum over key dims or tokens is one chain of fused multiply-adds, ascending, from zero or from the term written before it.

use super::{DeltaInputs, DeltaShape, chunk::Chunk};
use crate::{
    disjoint::Window,
    simd::{Kernel, Lanes},
};
use moire_base::{Control, Dtype};
use std::ops::Range;

/// Tokens of a chunk.
pub const CHUNK: usize = 64;

/// Some value heads over all tokens.
pub struct Chunked<'a> {
    pub shape: DeltaShape,
    pub inputs: &'a DeltaInputs<'a>,
    /// Rounding of `out`.
    pub act: Dtype,
    pub control: &'a Control,
    /// `[heads, Dv, Dk]`, as `after`.
    pub before: &'a [f32],
    pub after: &'a mut [f32],
    /// The columns of whole heads.
    pub out: Window<'a>,
}

impl Kernel for Chunked<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let DeltaShape { key_dim, value_dim, .. } = self.shape;
        let first = self.out.columns().start / value_dim;
        let mut chunk = Chunk::new(self.shape, self.inputs, self.act);
        let states = self.before.chunks_exact(value_dim * key_dim);
        for (i, (before, after)) in states.zip(self.after.chunks_exact_mut(value_dim * key_dim)).enumerate() {
            if self.control.is_cancelled() {
                return;
            }
            chunk.load::<L>(before);
            for tokens in chunks(self.shape.rows(self.inputs)) {
                let columns = i * value_dim..(i + 1) * value_dim;
                chunk.run::<L>(first + i, tokens, &mut self.out, columns);
            }
            chunk.store::<L>(after);
        }
    }
}

fn chunks(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(CHUNK).map(move |start| start..rows.min(start + CHUNK))
}
