//! A panel: eight groups of `V` vectors of outputs, turned so that an output is a lane.

use super::{
    format::{PAIRS, Sink, expand},
    integers::Integers,
};
use crate::{
    matmul::affine::{Affine, with_bits},
    simd::{LANES, Lanes, Real, Words, prefetch},
};
use moire_base::Dtype;

/// Groups of a panel: their words are a multiple of eight at any width.
pub const GROUPS: usize = 8;
/// Words turned at once, and their bytes.
const TURN: usize = 8;
const TURN_BYTES: usize = 4 * TURN;

/// The weights at hand.
pub struct Panel<'a, W, const V: usize> {
    weights: Affine<'a>,
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
        let words = GROUPS.min(w.groups - g) * self.words;
        for v in 0..V {
            let n = n + v * W::OUTPUTS;
            let output = |i: usize| (n + i).min(w.rows - 1);
            for word in (0..words).step_by(TURN) {
                let row = |i: usize| w.stream(output(i), g, 4 * word);
                // A vector may reach into the next output, whose words are then not used, but not beyond the matrix.
                let turned = if row(W::OUTPUTS - 1).len() >= TURN_BYTES { W::turn(row) } else { turn_short::<W>(row) };
                for (d, column) in turned.into_iter().enumerate() {
                    self.codes[word + d][v] = column;
                }
                for i in 0..W::OUTPUTS {
                    prefetch(row(i), Self::WIDE * w.row_bytes());
                }
            }
            for i in (0..W::OUTPUTS).step_by(LANES) {
                let at = v * W::OUTPUTS + i;
                let part = |j: usize| (output(i + j), g);
                turn_floats::<W>(w.dtype, |j| w.scales_from(part(j)), &mut self.scales[at..], Self::WIDE);
                turn_floats::<W>(w.dtype, |j| w.biases_from(part(j)), &mut self.biases[at..], Self::WIDE);
            }
        }
    }

    /// Group `g` of up to four rows, straight from the words. Only for 2, 4 and 8 bits, whose codes are cheap to bring out again for the next rows.
    #[inline(always)]
    pub fn few(&self, g: usize, x: &Integers, totals: &mut [f32]) {
        match self.weights.bits {
            2 => self.few_of::<2>(g, x, totals),
            4 => self.few_of::<4>(g, x, totals),
            _ => self.few_of::<8>(g, x, totals),
        }
    }

    #[inline(always)]
    fn few_of<const BITS: usize>(&self, g: usize, x: &Integers, totals: &mut [f32]) {
        match x.rows {
            1 => self.direct::<BITS, 1>(g, x, totals),
            2 => self.direct::<BITS, 2>(g, x, totals),
            3 => self.direct::<BITS, 3>(g, x, totals),
            _ => self.direct::<BITS, 4>(g, x, totals),
        }
    }

    #[inline(always)]
    fn direct<const BITS: usize, const R: usize>(&self, g: usize, x: &Integers, totals: &mut [f32]) {
        let words = &self.codes[g % GROUPS * self.words..][..self.words];
        let x_pairs = self.pairs_of::<R>(g, x).as_chunks::<PAIRS>().0;
        let mut sums = [[W::zero(); V]; R];
        for (words, x) in words.as_chunks::<BITS>().0.iter().zip(x_pairs) {
            expand(words, &mut Products { sums: &mut sums, x });
        }
        self.combine(g, x, &sums, totals);
    }

    /// Group `g` of any number of rows, laid out once.
    #[inline(always)]
    pub fn many(&mut self, g: usize, blocks: &[Integers], totals: &mut [f32]) {
        let words = &self.codes[g % GROUPS * self.words..][..self.words];
        let tile = &mut self.tile[..];
        with_bits!(self.weights.bits, lay_out::<W, V>(words, tile));
        let mut rest = totals;
        for x in blocks {
            let (totals, after) = rest.split_at_mut(x.rows * Self::WIDE);
            rest = after;
            match x.rows {
                1 => self.laid_out::<1>(g, x, totals),
                2 => self.laid_out::<2>(g, x, totals),
                3 => self.laid_out::<3>(g, x, totals),
                4 => self.laid_out::<4>(g, x, totals),
                5 => self.laid_out::<5>(g, x, totals),
                _ => self.laid_out::<6>(g, x, totals),
            }
        }
    }

    #[inline(always)]
    fn laid_out<const R: usize>(&self, g: usize, x: &Integers, totals: &mut [f32]) {
        let mut sums = [[W::zero(); V]; R];
        for (codes, x) in self.tile.iter().zip(self.pairs_of::<R>(g, x)) {
            add_pair(&mut sums, *codes, x);
        }
        self.combine(g, x, &sums, totals);
    }

    /// The pairs of group `g`.
    #[inline(always)]
    fn pairs_of<'x, const R: usize>(&self, g: usize, x: &'x Integers) -> &'x [[i32; R]] {
        let pairs = self.weights.group / 2;
        &x.pairs.as_chunks::<R>().0[g * pairs..][..pairs]
    }

    /// Step 3 of the definition.
    #[inline(always)]
    fn combine<const R: usize>(&self, g: usize, x: &Integers, sums: &[[W; V]; R], totals: &mut [f32]) {
        let at = g % GROUPS * Self::WIDE;
        let (scales, biases) = (&self.scales[at..at + Self::WIDE], &self.biases[at..at + Self::WIDE]);
        let (sx, x_sums) = (&x.scales[g * R..][..R], &x.sums[g * R..][..R]);
        let totals = &mut totals[..R * Self::WIDE];
        for r in 0..R {
            for v in 0..V {
                let (at, total) = (v * W::OUTPUTS, &mut totals[r * Self::WIDE + v * W::OUTPUTS..]);
                sums[r][v].combine(&scales[at..], &biases[at..], sx[r], x_sums[r], total);
            }
        }
    }
}

/// The pairs of a group.
#[inline(always)]
fn lay_out<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]], tile: &mut [[W; V]]) {
    for (words, tile) in words.as_chunks::<BITS>().0.iter().zip(tile.as_chunks_mut::<PAIRS>().0) {
        expand(words, &mut Layout(tile));
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
    sums: &'a mut [[W; V]; R],
    x: &'a [[i32; R]; PAIRS],
}

impl<W: Words, const V: usize, const R: usize> Sink<W, V> for Products<'_, W, V, R> {
    #[inline(always)]
    fn take(&mut self, p: usize, codes: [W; V]) {
        add_pair(self.sums, codes, &self.x[p]);
    }
}

/// One pair of `V` vectors of outputs times one pair of every row.
#[inline(always)]
fn add_pair<W: Words, const V: usize, const R: usize>(sums: &mut [[W; V]; R], codes: [W; V], x: &[i32; R]) {
    for (sums, x) in sums.iter_mut().zip(x) {
        for (sum, codes) in sums.iter_mut().zip(codes) {
            *sum = sum.add_products(codes, *x);
        }
    }
}

/// As `turn`, where some rows end early: zeros follow.
#[inline(always)]
fn turn_short<'a, W: Words>(row: impl Fn(usize) -> &'a [u8]) -> [W; TURN] {
    let mut whole = vec![0; W::OUTPUTS * TURN_BYTES];
    for (i, whole) in whole.chunks_exact_mut(TURN_BYTES).enumerate() {
        let row = row(i);
        let bytes = row.len().min(TURN_BYTES);
        whole[..bytes].copy_from_slice(&row[..bytes]);
    }
    W::turn(|i| &whole[i * TURN_BYTES..])
}

/// Eight consecutive floats of eight outputs to `out[float · stride + output]`.
#[inline(always)]
fn turn_floats<'a, W: Words>(dtype: Dtype, row: impl Fn(usize) -> &'a [u8], out: &mut [f32], stride: usize) {
    let mut rows = [W::Floats::splat(0.0); LANES];
    for (i, lanes) in rows.iter_mut().enumerate() {
        *lanes = W::Floats::load_as_part(dtype, row(i));
    }
    for (g, column) in W::Floats::transpose(rows).into_iter().enumerate() {
        column.store(&mut out[g * stride..]);
    }
}
