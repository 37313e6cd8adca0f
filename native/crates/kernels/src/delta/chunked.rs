//! Chunks of up to 64 tokens (model-spec 8.1), everything fp32. With γ the cumulative log decay of a chunk and S `[Dv, Dk]` the incoming state:
//!
//! * A[i,j] = -β_i (k_i·k_j) exp(γ_i - γ_j) for j < i; U and W solve (I - A) U = β V and (I - A) W = β K exp γ by forward substitution, j ascending
//! * Vn = U - W·S; O = exp γ (q·S) + Σ_{j ≤ i} (q_i·k_j) exp(γ_i - γ_j) Vn_j; S = S exp γ_last + Σ_i Vn_i k_i exp(γ_last - γ_i)

use super::{DeltaInputs, DeltaShape};
use crate::{
    math::exp,
    simd::{Kernel, LANES, Lanes, axpy, dot},
};
use moire_base::Dtype;
use std::ops::Range;

const CHUNK: usize = 64;

/// One value head over all tokens.
pub struct Chunked<'a> {
    pub shape: DeltaShape,
    pub inputs: &'a DeltaInputs<'a>,
    pub head: usize,
    /// `[Dv, Dk]`.
    pub state: &'a mut [f32],
}

impl Kernel for Chunked<'_> {
    /// `[rows, Dv]`, fp32.
    type Out = Vec<f32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<f32> {
        let rows = self.shape.rows(self.inputs);
        let mut out = vec![0.0; rows * self.shape.value_dim];
        for start in (0..rows).step_by(CHUNK) {
            let end = rows.min(start + CHUNK);
            let chunk = Chunk { shape: self.shape, inputs: self.inputs, head: self.head, tokens: start..end };
            let out = &mut out[start * self.shape.value_dim..end * self.shape.value_dim];
            chunk.run::<L>(self.state, out);
        }
        out
    }
}

struct Chunk<'a> {
    shape: DeltaShape,
    inputs: &'a DeltaInputs<'a>,
    head: usize,
    tokens: Range<usize>,
}

impl Chunk<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&self, state: &mut [f32], out: &mut [f32]) {
        let (dk, dv, count) = (self.shape.key_dim, self.shape.value_dim, self.tokens.len());
        let gamma = self.cumulative();
        let (mut u, w) = self.solve::<L>(&gamma);
        for (u, w) in u.chunks_exact_mut(dv).zip(w.chunks_exact(dk)) {
            for (u, s) in u.iter_mut().zip(state.chunks_exact(dk)) {
                *u -= dot::<L>(w, s);
            }
        }
        for (i, out) in out.chunks_exact_mut(dv).enumerate() {
            let (q, ..) = self.token(i);
            for (out, s) in out.iter_mut().zip(state.chunks_exact(dk)) {
                *out = exp(gamma[i]) * dot::<L>(q, s);
            }
            for j in 0..=i {
                axpy::<L>(dot::<L>(q, self.token(j).1) * exp(gamma[i] - gamma[j]), &u[j * dv..(j + 1) * dv], out);
            }
        }
        self.advance::<L>(&gamma[..count], &u, state);
    }

    /// γ: running sum of the log decays.
    #[inline(always)]
    fn cumulative(&self) -> Vec<f32> {
        let logs = self.tokens.clone().map(|t| self.inputs.log_decay[t * self.shape.value_heads + self.head]);
        logs.scan(0.0, |sum, log| {
            *sum += log;
            Some(*sum)
        })
        .collect()
    }

    /// U `[tokens, Dv]` and W `[tokens, Dk]`.
    #[inline(always)]
    fn solve<L: Lanes>(&self, gamma: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (dk, dv) = (self.shape.key_dim, self.shape.value_dim);
        let (mut u, mut w) = (Vec::new(), Vec::new());
        for i in 0..gamma.len() {
            let (_, k, v) = self.token(i);
            let beta = self.inputs.beta[(self.tokens.start + i) * self.shape.value_heads + self.head];
            let (mut u_row, mut w_row) = (vec![0.0; dv], vec![0.0; dk]);
            axpy::<L>(beta, v, &mut u_row);
            axpy::<L>(beta * exp(gamma[i]), k, &mut w_row);
            for j in 0..i {
                let a = -(beta * dot::<L>(k, self.token(j).1) * exp(gamma[i] - gamma[j]));
                axpy::<L>(a, &u[j * dv..(j + 1) * dv], &mut u_row);
                axpy::<L>(a, &w[j * dk..(j + 1) * dk], &mut w_row);
            }
            u.extend_from_slice(&u_row);
            w.extend_from_slice(&w_row);
        }
        (u, w)
    }

    /// The state after the chunk.
    #[inline(always)]
    fn advance<L: Lanes>(&self, gamma: &[f32], vn: &[f32], state: &mut [f32]) {
        let (dk, dv) = (self.shape.key_dim, self.shape.value_dim);
        let last = gamma[gamma.len() - 1];
        let factor = L::splat(exp(last));
        for s in state.chunks_mut(LANES) {
            (L::load_part(s) * factor).store_part(s);
        }
        for (i, vn) in vn.chunks_exact(dv).enumerate() {
            let (k, weight) = (self.token(i).1, exp(last - gamma[i]));
            for (vn, s) in vn.iter().zip(state.chunks_exact_mut(dk)) {
                axpy::<L>(vn * weight, k, s);
            }
        }
        for s in state.chunks_mut(LANES) {
            L::load_part(s).round_to(Dtype::F32).store_part(s);
        }
    }

    /// q, k, v of token `i` of the chunk.
    #[inline(always)]
    fn token(&self, i: usize) -> (&[f32], &[f32], &[f32]) {
        self.shape.token(self.inputs, self.head, self.tokens.start + i)
    }
}
