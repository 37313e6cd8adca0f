//! The integer steps of AVX2: codes out of a bit stream. One of the files that may hold `unsafe`.
//!
//! Every function here needs AVX2, which its callers in `avx2` guarantee. All loads and stores are bounds-checked by slicing first.
#![allow(unsafe_code)]

use super::LANES;
use std::arch::x86_64::*;

/// Eight codes as int32. Four codes of up to 8 bits fit in 32 bits: the lower four lanes shift the first half of the stream, the upper four the second.
#[inline(always)]
pub unsafe fn codes<const BITS: usize>(from: &[u8]) -> __m256i {
    let mut bytes = [0; 8];
    bytes[..BITS].copy_from_slice(&from[..BITS]);
    let word = u64::from_le_bytes(bytes);
    let b = BITS as i32;
    unsafe {
        if BITS == 8 {
            return _mm256_cvtepu8_epi32(_mm_set_epi64x(0, word as i64));
        }
        let mask = _mm256_set1_epi32((1 << b) - 1);
        if BITS <= 4 {
            let shifts = _mm256_setr_epi32(0, b, 2 * b, 3 * b, 4 * b, 5 * b, 6 * b, 7 * b);
            return _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(word as i32), shifts), mask);
        }
        let shifts = _mm256_setr_epi32(0, b, 2 * b, 3 * b, 0, b, 2 * b, 3 * b);
        let halves = _mm256_set_m128i(_mm_set1_epi32((word >> (4 * BITS)) as i32), _mm_set1_epi32(word as i32));
        _mm256_and_si256(_mm256_srlv_epi32(halves, shifts), mask)
    }
}

/// Eight int32 within int16 range.
#[inline(always)]
pub unsafe fn store_i16(x: __m256i, to: &mut [i16]) {
    let to = to[..LANES].as_mut_ptr();
    unsafe {
        let packed = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
        _mm_storeu_si128(to.cast(), packed);
    }
}
