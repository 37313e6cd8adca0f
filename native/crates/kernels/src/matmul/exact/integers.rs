//! Activation rows as 16-bit integers for the `exact` family.

use super::layout::{Form, Values};
use crate::{
    Ctx,
    simd::{Kernel, LANES, Lanes, dispatch},
};

/// Elements worth a thread.
const LEAST: usize = 1 << 14;

/// Some rows, quantised once a call, per weight group.
pub struct Integers {
    /// First of them, in the call.
    pub first: usize,
    /// How many.
    pub rows: usize,
    /// `round-half-even(x / sx)`, all zero where a group is zero or the row is not finite.
    pub values: Values,
    /// `[groups, rows]` (few rows: `[groups, height]`): sx, and `sx · X` with X = Σ xi exact in fp32 (below 2^22).
    pub scales: Vec<[f32; 2]>,
    /// Rows with a NaN or an infinity, ascending, as numbered in the call.
    pub non_finite: Vec<usize>,
}

/// All rows of `x[rows, cols]` in blocks of about one size, for weights of `bits` bits.
pub fn quantise(ctx: &Ctx, x: &[f32], cols: usize, group: usize, bits: usize) -> Vec<Integers> {
    let rows = x.len() / cols;
    let form = Form::of(ctx.isa, rows, bits);
    let blocks = rows.div_ceil(form.block_rows());
    let first = |block: usize| rows * block / blocks;
    let block = |b: usize| {
        let part = first(b)..first(b + 1);
        let x = &x[part.start * cols..part.end * cols];
        dispatch(ctx.isa, Quantise { x, first: part.start, cols, group, form })
    };
    if x.len() < LEAST { (0..blocks).map(block).collect() } else { ctx.pool.map(blocks, block) }
}

struct Quantise<'a> {
    x: &'a [f32],
    first: usize,
    cols: usize,
    group: usize,
    form: Form,
}

impl Kernel for Quantise<'_> {
    type Out = Integers;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Integers {
        let (cols, group) = (self.cols, self.group);
        let (rows, groups) = (self.x.len() / cols, cols / group);
        let height = self.form.height(rows);
        let mut values = vec![0; self.x.len()];
        let mut scales = vec![[0.0; 2]; groups * height];
        let mut non_finite = Vec::new();
        for (row, (x, values)) in self.x.chunks_exact(cols).zip(values.chunks_exact_mut(cols)).enumerate() {
            if !is_finite::<L>(x) {
                non_finite.push(self.first + row);
                continue;
            }
            for (g, (x, values)) in x.chunks_exact(group).zip(values.chunks_exact_mut(group)).enumerate() {
                let sx = one_group::<L>(x, values);
                let sum: i32 = values.iter().map(|&v| i32::from(v)).sum();
                scales[g * height + row] = [sx, sx * sum as f32];
            }
        }
        let values = self.form.lay_out(values, cols, group);
        Integers { first: self.first, rows, values, scales, non_finite }
    }
}

/// Sums and largest values that are kept side by side, so that a step does not wait for the one before. They divide a group's vectors.
const SIDE: usize = 4;

/// Whether no element is a NaN or an infinity: those alone give a NaN when multiplied by zero.
#[inline(always)]
fn is_finite<L: Lanes>(x: &[f32]) -> bool {
    let zero = L::splat(0.0);
    let mut sums = [zero; SIDE];
    for x in x.chunks_exact(SIDE * LANES) {
        for s in 0..SIDE {
            sums[s] = L::load(&x[s * LANES..]).fma(zero, sums[s]);
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])).sum() == 0.0
}

/// One group; gives sx.
#[inline(always)]
fn one_group<L: Lanes>(x: &[f32], values: &mut [i16]) -> f32 {
    let mut largest = [L::splat(0.0); SIDE];
    for x in x.chunks_exact(SIDE * LANES) {
        for s in 0..SIDE {
            largest[s] = largest[s].max(L::load(&x[s * LANES..]).abs());
        }
    }
    let largest = across(largest[0].max(largest[1]).max(largest[2].max(largest[3])));
    if largest == 0.0 {
        return 0.0;
    }
    let (scale, inverse) = group_scale(largest);
    for (x, values) in x.chunks_exact(LANES).zip(values.chunks_exact_mut(LANES)) {
        (L::load(x) * L::splat(inverse)).nearest().store_i16(values);
    }
    scale
}

/// The largest lane, of numbers.
#[inline(always)]
fn across<L: Lanes>(x: L) -> f32 {
    let mut lanes = [0.0; LANES];
    x.store(&mut lanes);
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = if lanes[i] > lanes[i + width] { lanes[i] } else { lanes[i + width] };
        }
        width /= 2;
    }
    lanes[0]
}

/// sx for the largest magnitude m of a group, and 1 / sx: the smallest power of two, but at least 2^-126, with m ≤ 32767 · sx. Powers of two make `x / sx` and
/// `sx · X` exact, and keep every bf16 value within 2^-7 of m exact too.
pub fn group_scale(largest: f32) -> (f32, f32) {
    let exponent = (largest.to_bits() >> 23) as i32 - 127;
    let power = |p: i32| f32::from_bits(((p + 127) as u32) << 23);
    let p = (exponent - 14).max(-126);
    let p = if largest > 32767.0 * power(p) { p + 1 } else { p };
    (power(p), power(-p))
}

#[cfg(test)]
mod tests {
    use super::group_scale;

    #[test]
    fn the_scale_is_the_smallest_that_fits() {
        for bits in (1..f32::INFINITY.to_bits()).step_by(99_991) {
            let m = f32::from_bits(bits);
            let (scale, inverse) = group_scale(m);
            assert_eq!(scale * inverse, 1.0);
            assert!(m * inverse <= 32767.0, "{m}");
            assert!(scale == f32::MIN_POSITIVE || m * inverse * 2.0 > 32767.0, "{m}");
        }
    }

    #[test]
    fn the_edge_of_int16_takes_the_next_power() {
        assert_eq!(group_scale(32767.0), (1.0, 1.0));
        assert_eq!(group_scale(32767.5), (2.0, 0.5));
        assert_eq!(group_scale(f32::MAX).0, 2f32.powi(114));
    }
}
