//! Two to eight rows with AVX-512: as with AMX, activations are two digits, `xi = 256 · high + low` with low in 0 ..= 255, times codes of a byte each, whose sums of four a lane
//! make in one step. An output is a lane, so that nothing is added across lanes.
//!
//! Loops run over indices, as in `few`.
#![allow(clippy::needless_range_loop)]

use super::{
    Tiles,
    few::height,
    format::expand_fours,
    integers::Integers,
    strip::{Strip, Strips, TURN, read_ahead},
    turned::Turned,
};
use crate::{
    matmul::affine::Affine,
    simd::{
        Words, Words16,
        avx512::{self, Avx512Kernel},
    },
};

/// Outputs of a vector.
const LANES: usize = Words16::OUTPUTS;

/// All outputs for few rows, but not for one, of weights of up to six bits. A function of its own for every width and height, as in `few`.
pub fn few<const BITS: usize>(tiles: Tiles, x: &Integers) {
    match height(x.rows) {
        2 => avx512::run(Few::<BITS, 2, 2> { tiles, x }),
        3 => avx512::run(Few::<BITS, 3, 2> { tiles, x }),
        4 => avx512::run(Few::<BITS, 4, 2> { tiles, x }),
        6 => avx512::run(Few::<BITS, 6, 1> { tiles, x }),
        _ => avx512::run(Few::<BITS, 8, 1> { tiles, x }),
    }
}

/// `R` rows times strips of `V` vectors of outputs.
struct Few<'a, 'b, 'c, const BITS: usize, const R: usize, const V: usize> {
    tiles: Tiles<'a, 'b, 'c>,
    x: &'a Integers,
}

impl<const BITS: usize, const R: usize, const V: usize> Avx512Kernel for Few<'_, '_, '_, BITS, R, V> {
    type Out = ();

    #[inline(always)]
    fn run(mut self) {
        let w = self.tiles.weights;
        let outputs = Turned::<Words16, V>::OUTPUTS;
        let mut strips = Strips::new(w, outputs);
        let (mut turned, mut codes) = (Turned::<Words16, V>::new(&w), vec![[Words16::zero(); V]; w.group / 4]);
        for n in self.tiles.outputs.clone().step_by(outputs) {
            let totals = self.groups(&w, strips.at(n), &mut turned, &mut codes);
            for (r, totals) in totals[..self.x.rows].iter().enumerate() {
                self.tiles.put(self.x.first + r, n, totals.as_flattened());
            }
        }
    }
}

impl<const BITS: usize, const R: usize, const V: usize> Few<'_, '_, '_, BITS, R, V> {
    /// All groups of a strip; its totals, row by row.
    #[inline(always)]
    fn groups(
        &self,
        w: &Affine,
        strip: Strip,
        turned: &mut Turned<Words16, V>,
        codes: &mut [[Words16; V]],
    ) -> [[[f32; LANES]; V]; R] {
        let mut totals = [[[0.0; LANES]; V]; R];
        let of_group = w.group / 4;
        let digits = &self.x.values.fours().as_chunks::<R>().0[..w.groups * of_group];
        let scales = &self.x.scales.as_chunks::<R>().0[..w.groups];
        for first in (0..w.groups).step_by(TURN) {
            turned.fill(w, strip, first);
            for g in first..w.groups.min(first + TURN) {
                read_ahead(strip.codes, w, g, Turned::<Words16, V>::OUTPUTS);
                expand_fours::<_, V, BITS>(turned.words(g), codes);
                let sums = Self::products(codes, &digits[g * of_group..][..of_group]);
                let (of_codes, biases) = turned.floats(g);
                for r in 0..R {
                    let [sx, x_sum] = scales[g][r];
                    for v in 0..V {
                        let n = v * LANES;
                        sums[r][v].combine(&of_codes[n..], &biases[n..], sx, x_sum, &mut totals[r][v]);
                    }
                }
            }
        }
        totals
    }

    /// `I` of one group.
    #[inline(always)]
    fn products(codes: &[[Words16; V]], digits: &[[[u32; 2]; R]]) -> [[Words16; V]; R] {
        let mut sums = [[[Words16::zero(); 2]; V]; R];
        for i in 0..codes.len().min(digits.len()) {
            for r in 0..R {
                for v in 0..V {
                    sums[r][v] = codes[i][v].add_fours(&digits[i][r], sums[r][v]);
                }
            }
        }
        let mut whole = [[Words16::zero(); V]; R];
        for r in 0..R {
            for v in 0..V {
                whole[r][v] = Words16::of_digits(sums[r][v]);
            }
        }
        whole
    }
}
