//! Random weights and activations, contexts, and the golden files.
#![allow(dead_code)]

use moire_base::{Bytes, Control, Dtype, Linear, Matrix, Vector};
use moire_kernels::{
    Ctx, Isa, Pool,
    attention::{KvPage, KvShape, PAGE},
};
use std::{
    path::PathBuf,
    sync::{Arc, LazyLock},
};

/// Every float dtype.
pub const FLOATS: [Dtype; 3] = [Dtype::F32, Dtype::F16, Dtype::Bf16];
/// Every legal affine geometry.
pub const GEOMETRIES: [(u32, usize); 18] = {
    let (bits, groups) = ([2, 3, 4, 5, 6, 8], [32, 64, 128]);
    let mut all = [(0, 0); 18];
    let mut i = 0;
    while i < 18 {
        all[i] = (bits[i / 3], groups[i % 3]);
        i += 1;
    }
    all
};

/// Pools of 1, 2, 3 and 5 threads.
pub static POOLS: LazyLock<Vec<Pool>> = LazyLock::new(|| [1, 2, 3, 5].map(|n| Pool::new(n).unwrap()).into());

static CONTROL: LazyLock<Control> = LazyLock::new(Control::default);

/// One thread, the fastest instruction set.
pub fn ctx(act: Dtype) -> Ctx<'static> {
    Ctx::new(&POOLS[0], Isa::detect(), act, &CONTROL)
}

/// Every pool with every instruction set.
pub fn all_ctx(act: Dtype) -> Vec<Ctx<'static>> {
    let pairs = Isa::available().into_iter().flat_map(|isa| POOLS.iter().map(move |pool| (isa, pool)));
    pairs.map(|(isa, pool)| Ctx::new(pool, isa, act, &CONTROL)).collect()
}

/// A small seeded generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In [-1, 1).
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
    /// `n` values of about `size`, rounded to `dtype`.
    pub fn values(&mut self, n: usize, size: f32, dtype: Dtype) -> Vec<f32> {
        (0..n).map(|_| dtype.round((self.unit() + self.unit() + self.unit()) * size)).collect()
    }
    /// A quantised matrix: every code as likely as another, half of the scales negative.
    pub fn affine(&mut self, rows: usize, cols: usize, bits: u32, group: usize, dtype: Dtype) -> Matrix {
        let codes: Vec<u8> = (0..rows * cols * bits as usize / 8).map(|_| self.bits() as u8).collect();
        let count = rows * cols / group;
        let scales = self.values(count, 2.0 / (1 << bits) as f32, dtype);
        let biases = self.values(count, 0.5, dtype);
        let (scales, biases) = (unaligned(&dtype.narrow(&scales)), unaligned(&dtype.narrow(&biases)));
        Matrix::Affine { rows, cols, bits, group, codes: unaligned(&codes), scales, biases, dtype }
    }
    /// A float matrix.
    pub fn float(&mut self, rows: usize, cols: usize, dtype: Dtype) -> Matrix {
        let data = dtype.narrow(&self.values(rows * cols, 0.5, dtype));
        Matrix::Float { rows, cols, dtype, data: unaligned(&data) }
    }
}

/// The bytes at an odd address.
pub fn unaligned(data: &[u8]) -> Bytes {
    let mut shifted = vec![0];
    shifted.extend_from_slice(data);
    let whole = Bytes::from(shifted);
    let odd = usize::from(whole.as_ptr() as usize % 2 == 0);
    if odd == 1 { whole.slice(1, data.len() + 1).unwrap() } else { Bytes::from(data.to_vec()) }
}

/// Pages of `keys` and `values`, `[positions, kv_heads, head_dim]`; what is behind them is NaN, which nobody may read.
pub fn pages(shape: KvShape, keys: &[f32], values: &[f32]) -> Vec<Arc<KvPage>> {
    let row = shape.kv_heads * shape.head_dim;
    let page = |(k, v): (&[f32], &[f32])| {
        let mut page = KvPage::new(shape).unwrap();
        let nothing = vec![f32::NAN; PAGE * row];
        page.write(0..PAGE, &nothing, &nothing);
        page.write(0..k.len() / row, k, v);
        Arc::new(page)
    };
    keys.chunks(PAGE * row).zip(values.chunks(PAGE * row)).map(page).collect()
}

/// A layer without bias.
pub fn linear(weight: Matrix) -> Linear {
    Linear { weight, bias: None, path: "test".into() }
}

/// Integer `k` of row `n`, straight from the definition of the bit stream.
pub fn code(codes: &[u8], cols: usize, bits: u32, n: usize, k: usize) -> u32 {
    let start = (n * cols + k) * bits as usize;
    (0..bits as usize).map(|i| u32::from(codes[(start + i) / 8] >> ((start + i) % 8) & 1) << i).sum()
}

/// Weight (n, k) in f64.
pub fn weight(matrix: &Matrix, n: usize, k: usize) -> f64 {
    match matrix {
        Matrix::Float { cols, dtype, data, .. } => f64::from(dtype.load(data, n * cols + k)),
        Matrix::Affine { cols, bits, group, codes, scales, biases, dtype, .. } => {
            let g = n * (cols / group) + k / group;
            let q = f64::from(code(codes, *cols, *bits, n, k));
            f64::from(dtype.load(scales, g)) * q + f64::from(dtype.load(biases, g))
        }
    }
}

/// Bit patterns, for comparisons to the byte.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Root mean square of the difference over that of the reference.
pub fn relative(got: &[f32], want: &[f64]) -> f64 {
    let square = |v: f64| v * v;
    let error: f64 = got.iter().zip(want).map(|(g, w)| square(f64::from(*g) - w)).sum();
    let size: f64 = want.iter().map(|w| square(*w)).sum();
    (error / size.max(f64::MIN_POSITIVE)).sqrt()
}

/// A golden file, whole.
pub fn golden(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../test/fixtures/goldens").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Float tensor of a golden file.
pub fn tensor(file: &safetensors::SafeTensors, name: &str) -> Vector {
    let view = file.tensor(name).unwrap_or_else(|e| panic!("{name}: {e}"));
    let dtype = match view.dtype() {
        safetensors::Dtype::F32 => Dtype::F32,
        safetensors::Dtype::F16 => Dtype::F16,
        safetensors::Dtype::BF16 => Dtype::Bf16,
        other => panic!("{name} is {other:?}"),
    };
    Vector { dtype, data: Bytes::from(view.data().to_vec()) }
}
