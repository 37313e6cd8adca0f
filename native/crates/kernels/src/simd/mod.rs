//! Eight fp32 lanes, once in portable Rust and once per instruction set. Kernels are generic over them, so all instruction sets run the same IEEE
//! operations in the same order.

#[cfg(target_arch = "x86_64")]
pub mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_codes;
#[cfg(target_arch = "x86_64")]
mod avx2_int;
#[cfg(target_arch = "x86_64")]
mod avx2_wide;
#[cfg(target_arch = "x86_64")]
mod avx2_words;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod avx512_digits;
#[cfg(target_arch = "x86_64")]
mod avx512_words;
mod codes;
mod fpenv;
mod helpers;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
mod neon_codes;
#[cfg(target_arch = "aarch64")]
mod neon_dot;
#[cfg(target_arch = "aarch64")]
mod neon_words;
mod prefetch;
mod scalar;
mod wide;
mod words;

use crate::Isa;
use moire_base::Dtype;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[cfg(target_arch = "x86_64")]
pub use avx512_words::Words16;
pub use codes::{Codes, Eight, Line, SLACK, TILE_ROWS, TileRow, UNIT, VECTORS, code_of, digit_of};
pub use fpenv::use_ieee_arithmetic;
pub use helpers::{Step, max_of, transpose, zip_map};
pub use prefetch::prefetch;
pub use scalar::Scalar8;
pub use wide::Wide;
pub use words::Words;

/// Lanes of a vector.
pub const LANES: usize = 8;

/// The one NaN that results are stored as.
pub const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// One or eight fp32 numbers under IEEE operations, each rounded to nearest even.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// `self * b + c`, fused: one rounding.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sign removed.
    fn abs(self) -> Self;
    /// `self` if `self > other`, else `other` (also when either is NaN).
    fn max(self, other: Self) -> Self;
    /// `self` if `self < other`, else `other` (also when either is NaN).
    fn min(self, other: Self) -> Self;
    /// To the nearest integer, halves to even.
    fn nearest(self) -> Self;
    /// `2^self` for integers from -126 to 127.
    fn pow2(self) -> Self;
    /// `yes` where `self < other`, else `no`.
    fn if_less(self, other: Self, yes: Self, no: Self) -> Self;
    /// `NAN` where `self` is NaN, else `other`.
    fn nan_or(self, other: Self) -> Self;
    /// Rounded to a float dtype, every NaN made `NAN`.
    fn round_to(self, dtype: Dtype) -> Self;
}

/// Eight lanes: memory, sums and the integer steps of quantised weights.
pub trait Lanes: Real {
    /// The same number of fp64 lanes.
    type Wide: Wide;
    /// The first eight elements.
    fn load(from: &[f32]) -> Self;
    /// Into the first eight elements.
    fn store(self, to: &mut [f32]);
    /// `((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7))`.
    fn sum(self) -> f32;
    /// Says that the line of memory of the first byte will be read soon. Changes nothing.
    #[inline(always)]
    fn prefetch(_from: &[u8]) {}
    /// Row i, lane j to row j, lane i.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];
    /// The first eight little-endian elements of a float dtype.
    fn load_as(dtype: Dtype, from: &[u8]) -> Self;
    /// Eight rows of eight elements of a float dtype, little-endian, `stride` bytes apart: row i, lane j to row j, lane i.
    ///
    /// # Panics
    /// If they do not lie in `from`.
    #[inline(always)]
    fn turn(dtype: Dtype, from: &[u8], stride: usize) -> [Self; LANES] {
        let mut rows = [Self::splat(0.0); LANES];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = Self::load_as(dtype, &from[i * stride..]);
        }
        Self::transpose(rows)
    }
    /// The first eight elements rounded to a float dtype, little-endian, into `LANES * dtype.size()` bytes. NaN becomes `NAN` in that dtype.
    fn store_as(self, dtype: Dtype, to: &mut [u8]);
    /// Eight codes of `BITS` bits from the first `BITS` bytes of a little-endian bit stream.
    fn codes<const BITS: usize>(from: &[u8]) -> Self;
    /// Integers of at most 16 bits with sign into the first eight elements.
    fn store_i16(self, to: &mut [i16]);

    /// As `load`; lanes beyond the slice are zero.
    #[inline(always)]
    fn load_part(from: &[f32]) -> Self {
        if from.len() >= LANES {
            return Self::load(from);
        }
        Self::load(&padded(from))
    }

    /// As `store`; lanes beyond the slice are dropped.
    #[inline(always)]
    fn store_part(self, to: &mut [f32]) {
        if to.len() >= LANES {
            return self.store(to);
        }
        let mut full = [0.0; LANES];
        self.store(&mut full);
        cut(&full, to);
    }

    /// Lane i: `rows[i].sum()`.
    #[inline(always)]
    fn sums(rows: [Self; LANES]) -> Self {
        let t = Self::transpose(rows);
        ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]))
    }
}

/// The end of a row. Not inlined, so that loops over whole vectors stay small.
#[cold]
#[inline(never)]
fn padded(from: &[f32]) -> [f32; LANES] {
    let mut full = [0.0; LANES];
    full[..from.len()].copy_from_slice(from);
    full
}

#[cold]
#[inline(never)]
fn cut(full: &[f32; LANES], to: &mut [f32]) {
    to.copy_from_slice(&full[..to.len()]);
}

/// A kernel, written once and compiled for every instruction set. `run` must be `#[inline(always)]`, like all it calls with lanes in its hands.
pub trait Kernel {
    /// What it gives.
    type Out;
    /// The work.
    fn run<L: Lanes>(self) -> Self::Out;
}

/// A kernel over integer lanes; as [`Kernel`].
pub trait CodesKernel {
    /// What it gives.
    type Out;
    /// The work.
    fn run<C: Codes>(self) -> Self::Out;
}

/// Runs a kernel over integer lanes for weights of `bits` bits, compiled for `isa`; `None` where it has none.
///
/// # Panics
/// If this CPU lacks it.
#[cfg_attr(not(target_arch = "aarch64"), allow(unused_variables))] // NEON alone chooses by it.
pub fn dispatch_codes<K: CodesKernel>(isa: Isa, bits: usize, kernel: K) -> Option<K::Out> {
    match isa {
        Isa::Scalar => None,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => Some(avx2::run_codes(kernel)),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Amx => Some(avx512::run_codes(kernel)),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon if neon_dot::is_for(bits) => Some(neon_dot::run_codes(kernel)),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => Some(neon::run_codes(kernel)),
        #[allow(unreachable_patterns)]
        other => panic!("{} is not on this architecture", other.name()),
    }
}

/// Runs `kernel` compiled for `isa`.
///
/// # Panics
/// If this CPU lacks it.
pub fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Out {
    match isa {
        Isa::Scalar => kernel.run::<Scalar8>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 | Isa::Amx => avx2::run(kernel),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => neon::run(kernel),
        #[allow(unreachable_patterns)]
        other => panic!("{} is not on this architecture", other.name()),
    }
}
