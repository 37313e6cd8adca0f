//! The comparison of chunks against plain loops, and the conversions of whole buffers: every dtype, odd sizes, every instruction set.

mod common;

use common::FLOATS;
use half::{bf16, f16};
use moire_base::Dtype;
use moire_kernels::{
    Isa, convert,
    diff::{self, CHUNK, Chunk, MAX_DISTANCE, Sums},
};
use proptest::prelude::*;

/// Representable values from zero, negative ones below; `None` for NaN.
fn rank(dtype: Dtype, bytes: &[u8]) -> Option<i128> {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(word);
    let bits = 8 * bytes.len() as u32;
    let signed = i128::from(((word << (64 - bits)) as i64) >> (64 - bits));
    match dtype {
        Dtype::F32 | Dtype::F16 | Dtype::Bf16 | Dtype::F64 => {
            let magnitude = i128::from(word & !(1 << (bits - 1)));
            let number = if signed < 0 { -magnitude } else { magnitude };
            (!value(dtype, bytes).is_nan()).then_some(number)
        }
        Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => Some(signed),
        _ => Some(i128::from(word)),
    }
}

fn value(dtype: Dtype, b: &[u8]) -> f64 {
    match dtype {
        Dtype::F32 => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
        Dtype::F16 => f16::from_le_bytes(b.try_into().unwrap()).to_f64(),
        Dtype::Bf16 => bf16::from_le_bytes(b.try_into().unwrap()).to_f64(),
        Dtype::F64 => f64::from_le_bytes(b.try_into().unwrap()),
        _ => rank(dtype, b).unwrap() as f64,
    }
}

fn distance(dtype: Dtype, a: &[u8], b: &[u8]) -> u64 {
    let most = if dtype.size() == 8 { MAX_DISTANCE } else { (1 << (8 * dtype.size())) - 1 };
    match (rank(dtype, a), rank(dtype, b)) {
        (Some(a), Some(b)) => u64::try_from(a.abs_diff(b)).unwrap_or(MAX_DISTANCE).min(MAX_DISTANCE),
        (None, None) => 0,
        _ => most,
    }
}

/// The definition.
fn plain(dtype: Dtype, a: &[u8], b: &[u8]) -> Chunk {
    let mut all = Chunk { square_a: Some(0.0), ..Chunk::default() };
    for (x, y) in a.chunks_exact(dtype.size()).zip(b.chunks_exact(dtype.size())) {
        let (p, q) = (value(dtype, x), value(dtype, y));
        all.differing_bytes += x.iter().zip(y).filter(|(x, y)| x != y).count() as u64;
        all.differing_elements += u64::from(x != y);
        all.max_ulp = all.max_ulp.max(distance(dtype, x, y));
        all.non_finite_a += u64::from(!p.is_finite());
        all.non_finite_b += u64::from(!q.is_finite());
        if p.is_finite() && q.is_finite() {
            all.max_abs = all.max_abs.max((p - q).abs());
            all.square_difference += (p - q) * (p - q);
            *all.square_a.as_mut().unwrap() += p * p;
        } else {
            all.excluded += 1;
        }
    }
    all
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

fn check(dtype: Dtype, a: &[u8], b: &[u8]) {
    let want = plain(dtype, a, b);
    let all: Vec<Chunk> =
        Isa::available().into_iter().map(|isa| diff::compare(isa, dtype, a, b, Sums::Always)).collect();
    let got = all[0];
    for other in &all[1..] {
        assert_eq!(
            (got.square_difference.to_bits(), got.square_a.map(f64::to_bits)),
            (other.square_difference.to_bits(), other.square_a.map(f64::to_bits))
        );
        assert_eq!((got, got.max_abs.to_bits()), (*other, other.max_abs.to_bits()), "{}", dtype.name());
    }
    assert!(near(got.square_difference, want.square_difference), "{got:?} {want:?}");
    assert!(near(got.square_a.unwrap(), want.square_a.unwrap()), "{got:?} {want:?}");
    let counts = Chunk { square_difference: 0.0, square_a: None, ..got };
    assert_eq!(counts, Chunk { square_difference: 0.0, square_a: None, ..want }, "{}", dtype.name());
    let lazy = diff::compare(Isa::detect(), dtype, a, b, Sums::Differing);
    assert_eq!(lazy.square_a.is_some(), got.differing_elements > 0);
    assert_eq!(lazy.differing_bytes, got.differing_bytes);
    let never = diff::compare(Isa::detect(), dtype, a, b, Sums::Never);
    assert_eq!(never, Chunk { max_abs: 0.0, ..counts });
}

/// Bits of every kind of number: zeros of both signs, subnormals, the largest, infinities, NaNs with payloads.
fn edges(dtype: Dtype) -> Vec<u8> {
    let size = dtype.size();
    let mut words: Vec<u64> = vec![0, 1, 2, 0x7f, 0x80, 0xff];
    let (sign, infinity) = match dtype {
        Dtype::F32 => (1 << 31, 0x7f80_0000),
        Dtype::F16 => (1 << 15, 0x7c00),
        Dtype::Bf16 => (1 << 15, 0x7f80),
        Dtype::F64 => (1 << 63, 0x7ff0_0000_0000_0000),
        _ => (1 << (8 * size - 1), (1 << (8 * size - 1)) - 1),
    };
    words.extend([infinity - 1, infinity, infinity + 1, infinity | 0x15, sign - 1]);
    words.extend(words.clone().iter().map(|w| w ^ sign));
    words.iter().flat_map(|w| w.to_le_bytes()[..size].to_vec()).collect()
}

#[test]
fn every_pair_of_edges_agrees_with_the_definition() {
    for dtype in Dtype::ALL {
        let edges = edges(dtype);
        for a in edges.chunks_exact(dtype.size()) {
            for b in edges.chunks_exact(dtype.size()) {
                check(dtype, a, b);
                assert_eq!(diff::distance(dtype, a, b), distance(dtype, a, b), "{} {a:?} {b:?}", dtype.name());
            }
            let (ours, theirs) = (diff::value(dtype, a), value(dtype, a));
            assert!(ours == theirs || ours.is_nan() && theirs.is_nan());
        }
        check(dtype, &edges, &edges);
        check(dtype, &edges, &edges.iter().rev().copied().collect::<Vec<_>>());
        check(dtype, &[], &[]);
    }
}

#[test]
fn every_half_and_every_bfloat_has_its_value() {
    for dtype in [Dtype::F16, Dtype::Bf16] {
        let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        check(dtype, &all, &all);
        check(dtype, &all, &vec![0; all.len()]);
    }
}

#[test]
fn a_whole_chunk_in_which_every_byte_differs_is_counted() {
    for dtype in Dtype::ALL {
        check(dtype, &[0; CHUNK], &[1; CHUNK]);
    }
}

#[test]
#[should_panic(expected = "b has 2 elements, expected 4")]
fn sides_of_two_lengths_are_refused() {
    diff::compare(Isa::Scalar, Dtype::U8, &[0; 4], &[0; 2], Sums::Never);
}

#[test]
#[should_panic(expected = "bytes are no chunk")]
fn more_than_a_chunk_is_refused() {
    diff::compare(Isa::Scalar, Dtype::U8, &[0; CHUNK + 1], &[0; CHUNK + 1], Sums::Never);
}

fn dtype() -> impl Strategy<Value = Dtype> {
    prop::sample::select(Dtype::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_bytes_agree_with_the_definition(dtype in dtype(), a in prop::collection::vec(any::<u8>(), 0..20_000), seed in any::<u64>(), rare in 1u64..4000) {
        let a = &a[..a.len() / dtype.size() * dtype.size()];
        let mut state = seed;
        let b: Vec<u8> = a.iter().map(|byte| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (state >> 33) % rare == 0 { byte ^ (state >> 50) as u8 } else { *byte }
        }).collect();
        check(dtype, a, &b);
        check(dtype, a, a);
    }

    #[test]
    fn conversions_agree_with_the_scalar_ones(bits in prop::collection::vec(any::<u32>(), 0..70)) {
        let values: Vec<f32> = bits.iter().map(|b| f32::from_bits(*b)).filter(|v| !v.is_nan()).collect();
        for (dtype, isa) in FLOATS.into_iter().flat_map(|d| Isa::available().into_iter().map(move |i| (d, i))) {
            let mut narrow = vec![7];
            convert::narrow(isa, dtype, &values, &mut narrow);
            prop_assert_eq!(&narrow[1..], &dtype.narrow(&values)[..]);
            let mut wide = vec![0.0; values.len()];
            convert::widen(isa, dtype, &narrow[1..], &mut wide);
            prop_assert_eq!(wide, dtype.widen(&narrow[1..]));
        }
    }
}

#[test]
fn nan_is_stored_as_the_one_quiet_nan() {
    for (dtype, want) in
        [(Dtype::F32, vec![0, 0, 0xc0, 0x7f]), (Dtype::Bf16, vec![0xc0, 0x7f]), (Dtype::F16, vec![0, 0x7e])]
    {
        for isa in Isa::available() {
            let mut out = Vec::new();
            convert::narrow(isa, dtype, &[f32::from_bits(0xffff_1234)], &mut out);
            assert_eq!(out, want, "{} {}", dtype.name(), isa.name());
        }
    }
}
