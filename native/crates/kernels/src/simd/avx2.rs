//! AVX2 + FMA + F16C. One of the files that may hold `unsafe`.
//!
//! Every intrinsic here is sound because an `Avx2` value exists only inside [`run`], which has checked the CPU. All loads and stores are bounds-checked
//! by slicing first.
#![allow(unsafe_code, clippy::needless_range_loop)]

use super::{CodesKernel, Kernel, LANES, Lanes, NAN, Real, avx2_codes::Codes2, avx2_int, avx2_wide::Avx2Wide};
use crate::Isa;
use moire_base::Dtype;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Eight lanes of a 256-bit register.
#[derive(Clone, Copy)]
pub struct Avx2(pub(super) __m256);

/// Runs a kernel compiled for AVX2.
pub fn run<K: Kernel>(kernel: K) -> K::Out {
    assert!(Isa::Avx2.is_available(), "this CPU does not have avx2, fma and f16c");
    // SAFETY: the CPU has the features, checked above.
    unsafe { run_compiled(kernel) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn run_compiled<K: Kernel>(kernel: K) -> K::Out {
    kernel.run::<Avx2>()
}

/// As [`run`], over integer lanes.
pub fn run_codes<K: CodesKernel>(kernel: K) -> K::Out {
    assert!(Isa::Avx2.is_available(), "this CPU does not have avx2, fma and f16c");
    // SAFETY: the CPU has the features, checked above.
    unsafe { run_codes_compiled(kernel) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn run_codes_compiled<K: CodesKernel>(kernel: K) -> K::Out {
    kernel.run::<Codes2>()
}

macro_rules! operator {
    ($trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}
operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);
operator!(Div, div, _mm256_div_ps);

impl Neg for Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

// SAFETY of every block below: see the module.
impl Real for Avx2 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        Self(unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0) })
    }
    #[inline(always)]
    fn pow2(self) -> Self {
        Self(unsafe {
            let biased = _mm256_add_epi32(_mm256_cvttps_epi32(self.0), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
        })
    }
    #[inline(always)]
    fn if_less(self, other: Self, yes: Self, no: Self) -> Self {
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)) })
    }
    #[inline(always)]
    fn nan_or(self, other: Self) -> Self {
        Self(unsafe {
            let nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0);
            _mm256_blendv_ps(other.0, _mm256_set1_ps(NAN), nan)
        })
    }
    #[inline(always)]
    fn round_to(self, dtype: Dtype) -> Self {
        let rounded = match dtype {
            Dtype::Bf16 => Self(unsafe { round_bf16(self.0) }),
            Dtype::F16 => Self(unsafe { _mm256_cvtph_ps(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0)) }),
            _ => self,
        };
        self.nan_or(rounded)
    }
}

/// Adds half of the dropped part, a bit less when the kept part is even. NaN is the caller's.
#[inline(always)]
unsafe fn round_bf16(x: __m256) -> __m256 {
    unsafe {
        let bits = _mm256_castps_si256(x);
        let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
        let half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
        let sum = _mm256_add_epi32(bits, half);
        _mm256_castsi256_ps(_mm256_and_si256(sum, _mm256_set1_epi32(!0xffff)))
    }
}

impl Lanes for Avx2 {
    type Wide = Avx2Wide;

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        Self(unsafe { _mm256_loadu_ps(from[..LANES].as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        unsafe { _mm256_storeu_ps(to[..LANES].as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
    #[inline(always)]
    fn prefetch(from: &[u8]) {
        // SAFETY: a prefetch reads nothing, at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        let [a, b, c, d, e, f, g, h] = unsafe { transpose([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]) };
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }
    #[inline(always)]
    fn load_as(dtype: Dtype, from: &[u8]) -> Self {
        Self(unsafe { widened(dtype, from[..LANES * dtype.size()].as_ptr()) })
    }
    #[inline(always)]
    fn turn(dtype: Dtype, from: &[u8], stride: usize) -> [Self; LANES] {
        assert!(from.len() >= (LANES - 1) * stride + LANES * dtype.size());
        let mut rows = [Self::splat(0.0); LANES];
        for i in 0..LANES {
            rows[i] = Self(unsafe { widened(dtype, from.as_ptr().add(i * stride)) });
        }
        Self::transpose(rows)
    }
    #[inline(always)]
    fn store_as(self, dtype: Dtype, to: &mut [u8]) {
        let to = to[..LANES * dtype.size()].as_mut_ptr();
        let rounded = self.round_to(dtype).0;
        unsafe {
            match dtype {
                Dtype::Bf16 => _mm_storeu_si128(to.cast(), upper_halves(rounded)),
                Dtype::F16 => {
                    _mm_storeu_si128(to.cast(), _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(rounded));
                }
                _ => _mm256_storeu_ps(to.cast(), rounded),
            }
        }
    }
    #[inline(always)]
    fn codes<const BITS: usize>(from: &[u8]) -> Self {
        Self(unsafe { _mm256_cvtepi32_ps(avx2_int::codes::<BITS>(from)) })
    }
    #[inline(always)]
    fn store_i16(self, to: &mut [i16]) {
        unsafe { avx2_int::store_i16(_mm256_cvttps_epi32(self.0), to) }
    }
}

/// Eight elements of a float dtype.
#[inline(always)]
unsafe fn widened(dtype: Dtype, from: *const u8) -> __m256 {
    unsafe {
        match dtype {
            Dtype::Bf16 => {
                let wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()));
                _mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide))
            }
            Dtype::F16 => _mm256_cvtph_ps(_mm_loadu_si128(from.cast())),
            _ => _mm256_loadu_ps(from.cast()),
        }
    }
}

/// The upper 16 bits of every lane.
#[inline(always)]
unsafe fn upper_halves(x: __m256) -> __m128i {
    unsafe {
        let halves = _mm256_srli_epi32::<16>(_mm256_castps_si256(x));
        _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
    }
}

/// 8 x 8 transpose: pairs, quads, halves.
#[inline(always)]
pub(super) unsafe fn transpose(r: [__m256; 8]) -> [__m256; 8] {
    unsafe {
        let (a0, a1) = (_mm256_unpacklo_ps(r[0], r[1]), _mm256_unpackhi_ps(r[0], r[1]));
        let (a2, a3) = (_mm256_unpacklo_ps(r[2], r[3]), _mm256_unpackhi_ps(r[2], r[3]));
        let (a4, a5) = (_mm256_unpacklo_ps(r[4], r[5]), _mm256_unpackhi_ps(r[4], r[5]));
        let (a6, a7) = (_mm256_unpacklo_ps(r[6], r[7]), _mm256_unpackhi_ps(r[6], r[7]));
        let (b0, b1) = (_mm256_shuffle_ps::<0x44>(a0, a2), _mm256_shuffle_ps::<0xee>(a0, a2));
        let (b2, b3) = (_mm256_shuffle_ps::<0x44>(a1, a3), _mm256_shuffle_ps::<0xee>(a1, a3));
        let (b4, b5) = (_mm256_shuffle_ps::<0x44>(a4, a6), _mm256_shuffle_ps::<0xee>(a4, a6));
        let (b6, b7) = (_mm256_shuffle_ps::<0x44>(a5, a7), _mm256_shuffle_ps::<0xee>(a5, a7));
        [
            _mm256_permute2f128_ps::<0x20>(b0, b4),
            _mm256_permute2f128_ps::<0x20>(b1, b5),
            _mm256_permute2f128_ps::<0x20>(b2, b6),
            _mm256_permute2f128_ps::<0x20>(b3, b7),
            _mm256_permute2f128_ps::<0x31>(b0, b4),
            _mm256_permute2f128_ps::<0x31>(b1, b5),
            _mm256_permute2f128_ps::<0x31>(b2, b6),
            _mm256_permute2f128_ps::<0x31>(b3, b7),
        ]
    }
}
