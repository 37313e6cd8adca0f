//! Integer lanes of NEON for many rows. One of the files that may hold `unsafe`.
//!
//! All loads and stores are bounds-checked by slicing first.
#![allow(unsafe_code)]

use super::{LANES, Lanes, Real, Words, neon::Neon8};
use moire_base::Dtype;
use std::arch::aarch64::*;
use std::array::from_fn;

/// Eight outputs of two registers.
#[derive(Clone, Copy)]
pub struct Words8([int32x4_t; 2]);

impl Words8 {
    #[inline(always)]
    fn map(self, f: impl Fn(int32x4_t) -> int32x4_t) -> Self {
        Self(self.0.map(f))
    }
}

impl Words for Words8 {
    const OUTPUTS: usize = LANES;
    type Floats = Neon8;

    #[inline(always)]
    fn zero() -> Self {
        Self([unsafe { vdupq_n_s32(0) }; 2])
    }
    #[inline(always)]
    fn turn<const V: usize>(from: &[u8], stride: usize, to: &mut [[Self; V]], v: usize) {
        for (t, to) in to.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let rows = from_fn(|i| Neon8::load_as(Dtype::F32, &from[i * stride + 32 * t..]));
            for (to, column) in to.iter_mut().zip(Neon8::transpose(rows)) {
                to[v] = Self(column.0.map(|x| unsafe { vreinterpretq_s32_f32(x) }));
            }
        }
    }
    #[inline(always)]
    fn and(self, mask: u32) -> Self {
        self.map(|x| unsafe { vandq_s32(x, vdupq_n_s32(mask as i32)) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(from_fn(|i| unsafe { vorrq_s32(self.0[i], other.0[i]) }))
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // A shift to the right is one to the left by a negative count.
        self.map(|x| unsafe { vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x), vdupq_n_s32(-(bits as i32)))) })
    }
    #[inline(always)]
    fn shr_halves(self, bits: u32) -> Self {
        let halves = |x| unsafe { vshlq_u16(vreinterpretq_u16_s32(x), vdupq_n_s16(-(bits as i16))) };
        self.map(|x| unsafe { vreinterpretq_s32_u16(halves(x)) })
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        self.map(|x| unsafe { vshlq_s32(x, vdupq_n_s32(bits as i32)) })
    }
    #[inline(always)]
    fn add_products(self, codes: Self, x: i32) -> Self {
        let (low, high) = (x as i16, (x >> 16) as i16);
        Self(from_fn(|i| unsafe {
            let sum = vmlal_n_s16(self.0[i], vmovn_s32(codes.0[i]), low);
            vmlal_n_s16(sum, vshrn_n_s32::<16>(codes.0[i]), high)
        }))
    }
    #[inline(always)]
    fn combine(self, scale: &[f32], bias: &[f32], sx: f32, sum: f32, total: &mut [f32]) {
        let integer = Neon8(self.0.map(|x| unsafe { vcvtq_f32_s32(x) }));
        let scale = Neon8::load(scale) * Neon8::splat(sx);
        let weighted = scale.fma(integer, Neon8::load(total));
        Neon8::load(bias).fma(Neon8::splat(sum), weighted).store(total);
    }
}
