//! The one matrix product of the chunked form: four rows by sixteen columns in registers.
//!
//! Plain loops only: a closure over lanes inside `map` or `from_fn` is compiled without the instruction set unless it happens to be inlined.

use crate::simd::{LANES, Lanes};

/// Rows of a block.
pub const ROWS: usize = 4;
/// Columns of a block; scratch matrices are padded to it.
pub const COLUMNS: usize = 2 * LANES;

/// The sums of a block in progress.
pub type Block<L> = [[L; 2]; ROWS];

/// `sums[r][columns] += Σ_k left[r][k] · right[k, first..first + 16]`, `k` ascending, fused. `right` has rows of `stride`; the shorter of its rows and `left` ends the sum.
#[inline(always)]
pub fn accumulate<L: Lanes>(sums: &mut Block<L>, left: [&[f32]; ROWS], right: &[f32], stride: usize, first: usize) {
    let [a, b, c, d] = left;
    let factors = a.iter().zip(b).zip(c).zip(d);
    for (right, (((a, b), c), d)) in right.chunks_exact(stride).zip(factors) {
        let right = &right[first..first + COLUMNS];
        let (low, high) = (L::load(right), L::load(&right[LANES..]));
        sums[0] = added(*a, [low, high], sums[0]);
        sums[1] = added(*b, [low, high], sums[1]);
        sums[2] = added(*c, [low, high], sums[2]);
        sums[3] = added(*d, [low, high], sums[3]);
    }
}

/// A block of zeros.
#[inline(always)]
pub fn zeros<L: Lanes>() -> Block<L> {
    [[L::splat(0.0); 2]; ROWS]
}

/// Sixteen columns of a row.
#[inline(always)]
pub fn load<L: Lanes>(row: &[f32]) -> [L; 2] {
    [L::load(row), L::load(&row[LANES..])]
}

/// Both vectors times `factor`.
#[inline(always)]
pub fn scaled<L: Lanes>([low, high]: [L; 2], factor: f32) -> [L; 2] {
    let factor = L::splat(factor);
    [low * factor, high * factor]
}

/// `factor · x + sum`, fused.
#[inline(always)]
pub fn added<L: Lanes>(factor: f32, x: [L; 2], sum: [L; 2]) -> [L; 2] {
    let factor = L::splat(factor);
    [factor.fma(x[0], sum[0]), factor.fma(x[1], sum[1])]
}

/// Sixteen columns of a row.
#[inline(always)]
pub fn store<L: Lanes>(values: [L; 2], row: &mut [f32]) {
    values[0].store(row);
    values[1].store(&mut row[LANES..]);
}
