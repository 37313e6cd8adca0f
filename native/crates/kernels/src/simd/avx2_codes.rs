//! Integer lanes of AVX2. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx2`: a value exists only inside its `run`. All loads are bounds-checked first.
#![allow(unsafe_code)]

use super::{
    Codes, Eight, Line,
    avx2::Avx2,
    avx2_words::Words8,
    codes::{UNIT, VECTORS, crossing},
};
use std::arch::x86_64::*;

/// Two outputs: a 128-bit half each.
#[derive(Clone, Copy)]
pub struct Codes2(__m256i);

// SAFETY of every block below: see the module.
impl Codes for Codes2 {
    const OUTPUTS: usize = 2;
    type Floats = Avx2;
    type Sums = __m256i;
    type Words = Words8;

    #[inline(always)]
    fn zero() -> __m256i {
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    fn unpack<const BITS: usize>(from: &Eight, v: usize, u: usize) -> [Self; VECTORS] {
        let (a, b) = (from.unit::<BITS>(v, u), from.unit::<BITS>(v + 4, u));
        unsafe {
            match BITS {
                2 => fields::<BITS>(_mm256_cvtepu8_epi16(eights(a, b))),
                4 => fields::<BITS>(sixteens(a, b)),
                8 => [bytes(a, b, 0), bytes(a, b, 8), bytes(a, b, 16), bytes(a, b, 24)],
                _ => {
                    let (low, high) = (sixteens(a, b), sixteens(a.add(2 * BITS), b.add(2 * BITS)));
                    [cross::<BITS>(low, 0), cross::<BITS>(low, 1), cross::<BITS>(high, 2), cross::<BITS>(high, 3)]
                }
            }
        }
    }
    #[inline(always)]
    fn load(x: &[Line], i: usize) -> Self {
        assert!((i + 1) * size_of::<Self>() <= size_of_val(x));
        Self(unsafe { _mm256_load_si256(x.as_ptr().cast::<__m256i>().add(i)) })
    }
    #[inline(always)]
    fn add_products(self, x: Self, sums: __m256i) -> __m256i {
        unsafe { _mm256_add_epi32(sums, _mm256_madd_epi16(self.0, x.0)) }
    }
    #[inline(always)]
    fn totals(sums: &[__m256i]) -> Avx2 {
        let sums: &[__m256i; 4] = sums.first_chunk().expect("the sums of eight outputs");
        unsafe {
            let low = add_halves(sums[0], sums[1]);
            let high = add_halves(sums[2], sums[3]);
            let all = _mm256_add_epi32(_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
            Avx2(_mm256_cvtepi32_ps(all))
        }
    }
}

/// Lanes 0 + 2 and 1 + 3 of every 128-bit half, those of a and b in turn.
#[inline(always)]
unsafe fn add_halves(a: __m256i, b: __m256i) -> __m256i {
    unsafe { _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)) }
}

/// Eight bytes of each.
#[inline(always)]
pub(super) unsafe fn eights(a: *const u8, b: *const u8) -> __m128i {
    unsafe { _mm_unpacklo_epi64(_mm_loadl_epi64(a.cast()), _mm_loadl_epi64(b.cast())) }
}

/// Sixteen bytes of each.
#[inline(always)]
pub(super) unsafe fn sixteens(a: *const u8, b: *const u8) -> __m256i {
    unsafe {
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(_mm_loadu_si128(a.cast())), _mm_loadu_si128(b.cast()))
    }
}

/// Eight codes of a byte each.
#[inline(always)]
unsafe fn bytes(a: *const u8, b: *const u8, at: usize) -> Codes2 {
    Codes2(unsafe { _mm256_cvtepu8_epi16(eights(a.add(at), b.add(at))) })
}

/// Shifted right by a constant.
#[inline(always)]
unsafe fn shr(lanes: __m256i, bits: usize) -> __m256i {
    unsafe { _mm256_srl_epi16(lanes, _mm_cvtsi32_si128(bits as i32)) }
}

/// The four codes of every lane.
#[inline(always)]
unsafe fn fields<const BITS: usize>(lanes: __m256i) -> [Codes2; VECTORS] {
    unsafe {
        let mask = _mm256_set1_epi16((1 << BITS) - 1);
        [
            Codes2(_mm256_and_si256(lanes, mask)),
            Codes2(_mm256_and_si256(shr(lanes, BITS), mask)),
            Codes2(_mm256_and_si256(shr(lanes, 2 * BITS), mask)),
            Codes2(shr(lanes, 3 * BITS)),
        ]
    }
}

/// Codes that cross bytes: two bytes a lane, the code moved up, then down.
#[inline(always)]
unsafe fn cross<const BITS: usize>(bytes: __m256i, v: usize) -> Codes2 {
    unsafe {
        let (at, factors) = crossing(BITS, v);
        let at = _mm256_broadcastsi128_si256(_mm_loadu_si128(at.as_ptr().cast()));
        let factors = _mm256_broadcastsi128_si256(_mm_loadu_si128(factors.as_ptr().cast()));
        let upper = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, at), factors);
        Codes2(shr(upper, 16 - BITS))
    }
}

const _: () = assert!(size_of::<Line>() == 2 * UNIT);
