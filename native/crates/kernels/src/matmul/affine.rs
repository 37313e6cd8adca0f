//! A view of MLX affine weights: packed codes, scales, biases.

use crate::{ctx::expect_len, simd::Lanes};
use moire_base::{Dtype, Matrix};

/// The slices of a quantised matrix, lengths checked.
#[derive(Clone, Copy)]
pub struct Affine<'a> {
    pub cols: usize,
    pub bits: usize,
    pub group: usize,
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
        Some(Self { cols, bits: *bits as usize, group, codes, scales, biases, dtype: *dtype })
    }

    /// Groups of a row.
    pub fn groups(&self) -> usize {
        self.cols / self.group
    }

    /// Scale of output `n`, group `g`.
    #[inline(always)]
    pub fn scale(&self, n: usize, g: usize) -> f32 {
        self.dtype.load(self.scales, n * self.groups() + g)
    }

    /// Bias of output `n`, group `g`.
    #[inline(always)]
    pub fn bias(&self, n: usize, g: usize) -> f32 {
        self.dtype.load(self.biases, n * self.groups() + g)
    }

    /// Packed codes of output `n`, group `g`.
    #[inline(always)]
    pub fn codes(&self, n: usize, g: usize) -> &'a [u8] {
        let bytes = self.group * self.bits / 8;
        let start = (n * self.groups() + g) * bytes;
        &self.codes[start..start + bytes]
    }

    /// Eight weights of output `n` from input `k` (a multiple of 8), dequantised in `act`: product and sum each rounded.
    #[inline(always)]
    pub fn eight<L: Lanes, const BITS: usize>(&self, n: usize, k: usize, act: Dtype) -> L {
        let (g, within) = (k / self.group, k % self.group);
        let q = L::codes::<BITS>(&self.codes(n, g)[within / 8 * BITS..]);
        let product = (L::splat(self.scale(n, g)) * q).round_to(act);
        (product + L::splat(self.bias(n, g))).round_to(act)
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
