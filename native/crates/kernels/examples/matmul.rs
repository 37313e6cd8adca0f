//! Speed of the matmul families against the machine: `cargo run --release -p moire-kernels --example matmul [threads [rows [once]]]`.
//! `once`: one slice of `exact` and no peak, for a profiler; see native/scripts/instructions.sh.
//!
//! A 4-bit matrix of 65,536 x 1,024 in groups of 64 goes by in slices of 2,048 outputs, each beside a piece of the int16 multiply-add peak, so that a machine that
//! others slow down does so to both. Printed: the median of multiply-adds a second, of its share of that peak, and of weight bytes a second.

use moire_base::{Bytes, Control, Dtype, Linear, Matrix};
use moire_kernels::{
    Ctx, Isa, Pool,
    matmul::{MatmulKernel, matmul},
    measure::{Limit, measure},
};
use std::time::Instant;

const COLS: usize = 1024;
const SLICE: usize = 2048;
const SLICES: usize = 32;
const GROUP: usize = 64;
const BYTES: f64 = (SLICE * COLS) as f64 * 4.5 / 8.0;

fn main() {
    let number = |i: usize| std::env::args().nth(i).and_then(|n| n.parse::<usize>().ok());
    let (threads, only) = (number(1).unwrap_or(1), number(2));
    let is_once = std::env::args().nth(3).is_some_and(|word| word == "once");
    let pool = Pool::new(threads).expect("a pool");
    let control = Control::default();
    let ctx = Ctx::new(&pool, Isa::detect(), Dtype::Bf16, &control);
    let slices: Vec<Linear> = (0..if is_once { 1 } else { SLICES }).map(slice).collect();
    let peak = || measure(Limit::Int16, &pool, ctx.isa, 1, &control).expect("a peak")[0];
    for (kernel, rows) in [1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 512]
        .map(|rows| (MatmulKernel::Exact, rows))
        .into_iter()
        .chain([1, 4].map(|rows| (MatmulKernel::Qmv, rows)))
        .chain([8, 64, 512].map(|rows| (MatmulKernel::Qmm, rows)))
    {
        if only.is_some_and(|only| only != rows) {
            continue;
        }
        let x: Vec<f32> = (0..rows * COLS).map(|i| Dtype::Bf16.round((i as f32 * 0.37).sin())).collect();
        let mut y = vec![0.0; rows * SLICE];
        if is_once {
            matmul(&ctx, kernel, &slices[0], &x, rows, &mut y).expect("a product");
            return println!("{} multiply-adds", rows * SLICE * COLS);
        }
        let (mut rates, mut shares) = (Vec::new(), Vec::new());
        for slice in slices.iter().take(if rows > 64 { 6 } else { SLICES }) {
            let start = Instant::now();
            matmul(&ctx, kernel, slice, &x, rows, &mut y).expect("a product");
            let rate = (rows * SLICE * COLS) as f64 / start.elapsed().as_secs_f64();
            rates.push(rate);
            shares.push(rate / peak());
        }
        let (rate, share) = (median(rates), median(shares));
        let bytes = rate / (rows * SLICE * COLS) as f64 * BYTES;
        println!("{kernel:?} {rows:4} rows: {:6.1} G/s, {share:.2} of peak, {:6.2} GB/s", rate / 1e9, bytes / 1e9);
    }
}

fn slice(seed: usize) -> Linear {
    let mut state = seed as u64 + 1;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let floats = |value: f32| Bytes::from(Dtype::Bf16.narrow(&vec![value; SLICE * COLS / GROUP]));
    let codes: Vec<u8> = (0..SLICE * COLS / 2).map(|_| byte()).collect();
    let weight = Matrix::Affine {
        rows: SLICE,
        cols: COLS,
        bits: 4,
        group: GROUP,
        codes: Bytes::from(codes),
        scales: floats(0.01),
        biases: floats(-0.08),
        dtype: Dtype::Bf16,
    };
    Linear { weight, bias: None, path: "slice".to_owned() }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
