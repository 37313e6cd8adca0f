//! AVX2 + FMA. One of the files that may hold `unsafe`.
//!
//! The arithmetic is spelled as instructions: from intrinsics a compiler would compute the constant products once.
#![allow(unsafe_code)]

use super::used;
use crate::Isa;
use std::arch::{asm, x86_64::*};

/// Read side by side: the prefetchers of one core follow several streams, and one alone does not fill the memory's pipeline.
const STREAMS: usize = 8;
const VECTOR: usize = 32;
/// Bytes of a stream in one step: two cache lines.
const STEP: usize = 4 * VECTOR;

pub(super) fn read(part: &[u8]) -> u64 {
    assert!(Isa::Avx2.is_available(), "this CPU does not have avx2");
    let stream = part.len() / STREAMS / STEP * STEP;
    let rest = part[STREAMS * stream..].iter().fold(0, |all, byte| all | byte);
    // SAFETY: the CPU has avx2, checked above.
    let fold = unsafe { read_streams(&part[..STREAMS * stream], stream) };
    used((fold, rest), part.len() as u64)
}

#[target_feature(enable = "avx2")]
fn read_streams(part: &[u8], stream: usize) -> i32 {
    assert_eq!(part.len(), STREAMS * stream);
    let mut folds = [_mm256_setzero_si256(); STEP / VECTOR];
    for at in (0..stream).step_by(STEP) {
        for s in 0..STREAMS {
            let step = &part[s * stream + at..][..STEP];
            for (fold, vector) in folds.iter_mut().zip(step.chunks_exact(VECTOR)) {
                // SAFETY: `vector` has 32 bytes.
                *fold = _mm256_or_si256(*fold, unsafe { _mm256_loadu_si256(vector.as_ptr().cast()) });
            }
        }
    }
    folds.into_iter().fold(0, |all, fold| all | _mm256_movemask_epi8(fold))
}

pub(super) fn int16(work: u64) -> u64 {
    assert!(Isa::Avx2.is_available(), "this CPU does not have avx2");
    let steps = work.div_ceil(8 * 16);
    // SAFETY: the CPU has avx2, checked above.
    used(unsafe { int16_steps(steps) }, steps * 8 * 16)
}

/// Eight chains of `vpmaddwd` and `vpaddd`, 16 multiply-adds each.
#[target_feature(enable = "avx2")]
fn int16_steps(steps: u64) -> i32 {
    let (x, y) = (_mm256_set1_epi16(3), _mm256_set1_epi16(5));
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [_mm256_setzero_si256(); 8];
    for _ in 0..steps {
        // SAFETY: register arithmetic of avx2 alone.
        unsafe {
            asm!(
                "vpmaddwd {s}, {x}, {y}", "vpmaddwd {t}, {x}, {y}", "vpaddd {a}, {a}, {s}", "vpaddd {b}, {b}, {t}",
                "vpmaddwd {s}, {x}, {y}", "vpmaddwd {t}, {x}, {y}", "vpaddd {c}, {c}, {s}", "vpaddd {d}, {d}, {t}",
                "vpmaddwd {s}, {x}, {y}", "vpmaddwd {t}, {x}, {y}", "vpaddd {e}, {e}, {s}", "vpaddd {f}, {f}, {t}",
                "vpmaddwd {s}, {x}, {y}", "vpmaddwd {t}, {x}, {y}", "vpaddd {g}, {g}, {s}", "vpaddd {h}, {h}, {t}",
                x = in(ymm_reg) x, y = in(ymm_reg) y, s = out(ymm_reg) _, t = out(ymm_reg) _,
                a = inout(ymm_reg) a, b = inout(ymm_reg) b, c = inout(ymm_reg) c, d = inout(ymm_reg) d,
                e = inout(ymm_reg) e, f = inout(ymm_reg) f, g = inout(ymm_reg) g, h = inout(ymm_reg) h,
                options(nomem, nostack, preserves_flags)
            );
        }
    }
    [b, c, d, e, f, g, h].into_iter().fold(_mm256_movemask_epi8(a), |all, v| all | _mm256_movemask_epi8(v))
}

pub(super) fn fp32(work: u64) -> u64 {
    assert!(Isa::Avx2.is_available(), "this CPU does not have fma");
    let steps = work.div_ceil(10 * 8);
    // SAFETY: the CPU has avx2 and fma, checked above.
    used(unsafe { fp32_steps(steps) }, steps * 10 * 8)
}

/// Ten chains of `vfmadd231ps`, 8 multiply-adds each.
#[target_feature(enable = "avx2,fma")]
fn fp32_steps(steps: u64) -> i32 {
    let (x, y) = (_mm256_set1_ps(0.5), _mm256_set1_ps(0.25));
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h, mut i, mut j] = [_mm256_setzero_ps(); 10];
    for _ in 0..steps {
        // SAFETY: register arithmetic of fma alone.
        unsafe {
            asm!(
                "vfmadd231ps {a}, {x}, {y}", "vfmadd231ps {b}, {x}, {y}", "vfmadd231ps {c}, {x}, {y}",
                "vfmadd231ps {d}, {x}, {y}", "vfmadd231ps {e}, {x}, {y}", "vfmadd231ps {f}, {x}, {y}",
                "vfmadd231ps {g}, {x}, {y}", "vfmadd231ps {h}, {x}, {y}", "vfmadd231ps {i}, {x}, {y}",
                "vfmadd231ps {j}, {x}, {y}",
                x = in(ymm_reg) x, y = in(ymm_reg) y,
                a = inout(ymm_reg) a, b = inout(ymm_reg) b, c = inout(ymm_reg) c, d = inout(ymm_reg) d, e = inout(ymm_reg) e,
                f = inout(ymm_reg) f, g = inout(ymm_reg) g, h = inout(ymm_reg) h, i = inout(ymm_reg) i, j = inout(ymm_reg) j,
                options(nomem, nostack, preserves_flags)
            );
        }
    }
    [b, c, d, e, f, g, h, i, j].into_iter().fold(_mm256_movemask_ps(a), |all, v| all | _mm256_movemask_ps(v))
}
