//! The portable form, and the definition of every operation.

use super::{LANES, Lanes, NAN, Real, wide::ScalarWide};
use half::{bf16, f16};
use moire_base::Dtype;
use std::ops::{Add, Div, Mul, Neg, Sub};

impl Real for f32 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        x
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        self.round_ties_even()
    }
    #[inline(always)]
    fn pow2(self) -> Self {
        f32::from_bits(((self as i32 + 127) as u32) << 23)
    }
    #[inline(always)]
    fn if_less(self, other: Self, yes: Self, no: Self) -> Self {
        if self < other { yes } else { no }
    }
    #[inline(always)]
    fn nan_or(self, other: Self) -> Self {
        if self.is_nan() { NAN } else { other }
    }
    #[inline(always)]
    fn round_to(self, dtype: Dtype) -> Self {
        self.nan_or(dtype.round(self))
    }
}

/// Eight numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar8([f32; LANES]);

impl Scalar8 {
    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self(self.0.map(f))
    }
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

macro_rules! operator {
    ($trait:ident, $name:ident, $op:tt) => {
        impl $trait for Scalar8 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.zip(other, |a, b| a $op b)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Scalar8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl Real for Scalar8 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; LANES])
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, Real::max)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, Real::min)
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        self.map(Real::nearest)
    }
    #[inline(always)]
    fn pow2(self) -> Self {
        self.map(Real::pow2)
    }
    #[inline(always)]
    fn if_less(self, other: Self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].if_less(other.0[i], yes.0[i], no.0[i])))
    }
    #[inline(always)]
    fn nan_or(self, other: Self) -> Self {
        self.zip(other, Real::nan_or)
    }
    #[inline(always)]
    fn round_to(self, dtype: Dtype) -> Self {
        self.map(|x| x.round_to(dtype))
    }
}

impl Lanes for Scalar8 {
    type Wide = ScalarWide;

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        Self(std::array::from_fn(|i| from[i]))
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[..LANES].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        let l = self.0;
        ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
    }
    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        std::array::from_fn(|j| Self(std::array::from_fn(|i| rows[i].0[j])))
    }
    #[inline(always)]
    fn load_as(dtype: Dtype, from: &[u8]) -> Self {
        Self(std::array::from_fn(|i| dtype.load(from, i)))
    }
    #[inline(always)]
    fn store_as(self, dtype: Dtype, to: &mut [u8]) {
        for (x, to) in self.round_to(dtype).0.iter().zip(to[..LANES * dtype.size()].chunks_exact_mut(dtype.size())) {
            match dtype {
                Dtype::Bf16 => to.copy_from_slice(&bf16::from_f32(*x).to_le_bytes()),
                Dtype::F16 => to.copy_from_slice(&f16::from_f32(*x).to_le_bytes()),
                _ => to.copy_from_slice(&x.to_le_bytes()),
            }
        }
    }
    #[inline(always)]
    fn codes<const BITS: usize>(from: &[u8]) -> Self {
        let word = word::<BITS>(from);
        Self(std::array::from_fn(|i| code::<BITS>(word, i) as f32))
    }
    #[inline(always)]
    fn store_i16(self, to: &mut [i16]) {
        to[..LANES].copy_from_slice(&self.0.map(|x| x as i16));
    }
}

/// The first `BITS` bytes as a little-endian number.
#[inline(always)]
fn word<const BITS: usize>(from: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..BITS].copy_from_slice(&from[..BITS]);
    u64::from_le_bytes(bytes)
}

/// Code `i` of a word.
#[inline(always)]
fn code<const BITS: usize>(word: u64, i: usize) -> u8 {
    ((word >> (i * BITS)) & ((1 << BITS) - 1)) as u8
}
