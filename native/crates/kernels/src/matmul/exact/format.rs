//! How 32 codes of a bit stream come out in pairs, one output a lane, for many rows.
//!
//! 32 codes are `BITS` whole 32-bit words, at any width. For 2, 4 and 8 bits a pair is two codes 16 bits apart in one word: one shift and one mask bring
//! both out. For 3, 5 and 6 bits a pair is codes p and p + 16, cut out one by one.

#![allow(clippy::needless_range_loop)]

use crate::simd::{UNIT, Words};

/// Pairs of a unit of codes.
pub const PAIRS: usize = UNIT / 2;

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

/// The pairs of `BITS` words of `V` vectors of outputs.
#[inline(always)]
pub fn expand<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]; BITS], pairs: &mut [[W; V]; PAIRS]) {
    if matches!(BITS, 2 | 4 | 8) {
        let (half, mask) = (16 / BITS, ((1 << BITS) - 1) * 0x1_0001);
        for i in 0..BITS {
            for j in 0..half {
                for v in 0..V {
                    let codes = words[i][v].shr_halves((j * BITS) as u32);
                    pairs[i * half + j][v] = if j + 1 < half { codes.and(mask) } else { codes };
                }
            }
        }
    } else {
        for p in 0..PAIRS {
            for v in 0..V {
                pairs[p][v] = code(words, v, p).or(code(words, v, p + PAIRS).shl(16));
            }
        }
    }
}

/// Words of four codes, a byte each, that a unit makes.
pub const FOURS: usize = UNIT / 4;

/// Which code is byte `byte` of word `word` of a unit in fours.
pub const fn four(bits: usize, word: usize, byte: usize) -> usize {
    match bits {
        // As many shifts of each packed word as codes fit in a byte.
        2 | 4 | 8 => {
            let shifts = 8 / bits;
            (word / shifts * 4 + byte) * shifts + word % shifts
        }
        _ => word + byte * FOURS,
    }
}

/// Some units in fours, packed words to words of codes.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // For AVX-512 and AMX.
#[inline(always)]
pub fn expand_fours<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]], fours: &mut [[W; V]]) {
    let (units, fours) = (words.as_chunks::<BITS>().0, fours.as_chunks_mut::<FOURS>().0);
    for unit in 0..units.len().min(fours.len()) {
        for word in 0..FOURS {
            for v in 0..V {
                fours[unit][word][v] = four_of(&units[unit], v, word);
            }
        }
    }
}

#[inline(always)]
fn four_of<W: Words, const V: usize, const BITS: usize>(words: &[[W; V]; BITS], v: usize, word: usize) -> W {
    if matches!(BITS, 2 | 4 | 8) {
        let shifts = 8 / BITS;
        words[word / shifts][v].shr((word % shifts * BITS) as u32).and(((1 << BITS) - 1) * 0x0101_0101)
    } else {
        let byte = |b: usize| code(words, v, word + b * FOURS).shl(8 * b as u32);
        byte(0).or(byte(1)).or(byte(2)).or(byte(3))
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
            assert_eq!(codes, (0..UNIT).collect::<Vec<_>>(), "{bits} bits");
        }
    }

    #[test]
    fn the_fours_hold_every_code_once() {
        for bits in [2, 3, 4, 5, 6, 8] {
            let mut codes: Vec<usize> = (0..FOURS).flat_map(|w| (0..4).map(move |b| four(bits, w, b))).collect();
            codes.sort_unstable();
            assert_eq!(codes, (0..UNIT).collect::<Vec<_>>(), "{bits} bits");
        }
    }
}
