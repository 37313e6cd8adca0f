//! Proofs a user can run: the float mode of the engine's threads and the arithmetic under it, and that a panic or a long job does no harm.

use crate::request::What;
use moire_base::{Control, Dtype, Result};
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
        What::Kernels => Ok(kernels(control)),
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

fn kernels(control: &Control) -> Outcome {
    let all: [fn() -> Check; 2] = [mode, rounding];
    control.stage("selfTest", all.len() as u64);
    let mut checks = Vec::new();
    for check in all {
        checks.push(check());
        control.advance(1);
    }
    Outcome { passed: checks.iter().all(|c| c.ok), checks }
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
