//! A view of MLX affine weights: packed codes, scales, biases.

use crate::{ctx::expect_len, simd::Lanes};
use moire_base::{Dtype, Matrix};

/// The slices of a quantised matrix, lengths checked.
#[derive(Clone, Copy)]
pub struct Affine<'a> {
    pub rows: usize,
    pub cols: usize,
    pub bits: usize,
    pub group: usize,
    /// Groups of a row.
    pub groups: usize,
    codes: &'a [u8],
    /// `[rows, groups]` of `dtype`.
    pub scales: &'a [u8],
    /// `[rows, groups]` of `dtype`.
    pub biases: &'a [u8],
    /// Of scales and biases.
    pub dtype: Dtype,
}

impl<'a> Affine<'a> {
    /// `None` for float weights.
    pub fn new(matrix: &'a Matrix) -> Option<Self> {
        let Matrix::Affine { rows, cols, bits, group, codes, scales, biases, dtype } = matrix else {
            return None;
        };
        let (rows, cols, group) = (*rows, *cols, *group);
        assert!(matches!(bits, 2..=6 | 8), "{bits}-bit weights");
        assert!(matches!(group, 32 | 64 | 128) && cols % group == 0, "group {group} for {cols} input features");
        expect_len("codes", codes.len(), rows * cols * *bits as usize / 8);
        expect_len("scales", scales.len(), rows * (cols / group) * dtype.size());
        expect_len("biases", biases.len(), scales.len());
        let (bits, groups) = (*bits as usize, cols / group);
        Some(Self { rows, cols, bits, group, groups, codes, scales, biases, dtype: *dtype })
    }

    /// The same weights, for a compiler that is to know their format.
    #[inline(always)]
    pub fn of_format<const BITS: usize, const GROUP: usize>(self) -> Self {
        assert!((self.bits, self.group) == (BITS, GROUP), "{} bits, group {}", self.bits, self.group);
        Self { bits: BITS, group: GROUP, ..self }
    }

    /// Scale of output `n`, group `g`.
    #[inline(always)]
    pub fn scale(&self, n: usize, g: usize) -> f32 {
        self.dtype.load(self.scales, n * self.groups + g)
    }

    /// Bias of output `n`, group `g`.
    #[inline(always)]
    pub fn bias(&self, n: usize, g: usize) -> f32 {
        self.dtype.load(self.biases, n * self.groups + g)
    }

    /// Packed codes of output `n`, group `g`.
    #[inline(always)]
    pub fn codes(&self, n: usize, g: usize) -> &'a [u8] {
        let start = (n * self.groups + g) * self.group_bytes();
        &self.codes[start..start + self.group_bytes()]
    }

    /// Code of output `n`, input `k`: `bits` bits of a little-endian bit stream.
    #[inline(always)]
    pub fn code(&self, n: usize, k: usize) -> i16 {
        let bit = k * self.bits;
        let row = &self.codes[n * self.row_bytes()..][..self.row_bytes()];
        let high = row.get(bit / 8 + 1).copied().unwrap_or(0);
        let pair = u16::from_le_bytes([row[bit / 8], high]);
        (pair >> (bit % 8) & ((1 << self.bits) - 1)) as i16
    }

    /// The outputs from `n` on.
    pub fn skip(self, n: usize) -> Self {
        let floats = n * self.groups * self.dtype.size();
        let (codes, scales, biases) =
            (&self.codes[n * self.row_bytes()..], &self.scales[floats..], &self.biases[floats..]);
        Self { rows: self.rows - n, codes, scales, biases, ..self }
    }

    /// Bytes of an output's codes.
    #[inline(always)]
    pub fn row_bytes(&self) -> usize {
        self.groups * self.group_bytes()
    }

    /// Bytes of a group's codes.
    #[inline(always)]
    pub fn group_bytes(&self) -> usize {
        self.group * self.bits / 8
    }

    /// Packed codes from output `n`, group `g` to the end of the matrix.
    #[inline(always)]
    pub fn stream(&self, n: usize, g: usize) -> &'a [u8] {
        &self.codes[(n * self.groups + g) * self.group_bytes()..]
    }

    /// How a group is dequantised in `act`.
    #[inline(always)]
    pub fn dequantiser<L: Lanes>(&self, n: usize, g: usize, act: Dtype) -> Dequantiser<'a, L> {
        let (scale, bias) = (L::splat(self.scale(n, g)), L::splat(self.bias(n, g)));
        Dequantiser { codes: self.codes(n, g), scale, bias, act }
    }
}

/// One group of one output.
#[derive(Clone, Copy)]
pub struct Dequantiser<'a, L> {
    codes: &'a [u8],
    scale: L,
    bias: L,
    act: Dtype,
}

impl<L: Lanes> Dequantiser<'_, L> {
    /// Weights `8 i .. 8 i + 8` of the group: product and sum each rounded.
    #[inline(always)]
    pub fn eight<const BITS: usize>(&self, i: usize) -> L {
        let product = (self.scale * L::codes::<BITS>(&self.codes[i * BITS..])).round_to(self.act);
        (product + self.bias).round_to(self.act)
    }
}

/// Calls a function with the bit width as a constant.
macro_rules! with_bits {
    ($bits:expr, $call:ident($($arg:expr),*)) => {
        match $bits {
            2 => $call::<2>($($arg),*),
            3 => $call::<3>($($arg),*),
            4 => $call::<4>($($arg),*),
            5 => $call::<5>($($arg),*),
            6 => $call::<6>($($arg),*),
            _ => $call::<8>($($arg),*),
        }
    };
    ($bits:expr, $call:ident :: <$($lanes:ident),+>($($arg:expr),*)) => {
        match $bits {
            2 => $call::<$($lanes),+, 2>($($arg),*),
            3 => $call::<$($lanes),+, 3>($($arg),*),
            4 => $call::<$($lanes),+, 4>($($arg),*),
            5 => $call::<$($lanes),+, 5>($($arg),*),
            6 => $call::<$($lanes),+, 6>($($arg),*),
            _ => $call::<$($lanes),+, 8>($($arg),*),
        }
    };
}
pub(crate) use with_bits;
