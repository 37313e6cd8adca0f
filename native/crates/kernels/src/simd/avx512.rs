//! Integer lanes of AVX-512 with VNNI. One of the files that may hold `unsafe`.
//!
//! Sound because a value exists only inside [`run_codes`], which has checked the CPU. All loads are bounds-checked first.
//! Kernels over fp32 lanes run their AVX2 form there: eight lanes are part of every reduction order.
#![allow(unsafe_code)]

use super::{
    Codes, CodesKernel, Eight, Line,
    avx2::Avx2,
    avx2_codes::{eights, sixteens},
    avx512_words::{Words16, add_pairs},
    codes::{VECTORS, crossing},
};
use crate::Isa;
use std::arch::x86_64::*;

/// Four outputs: a 128-bit quarter each.
#[derive(Clone, Copy)]
pub struct Codes4(__m512i);

/// What runs compiled for AVX-512, over its own words.
pub trait Avx512Kernel {
    /// What it gives.
    type Out;
    /// The work. `#[inline(always)]`, as for `Kernel`.
    fn run(self) -> Self::Out;
}

/// Runs a kernel compiled for AVX-512.
///
/// # Panics
/// If this CPU lacks it.
pub fn run<K: Avx512Kernel>(kernel: K) -> K::Out {
    assert!(Isa::Avx512.is_available(), "this CPU does not have avx512f, avx512bw, avx512vl and avx512vnni");
    // SAFETY: the CPU has the features, checked above.
    unsafe { run_compiled(kernel) }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn run_compiled<K: Avx512Kernel>(kernel: K) -> K::Out {
    kernel.run()
}

/// Runs a kernel over integer lanes compiled for AVX-512.
pub fn run_codes<K: CodesKernel>(kernel: K) -> K::Out {
    run(OverCodes(kernel))
}

struct OverCodes<K>(K);

impl<K: CodesKernel> Avx512Kernel for OverCodes<K> {
    type Out = K::Out;

    #[inline(always)]
    fn run(self) -> K::Out {
        self.0.run::<Codes4>()
    }
}

// SAFETY of every block below: see the module.
impl Codes for Codes4 {
    const OUTPUTS: usize = 4;
    type Floats = Avx2;
    type Sums = __m512i;
    type Words = Words16;

    #[inline(always)]
    fn zero() -> __m512i {
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    fn unpack<const BITS: usize>(from: &Eight, v: usize, u: usize) -> [Self; VECTORS] {
        let row = |i: usize| from.unit::<BITS>(v + 2 * i, u);
        let rows = [row(0), row(1), row(2), row(3)];
        unsafe {
            match BITS {
                2 => fields::<BITS>(_mm512_cvtepu8_epi16(eight(rows, 0))),
                4 => fields::<BITS>(sixteen(rows, 0)),
                8 => [bytes(rows, 0), bytes(rows, 8), bytes(rows, 16), bytes(rows, 24)],
                _ => {
                    let (low, high) = (sixteen(rows, 0), sixteen(rows, 2 * BITS));
                    [cross::<BITS>(low, 0), cross::<BITS>(low, 1), cross::<BITS>(high, 2), cross::<BITS>(high, 3)]
                }
            }
        }
    }
    #[inline(always)]
    fn load(x: &[Line], i: usize) -> Self {
        assert!((i + 1) * size_of::<Self>() <= size_of_val(x));
        Self(unsafe { _mm512_load_si512(x.as_ptr().cast::<__m512i>().add(i)) })
    }
    #[inline(always)]
    fn add_products(self, x: Self, sums: __m512i) -> __m512i {
        unsafe { add_pairs(sums, self.0, x.0) }
    }
    #[inline(always)]
    fn totals(sums: &[__m512i]) -> Avx2 {
        let sums: &[__m512i; 2] = sums.first_chunk().expect("the sums of eight outputs");
        unsafe {
            // Quarter q: lanes 0 + 2 and 1 + 3 of outputs 2 q and 2 q + 1 in turn, then both together.
            let halves =
                _mm512_add_epi32(_mm512_unpacklo_epi32(sums[0], sums[1]), _mm512_unpackhi_epi32(sums[0], sums[1]));
            let all = _mm512_add_epi32(halves, _mm512_shuffle_epi32::<0b01_00_11_10>(halves));
            let eight = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6), all);
            Avx2(_mm256_cvtepi32_ps(_mm512_castsi512_si256(eight)))
        }
    }
}

/// Eight bytes of each row from `at`.
#[inline(always)]
unsafe fn eight(rows: [*const u8; 4], at: usize) -> __m256i {
    let [a, b, c, d] = rows.map(|row| row.wrapping_add(at));
    unsafe { _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(eights(a, b)), eights(c, d)) }
}

/// Sixteen bytes of each row from `at`.
#[inline(always)]
unsafe fn sixteen(rows: [*const u8; 4], at: usize) -> __m512i {
    let [a, b, c, d] = rows.map(|row| row.wrapping_add(at));
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(sixteens(a, b)), sixteens(c, d)) }
}

/// Eight codes of a byte each.
#[inline(always)]
unsafe fn bytes(rows: [*const u8; 4], at: usize) -> Codes4 {
    Codes4(unsafe { _mm512_cvtepu8_epi16(eight(rows, at)) })
}

/// Shifted right by a constant.
#[inline(always)]
unsafe fn shr(lanes: __m512i, bits: usize) -> __m512i {
    unsafe { _mm512_srl_epi16(lanes, _mm_cvtsi32_si128(bits as i32)) }
}

/// The four codes of every lane.
#[inline(always)]
unsafe fn fields<const BITS: usize>(lanes: __m512i) -> [Codes4; VECTORS] {
    unsafe {
        let mask = _mm512_set1_epi16((1 << BITS) - 1);
        [
            Codes4(_mm512_and_si512(lanes, mask)),
            Codes4(_mm512_and_si512(shr(lanes, BITS), mask)),
            Codes4(_mm512_and_si512(shr(lanes, 2 * BITS), mask)),
            Codes4(shr(lanes, 3 * BITS)),
        ]
    }
}

/// Codes that cross bytes: two bytes a lane, the code moved up, then down.
#[inline(always)]
unsafe fn cross<const BITS: usize>(bytes: __m512i, v: usize) -> Codes4 {
    unsafe {
        let (at, factors) = crossing(BITS, v);
        let at = _mm512_broadcast_i32x4(_mm_loadu_si128(at.as_ptr().cast()));
        let factors = _mm512_broadcast_i32x4(_mm_loadu_si128(factors.as_ptr().cast()));
        let upper = _mm512_mullo_epi16(_mm512_shuffle_epi8(bytes, at), factors);
        Codes4(shr(upper, 16 - BITS))
    }
}
