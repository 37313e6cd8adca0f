//! `exact` for quantised weights: integer sums, so any width, thread count and instruction set gives the same bytes.
//!
//! Definition, per row and output n, groups g ascending, one fp32 accumulator from zero:
//! 1. `sx` = smallest power of two, at least 2^-126, with `max|x| ≤ 32767 · sx` over the group; `xi = round-half-even(x / sx)`; all zero if the group is.
//! 2. `I = Σ q · xi` and `X = Σ xi` in int32, exact (at most 255 · 32767 · 128 < 2^31).
//! 3. `acc = fma(float(I), scale · sx, acc)`, then `acc = fma(bias · sx, float(X), acc)`.
//!
//! One rounding to the activation dtype at the end. A row that holds a NaN or an infinity is computed by `qmv`'s fp32 order instead, for all its outputs.

use super::{
    Block,
    affine::{Affine, with_bits},
    integers::Integers,
};
use crate::simd::{Kernel, LANES, Lanes};

/// One block of outputs for all rows.
pub struct Exact<'a, 'b> {
    pub weights: Affine<'a>,
    pub integers: &'a Integers,
    pub block: Block<'b>,
}

impl Kernel for Exact<'_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        with_bits!(self.weights.bits, outputs::<L>(&mut self));
    }
}

/// Eight outputs at a time; lane = output. Each group is unpacked once for all rows.
#[inline(always)]
fn outputs<L: Lanes, const BITS: usize>(job: &mut Exact) {
    let w = job.weights;
    let mut tile = vec![0i16; LANES * w.group];
    let mut acc = vec![0.0; job.block.rows * LANES];
    for n in job.block.outputs.clone().step_by(LANES) {
        let width = LANES.min(job.block.outputs.end - n);
        tile.fill(0);
        acc.fill(0.0);
        for g in 0..w.groups {
            let (mut scales, mut biases) = ([0.0; LANES], [0.0; LANES]);
            for i in 0..width {
                L::unpack::<BITS>(w.codes(n + i, g), &mut tile[i * w.group..(i + 1) * w.group]);
                (scales[i], biases[i]) = (w.scale(n + i, g), w.bias(n + i, g));
            }
            group::<L>(job.integers, w.cols, g, &tile, (L::load(&scales), L::load(&biases)), &mut acc);
        }
        for (row, acc) in acc.chunks_exact(LANES).enumerate() {
            for (i, value) in acc[..width].iter().enumerate() {
                job.block.put(row, n + i, *value);
            }
        }
    }
}

/// One group of eight outputs, for all rows.
#[inline(always)]
fn group<L: Lanes>(x: &Integers, cols: usize, g: usize, tile: &[i16], (scale, bias): (L, L), acc: &mut [f32]) {
    let size = tile.len() / LANES;
    let groups = cols / size;
    for (row, acc) in acc.chunks_exact_mut(LANES).enumerate() {
        let at = row * groups + g;
        let dots = L::dots(tile, &x.values[at * size..(at + 1) * size]);
        let sx = L::splat(x.scales[at]);
        let sum = dots.fma(scale * sx, L::load(acc));
        (bias * sx).fma(L::splat(x.sums[at]), sum).store(acc);
    }
}
