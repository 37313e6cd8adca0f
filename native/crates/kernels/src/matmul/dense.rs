//! Float weights, one fp32 dot product a (row, output) in `8 · V` fixed lanes: lane = input index mod `8 · V`, fused, ascending, the tail padded with zeros; vectors
//! are added as a tree, then `Lanes::sum`. `gemv` has V = 4, `exact` has V = 2.

use super::Block;
use crate::simd::{Kernel, LANES, Lanes};
use moire_base::Dtype;

/// One block of outputs for all rows, in `8 · V` lanes.
pub struct Dense<'a, 'b, 'w, const V: usize> {
    pub data: &'a [u8],
    pub dtype: Dtype,
    pub cols: usize,
    pub x: &'a [f32],
    pub block: Block<'b, 'w>,
}

impl<const V: usize> Kernel for Dense<'_, '_, '_, V> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for n in self.block.outputs.clone() {
            let mut row = 0;
            while row < self.block.rows {
                row += match self.block.rows - row {
                    2.. => rows::<L, V, 2>(&mut self, n, row),
                    _ => rows::<L, V, 1>(&mut self, n, row),
                };
            }
        }
    }
}

#[inline(always)]
fn rows<L: Lanes, const V: usize, const R: usize>(job: &mut Dense<V>, n: usize, row: usize) -> usize {
    let (size, cols) = (job.dtype.size(), job.cols);
    let weights = &job.data[n * cols * size..(n + 1) * cols * size];
    let mut acc = [[L::splat(0.0); V]; R];
    let whole = cols / (LANES * V) * (LANES * V);
    for k in (0..whole).step_by(LANES * V) {
        let mut w = [L::splat(0.0); V];
        for (v, w) in w.iter_mut().enumerate() {
            *w = L::load_as(job.dtype, &weights[(k + v * LANES) * size..]);
        }
        for (r, acc) in acc.iter_mut().enumerate() {
            let x = &job.x[(row + r) * cols + k..][..LANES * V];
            for ((acc, w), x) in acc.iter_mut().zip(w).zip(x.chunks_exact(LANES)) {
                *acc = w.fma(L::load(x), *acc);
            }
        }
    }
    for (r, acc) in acc.iter_mut().enumerate() {
        tail(job.dtype, &weights[whole * size..], &job.x[(row + r) * cols + whole..(row + r + 1) * cols], acc);
        job.block.put(row + r, n, tree(acc).sum());
    }
    R
}

/// The last, incomplete step.
#[inline(always)]
fn tail<L: Lanes, const V: usize>(dtype: Dtype, weights: &[u8], x: &[f32], acc: &mut [L; V]) {
    for (v, x) in x.chunks(LANES).enumerate() {
        let mut w = [0.0; LANES];
        for (i, w) in w[..x.len()].iter_mut().enumerate() {
            *w = dtype.load(weights, v * LANES + i);
        }
        acc[v] = L::load(&w).fma(L::load_part(x), acc[v]);
    }
}

/// First half plus second half until one is left.
#[inline(always)]
fn tree<L: Lanes, const V: usize>(acc: &mut [L; V]) -> L {
    let mut n = V;
    while n > 1 {
        n /= 2;
        for v in 0..n {
            acc[v] = acc[v] + acc[v + n];
        }
    }
    acc[0]
}
