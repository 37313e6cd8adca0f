//! Integer lanes of AVX-512 with VNNI for many rows. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx512`. All loads and stores are bounds-checked first.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::{
    LANES, Words,
    avx2::Avx2,
    avx2_words::{expect_words, turn_8x8},
};
use std::arch::x86_64::*;

/// Sixteen outputs.
#[derive(Clone, Copy)]
pub struct Words16(__m512i);

impl Words16 {
    /// `low + 256 · high` of sixteen outputs.
    #[inline(always)]
    pub fn of_digits(low: &[i32; 16], high: &[i32; 16]) -> Self {
        // SAFETY: 64 bytes each.
        let (low, high) =
            unsafe { (_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast())) };
        // SAFETY: see the module.
        Self(unsafe { _mm512_add_epi32(low, _mm512_slli_epi32::<8>(high)) })
    }
}

// SAFETY of every block below: see the module.
impl Words for Words16 {
    const OUTPUTS: usize = 2 * LANES;
    type Floats = Avx2;

    #[inline(always)]
    fn zero() -> Self {
        Self(unsafe { _mm512_setzero_si512() })
    }
    #[inline(always)]
    fn turn<const V: usize>(from: &[u8], stride: usize, to: &mut [[Self; V]], v: usize) {
        expect_words::<Self>(from, stride, to.len());
        let (mut low, mut high) = (from.as_ptr(), from.as_ptr().wrapping_add(LANES * stride));
        for to in to.as_chunks_mut::<8>().0 {
            let (a, b) = unsafe { (turn_8x8(low, stride), turn_8x8(high, stride)) };
            for d in 0..8 {
                to[d][v] = Self(unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a[d]), b[d]) });
            }
            (low, high) = (low.wrapping_add(32), high.wrapping_add(32));
        }
    }
    #[inline(always)]
    fn and(self, mask: u32) -> Self {
        Self(unsafe { _mm512_and_si512(self.0, _mm512_set1_epi32(mask as i32)) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn shr_halves(self, bits: u32) -> Self {
        Self(unsafe { _mm512_srl_epi16(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self(unsafe { _mm512_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn add_products(self, codes: Self, x: i32) -> Self {
        Self(unsafe { _mm512_dpwssd_epi32(self.0, codes.0, _mm512_set1_epi32(x)) })
    }
    #[inline(always)]
    fn combine(self, scale: &[f32], bias: &[f32], sx: f32, sum: f32, total: &mut [f32]) {
        let total = &mut total[..2 * LANES];
        unsafe {
            let scale = _mm512_mul_ps(_mm512_loadu_ps(scale[..2 * LANES].as_ptr()), _mm512_set1_ps(sx));
            let weighted = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(self.0), _mm512_loadu_ps(total.as_ptr()));
            let bias = _mm512_loadu_ps(bias[..2 * LANES].as_ptr());
            _mm512_storeu_ps(total.as_mut_ptr(), _mm512_fmadd_ps(bias, _mm512_set1_ps(sum), weighted));
        }
    }
}
