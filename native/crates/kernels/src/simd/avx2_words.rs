//! Integer lanes of AVX2. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx2`: a value exists only inside its `run`. All loads and stores are bounds-checked first.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::{
    LANES, Words,
    avx2::{self, Avx2},
};
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
    fn turn<const V: usize>(from: &[u8], stride: usize, ahead: usize, to: &mut [[Self; V]], v: usize) {
        expect_words::<Self>(from, stride, to.len());
        let rows = unsafe { rows_of(from.as_ptr(), stride) };
        let mut at = 0;
        for to in to.as_chunks_mut::<8>().0 {
            let turned = unsafe { turn_8x8(rows, at) };
            for d in 0..8 {
                to[d][v] = Self(turned[d]);
            }
            // Every second turn begins a cache line.
            if at % 64 == 0 {
                for row in rows {
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(at + ahead).cast()) };
                }
            }
            at += 32;
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

/// Panics unless `words` of every output lie in `from`.
#[inline(always)]
pub fn expect_words<W: Words>(from: &[u8], stride: usize, words: usize) {
    let need = (W::OUTPUTS - 1) * stride + 4 * words;
    assert!(from.len() >= need, "{} bytes, {need} needed for {words} words {stride} apart", from.len());
}

/// Where eight outputs begin.
#[inline(always)]
pub unsafe fn rows_of(from: *const u8, stride: usize) -> [*const u8; LANES] {
    let mut rows = [from; LANES];
    for i in 1..LANES {
        rows[i] = unsafe { rows[i - 1].add(stride) };
    }
    rows
}

/// Eight words of eight rows from byte `at`, turned.
#[inline(always)]
pub unsafe fn turn_8x8(rows: [*const u8; LANES], at: usize) -> [__m256i; 8] {
    unsafe {
        let mut loaded = [_mm256_setzero_ps(); LANES];
        for i in 0..LANES {
            loaded[i] = _mm256_loadu_ps(rows[i].add(at).cast());
        }
        let (columns, mut turned) = (avx2::transpose(loaded), [_mm256_setzero_si256(); 8]);
        for d in 0..8 {
            turned[d] = _mm256_castps_si256(columns[d]);
        }
        turned
    }
}
