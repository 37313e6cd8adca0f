//! In which order the integers of a block of rows lie: as the kernel that will read them takes them.

#[cfg(target_arch = "x86_64")]
use super::fours::{fours, tiles};
use super::{
    FEW,
    few::{PART, height},
    format::{PAIRS, pair},
};
#[cfg(target_arch = "x86_64")]
use crate::simd::{TILE_ROWS, TileRow};
use crate::{
    Isa,
    simd::{Codes, CodesKernel, LANES, Line, UNIT, VECTORS, code_of, digit_of, dispatch_codes},
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
    /// `[cols / 4, height, 2]`, zeros beyond the rows: four low digits, then four high ones, `value = 256 · high + low`, in the order of codes four by four.
    #[cfg(target_arch = "x86_64")]
    Fours(Vec<[u32; 2]>),
    /// `[groups, tiles, 2, 16]`, zeros beyond the rows and beyond the group: digits, `value = 256 · second + first`, in the order of codes four by four.
    #[cfg(target_arch = "x86_64")]
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
    /// Those of [`Values::Fours`], else none.
    #[cfg(target_arch = "x86_64")]
    pub fn fours(&self) -> &[[u32; 2]] {
        if let Self::Fours(fours) = self { fours } else { &[] }
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
    Lines {
        bits: usize,
        copies: usize,
        digits: bool,
    },
    Pairs {
        bits: usize,
    },
    #[cfg(target_arch = "x86_64")]
    Fours {
        bits: usize,
    },
    #[cfg(target_arch = "x86_64")]
    Digits {
        bits: usize,
    },
}

impl Form {
    /// What the kernel for `rows` rows reads.
    pub fn of(isa: Isa, rows: usize, bits: usize) -> Self {
        match dispatch_codes(isa, bits, Shape) {
            None => Self::Plain,
            #[cfg(target_arch = "x86_64")]
            Some(_) if takes_fours(isa, rows, bits) => Self::Fours { bits },
            Some((copies, digits)) if rows <= FEW => Self::Lines { bits, copies, digits },
            #[cfg(target_arch = "x86_64")]
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
            #[cfg(target_arch = "x86_64")]
            Self::Fours { .. } => FEW,
            #[cfg(target_arch = "x86_64")]
            Self::Digits { .. } => TILE_ROWS,
        }
    }

    /// Rows that a block of `rows` is computed as.
    pub fn height(self, rows: usize) -> usize {
        if rows <= FEW && self.block_rows() == FEW { height(rows) } else { rows }
    }

    /// `values[rows, cols]` of groups of `group`, laid out.
    pub fn lay_out(self, values: Vec<i16>, cols: usize, group: usize) -> Values {
        let rows = values.len() / cols;
        match self {
            Self::Plain => Values::Plain(values),
            Self::Lines { bits, copies, digits } => {
                Values::Lines(lines(&values, (self.height(rows), cols, group), bits, copies, digits))
            }
            #[cfg(target_arch = "x86_64")]
            Self::Fours { bits } => Values::Fours(fours(&values, cols, self.height(rows), bits)),
            Self::Pairs { bits } => Values::Pairs(pairs(&values, cols, bits)),
            #[cfg(target_arch = "x86_64")]
            Self::Digits { bits } => Values::Digits(tiles(&values, cols, group, bits)),
        }
    }
}

/// Whether so many rows take codes four by four. One row does not: turning the codes costs it more than it saves. As signed bytes, codes of eight bits would be negative.
#[cfg(target_arch = "x86_64")]
pub fn takes_fours(isa: Isa, rows: usize, bits: usize) -> bool {
    matches!(isa, Isa::Avx512 | Isa::Amx) && (2..=FEW).contains(&rows) && bits < 8
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
