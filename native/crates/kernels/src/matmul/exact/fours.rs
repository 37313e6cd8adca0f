//! Activations in the order of codes four by four, as two digits of a byte each: what the kernels of AVX-512 and AMX read.

use super::format::{FOURS, four};
use crate::simd::{
    TILE_ROWS, TileRow, UNIT,
    avx512::{self, Avx512Kernel},
    avx512_digits::Order,
};

/// `[rows, cols]` to `[cols / 4, height, 2]`, zeros beyond the rows: four low digits, then four high ones.
pub fn fours(values: &[i16], cols: usize, height: usize, bits: usize) -> Vec<[u32; 2]> {
    let mut out = vec![[0; 2]; cols / 4 * height];
    avx512::run(Units {
        values,
        cols,
        order: order(bits),
        put: |row, unit, [low, high]: [[u32; FOURS]; 2]| {
            for word in 0..FOURS {
                out[(unit * FOURS + word) * height + row] = [low[word], high[word]];
            }
        },
    });
    out
}

/// `[rows, cols]` to `[groups, tiles, 2, 16]`, zeros beyond the rows and beyond the group: a tile of low digits, one of high ones.
pub fn tiles(values: &[i16], cols: usize, group: usize, bits: usize) -> Vec<TileRow> {
    let (of_tile, of_group) = (2 * UNIT, group.div_ceil(2 * UNIT));
    let mut out = vec![TileRow([0; 2 * UNIT]); cols / group * of_group * 2 * TILE_ROWS];
    avx512::run(Units {
        values,
        cols,
        order: order(bits),
        put: |row, unit, digits: [[u32; FOURS]; 2]| {
            let (g, at) = (unit * UNIT / group, unit * UNIT % group);
            let tile = (g * of_group + at / of_tile) * 2 * TILE_ROWS;
            for (digit, words) in digits.into_iter().enumerate() {
                let line: &mut TileRow = &mut out[tile + digit * TILE_ROWS + row];
                line.0[at % of_tile..][..UNIT].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
            }
        },
    });
    out
}

/// For 2, 4 and 8 bits the codes of a word lie in one half of a unit, else eight apart.
fn order(bits: usize) -> Order {
    Order::new(std::array::from_fn(|i| four(bits, i / 4, i % 4)), !matches!(bits, 2 | 4 | 8))
}

/// Every unit of every row: `put(row, unit, digits)`.
struct Units<'a, F> {
    values: &'a [i16],
    cols: usize,
    order: Order,
    put: F,
}

impl<F: FnMut(usize, usize, [[u32; FOURS]; 2])> Avx512Kernel for Units<'_, F> {
    type Out = ();

    #[inline(always)]
    fn run(mut self) {
        for (row, values) in self.values.chunks_exact(self.cols).enumerate() {
            for (unit, values) in values.as_chunks::<UNIT>().0.iter().enumerate() {
                (self.put)(row, unit, self.order.digits(values));
            }
        }
    }
}
