//! Many rows: the codes of some vectors of outputs are turned, so that an output is a lane, and laid out once for all rows.
//!
//! Loops run over indices, as in `few`.
#![allow(clippy::needless_range_loop)]

use super::{
    Tiles,
    format::{PAIRS, expand},
    integers::Integers,
    strip::{Strip, Strips, TURN, read_ahead},
    turned::Turned,
};
use crate::{
    Isa,
    matmul::affine::Affine,
    simd::{Codes, CodesKernel, Words, dispatch_codes},
};

/// Vectors of outputs side by side.
const V: usize = 2;
/// Pairs between two jumps.
const UNROLLED: usize = 2;

/// Blocks of rows that go through a tile of weights together, so that their sums stay in the nearest cache.
const BLOCKS: usize = 8;

/// All outputs for nine rows or more. A function of its own for every bit width, as in `few`.
pub fn many<const BITS: usize>(isa: Isa, tiles: Tiles) {
    dispatch_codes(isa, BITS, Many::<BITS> { tiles });
}

struct Many<'a, 'b, 'c, const BITS: usize> {
    tiles: Tiles<'a, 'b, 'c>,
}

impl<const BITS: usize> CodesKernel for Many<'_, '_, '_, BITS> {
    type Out = ();

    #[inline(always)]
    fn run<C: Codes>(mut self) {
        let w = self.tiles.weights;
        for blocks in self.tiles.rows.chunks(BLOCKS) {
            let mut tile = Tile::<C::Words, BITS>::new(&w, blocks);
            let outputs = Tile::<C::Words, BITS>::OUTPUTS;
            let mut strips = Strips::new(w, outputs);
            for n in self.tiles.outputs.clone().step_by(outputs) {
                tile.fill(&w, strips.at(n), blocks);
                for (row, totals) in tile.totals.chunks_exact(outputs).enumerate() {
                    self.tiles.put(blocks[0].first + row, n, totals);
                }
            }
        }
    }
}

/// One strip on the way through all groups.
struct Tile<W, const BITS: usize> {
    turned: Turned<W, V>,
    /// `[pair]`: one group laid out.
    pairs: Vec<[W; V]>,
    /// `[row][outputs]`.
    totals: Vec<f32>,
}

impl<W: Words, const BITS: usize> Tile<W, BITS> {
    /// Outputs of a strip.
    const OUTPUTS: usize = Turned::<W, V>::OUTPUTS;

    #[inline(always)]
    fn new(w: &Affine, blocks: &[Integers]) -> Self {
        let rows: usize = blocks.iter().map(|b| b.rows).sum();
        Self {
            turned: Turned::new(w),
            pairs: vec![[W::zero(); V]; w.group / 2],
            totals: vec![0.0; rows * Self::OUTPUTS],
        }
    }

    /// All groups of `strip` for the rows of all blocks, into `totals`.
    #[inline(always)]
    fn fill(&mut self, w: &Affine, strip: Strip, blocks: &[Integers]) {
        self.totals.fill(0.0);
        for first in (0..w.groups).step_by(TURN) {
            self.turned.fill(w, strip, first);
            for g in first..w.groups.min(first + TURN) {
                read_ahead(strip.codes, w, g, Self::OUTPUTS);
                lay_out::<W, BITS>(self.turned.words(g), &mut self.pairs);
                let mut at = 0;
                for x in blocks {
                    self.block(x, g, at);
                    at += x.rows * Self::OUTPUTS;
                }
            }
        }
    }

    /// Group `g` for the rows of a block (four at least, since there are nine in all), whose totals begin at `at`.
    #[inline(always)]
    fn block(&mut self, x: &Integers, g: usize, at: usize) {
        match x.rows {
            4 => self.rows::<4>(x, g, at),
            5 => self.rows::<5>(x, g, at),
            _ => self.rows::<6>(x, g, at),
        }
    }

    #[inline(always)]
    fn rows<const R: usize>(&mut self, x: &Integers, g: usize, at: usize) {
        let tile = self.pairs.as_chunks::<PAIRS>().0;
        let pairs = &x.values.pairs().as_chunks::<R>().0.as_chunks::<PAIRS>().0[g * tile.len()..][..tile.len()];
        let mut sums = [[W::zero(); V]; R];
        for unit in 0..tile.len() {
            for p in (0..PAIRS).step_by(UNROLLED) {
                for p in p..p + UNROLLED {
                    for r in 0..R {
                        for v in 0..V {
                            sums[r][v] = sums[r][v].add_products(tile[unit][p][v], pairs[unit][p][r]);
                        }
                    }
                }
            }
        }
        let (scales, biases) = self.turned.floats(g);
        let (x, totals) = (&x.scales[g * R..][..R], &mut self.totals[at..][..R * Self::OUTPUTS]);
        for r in 0..R {
            let [sx, x_sum] = x[r];
            for v in 0..V {
                let n = v * W::OUTPUTS;
                sums[r][v].combine(&scales[n..], &biases[n..], sx, x_sum, &mut totals[r * Self::OUTPUTS + n..]);
            }
        }
    }
}

/// The pairs of a group.
#[inline(always)]
fn lay_out<W: Words, const BITS: usize>(words: &[[W; V]], tile: &mut [[W; V]]) {
    let (words, tile) = (words.as_chunks::<BITS>().0, tile.as_chunks_mut::<PAIRS>().0);
    for unit in 0..words.len().min(tile.len()) {
        expand(&words[unit], &mut tile[unit]);
    }
}
