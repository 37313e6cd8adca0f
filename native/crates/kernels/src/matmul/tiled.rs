//! `qmm` and `gemm`: tiles of 16 outputs x 128 inputs, widened or dequantised once and shared by all rows.
//!
//! Order of one (row, output): K in blocks of 128; in a block one fp32 accumulator from zero, fused, k ascending; then `total = total + block`, from zero.

use super::{
    Block,
    affine::{Affine, with_bits},
};
use crate::simd::{Kernel, LANES, Lanes};
use moire_base::Dtype;

/// Inputs of a tile.
const DEPTH: usize = 128;
/// Outputs of a tile.
const WIDTH: usize = 2 * LANES;

/// Where tiles come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Dequantised to the activation dtype given.
    Affine(Affine<'a>, Dtype),
    /// Widened.
    Float(&'a [u8], Dtype),
}

/// One block of outputs for all rows.
pub struct Tiled<'a, 'b, 'w> {
    pub source: Source<'a>,
    pub cols: usize,
    pub x: &'a [f32],
    pub block: Block<'b, 'w>,
}

impl Kernel for Tiled<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let outputs = self.block.outputs.clone();
        let mut tile = [0.0; DEPTH * WIDTH];
        let mut totals = vec![0.0; self.block.rows * WIDTH];
        for n in outputs.clone().step_by(WIDTH) {
            let width = WIDTH.min(outputs.end - n);
            totals.fill(0.0);
            for k in (0..self.cols).step_by(DEPTH) {
                let depth = DEPTH.min(self.cols - k);
                fill::<L>(self.source, self.cols, n..n + width, k..k + depth, &mut tile);
                multiply::<L>(&self.x[k..], self.cols, &tile[..depth * WIDTH], &mut totals);
            }
            for (row, total) in totals.chunks_exact(WIDTH).enumerate() {
                for (i, value) in total[..width].iter().enumerate() {
                    self.block.put(row, n + i, *value);
                }
            }
        }
    }
}

type Span = std::ops::Range<usize>;

/// `tile[k][output]`, zero where the matrix ends.
#[inline(always)]
fn fill<L: Lanes>(source: Source, cols: usize, outputs: Span, inputs: Span, tile: &mut [f32]) {
    match source {
        Source::Affine(w, act) => with_bits!(w.bits, fill_affine::<L>(&w, act, outputs, inputs, tile)),
        Source::Float(data, dtype) => fill_float::<L>(data, dtype, cols, outputs, inputs, tile),
    }
}

/// A tile holds whole groups: 128 is a multiple of every group size.
#[inline(always)]
fn fill_affine<L: Lanes, const BITS: usize>(w: &Affine, act: Dtype, outputs: Span, inputs: Span, tile: &mut [f32]) {
    for half in [0, LANES] {
        let count = outputs.len().saturating_sub(half).min(LANES);
        for k in inputs.clone().step_by(w.group) {
            let last = outputs.end - 1;
            let mut group = [w.dequantiser::<L>(last.min(outputs.start + half), k / w.group, act); LANES];
            for (i, group) in group.iter_mut().enumerate() {
                *group = w.dequantiser::<L>(last.min(outputs.start + half + i), k / w.group, act);
            }
            for i in 0..w.group / LANES {
                let mut rows = [L::splat(0.0); LANES];
                for (row, group) in rows[..count].iter_mut().zip(&group) {
                    *row = group.eight::<BITS>(i);
                }
                store_turned(rows, (k - inputs.start + i * LANES) * WIDTH + half, tile);
            }
        }
    }
}

#[inline(always)]
fn fill_float<L: Lanes>(data: &[u8], dtype: Dtype, cols: usize, outputs: Span, inputs: Span, tile: &mut [f32]) {
    for half in [0, LANES] {
        for k in inputs.clone().step_by(LANES) {
            let mut rows = [L::splat(0.0); LANES];
            for (i, row) in rows.iter_mut().enumerate().take(outputs.len().saturating_sub(half)) {
                let at = (outputs.start + half + i) * cols + k;
                *row = load_float(&data[at * dtype.size()..], dtype, cols - k);
            }
            store_turned(rows, (k - inputs.start) * WIDTH + half, tile);
        }
    }
}

/// Up to eight elements; the last row of a matrix may end earlier.
#[inline(always)]
fn load_float<L: Lanes>(from: &[u8], dtype: Dtype, left: usize) -> L {
    if left >= LANES {
        return L::load_as(dtype, from);
    }
    let mut part = [0.0; LANES];
    for (i, value) in part[..left].iter_mut().enumerate() {
        *value = dtype.load(from, i);
    }
    L::load(&part)
}

/// Eight outputs x eight inputs as eight inputs x eight outputs.
#[inline(always)]
fn store_turned<L: Lanes>(rows: [L; LANES], at: usize, tile: &mut [f32]) {
    for (i, column) in L::transpose(rows).into_iter().enumerate() {
        column.store(&mut tile[at + i * WIDTH..]);
    }
}

/// `totals[rows, 16] += x[rows, depth] · tile[depth, 16]`.
#[inline(always)]
fn multiply<L: Lanes>(x: &[f32], stride: usize, tile: &[f32], totals: &mut [f32]) {
    let rows = totals.len() / WIDTH;
    let mut row = 0;
    while row < rows {
        let (x, totals) = (&x[row * stride..], &mut totals[row * WIDTH..]);
        row += match rows - row {
            6.. => strip::<L, 6>(x, stride, tile, totals),
            4.. => strip::<L, 4>(x, stride, tile, totals),
            2.. => strip::<L, 2>(x, stride, tile, totals),
            _ => strip::<L, 1>(x, stride, tile, totals),
        };
    }
}

/// `R` rows with their accumulators in registers.
#[inline(always)]
fn strip<L: Lanes, const R: usize>(x: &[f32], stride: usize, tile: &[f32], totals: &mut [f32]) -> usize {
    let depth = tile.len() / WIDTH;
    let mut x_rows: [&[f32]; R] = [&[]; R];
    for (r, row) in x_rows.iter_mut().enumerate() {
        *row = &x[r * stride..r * stride + depth];
    }
    let mut acc = [[L::splat(0.0); 2]; R];
    for (k, weights) in tile.chunks_exact(WIDTH).enumerate() {
        let (w0, w1) = (L::load(weights), L::load(&weights[LANES..]));
        for r in 0..R {
            let x = L::splat(x_rows[r][k]);
            acc[r] = [x.fma(w0, acc[r][0]), x.fma(w1, acc[r][1])];
        }
    }
    for (acc, total) in acc.into_iter().zip(totals.chunks_exact_mut(WIDTH)) {
        (L::load(total) + acc[0]).store(total);
        (L::load(&total[LANES..]) + acc[1]).store(&mut total[LANES..]);
    }
    R
}
