//! Prints a hash of what every kernel gives, and compares the instruction sets of the CPU it runs on. The list is the same everywhere: run it on another CPU,
//! or under an emulator of one, and compare the output. With the argument `--threads N` on N threads; 1 unless said.
//!
//! Exits 1 if two instruction sets differ.
#![allow(clippy::print_stdout)]

use moire_base::{Control, Result};
use moire_kernels::{Isa, Pool, trials};
use std::process::ExitCode;

/// FNV-1a, 64 bits.
fn hash(bits: &[u32]) -> u64 {
    let bytes = bits.iter().flat_map(|b| b.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

fn threads() -> usize {
    let mut args = std::env::args().skip_while(|arg| arg != "--threads");
    args.nth(1).and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn run() -> Result<usize> {
    let (pool, control) = (Pool::new(threads())?, Control::default());
    let names: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
    eprintln!("instruction sets: {}", names.join(", "));
    let mut differing = 0;
    for trial in trials::all() {
        let want = trial.bits(&pool, Isa::Scalar, &control)?;
        println!("{:016x} {} {}", hash(&want), trial.kernel, trial.what);
        for isa in Isa::available() {
            let bits = trial.bits(&pool, isa, &control)?;
            let Some(at) = bits.iter().zip(&want).position(|(a, b)| a != b) else { continue };
            let (have, want) = (bits[at], want[at]);
            eprintln!("{}: {} {}: element {at} is {have:08x}, scalar {want:08x}", isa.name(), trial.kernel, trial.what);
            differing += 1;
        }
    }
    Ok(differing)
}

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(n) => {
            eprintln!("{n} differ");
            ExitCode::FAILURE
        }
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
