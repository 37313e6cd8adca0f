//! Integer lanes of AVX-512 with VNNI for many rows. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx512`. All loads and stores are bounds-checked first.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::{LANES, Words, avx2::Avx2, avx2_words::expect_words};
use std::arch::{asm, x86_64::*};

/// Sixteen outputs.
#[derive(Clone, Copy)]
pub struct Words16(__m512i);

impl Words16 {
    /// As they lie.
    #[inline(always)]
    pub fn load(from: &[i32; 16]) -> Self {
        // SAFETY: 64 bytes; see the module.
        Self(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }
    /// `low + 256 · high`.
    #[inline(always)]
    pub fn of_digits([low, high]: [Self; 2]) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_add_epi32(low.0, _mm512_slli_epi32::<8>(high.0)) })
    }
    /// The codes, four bytes of at most seven bits a lane, times four low digits and times four high ones, which have signs; each added to its sum.
    #[inline(always)]
    pub fn add_fours(self, digits: &[u32; 2], sums: [Self; 2]) -> [Self; 2] {
        // SAFETY: see the module.
        unsafe {
            [
                Self(_mm512_dpbusd_epi32(sums[0].0, _mm512_set1_epi32(digits[0] as i32), self.0)),
                Self(_mm512_dpbusd_epi32(sums[1].0, self.0, _mm512_set1_epi32(digits[1] as i32))),
            ]
        }
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
        let mut at = from.as_ptr();
        for to in to.as_chunks_mut::<4>().0 {
            let turned = unsafe { turn_16x4(at, stride) };
            for d in 0..4 {
                to[d][v] = Self(turned[d]);
            }
            at = at.wrapping_add(16);
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
        Self(unsafe { add_pairs(self.0, codes.0, _mm512_set1_epi32(x)) })
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

/// `sums` and the products of neighbouring 16-bit integers, two by two. As the instruction: from the intrinsic a compiler makes a product and a sum, which wait less for
/// each other but take twice the room of the two ports that there are.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) unsafe fn add_pairs(mut sums: __m512i, codes: __m512i, x: __m512i) -> __m512i {
    unsafe {
        asm!(
            "vpdpwssd {sums}, {codes}, {x}",
            sums = inout(zmm_reg) sums, codes = in(zmm_reg) codes, x = in(zmm_reg) x,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}

/// Four words of sixteen outputs, `stride` bytes apart: word d of all of them in vector d.
#[inline(always)]
unsafe fn turn_16x4(from: *const u8, stride: usize) -> [__m512i; 4] {
    // Quarter q of rows[i]: output 4 q + i.
    let row = |output: usize| unsafe { _mm_loadu_si128(from.wrapping_add(output * stride).cast()) };
    let mut rows = [unsafe { _mm512_setzero_si512() }; 4];
    for i in 0..4 {
        rows[i] = unsafe {
            let halves = [
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(i)), row(i + 4)),
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(i + 8)), row(i + 12)),
            ];
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(halves[0]), halves[1])
        };
    }
    unsafe {
        let (a, b) = (_mm512_unpacklo_epi32(rows[0], rows[1]), _mm512_unpackhi_epi32(rows[0], rows[1]));
        let (c, d) = (_mm512_unpacklo_epi32(rows[2], rows[3]), _mm512_unpackhi_epi32(rows[2], rows[3]));
        [
            _mm512_unpacklo_epi64(a, c),
            _mm512_unpackhi_epi64(a, c),
            _mm512_unpacklo_epi64(b, d),
            _mm512_unpackhi_epi64(b, d),
        ]
    }
}
