//! Few rows: eight outputs at a time. A vector holds neighbouring codes of some of them, and the activations of every row are multiplied with it from memory.
//!
//! Loops run over indices: they unroll and keep their vectors in registers, and no iterator's closure can fall out of the instruction set.
#![allow(clippy::needless_range_loop)]

use super::{
    Tiles,
    integers::Integers,
    strip::{Strip, Strips, TURN, read_ahead},
};
use crate::{
    Isa,
    matmul::affine::Affine,
    simd::{Codes, CodesKernel, Eight, LANES, Lanes, Line, Real, UNIT, VECTORS, dispatch_codes},
};
use std::hint::black_box;

/// Outputs of a strip.
const OUTPUTS: usize = LANES;
/// Units of codes that stay in registers.
pub const PART: usize = 2;

/// Rows that `rows` few rows are computed as: there are functions for these.
pub const fn height(rows: usize) -> usize {
    match rows {
        0..=4 => rows,
        5 | 6 => 6,
        _ => 8,
    }
}

/// All outputs for few rows. A function of its own for every format and height, so that a compiler has no large one to chew on.
pub fn few<const BITS: usize>(isa: Isa, tiles: Tiles, x: &Integers) {
    match tiles.weights.group {
        32 => by_height::<BITS, 32, 1>(isa, tiles, x),
        64 => by_height::<BITS, 64, PART>(isa, tiles, x),
        _ => by_height::<BITS, 128, PART>(isa, tiles, x),
    }
}

fn by_height<const BITS: usize, const GROUP: usize, const UNITS: usize>(isa: Isa, tiles: Tiles, x: &Integers) {
    match height(x.rows) {
        1 => dispatch_codes(isa, BITS, Few::<BITS, GROUP, UNITS, 1> { tiles, x }),
        2 => dispatch_codes(isa, BITS, Few::<BITS, GROUP, UNITS, 2> { tiles, x }),
        3 => dispatch_codes(isa, BITS, Few::<BITS, GROUP, UNITS, 3> { tiles, x }),
        4 => dispatch_codes(isa, BITS, Few::<BITS, GROUP, UNITS, 4> { tiles, x }),
        6 => dispatch_codes(isa, BITS, Few::<BITS, GROUP, UNITS, 6> { tiles, x }),
        _ => dispatch_codes(isa, BITS, Few::<BITS, GROUP, UNITS, 8> { tiles, x }),
    };
}

struct Few<'a, 'b, 'c, const BITS: usize, const GROUP: usize, const UNITS: usize, const R: usize> {
    tiles: Tiles<'a, 'b, 'c>,
    x: &'a Integers,
}

/// Scales or biases of some groups, an output a lane.
type Floats = [f32; OUTPUTS * TURN];

impl<const BITS: usize, const GROUP: usize, const UNITS: usize, const R: usize> CodesKernel
    for Few<'_, '_, '_, BITS, GROUP, UNITS, R>
{
    type Out = ();

    #[inline(always)]
    fn run<C: Codes>(mut self) {
        let w = self.tiles.weights.of_format::<BITS, GROUP>();
        let (mut strips, mut floats) = (Strips::new(w, OUTPUTS), [[0.0; OUTPUTS * TURN]; 2]);
        for n in self.tiles.outputs.clone().step_by(OUTPUTS) {
            let totals = self.groups::<C>(&w, strips.at(n), &mut floats);
            for (r, totals) in totals[..self.x.rows].iter().enumerate() {
                self.tiles.put(self.x.first + r, n, totals);
            }
        }
    }
}

impl<const BITS: usize, const GROUP: usize, const UNITS: usize, const R: usize> Few<'_, '_, '_, BITS, GROUP, UNITS, R> {
    /// All groups of a strip; its totals, row by row.
    #[inline(always)]
    fn groups<C: Codes>(&self, w: &Affine, strip: Strip, floats: &mut [Floats; 2]) -> [[f32; OUTPUTS]; R] {
        let mut totals = [[0.0; OUTPUTS]; R];
        let mut sums = [[C::zero(); OUTPUTS]; R];
        let (codes, scales) = (strip.codes, &self.x.scales.as_chunks::<R>().0[..w.groups]);
        let of_group = R * GROUP / UNIT * C::OUTPUTS;
        let lines = &self.x.values.lines()[..w.groups * of_group];
        for first in (0..w.groups).step_by(TURN) {
            let [scales_of, biases_of] = floats;
            strip.turn::<C::Floats>(w, first, OUTPUTS, scales_of, biases_of);
            for g in first..w.groups.min(first + TURN) {
                read_ahead(codes, w, g, OUTPUTS);
                Self::products::<C>(w, codes, g, &lines[g * of_group..][..of_group], &mut sums);
                combine::<C, R>(&sums, floats, g - first, &scales[g], &mut totals);
            }
        }
        totals
    }

    /// `I` of eight outputs and all rows for group `g`, to `[row][8 / C::OUTPUTS]`.
    #[inline(always)]
    fn products<C: Codes>(w: &Affine, codes: &[u8], g: usize, lines: &[Line], sums: &mut [[C::Sums; OUTPUTS]; R]) {
        let of_row = UNITS * C::OUTPUTS;
        let codes = Eight::new::<BITS>(codes, g * w.group_bytes(), w.row_bytes(), GROUP / UNIT);
        for part in 0..GROUP / UNIT / UNITS {
            let lines = &lines[part * R * of_row..][..R * of_row];
            for v in 0..OUTPUTS / C::OUTPUTS {
                let mut q = [C::unpack::<BITS>(&codes, v, part * UNITS); UNITS];
                for u in 1..UNITS {
                    q[u] = C::unpack::<BITS>(&codes, v, part * UNITS + u);
                }
                // A compiler that sees that the next vector needs the same lines copies them all.
                let lines = if R > 1 { &black_box(lines)[..R * of_row] } else { lines };
                for r in 0..R {
                    let x = &lines[r * of_row..][..of_row];
                    let mut sum = if part == 0 { C::zero() } else { sums[r][v] };
                    for u in 0..UNITS {
                        for i in 0..VECTORS {
                            sum = q[u][i].add_products(C::load(x, u * VECTORS + i), sum);
                        }
                    }
                    sums[r][v] = sum;
                }
            }
        }
    }
}

/// Step 3 of the definition: group `g` of the turn, eight outputs.
#[inline(always)]
fn combine<C: Codes, const R: usize>(
    sums: &[[C::Sums; OUTPUTS]; R],
    [scales, biases]: &[Floats; 2],
    g: usize,
    x: &[[f32; 2]; R],
    totals: &mut [[f32; OUTPUTS]; R],
) {
    let (scales, biases) = (C::Floats::load(&scales[g * OUTPUTS..]), C::Floats::load(&biases[g * OUTPUTS..]));
    for r in 0..R {
        let [sx, x_sum] = x[r];
        let weighted = (scales * C::Floats::splat(sx)).fma(C::totals(&sums[r]), C::Floats::load(&totals[r]));
        biases.fma(C::Floats::splat(x_sum), weighted).store(&mut totals[r]);
    }
}
