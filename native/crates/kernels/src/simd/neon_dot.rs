//! Integer lanes of NEON with dot products: codes and activations as bytes, the latter in two digits. One of the files that may hold `unsafe`.
//!
//! Spelled as instructions, since the library's intrinsics are not stable. Sound because a value exists only inside [`run`], which has checked the CPU. All loads
//! are bounds-checked first.
#![allow(unsafe_code)]

use super::{
    Codes, CodesKernel, Eight, Line,
    codes::{UNIT, VECTORS},
    neon::Neon8,
    neon_codes::{cross, halves_shifted},
    neon_words::Words8,
};
use std::arch::{aarch64::*, asm};

/// Sixteen codes of one output, for the low or the high digits.
#[derive(Clone, Copy)]
pub struct Dot1 {
    codes: uint8x16_t,
    is_high: bool,
}

/// Sums of both digits.
#[derive(Clone, Copy)]
pub struct DotSums {
    low: uint32x4_t,
    high: int32x4_t,
}

/// Whether this CPU has the instructions for codes of `bits` bits: signed digits take signed codes, so those of eight bits are not for them.
pub fn is_for(bits: usize) -> bool {
    bits < 8 && std::arch::is_aarch64_feature_detected!("dotprod")
}

/// Runs a kernel compiled for NEON with dot products.
pub fn run_codes<K: CodesKernel>(kernel: K) -> K::Out {
    assert!(std::arch::is_aarch64_feature_detected!("dotprod"), "this CPU does not have dotprod");
    // SAFETY: the CPU has the feature, checked above.
    unsafe { run_compiled(kernel) }
}

#[target_feature(enable = "neon,dotprod")]
unsafe fn run_compiled<K: CodesKernel>(kernel: K) -> K::Out {
    kernel.run::<Dot1>()
}

// SAFETY of every block below: see the module.
impl Codes for Dot1 {
    const OUTPUTS: usize = 1;
    const DIGITS: bool = true;
    type Floats = Neon8;
    type Sums = DotSums;
    type Words = Words8;

    #[inline(always)]
    fn zero() -> DotSums {
        unsafe { DotSums { low: vdupq_n_u32(0), high: vdupq_n_s32(0) } }
    }
    #[inline(always)]
    fn unpack<const BITS: usize>(from: &Eight, v: usize, u: usize) -> [Self; VECTORS] {
        let at = from.unit::<BITS>(v, u);
        let (a, b) = unsafe { bytes::<BITS>(at) };
        let of = |codes, is_high| Self { codes, is_high };
        [of(a, false), of(b, false), of(a, true), of(b, true)]
    }
    #[inline(always)]
    fn load(x: &[Line], i: usize) -> Self {
        let (line, at) = (&x[i / VECTORS], i % VECTORS * UNIT / VECTORS);
        Self {
            codes: unsafe { vreinterpretq_u8_s16(vld1q_s16(line.0[at..at + 8].as_ptr())) },
            is_high: i % VECTORS >= 2,
        }
    }
    #[inline(always)]
    fn add_products(self, x: Self, sums: DotSums) -> DotSums {
        let DotSums { low, high } = sums;
        unsafe {
            if self.is_high {
                DotSums { low, high: sdot(high, self.codes, x.codes) }
            } else {
                DotSums { low: udot(low, self.codes, x.codes), high }
            }
        }
    }
    #[inline(always)]
    fn totals(sums: &[DotSums]) -> Neon8 {
        let [a, b, c, d, e, f, g, h] = *sums.first_chunk().expect("the sums of eight outputs");
        unsafe {
            let low = vpaddq_s32(vpaddq_s32(both(a), both(b)), vpaddq_s32(both(c), both(d)));
            let high = vpaddq_s32(vpaddq_s32(both(e), both(f)), vpaddq_s32(both(g), both(h)));
            Neon8([vcvtq_f32_s32(low), vcvtq_f32_s32(high)])
        }
    }
}

/// `low + 256 · high`.
#[inline(always)]
unsafe fn both(sums: DotSums) -> int32x4_t {
    unsafe { vaddq_s32(vreinterpretq_s32_u32(sums.low), vshlq_n_s32::<8>(sums.high)) }
}

/// A unit of one output: in the order of `digit_of`.
#[inline(always)]
unsafe fn bytes<const BITS: usize>(at: *const u8) -> (uint8x16_t, uint8x16_t) {
    unsafe {
        match BITS {
            2 => {
                let (two, mask) = (vcombine_u8(vld1_u8(at), vld1_u8(at)), vdupq_n_u8(3));
                let (first, second) = (halves_shifted(0, -2), halves_shifted(-4, -6));
                (vandq_u8(vshlq_u8(two, first), mask), vandq_u8(vshlq_u8(two, second), mask))
            }
            4 => (vandq_u8(vld1q_u8(at), vdupq_n_u8(15)), vshrq_n_u8::<4>(vld1q_u8(at))),
            _ => {
                let (low, high) = (vld1q_u8(at), vld1q_u8(at.add(2 * BITS)));
                let narrow = |a: int16x8_t, b: int16x8_t| {
                    vcombine_u8(vmovn_u16(vreinterpretq_u16_s16(a)), vmovn_u16(vreinterpretq_u16_s16(b)))
                };
                let first = narrow(cross::<BITS>(low, 0).0, cross::<BITS>(low, 1).0);
                (first, narrow(cross::<BITS>(high, 2).0, cross::<BITS>(high, 3).0))
            }
        }
    }
}

/// Sums of four products of unsigned bytes a lane.
#[inline]
#[target_feature(enable = "dotprod")]
unsafe fn udot(mut sum: uint32x4_t, codes: uint8x16_t, x: uint8x16_t) -> uint32x4_t {
    unsafe {
        asm!("udot {0:v}.4s, {1:v}.16b, {2:v}.16b", inout(vreg) sum, in(vreg) codes, in(vreg) x, options(pure, nomem, nostack, preserves_flags));
    }
    sum
}

/// The same of signed bytes.
#[inline]
#[target_feature(enable = "dotprod")]
unsafe fn sdot(mut sum: int32x4_t, codes: uint8x16_t, x: uint8x16_t) -> int32x4_t {
    unsafe {
        asm!("sdot {0:v}.4s, {1:v}.16b, {2:v}.16b", inout(vreg) sum, in(vreg) codes, in(vreg) x, options(pure, nomem, nostack, preserves_flags));
    }
    sum
}
