//! AVX-512 with VNNI. One of the files that may hold `unsafe`.
#![allow(unsafe_code)]

use super::used;
use crate::Isa;
use std::arch::{asm, x86_64::*};

pub(super) fn int16(work: u64) -> u64 {
    assert!(Isa::Avx512.is_available(), "this CPU does not have avx512vnni");
    let steps = work.div_ceil(10 * 32);
    // SAFETY: the CPU has the features, checked above.
    used(unsafe { int16_steps(steps) }, steps * 10 * 32)
}

pub(super) fn fp32(work: u64) -> u64 {
    assert!(Isa::Avx512.is_available(), "this CPU does not have avx512f");
    let steps = work.div_ceil(10 * 16);
    // SAFETY: the CPU has the features, checked above.
    used(unsafe { fp32_steps(steps) }, steps * 10 * 16)
}

/// Ten chains of one instruction over sixteen 32-bit lanes.
macro_rules! chains {
    ($name:ident, $type:ty, $instruction:literal, $x:expr, $y:expr, $zero:expr, $fold:expr) => {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
        fn $name(steps: u64) -> i32 {
            let (x, y): ($type, $type) = ($x, $y);
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h, mut i, mut j]: [$type; 10] = [$zero; 10];
            for _ in 0..steps {
                // SAFETY: register arithmetic of avx512f and avx512vnni alone.
                unsafe {
                    asm!(
                        concat!($instruction, " {a}, {x}, {y}"), concat!($instruction, " {b}, {x}, {y}"),
                        concat!($instruction, " {c}, {x}, {y}"), concat!($instruction, " {d}, {x}, {y}"),
                        concat!($instruction, " {e}, {x}, {y}"), concat!($instruction, " {f}, {x}, {y}"),
                        concat!($instruction, " {g}, {x}, {y}"), concat!($instruction, " {h}, {x}, {y}"),
                        concat!($instruction, " {i}, {x}, {y}"), concat!($instruction, " {j}, {x}, {y}"),
                        x = in(zmm_reg) x, y = in(zmm_reg) y,
                        a = inout(zmm_reg) a, b = inout(zmm_reg) b, c = inout(zmm_reg) c, d = inout(zmm_reg) d,
                        e = inout(zmm_reg) e, f = inout(zmm_reg) f, g = inout(zmm_reg) g, h = inout(zmm_reg) h,
                        i = inout(zmm_reg) i, j = inout(zmm_reg) j,
                        options(nomem, nostack, preserves_flags)
                    );
                }
            }
            [a, b, c, d, e, f, g, h, i, j].into_iter().fold(0, |all, v| all | $fold(v))
        }
    };
}

chains!(int16_steps, __m512i, "vpdpwssd", _mm512_set1_epi16(3), _mm512_set1_epi16(5), _mm512_setzero_si512(), |v| {
    _mm512_reduce_or_epi32(v)
});
chains!(fp32_steps, __m512, "vfmadd231ps", _mm512_set1_ps(0.5), _mm512_set1_ps(0.25), _mm512_setzero_ps(), |v| {
    _mm512_reduce_or_epi32(_mm512_castps_si512(v))
});
