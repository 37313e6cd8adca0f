//! Integer lanes of AVX2. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx2`: a value exists only inside its `run`. All loads and stores are bounds-checked first.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::{
    LANES, Words,
    avx2::{self, Avx2},
};
use std::arch::{asm, x86_64::*};

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
    fn turn<const V: usize>(from: &[u8], stride: usize, to: &mut [[Self; V]], v: usize) {
        expect_words::<Self>(from, stride, to.len());
        let mut at = from.as_ptr();
        for to in to.as_chunks_mut::<8>().0 {
            let turned = unsafe { turn_8x8(at, stride) };
            for d in 0..8 {
                to[d][v] = Self(turned[d]);
            }
            at = at.wrapping_add(32);
        }
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
    fn shr_halves(self, bits: u32) -> Self {
        Self(unsafe { _mm256_srl_epi16(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self(unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn add_products(self, codes: Self, x: i32) -> Self {
        Self(unsafe { add_products(self.0, codes.0, _mm256_set1_epi32(x)) })
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

/// As instructions: from intrinsics a compiler adds products among themselves first, and then has more of them at hand than registers.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_products(mut sum: __m256i, codes: __m256i, x: __m256i) -> __m256i {
    unsafe {
        asm!(
            "vpmaddwd {product}, {codes}, {x}", "vpaddd {sum}, {sum}, {product}",
            codes = in(ymm_reg) codes, x = in(ymm_reg) x, product = out(ymm_reg) _, sum = inout(ymm_reg) sum,
            options(nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// Panics unless `words` of every output lie in `from`.
#[inline(always)]
pub fn expect_words<W: Words>(from: &[u8], stride: usize, words: usize) {
    let need = (W::OUTPUTS - 1) * stride + 4 * words;
    assert!(from.len() >= need, "{} bytes, {need} needed for {words} words {stride} apart", from.len());
}

/// Eight words of eight rows, turned.
#[inline(always)]
pub unsafe fn turn_8x8(from: *const u8, stride: usize) -> [__m256i; 8] {
    unsafe {
        let mut rows = [_mm256_setzero_ps(); LANES];
        for i in 0..LANES {
            rows[i] = _mm256_loadu_ps(from.add(i * stride).cast());
        }
        let (columns, mut turned) = (avx2::transpose(rows), [_mm256_setzero_si256(); 8]);
        for d in 0..8 {
            turned[d] = _mm256_castps_si256(columns[d]);
        }
        turned
    }
}
