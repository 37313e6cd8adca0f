//! `exact` for quantised weights: integer sums, so any width, thread count and instruction set gives the same bytes.
//!
//! Definition, per row and output n, groups g ascending, one fp32 accumulator from zero:
//! 1. `sx` = smallest power of two, at least 2^-126, with `max|x| ≤ 32767 · sx` over the group; `xi = round-half-even(x / sx)`; all zero if the group is.
//! 2. `I = Σ q · xi` and `X = Σ xi` in int32, exact (at most 255 · 32767 · 128 < 2^31).
//! 3. `acc = fma(scale · sx, float(I), acc)`, then `acc = fma(bias, sx · float(X), acc)`; `sx · X` overflows where `qmv`'s fp32 Σx does.
//!
//! One rounding to the activation dtype at the end. A row that holds a NaN or an infinity is computed by `qmv`'s fp32 order instead, for all its outputs.
//!
//! [`plain`] is this definition in loops, and what runs without vector instructions. [`Tiles`] keeps one output a lane: codes stay in the checkpoint's layout and
//! are turned on the way, once for all rows.

mod format;
mod integers;
mod panel;
mod plain;

pub use integers::{Integers, quantise};
pub use plain::plain;

use super::affine::Affine;
use crate::{
    disjoint::Window,
    simd::{Words, WordsKernel},
};
use panel::Panel;
use std::ops::Range;

/// Blocks of rows that go through a tile of weights together, so that their sums stay in the nearest cache.
const BLOCKS: usize = 8;
/// Up to this many rows the codes go straight from their words into products; above, they are laid out once for all rows.
const FEW: usize = 4;

/// Some outputs of all rows, into their columns of a window.
pub struct Tiles<'a, 'b, 'c> {
    pub weights: Affine<'a>,
    pub rows: &'a [Integers],
    pub outputs: Range<usize>,
    pub window: &'b mut Window<'c>,
}

impl WordsKernel for Tiles<'_, '_, '_> {
    #[inline(always)]
    fn run<W: Words>(mut self) {
        let few = matches!(self.weights.bits, 2 | 4 | 8) && self.rows.len() == 1 && self.rows[0].rows <= FEW;
        for blocks in self.rows.chunks(BLOCKS) {
            if few {
                outputs::<W, 1, true>(&mut self, blocks);
            } else {
                outputs::<W, 2, false>(&mut self, blocks);
            }
        }
    }
}

/// `V` vectors of outputs at a time.
#[inline(always)]
fn outputs<W: Words, const V: usize, const FEW: bool>(job: &mut Tiles, blocks: &[Integers]) {
    let (w, wide) = (job.weights, V * W::OUTPUTS);
    let first = blocks.first().map_or(0, |b| b.first);
    let rows: usize = blocks.iter().map(|b| b.rows).sum();
    let mut panel = Panel::<W, V>::new(w);
    let mut totals = vec![0.0; rows * wide];
    for n in job.outputs.clone().step_by(wide) {
        totals.fill(0.0);
        for g in (0..w.groups).step_by(panel::GROUPS) {
            panel.fill(n, g);
            if FEW {
                panel.few(&blocks[0], &mut totals);
            } else {
                panel.many(blocks, &mut totals);
            }
        }
        let width = wide.min(job.outputs.end - n);
        for (row, totals) in totals.chunks_exact(wide).enumerate() {
            let at = n - job.window.columns().start;
            job.window.row(first + row)[at..at + width].copy_from_slice(&totals[..width]);
        }
    }
}
