//! NEON, which every 64-bit Arm CPU has. One of the files that may hold `unsafe`.
//!
//! All loads and stores are bounds-checked by slicing first.
#![allow(unsafe_code)]

use super::{CodesKernel, Kernel, LANES, Lanes, NAN, Real, neon_codes::Codes1, wide::ScalarWide};
use moire_base::Dtype;
use std::arch::aarch64::*;
use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Eight lanes of two registers.
#[derive(Clone, Copy)]
pub struct Neon8(pub(super) [float32x4_t; 2]);

/// Runs a kernel compiled for NEON.
pub fn run<K: Kernel>(kernel: K) -> K::Out {
    kernel.run::<Neon8>()
}

/// As [`run`], over integer lanes.
pub fn run_codes<K: CodesKernel>(kernel: K) -> K::Out {
    kernel.run::<Codes1>()
}

impl Neon8 {
    #[inline(always)]
    fn map(self, f: impl Fn(float32x4_t) -> float32x4_t) -> Self {
        Self(self.0.map(f))
    }
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Self {
        Self(from_fn(|i| f(self.0[i], other.0[i])))
    }
}

macro_rules! operator {
    ($trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for Neon8 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module.
                self.zip(other, |a, b| unsafe { $intrinsic(a, b) })
            }
        }
    };
}
operator!(Add, add, vaddq_f32);
operator!(Sub, sub, vsubq_f32);
operator!(Mul, mul, vmulq_f32);
operator!(Div, div, vdivq_f32);

impl Neg for Neon8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module.
        self.map(|x| unsafe { vnegq_f32(x) })
    }
}

// SAFETY of every block below: see the module.
impl Real for Neon8 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([unsafe { vdupq_n_f32(x) }; 2])
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        Self(from_fn(|i| unsafe { vfmaq_f32(c.0[i], self.0[i], b.0[i]) }))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(|x| unsafe { vsqrtq_f32(x) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(|x| unsafe { vabsq_f32(x) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vbslq_f32(vcltq_f32(a, b), a, b) })
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        self.map(|x| unsafe { vrndnq_f32(x) })
    }
    #[inline(always)]
    fn pow2(self) -> Self {
        self.map(|x| unsafe {
            let biased = vaddq_s32(vcvtq_s32_f32(x), vdupq_n_s32(127));
            vreinterpretq_f32_s32(vshlq_n_s32::<23>(biased))
        })
    }
    #[inline(always)]
    fn if_less(self, other: Self, yes: Self, no: Self) -> Self {
        Self(from_fn(|i| unsafe { vbslq_f32(vcltq_f32(self.0[i], other.0[i]), yes.0[i], no.0[i]) }))
    }
    #[inline(always)]
    fn nan_or(self, other: Self) -> Self {
        self.zip(other, |x, other| unsafe { vbslq_f32(vceqq_f32(x, x), other, vdupq_n_f32(NAN)) })
    }
    #[inline(always)]
    fn round_to(self, dtype: Dtype) -> Self {
        let rounded = match dtype {
            Dtype::Bf16 => self.map(|x| unsafe { round_bf16(x) }),
            Dtype::F16 => {
                let mut lanes = [0.0; LANES];
                self.store(&mut lanes);
                Self::load(&lanes.map(|x| dtype.round(x)))
            }
            _ => self,
        };
        self.nan_or(rounded)
    }
}

/// Adds half of the dropped part, a bit less when the kept part is even. NaN is the caller's.
#[inline(always)]
unsafe fn round_bf16(x: float32x4_t) -> float32x4_t {
    unsafe {
        let bits = vreinterpretq_u32_f32(x);
        let odd = vandq_u32(vshrq_n_u32::<16>(bits), vdupq_n_u32(1));
        let sum = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
        vreinterpretq_f32_u32(vandq_u32(sum, vdupq_n_u32(!0xffff)))
    }
}

impl Lanes for Neon8 {
    // Plain loops: the compiler has NEON at hand everywhere on this architecture.
    type Wide = ScalarWide;

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = from[..LANES].as_ptr();
        Self(from_fn(|i| unsafe { vld1q_f32(from.add(4 * i)) }))
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = to[..LANES].as_mut_ptr();
        for (i, x) in self.0.into_iter().enumerate() {
            unsafe { vst1q_f32(to.add(4 * i), x) };
        }
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        unsafe {
            let four = vaddq_f32(self.0[0], self.0[1]);
            let two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
            vget_lane_f32::<0>(two) + vget_lane_f32::<1>(two)
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        // Quarter (q, h): rows 4 q .. 4 q + 4, columns 4 h .. 4 h + 4.
        let quarter = |q: usize, h: usize| unsafe { turn_4x4(from_fn(|i| rows[4 * q + i].0[h])) };
        let quarters = [[quarter(0, 0), quarter(1, 0)], [quarter(0, 1), quarter(1, 1)]];
        from_fn(|j| Self([quarters[j / 4][0][j % 4], quarters[j / 4][1][j % 4]]))
    }
    #[inline(always)]
    fn load_as(dtype: Dtype, from: &[u8]) -> Self {
        let from = &from[..LANES * dtype.size()];
        match dtype {
            Dtype::Bf16 => Self(from_fn(|i| unsafe {
                let half = vreinterpret_u16_u8(vld1_u8(from.as_ptr().add(8 * i)));
                vreinterpretq_f32_u32(vshll_n_u16::<16>(half))
            })),
            Dtype::F16 => Self::load(&from_fn::<_, LANES, _>(|i| dtype.load(from, i))),
            _ => Self(from_fn(|i| unsafe { vreinterpretq_f32_u8(vld1q_u8(from.as_ptr().add(16 * i))) })),
        }
    }
    #[inline(always)]
    fn store_as(self, dtype: Dtype, to: &mut [u8]) {
        let to = &mut to[..LANES * dtype.size()];
        let rounded = self.round_to(dtype);
        match dtype {
            Dtype::Bf16 => {
                for (i, x) in rounded.0.into_iter().enumerate() {
                    unsafe {
                        let upper = vshrn_n_u32::<16>(vreinterpretq_u32_f32(x));
                        vst1_u8(to.as_mut_ptr().add(8 * i), vreinterpret_u8_u16(upper));
                    }
                }
            }
            Dtype::F16 => {
                let mut lanes = [0.0; LANES];
                rounded.store(&mut lanes);
                to.copy_from_slice(&dtype.narrow(&lanes));
            }
            _ => {
                for (i, x) in rounded.0.into_iter().enumerate() {
                    unsafe { vst1q_u8(to.as_mut_ptr().add(16 * i), vreinterpretq_u8_f32(x)) };
                }
            }
        }
    }
    #[inline(always)]
    fn codes<const BITS: usize>(from: &[u8]) -> Self {
        let mut bytes = [0; 8];
        bytes[..BITS].copy_from_slice(&from[..BITS]);
        let word = u64::from_le_bytes(bytes);
        let codes: [u32; LANES] = from_fn(|i| (word >> (i * BITS)) as u32 & ((1 << BITS) - 1));
        Self(from_fn(|i| unsafe { vcvtq_f32_u32(vld1q_u32(codes.as_ptr().add(4 * i))) }))
    }
    #[inline(always)]
    fn store_i16(self, to: &mut [i16]) {
        let to = to[..LANES].as_mut_ptr();
        for (i, x) in self.0.into_iter().enumerate() {
            unsafe { vst1_s16(to.add(4 * i), vqmovn_s32(vcvtq_s32_f32(x))) };
        }
    }
}

#[inline(always)]
unsafe fn turn_4x4(r: [float32x4_t; 4]) -> [float32x4_t; 4] {
    unsafe {
        let (a, b) = (vtrnq_f32(r[0], r[1]), vtrnq_f32(r[2], r[3]));
        let low = |x, y| vcombine_f32(vget_low_f32(x), vget_low_f32(y));
        let high = |x, y| vcombine_f32(vget_high_f32(x), vget_high_f32(y));
        [low(a.0, b.0), low(a.1, b.1), high(a.0, b.0), high(a.1, b.1)]
    }
}
