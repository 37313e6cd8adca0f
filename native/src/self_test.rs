//! Proofs a user can run: the float mode of the engine's threads and the arithmetic of every kernel, and that a panic or a long job does no harm.

use crate::request::What;
use moire_base::{Control, Dtype, Linear, Matrix, Result};
use moire_kernels::{
    Ctx, Isa, Pool,
    matmul::{MatmulKernel, matmul},
    trials::{self, Trial},
};
use serde::Serialize;
use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

/// Result document of `selfTest`.
#[derive(Debug, Serialize)]
pub struct Outcome {
    passed: bool,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
}

/// Do what was asked. Panics if that was a panic.
pub fn run(what: What, ms: u64, control: &Control) -> Result<Outcome> {
    match what {
        What::Panic | What::StartPanic => panic!("selfTest panic was asked for"),
        What::Spin => spin(ms, control),
        What::Kernels => kernels(control),
    }
}

fn spin(ms: u64, control: &Control) -> Result<Outcome> {
    control.stage("spin", ms);
    let begin = Instant::now();
    for step in 1..=ms {
        while begin.elapsed() < Duration::from_millis(step) {
            control.check()?;
            thread::sleep(Duration::from_micros(200));
        }
        control.advance(1);
    }
    let detail = format!("{} ms", begin.elapsed().as_millis());
    Ok(Outcome { passed: true, checks: vec![Check { name: "spin", ok: true, detail }] })
}

fn kernels(control: &Control) -> Result<Outcome> {
    let trials = trials::all();
    let mut names: Vec<&'static str> = trials.iter().map(|t| t.kernel).collect();
    names.sort_unstable();
    names.dedup();
    let mut checks = vec![mode(), rounding()];
    control.stage("selfTest", names.len() as u64);
    let pools = [Pool::new(1)?, Pool::new(3)?];
    for name in names {
        checks.push(same_everywhere(name, trials.iter().filter(|t| t.kernel == name), &pools, control)?);
        control.advance(1);
    }
    for weight in [float_weight(), quantised_weight()] {
        checks.push(block_is_chain(&weight, control)?);
    }
    Ok(Outcome { passed: checks.iter().all(|c| c.ok), checks })
}

const OUT: usize = 96;
const IN: usize = 256;
const ROWS: usize = 9;

/// Bits without a pattern that a kernel's tiling could share.
fn noise(n: usize, seed: u32) -> impl Iterator<Item = u32> {
    (0..n as u32).map(move |i| (i ^ seed).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b))
}

/// bf16 values in [-1, 1).
fn values(n: usize, seed: u32) -> Vec<f32> {
    noise(n, seed).map(|bits| Dtype::Bf16.round(bits as f32 / 2f32.powi(31) - 1.0)).collect()
}

fn linear(path: &str, weight: Matrix) -> Linear {
    Linear { weight, bias: None, path: path.to_owned() }
}

fn float_weight() -> Linear {
    let data = Dtype::Bf16.narrow(&values(OUT * IN, 1)).into();
    linear("float", Matrix::Float { rows: OUT, cols: IN, dtype: Dtype::Bf16, data })
}

fn quantised_weight() -> Linear {
    let group = 64;
    let per_group = |seed| Dtype::Bf16.narrow(&values(OUT * IN / group, seed)).into();
    let codes: Vec<u8> = noise(OUT * IN / 2, 2).map(|bits| (bits >> 24) as u8).collect();
    let (scales, biases) = (per_group(3), per_group(4));
    let codes = codes.into();
    linear("4 bit", Matrix::Affine { rows: OUT, cols: IN, bits: 4, group, codes, scales, biases, dtype: Dtype::Bf16 })
}

/// Every instruction set of this processor and any number of threads give the bytes of one scalar thread.
fn same_everywhere<'a>(
    name: &'static str,
    trials: impl Iterator<Item = &'a Trial>,
    pools: &[Pool],
    control: &Control,
) -> Result<Check> {
    let mut wrong = Vec::new();
    for trial in trials {
        let want = trial.bits(&pools[0], Isa::Scalar, control)?;
        let others = Isa::available().into_iter().flat_map(|isa| pools.iter().map(move |pool| (isa, pool)));
        // The first is one scalar thread itself.
        for (isa, pool) in others.skip(1) {
            if trial.bits(pool, isa, control)? != want {
                wrong.push(format!("{}, {}, {} threads", trial.what, isa.name(), pool.threads()));
            }
        }
    }
    let sets: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
    let detail = if wrong.is_empty() {
        format!("same bytes under {}", sets.join(", "))
    } else {
        format!("other bytes: {}", wrong.join("; "))
    };
    Ok(Check { name, ok: wrong.is_empty(), detail })
}

fn exact(linear: &Linear, x: &[f32], control: &Control) -> Result<Vec<u32>> {
    let pool = Pool::new(1)?;
    let ctx = Ctx::new(&pool, Isa::detect(), Dtype::Bf16, control);
    let rows = x.len() / IN;
    let mut y = vec![0f32; rows * OUT];
    matmul(&ctx, MatmulKernel::Exact, linear, x, rows, &mut y)?;
    Ok(y.into_iter().map(f32::to_bits).collect())
}

/// Under `exact`, rows together give the bytes of each row alone.
fn block_is_chain(weight: &Linear, control: &Control) -> Result<Check> {
    let x = values(ROWS * IN, 6);
    let block = exact(weight, &x, control)?;
    let mut chain = Vec::new();
    for row in x.chunks_exact(IN) {
        chain.extend(exact(weight, row, control)?);
    }
    let differing = block.iter().zip(&chain).filter(|(a, b)| a != b).count();
    let detail = format!("{} weights, {ROWS} rows: {differing} elements differ", weight.path);
    Ok(Check { name: "exactBlockIsChain", ok: differing == 0, detail })
}

fn mode() -> Check {
    let ok = is_ieee();
    let detail = if ok { "rounds to nearest even, keeps denormals" } else { "rounding or denormals are wrong" };
    Check { name: "floatMode", ok, detail: detail.to_owned() }
}

/// Whether this thread rounds to nearest even and keeps denormals, found out by calculating.
fn is_ieee() -> bool {
    let tiny = black_box(f32::MIN_POSITIVE) / black_box(2.0);
    let kept = black_box(tiny) > 0.0 && black_box(tiny) * black_box(2.0) == f32::MIN_POSITIVE;
    let half = black_box(f32::EPSILON) / 2.0;
    let up = black_box(1.0 + f32::EPSILON) + half;
    kept && black_box(1.0) + half == 1.0 && up == 1.0 + 2.0 * f32::EPSILON
}

/// Halfway cases of the narrow formats go to the even neighbour.
fn rounding() -> Check {
    let wrong: Vec<_> = [(Dtype::Bf16, 8), (Dtype::F16, 11)]
        .into_iter()
        .flat_map(|(dtype, bits)| {
            let ulp = 2f32.powi(1 - bits);
            [(1.0 + ulp / 2.0, 1.0), (1.0 + 1.5 * ulp, 1.0 + 2.0 * ulp)].map(|(x, want)| (dtype, x, want))
        })
        .filter(|(dtype, x, want)| dtype.round(*x) != *want)
        .map(|(dtype, x, _)| format!("{} {x}", dtype.name()))
        .collect();
    Check { name: "rounding", ok: wrong.is_empty(), detail: wrong.join(", ") }
}
