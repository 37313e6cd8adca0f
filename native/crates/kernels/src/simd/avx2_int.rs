//! The integer steps of AVX2: codes out of a bit stream, int16 dot products. One of the files that may hold `unsafe`.
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

/// The codes of a group in their order; 4 and 8 bits take 16 bytes at a time.
#[inline(always)]
pub unsafe fn unpack<const BITS: usize>(from: &[u8], to: &mut [i16]) {
    unsafe {
        match BITS {
            4 => unpack4(from, to),
            8 => unpack8(from, to),
            _ => {
                for (from, to) in from.chunks_exact(BITS).zip(to.chunks_exact_mut(LANES)) {
                    store_i16(codes::<BITS>(from), to);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn unpack4(from: &[u8], to: &mut [i16]) {
    for (from, to) in from.chunks_exact(16).zip(to.chunks_exact_mut(32)) {
        unsafe {
            let low_bits = _mm_set1_epi8(15);
            let bytes = _mm_loadu_si128(from.as_ptr().cast());
            let (even, odd) = (_mm_and_si128(bytes, low_bits), _mm_and_si128(_mm_srli_epi16::<4>(bytes), low_bits));
            let to: *mut __m256i = to.as_mut_ptr().cast();
            _mm256_storeu_si256(to, _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(even, odd)));
            _mm256_storeu_si256(to.add(1), _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(even, odd)));
        }
    }
}

#[inline(always)]
unsafe fn unpack8(from: &[u8], to: &mut [i16]) {
    for (from, to) in from.chunks_exact(16).zip(to.chunks_exact_mut(16)) {
        unsafe {
            let wide = _mm256_cvtepu8_epi16(_mm_loadu_si128(from.as_ptr().cast()));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), wide);
        }
    }
}

/// Eight int32 dot products. Integer sums are exact, so pairs and trees may come in any order.
#[inline(always)]
pub unsafe fn dots(tile: &[i16], x: &[i16]) -> __m256i {
    let n = x.len();
    let tile = &tile[..LANES * n];
    unsafe {
        let mut acc = [_mm256_setzero_si256(); LANES];
        for k in (0..n / 16 * 16).step_by(16) {
            let xs = _mm256_loadu_si256(x.as_ptr().add(k).cast());
            for (i, acc) in acc.iter_mut().enumerate() {
                let q = _mm256_loadu_si256(tile.as_ptr().add(i * n + k).cast());
                *acc = _mm256_add_epi32(*acc, _mm256_madd_epi16(q, xs));
            }
        }
        let low = _mm256_hadd_epi32(_mm256_hadd_epi32(acc[0], acc[1]), _mm256_hadd_epi32(acc[2], acc[3]));
        let high = _mm256_hadd_epi32(_mm256_hadd_epi32(acc[4], acc[5]), _mm256_hadd_epi32(acc[6], acc[7]));
        let (first, second) =
            (_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high));
        _mm256_add_epi32(first, second)
    }
}
