//! `qmv`: per group `scale · Σ q·x + bias · Σ x` in fp32.
//!
//! Order of one (row, output): lane = input index mod 8. Per group, ascending: `dot` and `sum` lanes from zero, fused; then `acc = fma(scale, dot, acc)` and
//! `acc = fma(bias, sum, acc)` lane by lane. At the end the tree of `Lanes::sum`, once.

use super::{
    Block,
    affine::{Affine, with_bits},
};
use crate::simd::{Kernel, LANES, Lanes};

/// `Σ x` of each row and group in lanes, shared by all outputs.
pub struct GroupSums<'a> {
    pub x: &'a [f32],
    pub group: usize,
}

impl Kernel for GroupSums<'_> {
    /// `[rows, groups, 8]`.
    type Out = Vec<f32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<f32> {
        let mut sums = vec![0.0; self.x.len() / self.group * LANES];
        for (x, sum) in self.x.chunks_exact(self.group).zip(sums.chunks_exact_mut(LANES)) {
            let mut lanes = L::splat(0.0);
            for x in x.chunks_exact(LANES) {
                lanes = lanes + L::load(x);
            }
            lanes.store(sum);
        }
        sums
    }
}

/// One block of outputs for all rows.
pub struct Qmv<'a, 'b, 'w> {
    pub weights: Affine<'a>,
    pub x: &'a [f32],
    pub sums: &'a [f32],
    pub block: Block<'b, 'w>,
}

impl Kernel for Qmv<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        with_bits!(self.weights.bits, outputs::<L>(&mut self));
    }
}

#[inline(always)]
fn outputs<L: Lanes, const BITS: usize>(job: &mut Qmv) {
    for n in job.block.outputs.clone() {
        let mut row = 0;
        while row < job.block.rows {
            row += match job.block.rows - row {
                4.. => rows::<L, BITS, 4>(job, n, row),
                2.. => rows::<L, BITS, 2>(job, n, row),
                _ => rows::<L, BITS, 1>(job, n, row),
            };
        }
    }
}

/// `R` rows share the unpacking of a weight.
#[inline(always)]
fn rows<L: Lanes, const BITS: usize, const R: usize>(job: &mut Qmv, n: usize, row: usize) -> usize {
    let w = &job.weights;
    let mut acc = [L::splat(0.0); R];
    for g in 0..w.groups {
        let mut dot = [L::splat(0.0); R];
        let x: [&[f32]; R] = std::array::from_fn(|r| &job.x[(row + r) * w.cols + g * w.group..][..w.group]);
        for (i, bytes) in w.codes(n, g).chunks_exact(BITS).enumerate() {
            let q = L::codes::<BITS>(bytes);
            for r in 0..R {
                dot[r] = q.fma(L::load(&x[r][i * LANES..]), dot[r]);
            }
        }
        let (scale, bias) = (L::splat(w.scale(n, g)), L::splat(w.bias(n, g)));
        for r in 0..R {
            let sum = L::load(&job.sums[((row + r) * w.groups + g) * LANES..]);
            acc[r] = bias.fma(sum, scale.fma(dot[r], acc[r]));
        }
    }
    for (r, acc) in acc.into_iter().enumerate() {
        job.block.put(row + r, n, acc.sum());
    }
    R
}
