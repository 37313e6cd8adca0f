//! Facts about buffers against plain loops.

use moire_kernels::{
    Isa,
    stats::{Stats, stats},
};
use proptest::prelude::*;

fn check(values: &[f32]) -> Stats {
    let all: Vec<Stats> = Isa::available().into_iter().map(|isa| stats(isa, values)).collect();
    let bits = |s: &Stats| [s.min, s.max, s.mean, s.rms, s.abs_max].map(f64::to_bits);
    assert!(all.iter().all(|s| bits(s) == bits(&all[0]) && s.non_finite == all[0].non_finite), "{all:?}");
    let finite: Vec<f64> = values.iter().filter(|x| x.is_finite()).map(|x| f64::from(*x)).collect();
    let got = all[0];
    assert_eq!((got.count, got.non_finite), (values.len() as u64, (values.len() - finite.len()) as u64));
    if finite.is_empty() {
        assert!([got.min, got.max, got.mean, got.rms, got.abs_max].iter().all(|x| x.is_nan()));
        return got;
    }
    let fold = |f: fn(f64, f64) -> f64, start: f64| finite.iter().copied().fold(start, f);
    assert_eq!(got.min, fold(f64::min, f64::INFINITY));
    assert_eq!(got.max, fold(f64::max, f64::NEG_INFINITY));
    assert_eq!(got.abs_max, fold(|m, x| m.max(x.abs()), 0.0));
    let n = finite.len() as f64;
    let scale = got.abs_max.max(f64::MIN_POSITIVE);
    assert!((got.mean - finite.iter().sum::<f64>() / n).abs() <= 1e-12 * scale, "{got:?}");
    assert!((got.rms - (finite.iter().map(|x| x * x).sum::<f64>() / n).sqrt()).abs() <= 1e-12 * scale, "{got:?}");
    got
}

#[test]
fn known_values_and_edges() {
    let s = check(&[3.0, -4.0]);
    assert_eq!((s.min, s.max, s.mean, s.rms, s.abs_max), (-4.0, 3.0, -0.5, 12.5f64.sqrt(), 4.0));
    check(&[]);
    check(&[f32::NAN, f32::INFINITY]);
    check(&[f32::NEG_INFINITY, -0.0, f32::NAN, 1e-45, f32::MAX]);
    let zero = check(&[-0.0; 9]);
    assert!([zero.min, zero.max, zero.abs_max].iter().all(|x| x.to_bits() == 0));
}

proptest! {
    #[test]
    fn random_bits(bits in prop::collection::vec(any::<u32>(), 0..300)) {
        check(&bits.into_iter().map(f32::from_bits).collect::<Vec<_>>());
    }

    #[test]
    fn random_numbers(values in prop::collection::vec(-1e3f32..1e3, 0..300)) {
        check(&values);
    }
}
