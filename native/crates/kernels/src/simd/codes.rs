//! Integer lanes of the `exact` matmul for few rows: eight weight codes of each of some outputs, side by side. One of the files that may hold `unsafe`.
#![allow(unsafe_code)]

use super::{LANES, Lanes, Words};
use std::marker::PhantomData;

/// Codes that come out together.
pub const UNIT: usize = 32;
/// Vectors they fill.
pub const VECTORS: usize = UNIT / LANES;

/// Activations of a [`UNIT`], for one output.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line(pub [i16; UNIT]);

/// Rows of a tile of AMX.
pub const TILE_ROWS: usize = 16;

/// One row of a tile of AMX.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct TileRow(pub [u8; 64]);

/// A vector of 16-bit integers: eight codes (or activations) of each of `OUTPUTS` outputs. All operations are exact, so every instruction set gives the same
/// integers.
pub trait Codes: Copy {
    /// Outputs of a vector: a divisor of eight. The vectors of eight outputs take turns: vector v holds outputs v, v + 8 / `OUTPUTS`, ...
    const OUTPUTS: usize;
    /// Whether activations are two digits of a byte each, `256 · high + low`, in the order of [`digit_of`]: a line is 32 low digits, then 32 high ones.
    const DIGITS: bool = false;
    /// The fp32 lanes that run beside it.
    type Floats: Lanes;
    /// 32-bit sums, four of every output.
    type Sums: Copy;
    /// What many rows are multiplied with.
    type Words: Words;

    /// No sum yet.
    fn zero() -> Self::Sums;
    /// Unit `unit` of the outputs of vector `v`, in the order of [`code_of`].
    fn unpack<const BITS: usize>(from: &Eight, v: usize, unit: usize) -> [Self; VECTORS];
    /// Vector `i` of the activations in `x`, which hold every eight of them `OUTPUTS` times.
    fn load(x: &[Line], i: usize) -> Self;
    /// `sums` and the products of neighbours, two by two.
    fn add_products(self, x: Self, sums: Self::Sums) -> Self::Sums;
    /// The sums of eight outputs, whole, in fp32 (rounded to nearest even).
    fn totals(sums: &[Self::Sums]) -> Self::Floats;
}

/// Bytes that may be read beyond a unit, or beyond an output's words where eight are turned at once.
pub const SLACK: usize = 32;

/// Which code of a unit is lane `i` of vector `v`.
pub const fn code_of(bits: usize, v: usize, i: usize) -> usize {
    match bits {
        // Shifts of 16-bit lanes that hold four codes each.
        2 | 4 => VECTORS * i + v,
        _ => LANES * v + i,
    }
}

/// Which code of a unit is digit `i` of its line, where activations are digits.
pub const fn digit_of(bits: usize, i: usize) -> usize {
    match bits {
        // Shifts of bytes that hold four codes each, two vectors of sixteen.
        2 => 4 * (i % 8) + i / 8,
        // Lower and upper halves of bytes.
        4 => 2 * (i % 16) + i / 16,
        _ => i,
    }
}

/// Bytes that [`Codes::unpack`] reads of one output's last unit: whole registers where the codes cross bytes.
pub(super) const fn bytes_read(bits: usize) -> usize {
    match bits {
        2 | 4 | 8 => unit_bytes(bits),
        _ => 2 * bits + 16,
    }
}

/// Where the codes of vector `v` lie in 16 bytes that hold those of vectors 0 and 1 (or 2 and 3), for widths that cross bytes: for every lane the two bytes
/// (low, high), and the factor that moves the code to the upper end of 16 bits.
pub(super) const fn crossing(bits: usize, v: usize) -> ([u8; 16], [i16; LANES]) {
    let (mut bytes, mut factors, mut i) = ([0; 16], [0; LANES], 0);
    while i < LANES {
        let bit = (v % 2 * LANES + i) * bits;
        (bytes[2 * i], bytes[2 * i + 1]) = ((bit / 8) as u8, (bit / 8 + 1) as u8);
        factors[i] = (1 << (16 - bits - bit % 8)) as i16;
        i += 1;
    }
    (bytes, factors)
}

/// Units of eight outputs, all within reach.
pub struct Eight<'a> {
    first: *const u8,
    stride: usize,
    /// How many units, and of which width.
    units: usize,
    bits: usize,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Eight<'a> {
    /// `units` units of `BITS` bits of every output. Those of output i begin at byte `at + i · stride`. Up to [`SLACK`] bytes beyond them are read.
    ///
    /// # Panics
    /// If those bytes do not lie in `from`.
    #[inline(always)]
    pub fn new<const BITS: usize>(from: &'a [u8], at: usize, stride: usize, units: usize) -> Self {
        let need = at + (LANES - 1) * stride + (units - 1) * unit_bytes(BITS) + bytes_read(BITS);
        if need > from.len() {
            short(from.len(), need);
        }
        Self { first: from.as_ptr().wrapping_add(at), stride, units, bits: BITS, bytes: PhantomData }
    }

    /// Unit `unit` of output `output`: as many bytes as `bytes_read` says may be read there.
    #[inline(always)]
    pub(super) fn unit<const BITS: usize>(&self, output: usize, unit: usize) -> *const u8 {
        assert!(output < LANES && unit < self.units && BITS == self.bits);
        // SAFETY: within the bytes that `new` has checked.
        unsafe { self.first.add(output * self.stride).add(unit * unit_bytes(BITS)) }
    }
}

#[cold]
#[inline(never)]
fn short(len: usize, need: usize) -> ! {
    panic!("{len} bytes of codes, {need} needed");
}

/// Bytes of a unit.
pub const fn unit_bytes(bits: usize) -> usize {
    bits * UNIT / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_holds_every_code_once() {
        for bits in [2, 3, 4, 5, 6, 8] {
            let mut codes: Vec<usize> =
                (0..VECTORS).flat_map(|v| (0..LANES).map(move |i| code_of(bits, v, i))).collect();
            codes.sort_unstable();
            assert_eq!(codes, (0..UNIT).collect::<Vec<_>>(), "{bits} bits");
        }
    }

    #[test]
    fn a_line_of_digits_holds_every_code_once() {
        for bits in [2, 3, 4, 5, 6] {
            let mut codes: Vec<usize> = (0..UNIT).map(|i| digit_of(bits, i)).collect();
            codes.sort_unstable();
            assert_eq!(codes, (0..UNIT).collect::<Vec<_>>(), "{bits} bits");
        }
    }

    #[test]
    fn what_is_read_stays_within_the_slack() {
        for bits in [2, 3, 4, 5, 6, 8] {
            assert!(bytes_read(bits) <= unit_bytes(bits) + SLACK);
        }
    }
}
