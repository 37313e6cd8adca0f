//! Activations as digits of a byte each, in the order of codes four by four. One of the files that may hold `unsafe`.
//!
//! Sound for the reason given in `avx512`.
#![allow(unsafe_code)]

use super::UNIT;
use std::arch::x86_64::*;

/// Dwords of a unit's bytes.
const DWORDS: usize = UNIT / 4;

/// How a unit's bytes move: dwords to their half, then bytes in it.
pub struct Order {
    dwords: [i32; DWORDS],
    bytes: [u8; UNIT],
}

impl Order {
    /// Byte `i` comes from byte `of[i]`: from its own half, or from anywhere if the dwords of even number make up the first half.
    ///
    /// # Panics
    /// If it comes from elsewhere.
    pub const fn new(of: [usize; UNIT], even_first: bool) -> Self {
        let (mut dwords, mut bytes, mut i) = ([0; DWORDS], [0; UNIT], 0);
        while i < DWORDS {
            dwords[i] = if even_first { (2 * i % DWORDS + 2 * i / DWORDS) as i32 } else { i as i32 };
            i += 1;
        }
        i = 0;
        while i < UNIT {
            let mut at = 0;
            while dwords[at] as usize != of[i] / 4 {
                at += 1;
            }
            assert!(at / 4 == i / 16, "from the other half");
            bytes[i] = (at % 4 * 4 + of[i] % 4) as u8;
            i += 1;
        }
        Self { dwords, bytes }
    }

    /// The low digits of a unit, and its high ones: `value = 256 · high + low`, high with a sign. Only inside of a kernel that is compiled for AVX-512.
    #[inline(always)]
    pub fn digits(&self, values: &[i16; UNIT]) -> [[u32; DWORDS]; 2] {
        // SAFETY: as many bytes as are read and written; see the module.
        unsafe {
            let values = _mm512_loadu_si512(values.as_ptr().cast());
            let dwords = _mm256_loadu_si256(self.dwords.as_ptr().cast());
            let bytes = _mm256_loadu_si256(self.bytes.as_ptr().cast());
            let mut digits = [[0; DWORDS]; 2];
            for (halves, to) in [values, _mm512_srli_epi16::<8>(values)].into_iter().zip(&mut digits) {
                let moved = _mm256_permutevar8x32_epi32(_mm512_cvtepi16_epi8(halves), dwords);
                _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_shuffle_epi8(moved, bytes));
            }
            digits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    #[should_panic(expected = "from the other half")]
    fn a_byte_from_the_other_half_is_refused() {
        Order::new(std::array::from_fn(|i| (i + 16) % 32), false);
    }
}
