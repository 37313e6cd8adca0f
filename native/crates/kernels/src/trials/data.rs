//! Numbers without a pattern that a kernel's tiling could share.

use moire_base::{Bytes, Dtype, Matrix};

pub fn noise(n: usize, seed: u32) -> impl Iterator<Item = u32> {
    let start = seed.wrapping_mul(0x9e37_79b9);
    (0..n as u32).map(move |i| {
        let x = (i ^ start).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b);
        (x ^ (x >> 15)).wrapping_mul(0xc2b2_ae35)
    })
}

/// bf16 values in `[-size, size)`.
pub fn values(n: usize, seed: u32, size: f32) -> Vec<f32> {
    noise(n, seed).map(|bits| Dtype::Bf16.round((bits as f32 / 2f32.powi(31) - 1.0) * size)).collect()
}

pub fn float(rows: usize, cols: usize, dtype: Dtype) -> Matrix {
    let data = dtype.narrow(&values(rows * cols, 1, 1.0)).into();
    Matrix::Float { rows, cols, dtype, data }
}

pub fn affine(rows: usize, cols: usize, bits: u32, group: usize) -> Matrix {
    let dtype = Dtype::Bf16;
    let count = rows * cols / group;
    let per_group = |seed, size| -> Bytes { dtype.narrow(&values(count, seed, size)).into() };
    let codes: Vec<u8> = noise(rows * cols * bits as usize / 8, 2).map(|bits| (bits >> 24) as u8).collect();
    let (scales, biases) = (per_group(3, 2.0 / (1 << bits) as f32), per_group(4, 0.5));
    Matrix::Affine { rows, cols, bits, group, codes: codes.into(), scales, biases, dtype }
}
