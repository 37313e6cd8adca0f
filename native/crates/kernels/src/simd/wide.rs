//! Eight fp64 lanes, for sums that must keep their low bits.

use super::LANES;
use std::ops::{Add, Mul, Sub};

/// Eight fp64 numbers under IEEE operations.
pub trait Wide: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// From memory.
    fn load(from: &[f64; LANES]) -> Self;
    /// Into memory.
    fn store(self, to: &mut [f64; LANES]);
    /// Sign removed.
    fn abs(self) -> Self;
    /// `self` if `self > other`, else `other` (also when either is NaN).
    fn max(self, other: Self) -> Self;
}

/// The portable form.
#[derive(Clone, Copy)]
pub struct ScalarWide([f64; LANES]);

impl ScalarWide {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Add for ScalarWide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}
impl Sub for ScalarWide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}
impl Mul for ScalarWide {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Wide for ScalarWide {
    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        *to = self.0;
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
}
