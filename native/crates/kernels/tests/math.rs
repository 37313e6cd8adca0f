//! The functions of `math` against the f64 maths library over dense ranges; vector lanes against the scalar form.

use moire_base::Dtype;
use moire_kernels::{
    Isa,
    math::{self, exp, log1p, rsqrt, sin_cos, wide},
    simd::{Kernel, LANES, Lanes, dispatch},
};

fn sigmoid(x: f32) -> f32 {
    math::sigmoid(x, Dtype::F32)
}

/// Distance in units of the last place of `want` rounded to fp32 (of the smallest subnormal at least).
fn ulps(got: f32, want: f64) -> f64 {
    let near = want as f32;
    if got.to_bits() == near.to_bits() || (got.is_nan() && near.is_nan()) {
        return 0.0;
    }
    let exponent = (near.abs().to_bits() >> 23).max(1) as i32 - 127 - 23;
    (f64::from(got) - want).abs() / 2f64.powi(exponent)
}

/// `count` numbers spread evenly over bit patterns between two positive numbers.
fn spread(from: f32, to: f32, count: u32) -> impl Iterator<Item = f32> {
    let (a, b) = (from.to_bits(), to.to_bits());
    let step = (b - a) / count + 1;
    (a..=b).step_by(step as usize).map(f32::from_bits)
}

fn worst(inputs: impl Iterator<Item = f32>, f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) -> (f64, f32) {
    inputs.map(|x| (ulps(f(x), exact(f64::from(x))), x)).fold((0.0, 0.0), |m, v| if v.0 > m.0 { v } else { m })
}

fn both_signs(from: f32, to: f32, count: u32) -> impl Iterator<Item = f32> {
    spread(from, to, count).flat_map(|x| [x, -x])
}

#[test]
fn exp_is_within_its_bound() {
    let (error, at) = worst(both_signs(1e-30, 104.0, 2_000_000), exp::<f32>, f64::exp);
    assert!(error < 1.05, "{error} ulp at {at}");
}

#[test]
fn exp_at_the_edges() {
    assert_eq!(exp(0.0f32), 1.0);
    assert_eq!(exp(f32::INFINITY), f32::INFINITY);
    assert_eq!(exp(88.8f32), f32::INFINITY);
    assert!(exp(88.7f32).is_finite());
    assert_eq!(exp(f32::NEG_INFINITY), 0.0);
    assert!(exp(f32::NAN).is_nan());
}

#[test]
fn sigmoid_is_close() {
    let exact = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (error, at) = worst(spread(1e-30, 87.0, 500_000).map(|x| -x), sigmoid, exact);
    assert!(error < 3.0, "{error} ulp at {at}");
    for x in both_signs(1e-30, 200.0, 500_000) {
        assert!((f64::from(sigmoid(x)) - exact(f64::from(x))).abs() < 2f64.powi(-23), "at {x}");
    }
    assert!(sigmoid(f32::NAN).is_nan());
}

#[test]
fn log1p_is_within_its_bound() {
    let (error, at) = worst(spread(1e-45, 1.0, 4_000_000), log1p::<f32>, f64::ln_1p);
    assert!(error < 2.0, "{error} ulp at {at}");
    assert_eq!((log1p(0.0f32), log1p(1.0f32)), (0.0, std::f32::consts::LN_2));
    assert!(log1p(f32::NAN).is_nan());
}

#[test]
fn sin_and_cos_hold_to_a_million() {
    let (sin, at_sin) = worst(both_signs(1e-20, 1e6, 1_000_000), |x| sin_cos(x).0, f64::sin);
    let (cos, at_cos) = worst(both_signs(1e-20, 1e6, 1_000_000), |x| sin_cos(x).1, f64::cos);
    assert!(sin < 0.51 && cos < 0.51, "sin {sin} ulp at {at_sin}, cos {cos} ulp at {at_cos}");
    for i in 0..1_000_000 {
        let x = i as f32;
        assert!(ulps(sin_cos(x).0, f64::from(x).sin()) < 0.51, "sin {x}");
        assert!(ulps(sin_cos(x).1, f64::from(x).cos()) < 0.51, "cos {x}");
    }
    assert_eq!(sin_cos(0.0), (0.0, 1.0));
    assert!(sin_cos(f32::NAN).0.is_nan() && sin_cos(f32::INFINITY).1.is_nan());
}

#[test]
fn rsqrt_is_within_one_and_a_half_ulp() {
    let (error, at) = worst(spread(1e-45, f32::MAX, 500_000), rsqrt, |x| 1.0 / x.sqrt());
    assert!(error < 1.5, "{error} ulp at {at}");
}

#[test]
fn wide_functions_are_close_to_the_library() {
    for i in -7000..7000 {
        let x = f64::from(i) * 0.1;
        assert!((wide::exp(x) / x.exp() - 1.0).abs() < 4e-15, "exp {x}");
    }
    for i in 1..100_000 {
        let x = f64::from(i) * 0.37;
        assert!((wide::ln(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(0.5), "ln {x}");
    }
    assert_eq!(wide::exp(-800.0), 0.0);
    assert_eq!(wide::exp(720.0), f64::INFINITY);
    assert!((wide::pow(1e7, -0.5) - 1e7f64.powf(-0.5)).abs() < 1e-18);
}

struct All<'a>(&'a [f32], [&'a mut [f32]; 3]);

impl Kernel for All<'_> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [e, s, l] = self.1;
        for (i, x) in self.0.chunks_exact(LANES).enumerate() {
            let x = L::load(x);
            exp(x).store(&mut e[i * LANES..]);
            math::sigmoid(x, Dtype::F32).store(&mut s[i * LANES..]);
            log1p(exp(-x.abs())).store(&mut l[i * LANES..]);
        }
    }
}

#[test]
fn vector_lanes_equal_the_scalar_form() {
    let mut x: Vec<f32> = both_signs(1e-40, 120.0, 200_000).collect();
    x.extend([0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    x.resize(x.len().next_multiple_of(LANES), 1.0);
    let bits = |v: &[f32]| v.iter().map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }).collect::<Vec<_>>();
    let [mut e, mut s, mut l] = [0, 1, 2].map(|_| vec![0.0; x.len()]);
    for isa in Isa::available() {
        dispatch(isa, All(&x, [&mut e, &mut s, &mut l]));
        assert!(bits(&e) == bits(&x.iter().map(|&x| exp(x)).collect::<Vec<_>>()), "exp {}", isa.name());
        assert!(bits(&s) == bits(&x.iter().map(|&x| sigmoid(x)).collect::<Vec<_>>()), "sigmoid {}", isa.name());
        let tail = |x: &f32| log1p(exp(-x.abs()));
        assert!(bits(&l) == bits(&x.iter().map(tail).collect::<Vec<_>>()), "log1p {}", isa.name());
    }
}
