//! The matmul families: against f64, against their definitions, and over rows, threads and instruction sets.

mod common;

use common::{GEOMETRIES, POOLS, Rng, all_ctx, bits, code, ctx, linear, relative, weight};
use moire_base::{Bytes, Control, Dtype, Linear, Matrix, Status, Vector};
use moire_kernels::{
    Ctx, Isa,
    matmul::{MatmulFamily, MatmulKernel, Product, matmul, matmuls},
};
use proptest::prelude::*;

const KERNELS: [MatmulKernel; 3] = [MatmulKernel::Qmv, MatmulKernel::Qmm, MatmulKernel::Exact];

fn run(ctx: &Ctx, kernel: MatmulKernel, layer: &Linear, x: &[f32]) -> Vec<f32> {
    let rows = x.len() / layer.weight.cols();
    let mut y = vec![f32::NAN; rows * layer.weight.rows()];
    matmul(ctx, kernel, layer, x, rows, &mut y).unwrap();
    y
}

fn reference(matrix: &Matrix, x: &[f32]) -> Vec<f64> {
    let (n, k) = (matrix.rows(), matrix.cols());
    let w: Vec<f64> = (0..n * k).map(|i| weight(matrix, i / k, i % k)).collect();
    let dot = |x: &[f32], w: &[f64]| x.iter().zip(w).map(|(x, w)| f64::from(*x) * w).sum::<f64>();
    x.chunks(k).flat_map(|x| w.chunks(k).map(move |w| dot(x, w))).collect()
}

/// The step of a group's 16-bit integers: the smallest power of two that holds its largest value.
fn step(x: &[f32]) -> f64 {
    let largest = x.iter().fold(0f32, |m, v| m.max(v.abs()));
    let mut sx = 2f64.powi(-126);
    while f64::from(largest) > 32767.0 * sx {
        sx *= 2.0;
    }
    sx
}

/// The true product of what `kernel` multiplies, and how far a result may be from it: one rounding to `act`, fp32 sums of the terms, and what the integers of `exact` drop.
/// Sums can cancel, so the room is that of the terms and not of the result.
fn product(kernel: MatmulKernel, matrix: &Matrix, act: Dtype, x: &[f32], n: usize) -> (f64, f64) {
    let (mut sum, mut terms, mut dropped) = (0f64, 0f64, 0f64);
    for (k, x) in x.iter().enumerate() {
        let (weight, size) = multiplied(kernel, matrix, act, n, k);
        sum += f64::from(*x) * weight;
        terms += f64::from(x.abs()) * size;
    }
    if let (MatmulKernel::Exact, Matrix::Affine { group, .. }) = (kernel, matrix) {
        let sizes = |g: usize| (0..*group).map(|i| weight(matrix, n, g * group + i).abs()).sum::<f64>();
        dropped = x.chunks(*group).enumerate().map(|(g, x)| step(x) / 2.0 * sizes(g)).sum();
    }
    let (unit, least) = match act {
        Dtype::Bf16 => (2f64.powi(-8), 0.0),
        Dtype::F16 => (2f64.powi(-11), 2f64.powi(-25)),
        _ => (2f64.powi(-24), 0.0),
    };
    (sum, sum.abs() * unit + least + (terms * 2f64.powi(-20) + dropped) * (1.0 + unit))
}

/// Weight (n, k) as `kernel` has it (`qmm` dequantises to `act`, product and sum each rounded), and the size of what it adds in fp32 for it.
fn multiplied(kernel: MatmulKernel, matrix: &Matrix, act: Dtype, n: usize, k: usize) -> (f64, f64) {
    let whole = weight(matrix, n, k);
    let Matrix::Affine { cols, bits, group, codes, scales, biases, dtype, .. } = matrix else {
        return (whole, whole.abs());
    };
    let g = n * (cols / group) + k / group;
    let (part, bias) = (dtype.load(scales, g) * code(codes, *cols, *bits, n, k) as f32, dtype.load(biases, g));
    if kernel == MatmulKernel::Qmm {
        let weight = f64::from(act.round(act.round(part) + bias));
        return (weight, weight.abs());
    }
    (whole, f64::from(part.abs() + bias.abs()))
}

/// The definition in `matmul/exact.rs`, one step after another, for finite rows.
fn exact_by_definition(matrix: &Matrix, x: &[f32], act: Dtype) -> Vec<f32> {
    let Matrix::Affine { rows, cols, bits, group, codes, scales, biases, dtype } = matrix else { unreachable!() };
    let groups = cols / group;
    let one = |x: &[f32], n: usize| {
        let mut acc = 0f32;
        for g in 0..groups {
            let x = &x[g * group..(g + 1) * group];
            let sx = step(x);
            let xi: Vec<i64> = x.iter().map(|v| (f64::from(*v) / sx).round_ties_even() as i64).collect();
            let product = |k: usize| i64::from(code(codes, *cols, *bits, n, g * group + k)) * xi[k];
            let i: i64 = (0..*group).map(product).sum();
            assert!(i.abs() < 1 << 31 && xi.iter().all(|v| v.abs() <= 32767));
            let (scale, bias) = (dtype.load(scales, n * groups + g), dtype.load(biases, n * groups + g));
            acc = (i as f32).mul_add(scale * sx as f32, acc);
            acc = bias.mul_add(sx as f32 * xi.iter().sum::<i64>() as f32, acc);
        }
        if acc.is_nan() { f32::from_bits(0x7fc0_0000) } else { act.round(acc) }
    };
    x.chunks(*cols).flat_map(|x| (0..*rows).map(move |n| one(x, n))).collect()
}

#[test]
fn names_and_policy() {
    let mut rng = Rng(1);
    let x = rng.values(64, 1.0, Dtype::Bf16);
    let (isa, lanes) = (Isa::detect().name(), Isa::detect().of_lanes().name());
    let quantised = linear(rng.affine(5, 64, 4, 64, Dtype::Bf16));
    let float = linear(rng.float(5, 64, Dtype::Bf16));
    let name = |layer: &Linear, kernel| matmul(&ctx(Dtype::Bf16), kernel, layer, &x, 1, &mut [0.0; 5]).unwrap();
    let of_codes = [("qmv", lanes), ("qmm", lanes), ("exact", isa)].map(|(k, isa)| format!("{k}.b4g64.{isa}"));
    assert_eq!(KERNELS.map(|k| name(&quantised, k)), of_codes);
    assert_eq!(KERNELS.map(|k| name(&float, k)), ["gemv", "gemm", "exact"].map(|k| format!("{k}.bf16.{lanes}")));
    let auto = MatmulFamily::parse("auto").unwrap();
    assert_eq!([1, 7, 8, 512].map(|r| auto.choose(r)), [KERNELS[0], KERNELS[0], KERNELS[1], KERNELS[1]]);
    assert_eq!(MatmulFamily::parse("fast").unwrap_err().place, "matmul");
}

#[test]
fn families_have_different_orders() {
    let mut rng = Rng(2);
    // Float orders differ by fp32 roundings alone, which bf16 outputs seldom show.
    for (act, float) in [(Dtype::F32, false), (Dtype::Bf16, false), (Dtype::F32, true)] {
        let layer = linear(if float { rng.float(96, 512, act) } else { rng.affine(96, 512, 4, 64, act) });
        let x = rng.values(8 * 512, 1.0, act);
        let [a, b, c] = KERNELS.map(|k| bits(&run(&ctx(act), k, &layer, &x)));
        assert!(a != b && b != c && a != c, "{} float {float}", act.name());
    }
}

#[test]
fn float_products_are_near_the_f64_reference() {
    let mut rng = Rng(3);
    for dtype in common::FLOATS {
        for cols in [1, 7, 8, 31, 64, 130, 257] {
            let layer = linear(rng.float(37, cols, dtype));
            let x = rng.values(9 * cols, 1.0, dtype);
            let want = reference(&layer.weight, &x);
            let budget = if dtype == Dtype::F32 { 5e-7 } else { 3e-3 };
            for kernel in KERNELS {
                let error = relative(&run(&ctx(dtype), kernel, &layer, &x), &want);
                assert!(error < budget, "{kernel:?} {} {cols}: {error:e}", dtype.name());
            }
        }
    }
}

#[test]
fn a_bias_rounds_once_for_float_and_twice_for_quantised_weights() {
    let mut rng = Rng(4);
    let act = Dtype::Bf16;
    let x = rng.values(64, 1.0, act);
    let bias = rng.values(16, 3.0, act);
    for weight in [rng.affine(16, 64, 4, 32, act), rng.float(16, 64, act)] {
        let once = matches!(weight, Matrix::Float { .. });
        let plain = linear(weight);
        let raw = run(&ctx(Dtype::F32), MatmulKernel::Qmv, &plain, &x);
        let vector = Vector { dtype: act, data: Bytes::from(act.narrow(&bias)) };
        let got = run(&ctx(act), MatmulKernel::Qmv, &Linear { bias: Some(vector), ..plain }, &x);
        let sum = |(y, b): (&f32, &f32)| act.round(if once { *y } else { act.round(*y) } + b);
        assert_eq!(bits(&got), bits(&raw.iter().zip(&bias).map(sum).collect::<Vec<_>>()));
    }
}

#[test]
fn rows_with_nan_or_infinity_stay_apart() {
    let mut rng = Rng(5);
    for (b, group) in [(4, 64), (3, 32)] {
        let layer = linear(rng.affine(40, 256, b, group, Dtype::Bf16));
        let clean = rng.values(6 * 256, 1.0, Dtype::Bf16);
        let mut x = clean.clone();
        x[256 + 3] = f32::NAN;
        x[4 * 256 + 100] = f32::INFINITY;
        let want = run(&ctx(Dtype::Bf16), MatmulKernel::Exact, &layer, &clean);
        let plain = run(&ctx(Dtype::Bf16), MatmulKernel::Qmv, &layer, &x);
        for ctx in all_ctx(Dtype::Bf16) {
            let got = run(&ctx, MatmulKernel::Exact, &layer, &x);
            for row in 0..6 {
                let of = if row == 1 || row == 4 { &plain } else { &want };
                assert_eq!(bits(&got[row * 40..][..40]), bits(&of[row * 40..][..40]), "row {row}");
            }
            assert!(got[40..80].iter().all(|v| v.to_bits() == 0x7fc0_0000));
            assert!(got[160..200].iter().all(|v| !v.is_finite()));
        }
    }
}

#[test]
fn layers_over_the_same_rows_have_the_bytes_that_they_have_alone() {
    let mut rng = Rng(11);
    // Two of one format, others of their own, and more outputs than threads can share evenly.
    let weights = [
        rng.affine(200, 256, 4, 64, Dtype::Bf16),
        rng.affine(16, 256, 4, 64, Dtype::Bf16),
        rng.affine(1030, 256, 8, 32, Dtype::Bf16),
        rng.float(72, 256, Dtype::F32),
    ];
    let layers = weights.map(linear);
    let acts = [Dtype::Bf16, Dtype::Bf16, Dtype::Bf16, Dtype::F32];
    for rows in [1, 5, 70] {
        let mut x = rng.values(rows * 256, 1.0, Dtype::Bf16);
        x[rows * 256 - 1] = if rows == 5 { f32::NAN } else { 1.0 };
        for ctx in all_ctx(Dtype::Bf16) {
            for kernel in KERNELS {
                let mut ys = layers.each_ref().map(|layer| vec![f32::NAN; rows * layer.weight.rows()]);
                let [a, b, c, d] = &mut ys;
                let products =
                    [(0, a), (1, b), (2, c), (3, d)].map(|(i, y)| Product { linear: &layers[i], act: acts[i], y });
                let names = matmuls(&ctx, kernel, &x, rows, products).unwrap();
                for (((layer, act), y), name) in layers.iter().zip(acts).zip(&ys).zip(names) {
                    let mut alone = vec![f32::NAN; y.len()];
                    assert_eq!(matmul(&ctx.with_act(act), kernel, layer, &x, rows, &mut alone).unwrap(), name);
                    assert_eq!(bits(y), bits(&alone), "{name}, {rows} rows");
                }
            }
        }
    }
}

#[test]
fn nan_scales_spread_only_to_their_output() {
    let mut rng = Rng(6);
    let Matrix::Affine { rows, cols, bits: b, group, codes, biases, dtype, .. } = rng.affine(9, 64, 4, 32, Dtype::F32)
    else {
        unreachable!()
    };
    let mut scales = vec![0.5; 18];
    scales[7] = -f32::NAN;
    let scales = Bytes::from(dtype.narrow(&scales));
    let layer = linear(Matrix::Affine { rows, cols, bits: b, group, codes, scales, biases, dtype });
    let x = rng.values(2 * 64, 1.0, dtype);
    for ctx in all_ctx(dtype) {
        for kernel in KERNELS {
            let y = run(&ctx, kernel, &layer, &x);
            for (i, v) in y.iter().enumerate() {
                assert!(if i % 9 == 3 { v.to_bits() == 0x7fc0_0000 } else { v.is_finite() }, "{kernel:?} {i}");
            }
        }
    }
}

#[test]
fn extreme_activations_keep_the_definition() {
    let mut rng = Rng(7);
    let layer = linear(rng.affine(8, 128, 8, 128, Dtype::F32));
    let mut x = rng.values(7 * 128, 1.0, Dtype::F32);
    for (row, size) in [1e-45, 1e-38, 3e-33, 1e30, 1.1e38].into_iter().enumerate() {
        x[row * 128..(row + 1) * 128].iter_mut().for_each(|v| *v *= size);
    }
    x[5 * 128..6 * 128].fill(0.0);
    x[6 * 128..].fill(32767.5);
    let want = exact_by_definition(&layer.weight, &x, Dtype::F32);
    assert_eq!(bits(&run(&ctx(Dtype::F32), MatmulKernel::Exact, &layer, &x)), bits(&want));
}

#[test]
fn cancel_stops_a_call() {
    let mut rng = Rng(8);
    let layer = linear(rng.affine(64, 64, 4, 64, Dtype::Bf16));
    let control = Control::default();
    control.cancel();
    let ctx = Ctx::new(&POOLS[1], Isa::detect(), Dtype::Bf16, &control);
    let error = matmul(&ctx, MatmulKernel::Qmv, &layer, &[0.0; 64], 1, &mut [0.0; 64]).unwrap_err();
    assert_eq!(error.status, Status::Cancelled);
}

#[test]
#[should_panic(expected = "x has 63 elements, expected 64")]
fn a_short_slice_is_named() {
    let layer = linear(Rng(9).affine(4, 64, 4, 64, Dtype::Bf16));
    let _ = matmul(&ctx(Dtype::Bf16), MatmulKernel::Qmv, &layer, &[0.0; 63], 1, &mut [0.0; 4]);
}

fn dtype() -> impl Strategy<Value = Dtype> {
    prop::sample::select(common::FLOATS.to_vec())
}

fn layer_and_rows() -> impl Strategy<Value = (Linear, Vec<f32>, usize, Dtype)> {
    let float = prop::bool::weighted(0.25);
    let shape = (1usize..70, 1usize..6, 1usize..33, prop::sample::select(GEOMETRIES.to_vec()));
    (any::<u64>(), float, shape, dtype()).prop_map(|(seed, float, (outputs, groups, rows, (b, group)), act)| {
        let mut rng = Rng(seed);
        let cols = if float { groups * 50 + 3 } else { groups * group };
        let matrix = if float { rng.float(outputs, cols, act) } else { rng.affine(outputs, cols, b, group, act) };
        let x = rng.values(rows * cols, 1.0, act);
        (linear(matrix), x, rows, act)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Rows, threads and instruction sets never change a byte.
    #[test]
    fn every_family_is_independent_of_rows_threads_and_isa((layer, x, rows, act) in layer_and_rows()) {
        let cols = layer.weight.cols();
        for kernel in KERNELS {
            let want = bits(&run(&ctx(act), kernel, &layer, &x));
            for ctx in all_ctx(act) {
                prop_assert_eq!(&bits(&run(&ctx, kernel, &layer, &x)), &want, "{:?} {}", kernel, ctx.isa.name());
            }
            let alone: Vec<u32> = x.chunks(cols).flat_map(|x| bits(&run(&ctx(act), kernel, &layer, x))).collect();
            prop_assert_eq!(&alone, &want, "{:?} over {} rows", kernel, rows);
        }
    }

    /// Scalar and AVX2 are what the definition says, to the bit.
    #[test]
    fn exact_is_its_definition((layer, x, _, act) in layer_and_rows()) {
        if matches!(layer.weight, Matrix::Affine { .. }) {
            let want = bits(&exact_by_definition(&layer.weight, &x, act));
            for ctx in all_ctx(act) {
                prop_assert_eq!(&bits(&run(&ctx, MatmulKernel::Exact, &layer, &x)), &want, "{}", ctx.isa.name());
            }
        }
    }

    /// Every element of every family is as near to f64 as its roundings allow.
    #[test]
    fn every_family_is_near_f64((layer, x, _, act) in layer_and_rows()) {
        let (cols, outputs) = (layer.weight.cols(), layer.weight.rows());
        for kernel in KERNELS {
            for (i, got) in run(&ctx(act), kernel, &layer, &x).into_iter().enumerate() {
                let (row, n) = (i / outputs, i % outputs);
                let (want, room) = product(kernel, &layer.weight, act, &x[row * cols..][..cols], n);
                let error = (f64::from(got) - want).abs();
                prop_assert!(error <= room, "{:?} {} row {} output {}: {:e} of {:e}", kernel, act.name(), row, n, error, room);
            }
        }
    }
}
