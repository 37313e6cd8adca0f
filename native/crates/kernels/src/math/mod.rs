//! Elementary functions from plain IEEE operations, so that no maths library enters a result.
//!
//! | function | domain | error against the exact value |
//! |---|---|---|
//! | `exp` | all | below 1.05 ulp; below 2^-149 where the result is subnormal |
//! | `exp_falling` | x ≤ 0 | as `exp`; zero below e^-87 |
//! | `sigmoid` in F32 | all | below 2^-23 absolute; below 3 ulp for x < 0 with a normal result |
//! | `log1p` | 0 to 1 | below 2 ulp |
//! | `sin_cos` | up to 2^30 in magnitude | below 0.51 ulp (computed in f64) |
//! | `rsqrt` | all | 1 / sqrt, below 1.5 ulp |

pub mod wide;

use crate::simd::Real;
use moire_base::Dtype;

/// Taylor coefficients of `e^r` from `r^7` down to `r^2`: below 2^-27 for |r| ≤ ln 2 / 2.
const EXP: [f32; 6] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];

/// `ln 2` as the nearest fp32 and what it misses.
const LN2: (f32, f32) = (std::f32::consts::LN_2, -1.904_654_3e-9);

/// `e^x` = 2^n · e^r with n to the nearest integer. The power is applied in two halves, so that subnormal results round once.
#[inline(always)]
pub fn exp<R: Real>(x: R) -> R {
    let (e, n) = reduced(x.max(R::splat(-104.0)).min(R::splat(89.0)));
    let half = (n * R::splat(0.5)).nearest();
    x.nan_or((e * half.pow2()) * (n - half).pow2())
}

/// `e^x` for x ≤ 0, as `exp` to the byte, but zero below e^-87, where `exp` goes on to the subnormals.
#[inline(always)]
pub fn exp_falling<R: Real>(x: R) -> R {
    let lowest = R::splat(-87.0);
    let clamped = lowest.max(x);
    let n = (clamped * R::splat(std::f32::consts::LOG2_E)).nearest();
    let r = n.fma(R::splat(-LN2.1), n.fma(R::splat(-LN2.0), clamped));
    x.if_less(lowest, R::splat(0.0), exp_near_zero(r) * n.pow2())
}

/// `e^r` for |r| ≤ ln 2 / 2.
#[inline(always)]
fn exp_near_zero<R: Real>(r: R) -> R {
    let mut p = R::splat(EXP[0]);
    for c in &EXP[1..] {
        p = p.fma(r, R::splat(*c));
    }
    R::splat(1.0) + (r * r).fma(p, r)
}

/// `exp` for x from 0 on, of the same bytes: the result is never subnormal, so the power needs no halves, only a factor of 2 left for the last that is finite.
#[inline(always)]
fn exp_up<R: Real>(x: R) -> R {
    let (e, n) = reduced(x.min(R::splat(89.0)));
    x.nan_or((e * (n - R::splat(1.0)).pow2()) * R::splat(2.0))
}

/// e^r and n with `x = n ln 2 + r`.
#[inline(always)]
fn reduced<R: Real>(x: R) -> (R, R) {
    let n = (x * R::splat(std::f32::consts::LOG2_E)).nearest();
    let r = n.fma(R::splat(-LN2.1), n.fma(R::splat(-LN2.0), x));
    let mut p = R::splat(EXP[0]);
    for c in &EXP[1..] {
        p = p.fma(r, R::splat(*c));
    }
    (R::splat(1.0) + (r * r).fma(p, r), n)
}

/// `y = 1 / (1 + rnd(e^|x|))`, then `rnd(y)` for x < 0 and `rnd(1 - y)` otherwise: MLX's sigmoid in `dtype`, to the byte in bf16. With F32 nothing is rounded.
#[inline(always)]
pub fn sigmoid<R: Real>(x: R, dtype: Dtype) -> R {
    let one = R::splat(1.0);
    let y = one / (one + exp_up(x.abs()).round_to(dtype));
    x.if_less(R::splat(0.0), y, one - y).round_to(dtype)
}

/// `1 / sqrt(x)`, two roundings.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    1.0 / x.sqrt()
}

/// `1 / (2 k + 1)` from k = 8 down to k = 1: the series of `atanh`, whose rest is below 2^-31 for arguments up to a third.
const ATANH: [f32; 8] = [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0];

/// `ln(1 + x)` for x from 0 to 1, as `2 atanh(x / (2 + x))`.
#[inline(always)]
pub fn log1p<R: Real>(x: R) -> R {
    let s = x / (R::splat(2.0) + x);
    let z = s * s;
    let mut p = R::splat(ATANH[0]);
    for c in &ATANH[1..] {
        p = p.fma(z, R::splat(*c));
    }
    let twice = s + s;
    (twice * z).fma(p, twice)
}

/// `(sin x, cos x)` of an fp32 angle in radians.
pub fn sin_cos(x: f32) -> (f32, f32) {
    let (sin, cos) = wide::sin_cos(f64::from(x));
    (sin as f32, cos as f32)
}
