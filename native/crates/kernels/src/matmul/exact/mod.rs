//! `exact` for quantised weights: integer sums, so any width, thread count and instruction set gives the same bytes.
//!
//! Definition, per row and output n, groups g ascending, one fp32 accumulator from zero:
//! 1. `sx` = smallest power of two, at least 2^-126, with `max|x| ≤ 32767 · sx` over the group; `xi = round-half-even(x / sx)`; all zero if the group is.
//! 2. `I = Σ q · xi` and `X = Σ xi` in int32, exact (at most 255 · 32767 · 128 < 2^31).
//! 3. `acc = fma(scale · sx, float(I), acc)`, then `acc = fma(bias, sx · float(X), acc)`; `sx · X` overflows where `qmv`'s fp32 Σx does.
//!
//! One rounding to the activation dtype at the end. A row that holds a NaN or an infinity is computed by `qmv`'s fp32 order instead, for all its outputs.
//!
//! [`mod@plain`] is this definition in loops, and what runs without vector instructions. [`Tiles`] reads the codes in the checkpoint's layout: [`mod@few`] rows take
//! them as they come, [`mod@many`] have them laid out once.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod digits;
mod few;
mod format;
#[cfg(target_arch = "x86_64")]
mod fours;
mod integers;
mod layout;
mod many;
mod plain;
mod strip;
mod turned;

pub use integers::{Integers, quantise};

use super::affine::{Affine, with_bits};
use crate::{Isa, disjoint::Window};
#[cfg(target_arch = "x86_64")]
use amx::many as many_by_amx;
#[cfg(target_arch = "x86_64")]
use digits::few as few_by_digits;
use few::few;
#[cfg(target_arch = "x86_64")]
use layout::takes_fours;
use many::many;
use std::ops::Range;

/// Up to this many rows are few.
const FEW: usize = 8;

/// Some outputs of all rows, into their columns of a window.
pub struct Tiles<'a, 'b, 'c> {
    pub weights: Affine<'a>,
    pub rows: &'a [Integers],
    pub outputs: Range<usize>,
    pub window: &'b mut Window<'c>,
}

impl Tiles<'_, '_, '_> {
    /// With the vectors of `isa`, or by the definition where it has none.
    pub fn run(self, isa: Isa) {
        let bits = self.weights.bits;
        match self.rows {
            _ if isa == Isa::Scalar => plain::run(self),
            #[cfg(target_arch = "x86_64")]
            [x] if takes_fours(isa, x.rows, bits) => with_bits!(bits, few_by_digits(self, x)),
            [x] if x.rows <= FEW => with_bits!(bits, few(isa, self, x)),
            #[cfg(target_arch = "x86_64")]
            _ if isa == Isa::Amx => with_bits!(bits, many_by_amx(self)),
            _ => with_bits!(bits, many(isa, self)),
        }
    }

    /// The outputs from `n` on of one row, as far as they are wanted.
    #[inline(always)]
    fn put(&mut self, row: usize, n: usize, totals: &[f32]) {
        let (at, width) = (n - self.window.columns().start, totals.len().min(self.outputs.end - n));
        for (to, total) in self.window.row(row)[at..at + width].iter_mut().zip(totals) {
            *to = *total;
        }
    }
}
