//! Token by token. Per head and value dim, for each token: `S = g·S`; `m = Σ S·k`; `d = (v - m)·β`; `S = fma(d, k, S)`; `y = Σ S·q`. Sums: lane = key dim mod 8,
//! fused, ascending, then the tree of `Lanes::sum`.

use super::{DeltaInputs, DeltaShape};
use crate::simd::{Kernel, LANES, Lanes};

/// One value head over all tokens.
pub struct Recurrent<'a> {
    pub shape: DeltaShape,
    pub inputs: &'a DeltaInputs<'a>,
    pub head: usize,
    /// `[Dv, Dk]`.
    pub state: &'a mut [f32],
}

impl Kernel for Recurrent<'_> {
    /// `[rows, Dv]`, fp32.
    type Out = Vec<f32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<f32> {
        let Self { shape, inputs, head, state } = self;
        let (dk, dv) = (shape.key_dim, shape.value_dim);
        let rows = shape.rows(inputs);
        let mut out = vec![0.0; rows * dv];
        for t in 0..rows {
            let (q, k, v) = shape.token(inputs, head, t);
            let at = t * shape.value_heads + head;
            let gates = (L::splat(inputs.decay[at]), L::splat(inputs.beta[at]));
            let lines = state.chunks_mut(LANES * dk).zip(v.chunks(LANES)).zip(out[t * dv..].chunks_mut(LANES));
            for ((state, v), y) in lines.take(dv.div_ceil(LANES)) {
                let width = v.len();
                step::<L>(state, (q, k), L::load_part(v), gates).store_part(&mut y[..width]);
            }
        }
        out
    }
}

/// One token, up to eight value dims (lane = value dim) with their rows of the state; gives y.
#[inline(always)]
fn step<L: Lanes>(state: &mut [f32], (q, k): (&[f32], &[f32]), v: L, (decay, beta): (L, L)) -> L {
    let dk = k.len();
    let mut sums = [L::splat(0.0); LANES];
    for d in (0..dk).step_by(LANES) {
        let k = L::load_part(&k[d..]);
        for (row, sum) in state.chunks_exact_mut(dk).zip(&mut sums) {
            let s = decay * L::load_part(&row[d..]);
            s.store_part(row_part(row, d));
            *sum = s.fma(k, *sum);
        }
    }
    let mut write = [0.0; LANES];
    ((v - L::sums(sums)) * beta).store(&mut write);
    let mut sums = [L::splat(0.0); LANES];
    for d in (0..dk).step_by(LANES) {
        let (q, k) = (L::load_part(&q[d..]), L::load_part(&k[d..]));
        for ((row, sum), write) in state.chunks_exact_mut(dk).zip(&mut sums).zip(write) {
            let s = L::splat(write).fma(k, L::load_part(&row[d..]));
            s.nan_or(s).store_part(row_part(row, d));
            *sum = s.fma(q, *sum);
        }
    }
    L::sums(sums)
}

/// Up to eight elements from `d` on.
#[inline(always)]
fn row_part(row: &mut [f32], d: usize) -> &mut [f32] {
    let end = row.len().min(d + LANES);
    &mut row[d..end]
}
