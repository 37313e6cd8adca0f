//! Rotary positions: tables, both forms, both pairings.

mod common;

use common::{Rng, all_ctx, bits, ctx};
use moire_base::Dtype;
use moire_kernels::rope::{Rope, RopeForm, RopeScaling, rotate};

const QWEN: Rope = Rope { dims: 64, base: 1e7, traditional: false, scaling: RopeScaling::Default };

fn near(got: f32, want: f64) -> bool {
    (f64::from(got) / want - 1.0).abs() < 1e-7
}

#[test]
fn default_frequencies() {
    let f = QWEN.inverse_frequencies(0);
    assert_eq!((f.len(), f[0]), (32, 1.0));
    for (i, want) in [(1, 0.604_296_39), (2, 0.365_174_13), (15, 5.232_991_1e-4), (31, 1.654_817_1e-7)] {
        assert!((f64::from(f[i]) / want - 1.0).abs() < 1e-7, "{i}: {}", f[i]);
    }
}

#[test]
fn llama3_keeps_blends_and_divides() {
    let scaling =
        RopeScaling::Llama3 { factor: 8.0, low_freq_factor: 1.0, high_freq_factor: 4.0, original_max_position: 8192.0 };
    let base = Rope { dims: 128, base: 5e5, traditional: false, scaling: RopeScaling::Default };
    let (plain, scaled) = (base.inverse_frequencies(0), Rope { scaling, ..base }.inverse_frequencies(0));
    let (mut kept, mut divided, mut blended) = (0, 0, 0);
    for (p, s) in plain.iter().zip(&scaled) {
        let period = std::f64::consts::TAU / f64::from(*p);
        if period < 8192.0 / 4.0 {
            assert!(near(*s, f64::from(*p)));
            kept += 1;
        } else if period > 8192.0 {
            assert!(near(*s, f64::from(*p) / 8.0));
            divided += 1;
        } else {
            let smooth = (8192.0 / period - 1.0) / 3.0;
            assert!(near(*s, (1.0 - smooth) * f64::from(*p) / 8.0 + smooth * f64::from(*p)));
            blended += 1;
        }
    }
    assert!(kept > 20 && divided > 20 && blended > 3);
}

#[test]
fn yarn_interpolates_and_scales() {
    let scaling = RopeScaling::Yarn {
        factor: 4.0,
        original_max_position: 262_144.0,
        beta_fast: 32.0,
        beta_slow: 1.0,
        mscale: 1.0,
        mscale_all_dim: 0.0,
    };
    let yarn = Rope { scaling, ..QWEN };
    let (plain, scaled) = (QWEN.inverse_frequencies(0), yarn.inverse_frequencies(0));
    let corner = |turns: f64| 64.0 * (262_144.0 / (turns * std::f64::consts::TAU)).ln() / (2.0 * 1e7f64.ln());
    let (low, high) = (corner(32.0).floor(), corner(1.0).ceil());
    for (i, (p, s)) in plain.iter().zip(&scaled).enumerate() {
        let m = 1.0 - ((i as f64 - low) / (high - low)).clamp(0.0, 1.0);
        let (e, n) = (1.0 / f64::from(*p), 4.0 / f64::from(*p));
        assert!(near(*s, (n * m + e * (1.0 - m)) / (n * e)), "{i}");
    }
    assert!(near(yarn.magnitude(), 0.1 * 4f64.ln() + 1.0));
    assert_eq!(QWEN.magnitude(), 1.0);
}

#[test]
fn dynamic_looks_at_the_end_and_linear_at_the_position() {
    let dynamic = Rope { scaling: RopeScaling::Dynamic { factor: 2.0, max_position: 1000.0 }, ..QWEN };
    assert_eq!(bits(&dynamic.inverse_frequencies(10)), bits(&dynamic.inverse_frequencies(1000)));
    let stretched = Rope { base: 1e7 * (2.0f64 * 3.0 - 1.0).powf(64.0 / 62.0), ..QWEN }.inverse_frequencies(0);
    for (got, want) in dynamic.inverse_frequencies(3000).iter().zip(&stretched) {
        assert!(near(*got, f64::from(*want)));
    }
    let linear = Rope { scaling: RopeScaling::Linear { factor: 4.0 }, ..QWEN };
    let (a, b) = (linear.angles(RopeForm::Row, 400, 1), QWEN.angles(RopeForm::Row, 100, 1));
    assert_eq!((bits(&a.cos), bits(&a.sin)), (bits(&b.cos), bits(&b.sin)));
}

#[test]
fn a_block_of_one_row_is_row() {
    for start in [0, 1, 77, 5000, 262_143, 1_000_000] {
        let [a, b] = [RopeForm::Row, RopeForm::Block].map(|f| QWEN.angles(f, start, 1));
        assert_eq!((bits(&a.cos), bits(&a.sin)), (bits(&b.cos), bits(&b.sin)), "{start}");
    }
}

#[test]
fn a_longer_block_differs_in_bytes_and_agrees_in_value() {
    let [a, b] = [RopeForm::Row, RopeForm::Block].map(|f| QWEN.angles(f, 300, 16));
    assert_ne!(bits(&a.cos), bits(&b.cos));
    // The angle of a row is itself rounded: half an ulp of 512 at most.
    assert!(a.cos.iter().zip(&b.cos).chain(a.sin.iter().zip(&b.sin)).all(|(a, b)| (a - b).abs() < 4e-5));
    let rows: Vec<u32> = (0..16).flat_map(|r| bits(&QWEN.angles(RopeForm::Row, 300 + r, 1).cos)).collect();
    assert_eq!(bits(&a.cos), rows);
}

#[test]
fn rotation_pairs_and_passes_the_rest() {
    let mut rng = Rng(1);
    let (rows, heads, width) = (40, 3, 48);
    for (dims, traditional) in [(32, false), (32, true), (48, false), (20, false)] {
        let rope = Rope { dims, base: 1e4, traditional, scaling: RopeScaling::Default };
        let x = rng.values(rows * heads * width, 1.0, Dtype::Bf16);
        let angles = rope.angles(RopeForm::Row, 9, rows);
        let frequencies = rope.inverse_frequencies(0);
        let mut got = vec![0.0; x.len()];
        rotate(&ctx(Dtype::F32), &angles, &x, heads, width, &mut got);
        for (i, line) in x.chunks(width).enumerate() {
            let got = &got[i * width..][..width];
            assert_eq!(bits(&line[dims..]), bits(&got[dims..]));
            for (p, f) in frequencies.iter().enumerate() {
                let (a, b) = if traditional { (2 * p, 2 * p + 1) } else { (p, p + dims / 2) };
                let (sin, cos) = f64::from((9 + i / heads) as f32 * f).sin_cos();
                let (x, y) = (f64::from(line[a]), f64::from(line[b]));
                assert!((f64::from(got[a]) - (x * cos - y * sin)).abs() < 1e-6);
                assert!((f64::from(got[b]) - (x * sin + y * cos)).abs() < 1e-6);
            }
        }
        for act in common::FLOATS {
            let rounded: Vec<f32> = got.iter().map(|v| act.round(*v)).collect();
            for ctx in all_ctx(act) {
                let mut again = vec![0.0; x.len()];
                rotate(&ctx, &angles, &x, heads, width, &mut again);
                assert!(bits(&again) == bits(&rounded), "{} {}", act.name(), ctx.isa.name());
            }
        }
    }
}
