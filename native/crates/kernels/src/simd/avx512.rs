//! Integer lanes of AVX-512 with VNNI. One of the files that may hold `unsafe`.
//!
//! Sound because a value exists only inside [`run_words`], which has checked the CPU. All loads and stores are bounds-checked by slicing first.
//! Kernels over fp32 lanes run their AVX2 form there: eight lanes are part of every reduction order.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::{
    LANES, Words, WordsKernel,
    avx2::Avx2,
    avx2_words::{expect_words, rows_of, turn_8x8},
};
use crate::Isa;
use std::arch::x86_64::*;

/// Sixteen outputs.
#[derive(Clone, Copy)]
pub struct Words16(__m512i);

/// Runs a kernel over integer lanes compiled for AVX-512.
pub fn run_words(kernel: impl WordsKernel) {
    assert!(Isa::Avx512.is_available(), "this CPU does not have avx512f, avx512bw, avx512vl and avx512vnni");
    // SAFETY: the CPU has the features, checked above.
    unsafe { run_compiled(kernel) }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn run_compiled(kernel: impl WordsKernel) {
    kernel.run::<Words16>();
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
    fn turn<const V: usize>(from: &[u8], stride: usize, ahead: usize, to: &mut [[Self; V]], v: usize) {
        expect_words::<Self>(from, stride, to.len());
        let low_rows = unsafe { rows_of(from.as_ptr(), stride) };
        let high_rows = unsafe { rows_of(from.as_ptr().add(LANES * stride), stride) };
        let mut at = 0;
        for to in to.as_chunks_mut::<8>().0 {
            let (low, high) = unsafe { (turn_8x8(low_rows, at), turn_8x8(high_rows, at)) };
            for d in 0..8 {
                to[d][v] = Self(unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low[d]), high[d]) });
            }
            // Every second turn begins a cache line.
            if at % 64 == 0 {
                for row in low_rows.into_iter().chain(high_rows) {
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(at + ahead).cast()) };
                }
            }
            at += 32;
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
