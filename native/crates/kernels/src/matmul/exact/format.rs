//! How 32 codes of a bit stream come out in pairs, one output a lane.
//!
//! 32 codes are `BITS` whole 32-bit words, at any width. For 2, 4 and 8 bits a pair is two codes 16 bits apart in one word: one shift and one mask bring
//! both out. For 3, 5 and 6 bits a pair is codes p and p + 16, cut out one by one.

#![allow(clippy::needless_range_loop)] // For the reason that `panel` gives.

use crate::simd::Words;

/// Codes taken together.
pub const CODES: usize = 32;
/// Pairs they make.
pub const PAIRS: usize = CODES / 2;

/// The two codes (low half, high half) of pair `p`.
pub const fn pair(bits: usize, p: usize) -> (usize, usize) {
    match bits {
        2 | 4 | 8 => {
            let half = 16 / bits;
            let low = p / half * 2 * half + p % half;
            (low, low + half)
        }
        _ => (p, p + PAIRS),
    }
}

/// Where pairs go. A trait and not a closure: only what is `#[inline(always)]` is sure to be compiled for the instruction set at hand.
pub trait Sink<W, const V: usize> {
    /// Pair `p` of `V` vectors of outputs.
    fn take(&mut self, p: usize, codes: [W; V]);
}

/// The pairs of `BITS` words of `V` vectors of outputs.
#[inline(always)]
pub fn expand<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]; BITS], sink: &mut impl Sink<W, V>) {
    if matches!(BITS, 2 | 4 | 8) {
        let half = 16 / BITS;
        let mask = ((1 << BITS) - 1) * 0x1_0001;
        for i in 0..BITS {
            for j in 0..half {
                let mut codes = words[i];
                for v in 0..V {
                    codes[v] = codes[v].shr((j * BITS) as u32).and(mask);
                }
                sink.take(i * half + j, codes);
            }
        }
    } else {
        for p in 0..PAIRS {
            let mut codes = [W::zero(); V];
            for v in 0..V {
                codes[v] = code(words, v, p).or(code(words, v, p + PAIRS).shl(16));
            }
            sink.take(p, codes);
        }
    }
}

/// Code `i` of vector `v`, which may lie across two words.
#[inline(always)]
fn code<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]; BITS], v: usize, i: usize) -> W {
    let (at, shift) = (i * BITS / 32, i * BITS % 32);
    let mut bits = words[at][v].shr(shift as u32);
    if shift + BITS > 32 {
        bits = bits.or(words[at + 1][v].shl((32 - shift) as u32));
    }
    bits.and((1 << BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_hold_every_code_once() {
        for bits in [2, 3, 4, 5, 6, 8] {
            let mut codes: Vec<usize> = (0..PAIRS).flat_map(|p| <[usize; 2]>::from(pair(bits, p))).collect();
            codes.sort_unstable();
            assert_eq!(codes, (0..CODES).collect::<Vec<_>>(), "{bits} bits");
        }
    }
}
