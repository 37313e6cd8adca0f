//! f64 versions, for tables and for the few fp32 functions that are not hot. Within a few ulp of f64, which leaves an fp32 result correctly rounded but for rare
//! near-ties.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, SQRT_2};

/// What `FRAC_PI_2` misses of π/2.
const FRAC_PI_2_REST: f64 = 6.123_233_995_736_766e-17;
/// What `LN_2` misses of ln 2.
const LN_2_REST: f64 = 2.319_046_813_846_3e-17;

/// `e^x`. Overflows to infinity, underflows to zero through the subnormals.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let x = x.clamp(-760.0, 720.0);
    let n = (x * LOG2_E).round_ties_even();
    let r = n.mul_add(-LN_2_REST, n.mul_add(-LN_2, x));
    let e = (1..=14).rev().fold(1.0, |sum, k| (sum * r / f64::from(k)) + 1.0);
    let half = (n * 0.5).trunc();
    e * pow2(half) * pow2(n - half)
}

/// Natural logarithm: -infinity at zero, NaN below.
pub fn ln(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 || x.is_infinite() {
        return if x == 0.0 { f64::NEG_INFINITY } else { x };
    }
    let (m, e) = split(x);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    // atanh: ln m = 2 (s + s^3/3 + s^5/5 + ...), |s| below 0.172
    let rest = (1..=12).rev().fold(0.0, |sum, k| z * (sum + 1.0 / f64::from(2 * k + 1)));
    e.mul_add(LN_2, e.mul_add(LN_2_REST, 2.0 * s + 2.0 * s * rest))
}

/// `(sin x, cos x)` for |x| up to 2^30.
pub fn sin_cos(x: f64) -> (f64, f64) {
    let q = (x * FRAC_2_PI).round_ties_even();
    let r = q.mul_add(-FRAC_PI_2_REST, q.mul_add(-FRAC_PI_2, x));
    let z = r * r;
    let series = |first: i32, last: i32| {
        (first..=last).rev().step_by(2).fold(1.0, |sum, k| 1.0 - sum * z / f64::from(k * (k + 1)))
    };
    let (sin, cos) = (r * series(2, 18), series(1, 17));
    match q as i64 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// `base^exponent` for a positive base.
pub fn pow(base: f64, exponent: f64) -> f64 {
    exp(exponent * ln(base))
}

/// `2^n` for integers from -1022 to 1023.
fn pow2(n: f64) -> f64 {
    f64::from_bits(((n as i64 + 1023) as u64) << 52)
}

/// x = m · 2^e with m in [√½, √2).
fn split(x: f64) -> (f64, f64) {
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), -54.0) } else { (x, 0.0) };
    let e = (x.to_bits() >> 52) as f64 - 1023.0;
    let m = f64::from_bits(x.to_bits() & ((1 << 52) - 1) | 1023 << 52);
    if m >= SQRT_2 { (m * 0.5, e + 1.0 + shift) } else { (m, e + shift) }
}
