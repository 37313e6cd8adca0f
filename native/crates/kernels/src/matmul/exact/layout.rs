//! In which order the integers of a block of rows lie: as the kernel that will read them takes them.

use super::{
    FEW,
    few::{PART, height},
    format::{PAIRS, four, pair},
};
use crate::{
    Isa,
    simd::{Codes, CodesKernel, LANES, Line, TILE_ROWS, TileRow, UNIT, VECTORS, code_of, digit_of, dispatch_codes},
};

/// The integers of a block of rows.
pub enum Values {
    /// `[rows, cols]`.
    Plain(Vec<i16>),
    /// `[groups, parts, height, units, copies]`, zeros beyond the rows: in the order in which codes come out of their bytes. A part is [`PART`] units, or the one
    /// that a group has.
    Lines(Vec<Line>),
    /// `[cols / 2, rows]`: two by two, in the order in which codes come out of turned words.
    Pairs(Vec<i32>),
    /// `[groups, tiles, 2, 16]`, zeros beyond the rows and beyond the group: digits, `value = 256 · second + first`, in the order of codes four by four.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // AMX is there alone.
    Digits(Vec<TileRow>),
}

impl Values {
    /// Those of [`Values::Plain`], else none.
    pub fn plain(&self) -> &[i16] {
        if let Self::Plain(values) = self { values } else { &[] }
    }
    /// Those of [`Values::Lines`], else none.
    pub fn lines(&self) -> &[Line] {
        if let Self::Lines(lines) = self { lines } else { &[] }
    }
    /// Those of [`Values::Pairs`], else none.
    pub fn pairs(&self) -> &[i32] {
        if let Self::Pairs(pairs) = self { pairs } else { &[] }
    }
    /// Those of [`Values::Digits`], else none.
    #[cfg(target_arch = "x86_64")]
    pub fn digits(&self) -> &[TileRow] {
        if let Self::Digits(digits) = self { digits } else { &[] }
    }
}

/// Which of the [`Values`], for weights of so many bits.
#[derive(Clone, Copy)]
pub enum Form {
    Plain,
    Lines { bits: usize, copies: usize, digits: bool },
    Pairs { bits: usize },
    Digits { bits: usize },
}

impl Form {
    /// What the kernel for `rows` rows reads.
    pub fn of(isa: Isa, rows: usize, bits: usize) -> Self {
        match dispatch_codes(isa, bits, Shape) {
            None => Self::Plain,
            Some((copies, digits)) if rows <= FEW => Self::Lines { bits, copies, digits },
            Some(_) if isa == Isa::Amx => Self::Digits { bits },
            Some(_) => Self::Pairs { bits },
        }
    }

    /// Rows of a block at most.
    pub fn block_rows(self) -> usize {
        match self {
            // Their sums stay in registers together.
            Self::Plain | Self::Pairs { .. } => 6,
            Self::Lines { .. } => FEW,
            Self::Digits { .. } => TILE_ROWS,
        }
    }

    /// `values[rows, cols]` of groups of `group`, laid out.
    pub fn lay_out(self, values: Vec<i16>, cols: usize, group: usize) -> Values {
        let rows = values.len() / cols;
        match self {
            Self::Plain => Values::Plain(values),
            Self::Lines { bits, copies, digits } => {
                Values::Lines(lines(&values, (height(rows), cols, group), bits, copies, digits))
            }
            Self::Pairs { bits } => Values::Pairs(pairs(&values, cols, bits)),
            Self::Digits { bits } => Values::Digits(digits(&values, cols, group, bits)),
        }
    }
}

/// How often vectors of codes need every activation, and whether as digits.
struct Shape;

impl CodesKernel for Shape {
    type Out = (usize, bool);

    #[inline(always)]
    fn run<C: Codes>(self) -> (usize, bool) {
        (C::OUTPUTS, C::DIGITS)
    }
}

/// `[rows, cols]` to lines.
fn lines(
    values: &[i16],
    (height, cols, group): (usize, usize, usize),
    bits: usize,
    copies: usize,
    digits: bool,
) -> Vec<Line> {
    let part = group.min(PART * UNIT);
    let mut lines = vec![Line([0; UNIT]); height * cols / UNIT * copies];
    let (parts, per_row) = (cols / part, part / UNIT * copies);
    for (row, values) in values.chunks_exact(cols).enumerate() {
        for (p, values) in (0..parts).zip(values.chunks_exact(part)) {
            let lines = &mut lines[(p * height + row) * per_row..][..per_row];
            for (values, lines) in values.as_chunks::<UNIT>().0.iter().zip(lines.chunks_exact_mut(copies)) {
                if digits { as_digits(values, bits, &mut lines[0]) } else { in_order(values, bits, lines) }
            }
        }
    }
    lines
}

/// A unit in the order of its codes, every eight values `lines.len()` times.
#[inline(always)]
fn in_order(values: &[i16; UNIT], bits: usize, lines: &mut [Line]) {
    let copies = lines.len();
    for v in 0..VECTORS {
        let mut eight = [0; LANES];
        for (i, value) in eight.iter_mut().enumerate() {
            *value = values[code_of(bits, v, i)];
        }
        for at in v * copies..(v + 1) * copies {
            lines[at / VECTORS].0[at % VECTORS * LANES..][..LANES].copy_from_slice(&eight);
        }
    }
}

/// A unit as digits: the low ones, then the high ones.
#[inline(always)]
fn as_digits(values: &[i16; UNIT], bits: usize, line: &mut Line) {
    let mut bytes = [0; 2 * UNIT];
    for i in 0..UNIT {
        [bytes[i], bytes[UNIT + i]] = values[digit_of(bits, i)].to_le_bytes();
    }
    for (to, from) in line.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
        *to = i16::from_ne_bytes(*from);
    }
}

/// `[rows, cols]` to pairs.
#[inline(always)]
fn pairs(values: &[i16], cols: usize, bits: usize) -> Vec<i32> {
    let rows = values.len() / cols;
    let order: [(usize, usize); PAIRS] = std::array::from_fn(|p| pair(bits, p));
    let mut out = vec![0; values.len() / 2];
    for (row, values) in values.chunks_exact(cols).enumerate() {
        for (codes, out) in values.as_chunks::<UNIT>().0.iter().zip(out.chunks_exact_mut(PAIRS * rows)) {
            for (out, (low, high)) in out.chunks_exact_mut(rows).zip(order) {
                out[row] = i32::from(codes[low]) & 0xffff | i32::from(codes[high]) << 16;
            }
        }
    }
    out
}

/// `[rows, cols]` to digits.
fn digits(values: &[i16], cols: usize, group: usize, bits: usize) -> Vec<TileRow> {
    let of_tile = 2 * UNIT;
    let tiles = group.div_ceil(of_tile);
    let mut out = vec![TileRow([0; 2 * UNIT]); cols / group * tiles * 2 * TILE_ROWS];
    for (row, values) in values.chunks_exact(cols).enumerate() {
        for (g, values) in values.chunks_exact(group).enumerate() {
            for (unit, values) in values.as_chunks::<UNIT>().0.iter().enumerate() {
                let tile = (g * tiles + unit * UNIT / of_tile) * 2 * TILE_ROWS;
                for at in 0..UNIT {
                    let value = values[four(bits, at / 4, at % 4)];
                    let byte = unit % 2 * UNIT + at;
                    [out[tile + row].0[byte], out[tile + TILE_ROWS + row].0[byte]] = value.to_le_bytes();
                }
            }
        }
    }
    out
}
