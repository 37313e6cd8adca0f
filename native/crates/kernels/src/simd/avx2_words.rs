//! Integer lanes of AVX2. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx2`: a value exists only inside its `run`. All loads and stores are bounds-checked by slicing first.
#![allow(unsafe_code)]

use super::{LANES, Lanes, Real, Words, avx2::Avx2};
use std::arch::x86_64::*;

/// Eight outputs.
#[derive(Clone, Copy)]
pub struct Words8(pub(super) __m256i);

// SAFETY of every block below: see the module.
impl Words for Words8 {
    const OUTPUTS: usize = LANES;
    type Floats = Avx2;

    #[inline(always)]
    fn zero() -> Self {
        Self(unsafe { _mm256_setzero_si256() })
    }
    #[inline(always)]
    fn turn<'a>(row: impl Fn(usize) -> &'a [u8]) -> [Self; 8] {
        let mut rows = [Avx2::splat(0.0); LANES];
        for (i, lanes) in rows.iter_mut().enumerate() {
            lanes.0 = unsafe { _mm256_loadu_ps(row(i)[..32].as_ptr().cast()) };
        }
        let mut turned = [Self::zero(); 8];
        for (word, column) in turned.iter_mut().zip(Avx2::transpose(rows)) {
            word.0 = unsafe { _mm256_castps_si256(column.0) };
        }
        turned
    }
    #[inline(always)]
    fn and(self, mask: u32) -> Self {
        Self(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi32(mask as i32)) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        Self(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self(unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn add_products(self, codes: Self, x: i32) -> Self {
        Self(unsafe { _mm256_add_epi32(self.0, _mm256_madd_epi16(codes.0, _mm256_set1_epi32(x))) })
    }
    #[inline(always)]
    fn combine(self, scale: &[f32], bias: &[f32], sx: f32, sum: f32, total: &mut [f32]) {
        let total = &mut total[..LANES];
        unsafe {
            let scale = _mm256_mul_ps(_mm256_loadu_ps(scale[..LANES].as_ptr()), _mm256_set1_ps(sx));
            let weighted = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(self.0), _mm256_loadu_ps(total.as_ptr()));
            let bias = _mm256_loadu_ps(bias[..LANES].as_ptr());
            _mm256_storeu_ps(total.as_mut_ptr(), _mm256_fmadd_ps(bias, _mm256_set1_ps(sum), weighted));
        }
    }
}
