//! Loops that a compiler turns into vectors of whatever the target has.

use super::used;
use std::hint::black_box;

/// Independent sums: more than any pipeline needs.
const CHAINS: usize = 64;
/// Passes between two looks at the operands, which keep the compiler from folding the loop.
const PASSES: u64 = 1024;

pub(super) fn read(part: &[u8]) -> u64 {
    const WORD: usize = 8;
    let mut fold = [0u64; 8];
    let blocks = part.chunks_exact(fold.len() * WORD);
    let rest = blocks.remainder().iter().fold(0, |all, byte| all | byte);
    for block in blocks {
        for (fold, word) in fold.iter_mut().zip(block.chunks_exact(WORD)) {
            *fold |= word.try_into().map_or(0, u64::from_ne_bytes);
        }
    }
    used((fold, rest), part.len() as u64)
}

pub(super) fn int16(work: u64) -> u64 {
    let mut sums = [0i32; CHAINS];
    let mut done = 0;
    while done < work {
        let (x, y): ([i16; CHAINS], [i16; CHAINS]) = black_box(([3; CHAINS], [5; CHAINS]));
        for _ in 0..PASSES {
            let x = black_box(x);
            for ((sum, x), y) in sums.iter_mut().zip(&x).zip(&y) {
                *sum = sum.wrapping_add(i32::from(*x) * i32::from(*y));
            }
        }
        done += PASSES * CHAINS as u64;
    }
    used(sums, done)
}

pub(super) fn fp32(work: u64) -> u64 {
    let mut sums = [0f32; CHAINS];
    let mut done = 0;
    while done < work {
        let (x, y): ([f32; CHAINS], [f32; CHAINS]) = black_box(([0.5; CHAINS], [0.25; CHAINS]));
        for _ in 0..PASSES {
            for ((sum, x), y) in sums.iter_mut().zip(&x).zip(&y) {
                *sum += x * y;
            }
        }
        done += PASSES * CHAINS as u64;
    }
    used(sums, done)
}
