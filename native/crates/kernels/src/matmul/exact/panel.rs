//! A panel: eight groups of `V` vectors of outputs, turned so that an output is a lane.
//!
//! Loops run over indices: they unroll and keep their sums in registers, and no iterator's closure can fall out of the instruction set.
#![allow(clippy::needless_range_loop)]

use super::{
    format::{CODES, PAIRS, Sink, expand},
    integers::Integers,
};
use crate::{
    matmul::affine::{Affine, with_bits},
    simd::{LANES, Lanes, Real, Words},
};
use moire_base::Dtype;
use std::ops::Range;

/// Groups of a panel: their words are a multiple of eight at any width.
pub const GROUPS: usize = 8;
/// Words turned at once.
const TURN: usize = 8;

/// The weights at hand.
pub struct Panel<'a, W, const V: usize> {
    weights: Affine<'a>,
    /// Its groups, as numbered in the matrix.
    groups: Range<usize>,
    /// Words of a group.
    words: usize,
    /// `[group][word]`: the packed codes.
    codes: Vec<[W; V]>,
    /// `[group][V · outputs]`.
    scales: Vec<f32>,
    /// `[group][V · outputs]`.
    biases: Vec<f32>,
    /// `[pair]`: one group laid out for many rows.
    tile: Vec<[W; V]>,
}

impl<'a, W: Words, const V: usize> Panel<'a, W, V> {
    const WIDE: usize = V * W::OUTPUTS;

    #[inline(always)]
    pub fn new(weights: Affine<'a>) -> Self {
        let words = weights.group * weights.bits / 32;
        let zero = [W::zero(); V];
        Self {
            weights,
            groups: 0..0,
            words,
            codes: vec![zero; GROUPS * words],
            scales: vec![0.0; GROUPS * Self::WIDE],
            biases: vec![0.0; GROUPS * Self::WIDE],
            tile: vec![zero; weights.group / 2],
        }
    }

    /// Groups `g ..` of outputs `n ..`; outputs beyond the matrix repeat its last.
    #[inline(always)]
    pub fn fill(&mut self, n: usize, g: usize) {
        let w = self.weights;
        self.groups = g..w.groups.min(g + GROUPS);
        let words = (self.groups.len() * self.words).next_multiple_of(TURN);
        for v in 0..V {
            self.turn(n + v * W::OUTPUTS, g, words, v);
        }
        for at in (0..Self::WIDE).step_by(LANES) {
            turn_floats::<W>(&w, w.scales, (n + at, g), &mut self.scales[at..], Self::WIDE);
            turn_floats::<W>(&w, w.biases, (n + at, g), &mut self.biases[at..], Self::WIDE);
        }
    }

    /// Words of vector `v`; asks for those of the next outputs.
    #[inline(always)]
    fn turn(&mut self, n: usize, g: usize, words: usize, v: usize) {
        let (w, stride) = (self.weights, self.weights.row_bytes());
        let to = &mut self.codes[..words];
        if n + W::OUTPUTS <= w.rows {
            let from = w.stream(n, g);
            // The last words may be the next output's, which are then not used, but must lie in the matrix.
            if from.len() >= (W::OUTPUTS - 1) * stride + 4 * words {
                return W::turn(from, stride, Self::WIDE * stride, to, v);
            }
        }
        // At the end of the matrix: a copy, zeros behind it.
        let mut whole = vec![0; W::OUTPUTS * 4 * words];
        for (i, whole) in whole.chunks_exact_mut(4 * words).enumerate() {
            let row = w.stream((n + i).min(w.rows - 1), g);
            let bytes = row.len().min(4 * words);
            whole[..bytes].copy_from_slice(&row[..bytes]);
        }
        W::turn(&whole, 4 * words, 0, to, v);
    }

    /// All groups for up to four rows, straight from the words. Only for 2, 4 and 8 bits, whose codes are cheap to bring out again for the next rows.
    #[inline(always)]
    pub fn few(&self, x: &Integers, totals: &mut [f32]) {
        match self.weights.bits {
            2 => self.few_of::<2>(x, totals),
            4 => self.few_of::<4>(x, totals),
            _ => self.few_of::<8>(x, totals),
        }
    }

    #[inline(always)]
    fn few_of<const BITS: usize>(&self, x: &Integers, totals: &mut [f32]) {
        match x.rows {
            1 => self.direct::<BITS, 1>(x, totals),
            2 => self.direct::<BITS, 2>(x, totals),
            3 => self.direct::<BITS, 3>(x, totals),
            _ => self.direct::<BITS, 4>(x, totals),
        }
    }

    #[inline(always)]
    fn direct<const BITS: usize, const R: usize>(&self, x: &Integers, totals: &mut [f32]) {
        let blocks = self.weights.group / CODES;
        let words = self.codes.as_chunks::<BITS>().0;
        let pairs = x.pairs.as_chunks::<R>().0.as_chunks::<PAIRS>().0;
        for (i, g) in self.groups.clone().enumerate() {
            let (words, pairs) = (&words[i * blocks..][..blocks], &pairs[g * blocks..][..blocks]);
            let mut products = Products { sums: [[W::zero(); V]; R], x: &pairs[0] };
            for block in 0..blocks {
                products.x = &pairs[block];
                expand(&words[block], &mut products);
            }
            self.combine(i, x, &products.sums, totals);
        }
    }

    /// All groups for any number of rows, each group laid out once.
    #[inline(always)]
    pub fn many(&mut self, blocks: &[Integers], totals: &mut [f32]) {
        for i in 0..self.groups.len() {
            let (words, tile) = (&self.codes[i * self.words..][..self.words], &mut self.tile[..]);
            with_bits!(self.weights.bits, lay_out::<W, V>(words, tile));
            let mut at = 0;
            for x in blocks {
                let totals = &mut totals[at..at + x.rows * Self::WIDE];
                at += totals.len();
                match x.rows {
                    1 => self.laid_out::<1>(i, x, totals),
                    2 => self.laid_out::<2>(i, x, totals),
                    3 => self.laid_out::<3>(i, x, totals),
                    4 => self.laid_out::<4>(i, x, totals),
                    5 => self.laid_out::<5>(i, x, totals),
                    _ => self.laid_out::<6>(i, x, totals),
                }
            }
        }
    }

    #[inline(always)]
    fn laid_out<const R: usize>(&self, i: usize, x: &Integers, totals: &mut [f32]) {
        let count = self.tile.len();
        let pairs = &x.pairs.as_chunks::<R>().0[(self.groups.start + i) * count..][..count];
        let mut sums = [[W::zero(); V]; R];
        for p in 0..count {
            add_pair(&mut sums, self.tile[p], &pairs[p]);
        }
        self.combine(i, x, &sums, totals);
    }

    /// Step 3 of the definition, for group `i` of the panel.
    #[inline(always)]
    fn combine<const R: usize>(&self, i: usize, x: &Integers, sums: &[[W; V]; R], totals: &mut [f32]) {
        let (g, at) = (self.groups.start + i, i * Self::WIDE);
        let (scales, biases) = (&self.scales[at..at + Self::WIDE], &self.biases[at..at + Self::WIDE]);
        let (sx, x_sums) = (&x.scales[g * R..][..R], &x.sums[g * R..][..R]);
        let totals = &mut totals[..R * Self::WIDE];
        for r in 0..R {
            for v in 0..V {
                let at = v * W::OUTPUTS;
                let total = &mut totals[r * Self::WIDE + at..];
                sums[r][v].combine(&scales[at..], &biases[at..], sx[r], x_sums[r], total);
            }
        }
    }
}

/// The pairs of a group.
#[inline(always)]
fn lay_out<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]], tile: &mut [[W; V]]) {
    let (words, tile) = (words.as_chunks::<BITS>().0, tile.as_chunks_mut::<PAIRS>().0);
    for i in 0..words.len().min(tile.len()) {
        expand(&words[i], &mut Layout(&mut tile[i]));
    }
}

struct Layout<'a, W, const V: usize>(&'a mut [[W; V]; PAIRS]);

impl<W, const V: usize> Sink<W, V> for Layout<'_, W, V> {
    #[inline(always)]
    fn take(&mut self, p: usize, codes: [W; V]) {
        self.0[p] = codes;
    }
}

struct Products<'a, W, const V: usize, const R: usize> {
    sums: [[W; V]; R],
    x: &'a [[i32; R]; PAIRS],
}

impl<W: Words, const V: usize, const R: usize> Sink<W, V> for Products<'_, W, V, R> {
    #[inline(always)]
    fn take(&mut self, p: usize, codes: [W; V]) {
        add_pair(&mut self.sums, codes, &self.x[p]);
    }
}

/// One pair of `V` vectors of outputs times one pair of every row.
#[inline(always)]
fn add_pair<W: Words, const V: usize, const R: usize>(sums: &mut [[W; V]; R], codes: [W; V], x: &[i32; R]) {
    for r in 0..R {
        for v in 0..V {
            sums[r][v] = sums[r][v].add_products(codes[v], x[r]);
        }
    }
}

/// Eight groups of scales or biases of eight outputs, to `out[group · stride + output]`.
#[inline(always)]
fn turn_floats<W: Words>(w: &Affine, floats: &[u8], (n, g): (usize, usize), out: &mut [f32], stride: usize) {
    let (size, row) = (w.dtype.size(), w.groups * w.dtype.size());
    let from = &floats[n.min(w.rows) * row + g * size..];
    if n + LANES <= w.rows && from.len() >= (LANES - 1) * row + LANES * size {
        return turn_as::<W>(w.dtype, from, row, out, stride);
    }
    // At the end of the matrix: a copy, zeros behind it.
    let mut whole = [0; LANES * LANES * size_of::<f32>()];
    for (i, whole) in whole.chunks_exact_mut(LANES * size).take(LANES).enumerate() {
        let from = &floats[(n + i).min(w.rows - 1) * row + g * size..];
        let bytes = from.len().min(whole.len());
        whole[..bytes].copy_from_slice(&from[..bytes]);
    }
    turn_as::<W>(w.dtype, &whole, LANES * size, out, stride);
}

/// A constant dtype a branch, so that it is chosen once and not for every row.
#[inline(always)]
fn turn_as<W: Words>(dtype: Dtype, from: &[u8], row: usize, out: &mut [f32], stride: usize) {
    match dtype {
        Dtype::Bf16 => turn_of::<W>(Dtype::Bf16, from, row, out, stride),
        Dtype::F16 => turn_of::<W>(Dtype::F16, from, row, out, stride),
        _ => turn_of::<W>(Dtype::F32, from, row, out, stride),
    }
}

#[inline(always)]
fn turn_of<W: Words>(dtype: Dtype, from: &[u8], row: usize, out: &mut [f32], stride: usize) {
    let mut rows = [W::Floats::splat(0.0); LANES];
    for i in 0..LANES {
        rows[i] = W::Floats::load_as(dtype, &from[i * row..]);
    }
    let columns = W::Floats::transpose(rows);
    for g in 0..LANES {
        columns[g].store(&mut out[g * stride..]);
    }
}
