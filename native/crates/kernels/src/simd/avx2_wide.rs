//! Eight fp64 lanes in two AVX registers. One of the files that may hold `unsafe`: values exist only where [`super::avx2::run`] has checked the CPU.
#![allow(unsafe_code)]

use super::{LANES, wide::Wide};
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

/// Lanes 0 to 3 and 4 to 7.
#[derive(Clone, Copy)]
pub struct Avx2Wide(__m256d, __m256d);

macro_rules! operator {
    ($trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for Avx2Wide {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module.
                unsafe { Self($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
            }
        }
    };
}
operator!(Add, add, _mm256_add_pd);
operator!(Sub, sub, _mm256_sub_pd);
operator!(Mul, mul, _mm256_mul_pd);

// SAFETY of every block below: see the module; the arrays have the lengths that are read and written.
impl Wide for Avx2Wide {
    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        unsafe { Self(_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from[4..].as_ptr())) }
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), self.0);
            _mm256_storeu_pd(to[4..].as_mut_ptr(), self.1);
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(_mm256_andnot_pd(sign, self.0), _mm256_andnot_pd(sign, self.1))
        }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_pd(self.0, other.0), _mm256_max_pd(self.1, other.1)) }
    }
}
