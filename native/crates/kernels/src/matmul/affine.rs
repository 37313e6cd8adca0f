//! A view of MLX affine weights: packed codes, scales, biases.

use crate::{ctx::expect_len, simd::Lanes};
use moire_base::{Dtype, Matrix};

/// The slices of a quantised matrix, lengths checked.
#[derive(Clone, Copy)]
pub struct Affine<'a> {
    pub cols: usize,
    pub bits: usize,
    pub group: usize,
    /// Groups of a row.
    pub groups: usize,
    group_bytes: usize,
    codes: &'a [u8],
    scales: &'a [u8],
    biases: &'a [u8],
    dtype: Dtype,
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
        let group_bytes = group * bits / 8;
        Some(Self { cols, bits, group, groups, group_bytes, codes, scales, biases, dtype: *dtype })
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
        let start = (n * self.groups + g) * self.group_bytes;
        &self.codes[start..start + self.group_bytes]
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
    ($bits:expr, $call:ident :: <$lanes:ident>($($arg:expr),*)) => {
        match $bits {
            2 => $call::<$lanes, 2>($($arg),*),
            3 => $call::<$lanes, 3>($($arg),*),
            4 => $call::<$lanes, 4>($($arg),*),
            5 => $call::<$lanes, 5>($($arg),*),
            6 => $call::<$lanes, 6>($($arg),*),
            _ => $call::<$lanes, 8>($($arg),*),
        }
    };
}
pub(crate) use with_bits;
