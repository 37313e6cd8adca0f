//! What the machine can do at best: bytes read from memory and multiply-adds, per second. A bench holds the kernels against these numbers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::{Isa, Pool};
use moire_base::{Control, Error, Result, Status};
use std::{hint::black_box, ops::Range, time::Instant};

/// Bytes of the buffer that is read: beyond every cache.
const BUFFER: usize = 256 << 20;
/// Multiply-adds of a thread in one round: some milliseconds.
const WORK: u64 = 1 << 30;

/// A limit of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes read from memory.
    Read,
    /// Multiply-adds of 16-bit integers, summed in 32 bits.
    Int16,
    /// Fused multiply-adds of fp32 numbers.
    Fp32,
}

/// Amount per second in each of `rounds`, on all threads of `pool` together.
///
/// # Errors
/// `Memory` without room for the buffer of 256 MiB; `Cancelled` through `control`, asked between rounds.
pub fn measure(limit: Limit, pool: &Pool, isa: Isa, rounds: usize, control: &Control) -> Result<Vec<f64>> {
    assert!(isa.is_available(), "this CPU does not have {}", isa.name());
    let buffer = if limit == Limit::Read { buffer(BUFFER)? } else { Vec::new() };
    control.stage("measure", rounds as u64);
    let mut all = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        control.check()?;
        all.push(round(limit, pool, isa, &buffer));
        control.advance(1);
    }
    Ok(all)
}

/// Written once, so that every page is one of its own.
fn buffer(bytes: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|e| {
        Error::new(Status::Memory, "measure", format!("no room for a buffer of {} MiB: {e}", bytes >> 20))
    })?;
    buffer.resize(bytes, 1);
    Ok(buffer)
}

/// From the first thread's begin to the last one's end, so that handing out the work does not count.
fn round(limit: Limit, pool: &Pool, isa: Isa, buffer: &[u8]) -> f64 {
    let threads = pool.threads();
    let part = |i: usize| -> Range<usize> { buffer.len() * i / threads..buffer.len() * (i + 1) / threads };
    let spans = pool.map(threads, |i| {
        let begin = Instant::now();
        let amount = work(limit, isa, &buffer[part(i)]);
        (begin, Instant::now(), amount)
    });
    let begin = spans.iter().map(|s| s.0).min();
    let end = spans.iter().map(|s| s.1).max();
    let seconds = begin.zip(end).map_or(0.0, |(begin, end)| (end - begin).as_secs_f64());
    spans.iter().map(|s| s.2 as f64).sum::<f64>() / seconds
}

/// One thread's part; gives how much it did.
fn work(limit: Limit, isa: Isa, part: &[u8]) -> u64 {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => match limit {
            Limit::Read => avx2::read(part),
            Limit::Int16 => avx2::int16(WORK),
            Limit::Fp32 => avx2::fp32(WORK),
        },
        #[cfg(target_arch = "x86_64")]
        // Whole matrices of 8-bit integers are another limit: this one stays that of 16-bit vectors.
        Isa::Avx512 | Isa::Amx => match limit {
            Limit::Read => avx2::read(part),
            Limit::Int16 => avx512::int16(WORK),
            Limit::Fp32 => avx512::fp32(WORK),
        },
        _ => match limit {
            Limit::Read => portable::read(part),
            Limit::Int16 => portable::int16(WORK),
            Limit::Fp32 => portable::fp32(WORK),
        },
    }
}

/// Keeps the compiler from seeing that a result is not used.
fn used<T>(value: T, amount: u64) -> u64 {
    black_box(value);
    amount
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No time is asserted, only that each limit comes out as a rate on every instruction set and thread count.
    #[test]
    fn every_limit_is_a_positive_rate() {
        for isa in Isa::available() {
            for threads in [1, 3] {
                let pool = Pool::new(threads).expect("threads");
                let buffer = buffer(1 << 20).expect("room");
                for limit in [Limit::Read, Limit::Int16, Limit::Fp32] {
                    let rate = round(limit, &pool, isa, &buffer);
                    assert!(rate.is_finite() && rate > 0.0, "{limit:?} {} {threads}: {rate}", isa.name());
                }
            }
        }
    }

    #[test]
    fn the_whole_part_is_counted() {
        let part = vec![1; 12_345];
        for isa in Isa::available() {
            assert_eq!(work(Limit::Read, isa, &part), 12_345, "{}", isa.name());
            assert!(work(Limit::Int16, isa, &[]) >= WORK);
        }
    }

    #[test]
    fn a_cancel_is_heard_between_rounds() {
        let control = Control::default();
        control.cancel();
        let pool = Pool::new(1).expect("threads");
        let error = measure(Limit::Int16, &pool, Isa::detect(), 2, &control).expect_err("cancelled");
        assert_eq!(error.status, Status::Cancelled);
    }
}
