//! Many rows with AMX: activations as two digits, `xi = 256 · high + low` with low in 0 ..= 255, times codes of a byte each. Both products are summed in 32 bits, so
//! `I = low sum + 256 · high sum` is exact.
//!
//! Loops run over indices, as in `few`.
#![allow(clippy::needless_range_loop)]

use super::{
    Tiles,
    format::expand_fours,
    integers::Integers,
    strip::{Strip, Strips, TURN, read_ahead},
    turned::Turned,
};
use crate::{
    matmul::affine::Affine,
    simd::{
        TILE_ROWS as ROWS, Words, Words16,
        amx::{self, AmxKernel, Sums, Unit},
    },
};

/// Outputs of a strip.
const OUTPUTS: usize = Turned::<Words16, 1>::OUTPUTS;
/// Blocks of rows that go through a tile of weights together.
const BLOCKS: usize = 4;
/// Codes of a tile.
const PART: usize = 4 * ROWS;

/// All outputs for many rows.
pub fn many<const BITS: usize>(tiles: Tiles) {
    amx::run(Many::<BITS> { tiles });
}

struct Many<'a, 'b, 'c, const BITS: usize> {
    tiles: Tiles<'a, 'b, 'c>,
}

impl<const BITS: usize> AmxKernel for Many<'_, '_, '_, BITS> {
    #[inline(always)]
    fn run(mut self, unit: &mut Unit) {
        let w = self.tiles.weights;
        let mut strips = Strips::new(w, OUTPUTS);
        for blocks in self.tiles.rows.chunks(BLOCKS) {
            let rows: usize = blocks.iter().map(|b| b.rows).sum();
            let mut work = Work::<BITS>::new(&w, rows);
            for n in self.tiles.outputs.clone().step_by(OUTPUTS) {
                work.fill(unit, &w, strips.at(n), blocks);
                for (row, totals) in work.totals.chunks_exact(OUTPUTS).enumerate() {
                    self.tiles.put(blocks[0].first + row, n, totals);
                }
            }
        }
    }
}

/// One strip on the way through all groups.
struct Work<const BITS: usize> {
    turned: Turned<Words16, 1>,
    /// The codes of one group, four of an output in a word; zeros where the group is shorter than a tile.
    codes: Vec<[[Words16; 1]; ROWS]>,
    /// Of one group and block of rows: the low digits', the high digits'.
    sums: [Sums; 2],
    /// `[row][outputs]`.
    totals: Vec<f32>,
}

impl<const BITS: usize> Work<BITS> {
    #[inline(always)]
    fn new(w: &Affine, rows: usize) -> Self {
        Self {
            turned: Turned::new(w),
            codes: vec![[[Words16::zero()]; ROWS]; w.group.div_ceil(PART)],
            sums: [Sums::zero(); 2],
            totals: vec![0.0; rows * OUTPUTS],
        }
    }

    /// All groups of `strip` for the rows of all blocks, into `totals`.
    #[inline(always)]
    fn fill(&mut self, unit: &mut Unit, w: &Affine, strip: Strip, blocks: &[Integers]) {
        self.totals.fill(0.0);
        for first in (0..w.groups).step_by(TURN) {
            self.turned.fill(w, strip, first);
            for g in first..w.groups.min(first + TURN) {
                read_ahead(strip.codes, w, g, OUTPUTS);
                expand_fours::<_, 1, BITS>(self.turned.words(g), self.codes.as_flattened_mut());
                let mut at = 0;
                for x in blocks {
                    self.block(unit, x, g, at);
                    at += x.rows * OUTPUTS;
                }
            }
        }
    }

    /// Group `g` for the rows of a block, whose totals begin at `at`.
    #[inline(always)]
    fn block(&mut self, unit: &mut Unit, x: &Integers, g: usize, at: usize) {
        let digits = x.values.digits().as_chunks::<ROWS>().0.as_chunks::<2>().0;
        unit.clear();
        for part in 0..self.codes.len() {
            let [of_low, of_high] = &digits[g * self.codes.len() + part];
            unit.add(of_low, of_high, &self.codes[part]);
        }
        let [low, high] = &mut self.sums;
        unit.store(low, high);
        let (scales, biases) = self.turned.floats(g);
        for r in 0..x.rows {
            let [sx, x_sum] = x.scales[g * x.rows + r];
            let total = &mut self.totals[at + r * OUTPUTS..][..OUTPUTS];
            Words16::of_digits([Words16::load(&low.0[r]), Words16::load(&high.0[r])])
                .combine(scales, biases, sx, x_sum, total);
        }
    }
}
