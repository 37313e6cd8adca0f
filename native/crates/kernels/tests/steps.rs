//! Norms, elementwise steps, convolution and embedding: against f64 and over threads and instruction sets.

mod common;

use common::{FLOATS, Rng, all_ctx, bits, ctx, relative};
use moire_base::{Bytes, Dtype, Matrix, Vector};
use moire_kernels::{
    Columns, Ctx, Weights,
    conv::{ConvKernel, conv},
    elementwise::{add, scale, sigmoid_gate, silu, softcap, swiglu},
    embed::embed,
    norm::{DeltaRole, delta_qk_norm, gated_norm, rms_norm},
};

fn made(n: usize, f: impl FnOnce(&mut [f32])) -> Vec<f32> {
    let mut out = vec![f32::NAN; n];
    f(&mut out);
    out
}

/// The same bytes on every thread count and instruction set.
fn everywhere(act: Dtype, n: usize, f: impl Fn(&Ctx, &mut [f32])) -> Vec<f32> {
    let want = made(n, |out| f(&ctx(act), out));
    for ctx in all_ctx(act) {
        let got = made(n, |out| f(&ctx, out));
        assert!(bits(&got) == bits(&want), "{} threads, {}", ctx.pool.threads(), ctx.isa.name());
    }
    want
}

fn normed(act: Dtype, x: &[f32], weight: &Weights) -> Vec<f32> {
    made(x.len(), |out| {
        rms_norm(&ctx(act), x, weight, 1e-6, out);
    })
}

fn sigmoid64(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// x / sqrt(mean + eps) of each row.
fn unit64(x: &[f32], width: usize, eps: f64) -> Vec<f64> {
    let row = |row: &[f32]| {
        let mean = row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / width as f64;
        row.iter().map(|v| f64::from(*v) / (mean + eps).sqrt()).collect::<Vec<_>>()
    };
    x.chunks(width).flat_map(row).collect()
}

#[test]
fn rms_norm_rounds_twice() {
    let mut rng = Rng(1);
    for act in FLOATS {
        for (rows, width) in [(3, 128), (700, 64), (5, 13)] {
            let weight = Weights { values: rng.values(width, 1.0, act), dtype: act };
            let x = rng.values(rows * width, 2.0, act);
            let got = everywhere(act, x.len(), |c, out| assert_eq!(rms_norm(c, &x, &weight, 1e-6, out), act));
            let unit = unit64(&x, width, 1e-6);
            let want: Vec<f64> =
                unit.iter().enumerate().map(|(i, u)| u * f64::from(weight.values[i % width])).collect();
            let budget =
                [(Dtype::F32, 2e-7), (Dtype::F16, 5e-4)].into_iter().find(|b| b.0 == act).map_or(4e-3, |b| b.1);
            assert!(relative(&got, &want) < budget, "{}", act.name());
            let twice = |(i, u): (usize, &f64)| act.round(weight.values[i % width] * act.round(*u as f32));
            let same = unit.iter().enumerate().map(twice).zip(&got).filter(|(w, g)| w == *g).count();
            assert!(act == Dtype::F32 || same * 1000 >= got.len() * 995, "{same} of {}", got.len());
        }
    }
}

#[test]
fn an_fp32_weight_promotes_the_norm() {
    let mut rng = Rng(2);
    let weight = Weights { values: rng.values(64, 1.0, Dtype::F32), dtype: Dtype::F32 };
    let x = rng.values(2 * 64, 1.0, Dtype::Bf16);
    let mut promoted = vec![0.0; 128];
    assert_eq!(rms_norm(&ctx(Dtype::Bf16), &x, &weight, 1e-6, &mut promoted), Dtype::F32);
    let plain = normed(Dtype::F32, &x, &weight);
    assert_eq!(bits(&promoted), bits(&plain));
}

#[test]
fn delta_norms_make_unit_keys() {
    let mut rng = Rng(3);
    for dim in [32, 128] {
        let x = rng.values(9 * dim, 3.0, Dtype::F32);
        for (role, scale) in [(DeltaRole::Query, 1.0 / dim as f64), (DeltaRole::Key, (dim as f64).powf(-0.5))] {
            let got =
                everywhere(Dtype::F32, x.len(), |c, out| delta_qk_norm(c, Columns::whole(&x, dim), dim, role, out));
            let want: Vec<f64> = unit64(&x, dim, 1e-6 / dim as f64).iter().map(|u| u * scale).collect();
            assert!(relative(&got, &want) < 2e-7);
        }
    }
    let constant = made(128, |out| {
        let ones = Columns::whole(&[1.0; 128], 128);
        delta_qk_norm(&ctx(Dtype::Bf16), ones, 128, DeltaRole::Key, out);
    });
    assert!(constant.iter().all(|v| v.to_bits() == 0x3db5_0000), "the scale is a bf16 number");
}

#[test]
fn gated_norm_multiplies_in_fp32() {
    let mut rng = Rng(4);
    for act in FLOATS {
        let weight = Weights { values: rng.values(32, 1.0, act), dtype: act };
        let (y, z) = (rng.values(40 * 32, 1.0, act), rng.values(40 * 32, 3.0, act));
        let got = everywhere(act, y.len(), |c, out| gated_norm(c, &y, &z, &weight, 1e-6, out));
        let normed = normed(act, &y, &weight);
        let want: Vec<f64> =
            z.iter().zip(&normed).map(|(z, n)| f64::from(*z) * sigmoid64(f64::from(*z)) * f64::from(*n)).collect();
        let once = want.iter().zip(&got).filter(|(w, g)| act.round(**w as f32) == **g).count();
        assert!(relative(&got, &want) < 3e-3 && (act == Dtype::F32 || once > got.len() * 99 / 100), "{}", act.name());
    }
}

#[test]
fn elementwise_steps_round_where_they_say() {
    let mut rng = Rng(5);
    for act in FLOATS {
        for n in [1, 7, 40_003] {
            let (a, b) = (rng.values(n, 4.0, act), rng.values(n, 4.0, act));
            let sum = everywhere(act, n, |c, out| add(c, &a, &b, out));
            assert!(sum.iter().zip(a.iter().zip(&b)).all(|(s, (a, b))| *s == act.round(a + b)));
            let gated = everywhere(act, n, |c, out| sigmoid_gate(c, &a, &b, out));
            let inner = |x: f32| f64::from(act.round(f64::from(x.abs()).exp() as f32));
            let y = |x: f32| 1.0 / (1.0 + inner(x));
            let sigmoid = |x: f32| act.round(if x < 0.0 { y(x) } else { 1.0 - y(x) } as f32);
            let exact = |i: &usize| act.round(a[*i] * sigmoid(b[*i])) == gated[*i];
            assert!(act == Dtype::F32 || (0..n).filter(exact).count() * 100 >= n * 99);
            let s = everywhere(act, n, |c, out| silu(c, &a, out));
            let swi = everywhere(act, n, |c, out| swiglu(c, &a, &b, out));
            assert!(swi.iter().zip(s.iter().zip(&b)).all(|(w, (s, b))| *w == act.round(s * b)));
            let want: Vec<f64> = a.iter().map(|a| f64::from(*a) * sigmoid64(f64::from(*a))).collect();
            assert!(relative(&s, &want) < if act == Dtype::F32 { 2e-7 } else { 5e-3 });
        }
    }
}

#[test]
fn constants_take_the_activation_dtype() {
    let mut rng = Rng(12);
    for act in FLOATS {
        let x = rng.values(70_000, 40.0, act);
        let scaled = everywhere(act, x.len(), |c, out| {
            out.copy_from_slice(&x);
            scale(c, 0.3, out);
        });
        assert!(x.iter().zip(&scaled).all(|(x, y)| act.round(x * act.round(0.3)) == *y), "{}", act.name());
        let capped = everywhere(act, x.len(), |c, out| {
            out.copy_from_slice(&x);
            softcap(c, 30.0, out);
        });
        let want: Vec<f64> = x.iter().map(|x| 30.0 * (f64::from(*x) / 30.0).tanh()).collect();
        let budget = [(Dtype::F32, 2e-7), (Dtype::F16, 1e-3)].into_iter().find(|b| b.0 == act).map_or(8e-3, |b| b.1);
        assert!(relative(&capped, &want) < budget, "{}", act.name());
        assert!(capped.iter().all(|y| y.abs() <= 30.0));
    }
    let mut ends = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0];
    softcap(&ctx(Dtype::F32), 2.0, &mut ends);
    assert!(ends[0].is_nan() && ends[1..] == [2.0, -2.0, 0.0]);
}

#[test]
fn nan_is_canonical_everywhere() {
    let x = [f32::from_bits(0xffc1_2345), 1.0, f32::INFINITY, 2.0, 3.0];
    for act in FLOATS {
        for out in [
            everywhere(act, 5, |c, out| silu(c, &x, out)),
            everywhere(act, 5, |c, out| add(c, &x, &[1.0, 1.0, f32::NEG_INFINITY, 1.0, 1.0], out)),
        ] {
            assert!(out.iter().all(|v| !v.is_nan() || v.to_bits() == 0x7fc0_0000) && out[0].is_nan());
        }
    }
}

#[test]
fn conv_slides_over_state_and_rows() {
    let mut rng = Rng(6);
    for (channels, rows, taps) in [(12, 5, 4), (256, 90, 4), (7, 9, 4), (30, 3, 2), (9, 4, 1), (11, 1, 5)] {
        let stored = rng.values(channels * taps, 0.5, Dtype::Bf16);
        let vector = Vector { dtype: Dtype::Bf16, data: Bytes::from(Dtype::Bf16.narrow(&stored)) };
        let kernel = ConvKernel::new(&vector, channels);
        let x = rng.values((taps - 1 + rows) * channels, 1.0, Dtype::Bf16);
        let run = |c: &Ctx, from: usize, out: &mut [f32]| {
            let (state, x) = x[from * channels..].split_at((taps - 1) * channels);
            conv(c, &kernel, state, &x[..out.len()], out);
        };
        let got = everywhere(Dtype::F32, rows * channels, |c, out| run(c, 0, out));
        let product =
            |t: usize, c: usize, j: usize| f64::from(stored[c * taps + j]) * f64::from(x[(t + j) * channels + c]);
        let at = |t: usize, c: usize| (0..taps).map(|j| product(t, c, j)).sum::<f64>();
        let want: Vec<f64> = (0..rows * channels).map(|i| at(i / channels, i % channels)).collect();
        assert!(relative(&got, &want) < 2e-7);
        for row in 0..rows {
            let one = made(channels, |out| run(&ctx(Dtype::F32), row, out));
            assert_eq!(bits(&one), bits(&got[row * channels..(row + 1) * channels]));
        }
    }
}

#[test]
fn embedding_gathers_rows_and_names_a_wrong_id() {
    let mut rng = Rng(7);
    let table = rng.float(50, 33, Dtype::F32);
    let Matrix::Float { data, .. } = &table else { unreachable!() };
    let all = Dtype::F32.widen(data);
    let ids: Vec<u32> = (0..200).map(|i| i * 7 % 50).collect();
    let got = everywhere(Dtype::Bf16, 200 * 33, |c, out| embed(c, &table, &ids, out).unwrap());
    let want: Vec<f32> =
        ids.iter().flat_map(|id| &all[*id as usize * 33..][..33]).map(|v| Dtype::Bf16.round(*v)).collect();
    assert_eq!(bits(&got), bits(&want));
    let error = embed(&ctx(Dtype::Bf16), &table, &[3, 50], &mut [0.0; 66]).unwrap_err();
    assert_eq!(error.to_string(), "ids: token id 50 is outside the vocabulary of 50");
    let quantised = rng.affine(70, 128, 5, 64, Dtype::F16);
    let ids: Vec<u32> = (0..70).collect();
    everywhere(Dtype::F16, 70 * 128, |c, out| embed(c, &quantised, &ids, out).unwrap());
}
