//! Activation rows as 16-bit integers for the `exact` family.

use crate::{
    Ctx,
    matmul::exact::{
        FEW,
        few::{PART, height},
        format::{PAIRS, pair},
    },
    simd::{Codes, CodesKernel, Kernel, LANES, Lanes, Line, UNIT, VECTORS, code_of, dispatch, dispatch_codes},
};
use std::mem::take;

/// Rows of a block: their sums stay in registers together.
const BLOCK_ROWS: usize = 6;
/// Elements worth a thread.
const LEAST: usize = 1 << 14;

/// Some rows, quantised once a call, per weight group.
pub struct Integers {
    /// First of them, in the call.
    pub first: usize,
    /// How many: few, or up to [`BLOCK_ROWS`].
    pub rows: usize,
    /// `[rows, cols]`: `round-half-even(x / sx)`, all zero where a group is zero or the row is not finite. Empty where `lines` or `pairs` hold them.
    pub values: Vec<i16>,
    /// `[groups, rows]` (few rows: `[groups, height]`): sx, and `sx · X` with X = Σ xi exact in fp32 (below 2^22).
    pub scales: Vec<[f32; 2]>,
    /// For few rows, `[groups, parts, height, units, copies]`, zeros beyond the rows: the values in the order in which codes come out of their bytes. A part is [`PART`] units, or the
    /// one that a group has.
    pub lines: Vec<Line>,
    /// For many rows, `[cols / 2, rows]`: the values two by two, in the order in which codes come out of turned words.
    pub pairs: Vec<i32>,
    /// Rows with a NaN or an infinity, ascending, as numbered in the call.
    pub non_finite: Vec<usize>,
}

/// All rows of `x[rows, cols]` in blocks of about one size, for weights of `bits` bits.
pub fn quantise(ctx: &Ctx, x: &[f32], cols: usize, group: usize, bits: usize) -> Vec<Integers> {
    let rows = x.len() / cols;
    let blocks = if rows <= FEW { 1 } else { rows.div_ceil(BLOCK_ROWS) };
    let first = |block: usize| rows * block / blocks;
    let form = match dispatch_codes(ctx.isa, Copies) {
        None => Form::Values,
        Some(copies) if blocks == 1 => Form::Lines { bits, copies },
        Some(_) => Form::Pairs { bits },
    };
    let block = |b: usize| {
        let part = first(b)..first(b + 1);
        let x = &x[part.start * cols..part.end * cols];
        dispatch(ctx.isa, Quantise { x, first: part.start, cols, group, form })
    };
    if x.len() < LEAST { (0..blocks).map(block).collect() } else { ctx.pool.map(blocks, block) }
}

/// Which field holds the values.
#[derive(Clone, Copy)]
enum Form {
    Values,
    Lines { bits: usize, copies: usize },
    Pairs { bits: usize },
}

/// How often vectors of codes need every activation.
struct Copies;

impl CodesKernel for Copies {
    type Out = usize;

    #[inline(always)]
    fn run<C: Codes>(self) -> usize {
        C::OUTPUTS
    }
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
        let height = if matches!(self.form, Form::Lines { .. }) { height(rows) } else { rows };
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
        let (mut values, mut held) = (values, (Vec::new(), Vec::new()));
        match self.form {
            Form::Values => {}
            Form::Lines { bits, copies } => held.0 = lines(&take(&mut values), (height, cols, group), bits, copies),
            Form::Pairs { bits } => held.1 = pairs(&take(&mut values), cols, bits),
        }
        Integers { first: self.first, rows, values, scales, lines: held.0, pairs: held.1, non_finite }
    }
}

/// Whether no element is a NaN or an infinity: those alone give a NaN when multiplied by zero.
#[inline(always)]
fn is_finite<L: Lanes>(x: &[f32]) -> bool {
    let zero = L::splat(0.0);
    let mut sum = zero;
    for x in x.chunks_exact(LANES) {
        sum = L::load(x).fma(zero, sum);
    }
    sum.sum() == 0.0
}

/// One group; gives sx.
#[inline(always)]
fn one_group<L: Lanes>(x: &[f32], values: &mut [i16]) -> f32 {
    let mut largest = L::splat(0.0);
    for x in x.chunks_exact(LANES) {
        largest = largest.max(L::load(x).abs());
    }
    let mut lanes = [0.0; LANES];
    largest.store(&mut lanes);
    let largest = lanes.into_iter().fold(0.0, f32::max);
    if largest == 0.0 {
        return 0.0;
    }
    let (scale, inverse) = group_scale(largest);
    for (x, values) in x.chunks_exact(LANES).zip(values.chunks_exact_mut(LANES)) {
        (L::load(x) * L::splat(inverse)).nearest().store_i16(values);
    }
    scale
}

/// `[rows, cols]` to lines.
fn lines(values: &[i16], (height, cols, group): (usize, usize, usize), bits: usize, copies: usize) -> Vec<Line> {
    let part = group.min(PART * UNIT);
    let mut lines = vec![Line([0; UNIT]); height * cols / UNIT * copies];
    let (parts, per_row) = (cols / part, part / UNIT * copies);
    for (row, values) in values.chunks_exact(cols).enumerate() {
        for (p, values) in (0..parts).zip(values.chunks_exact(part)) {
            let lines = &mut lines[(p * height + row) * per_row..][..per_row];
            for (values, lines) in values.as_chunks::<UNIT>().0.iter().zip(lines.chunks_exact_mut(copies)) {
                in_order(values, bits, lines);
            }
        }
    }
    lines
}

/// A unit in the order of its codes, every eight values `lines.len()` times.
#[inline(always)]
fn in_order(values: &[i16; UNIT], bits: usize, lines: &mut [Line]) {
    let copies = lines.len();
    for v in 0..VECTORS {
        let mut eight = [0; LANES];
        for (i, value) in eight.iter_mut().enumerate() {
            *value = values[code_of(bits, v, i)];
        }
        for at in v * copies..(v + 1) * copies {
            lines[at / VECTORS].0[at % VECTORS * LANES..][..LANES].copy_from_slice(&eight);
        }
    }
}

/// `[rows, cols]` to pairs.
#[inline(always)]
fn pairs(values: &[i16], cols: usize, bits: usize) -> Vec<i32> {
    let rows = values.len() / cols;
    let order: [(usize, usize); PAIRS] = std::array::from_fn(|p| pair(bits, p));
    let mut out = vec![0; values.len() / 2];
    for (row, values) in values.chunks_exact(cols).enumerate() {
        for (codes, out) in values.as_chunks::<UNIT>().0.iter().zip(out.chunks_exact_mut(PAIRS * rows)) {
            for (out, (low, high)) in out.chunks_exact_mut(rows).zip(order) {
                out[row] = i32::from(codes[low]) & 0xffff | i32::from(codes[high]) << 16;
            }
        }
    }
    out
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
