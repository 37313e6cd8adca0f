//! Integer lanes of NEON. One of the files that may hold `unsafe`.
//!
//! All loads are bounds-checked first.
#![allow(unsafe_code)]

use super::{
    Codes, Eight, LANES, Line,
    codes::{VECTORS, crossing},
    neon::Neon8,
    neon_words::Words8,
};
use std::arch::aarch64::*;

/// One output.
#[derive(Clone, Copy)]
pub struct Codes1(pub(super) int16x8_t);

// SAFETY of every block below: see the module.
impl Codes for Codes1 {
    const OUTPUTS: usize = 1;
    type Floats = Neon8;
    type Sums = int32x4_t;
    type Words = Words8;

    #[inline(always)]
    fn zero() -> int32x4_t {
        unsafe { vdupq_n_s32(0) }
    }
    #[inline(always)]
    fn unpack<const BITS: usize>(from: &Eight, v: usize, u: usize) -> [Self; VECTORS] {
        let at = from.unit::<BITS>(v, u);
        unsafe {
            match BITS {
                2 => fields::<BITS>(vmovl_u8(vld1_u8(at))),
                4 => fields::<BITS>(vreinterpretq_u16_u8(vld1q_u8(at))),
                8 => [bytes(at), bytes(at.add(8)), bytes(at.add(16)), bytes(at.add(24))],
                _ => {
                    let (low, high) = (vld1q_u8(at), vld1q_u8(at.add(2 * BITS)));
                    [cross::<BITS>(low, 0), cross::<BITS>(low, 1), cross::<BITS>(high, 2), cross::<BITS>(high, 3)]
                }
            }
        }
    }
    #[inline(always)]
    fn load(x: &[Line], i: usize) -> Self {
        Self(unsafe { vld1q_s16(x[i / VECTORS].0[i % VECTORS * LANES..][..LANES].as_ptr()) })
    }
    #[inline(always)]
    fn add_products(self, x: Self, sums: int32x4_t) -> int32x4_t {
        unsafe { vmlal_high_s16(vmlal_s16(sums, vget_low_s16(self.0), vget_low_s16(x.0)), self.0, x.0) }
    }
    #[inline(always)]
    fn totals(sums: &[int32x4_t]) -> Neon8 {
        let [a, b, c, d, e, f, g, h] = *sums.first_chunk().expect("the sums of eight outputs");
        unsafe {
            let low = vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d));
            let high = vpaddq_s32(vpaddq_s32(e, f), vpaddq_s32(g, h));
            Neon8([vcvtq_f32_s32(low), vcvtq_f32_s32(high)])
        }
    }
}

/// Shifted right by a constant.
#[inline(always)]
unsafe fn shr(lanes: uint16x8_t, bits: usize) -> uint16x8_t {
    // A shift to the right is one to the left by a negative count.
    unsafe { vshlq_u16(lanes, vdupq_n_s16(-(bits as i16))) }
}

/// Eight codes of a byte each.
#[inline(always)]
unsafe fn bytes(at: *const u8) -> Codes1 {
    Codes1(unsafe { vreinterpretq_s16_u16(vmovl_u8(vld1_u8(at))) })
}

/// The four codes of every lane.
#[inline(always)]
unsafe fn fields<const BITS: usize>(lanes: uint16x8_t) -> [Codes1; VECTORS] {
    unsafe {
        let mask = vdupq_n_u16((1 << BITS) - 1);
        [field(lanes, 0, mask), field(lanes, BITS, mask), field(lanes, 2 * BITS, mask), field(lanes, 3 * BITS, mask)]
    }
}

#[inline(always)]
unsafe fn field(lanes: uint16x8_t, bits: usize, mask: uint16x8_t) -> Codes1 {
    Codes1(unsafe { vreinterpretq_s16_u16(vandq_u16(shr(lanes, bits), mask)) })
}

/// Codes that cross bytes: two bytes a lane, the code moved up, then down.
#[inline(always)]
pub(super) unsafe fn cross<const BITS: usize>(bytes: uint8x16_t, v: usize) -> Codes1 {
    unsafe {
        let (at, factors) = crossing(BITS, v);
        let lanes = vreinterpretq_u16_u8(vqtbl1q_u8(bytes, vld1q_u8(at.as_ptr())));
        let upper = vmulq_u16(lanes, vreinterpretq_u16_s16(vld1q_s16(factors.as_ptr())));
        Codes1(vreinterpretq_s16_u16(shr(upper, 16 - BITS)))
    }
}

/// Shifts to the left of the lower and of the upper eight bytes.
#[inline(always)]
pub(super) unsafe fn halves_shifted(lower: i8, upper: i8) -> int8x16_t {
    unsafe { vcombine_s8(vdup_n_s8(lower), vdup_n_s8(upper)) }
}
