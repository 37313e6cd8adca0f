//! Keys and values of an attention layer.

use crate::Tensor;
use moire_base::Dtype;
use moire_kernels::attention::KvView;

/// Positions by which a cache grows at least.
const STEP: usize = 256;

/// One cache per batch row. It knows no length: the session's position says how much of it counts.
#[derive(Clone)]
pub struct KvCache {
    kv_heads: usize,
    head_dim: usize,
    dtype: Dtype,
    rows: Vec<Kv>,
}

/// `[kv_heads, capacity, head_dim]` each.
#[derive(Clone, Default)]
struct Kv {
    keys: Vec<f32>,
    values: Vec<f32>,
    capacity: usize,
}

impl KvCache {
    /// Empty caches for `batch` rows.
    pub fn new(batch: usize, kv_heads: usize, head_dim: usize, dtype: Dtype) -> Self {
        Self { kv_heads, head_dim, dtype, rows: vec![Kv::default(); batch] }
    }

    /// Put `k` and `v`, `[width, kv_heads, head_dim]`, at positions `start ..` of a batch row.
    pub fn write(&mut self, row: usize, start: usize, k: &[f32], v: &[f32], dtype: Dtype) {
        let (heads, hd) = (self.kv_heads, self.head_dim);
        self.dtype = dtype;
        let kv = &mut self.rows[row];
        kv.reserve(heads, hd, start + k.len() / (heads * hd));
        for (source, target) in [(k, &mut kv.keys), (v, &mut kv.values)] {
            for (i, head) in source.chunks_exact(hd).enumerate() {
                let at = (i % heads * kv.capacity + start + i / heads) * hd;
                target[at..at + hd].copy_from_slice(head);
            }
        }
    }

    /// The first `len` positions of a batch row.
    pub fn view(&self, row: usize, len: usize) -> KvView<'_> {
        let kv = &self.rows[row];
        KvView {
            keys: &kv.keys,
            values: &kv.values,
            kv_heads: self.kv_heads,
            capacity: kv.capacity,
            len,
            head_dim: self.head_dim,
        }
    }

    /// `k` and `v`, `[batch, kv_heads, longest position, head_dim]`.
    pub fn tensors(&self, position: &[usize]) -> [(&'static str, Tensor); 2] {
        let longest = position.iter().copied().max().unwrap_or(0);
        let shape = vec![self.rows.len(), self.kv_heads, longest, self.head_dim];
        let tensor = |side: fn(&Kv) -> &[f32]| {
            let mut values = Vec::with_capacity(shape.iter().product());
            for (kv, len) in self.rows.iter().zip(position) {
                for head in 0..self.kv_heads {
                    let at = head * kv.capacity * self.head_dim;
                    values.extend_from_slice(&side(kv)[at..at + len * self.head_dim]);
                    values.resize(values.len() + (longest - len) * self.head_dim, 0.0);
                }
            }
            Tensor::from_f32(self.dtype, shape.clone(), &values)
        };
        [("k", tensor(|kv| &kv.keys)), ("v", tensor(|kv| &kv.values))]
    }
}

impl Kv {
    /// Room for `len` positions; what is there stays.
    fn reserve(&mut self, heads: usize, hd: usize, len: usize) {
        if len <= self.capacity {
            return;
        }
        let capacity = len.max(self.capacity * 2).next_multiple_of(STEP);
        let old = self.capacity * hd;
        for side in [&mut self.keys, &mut self.values] {
            let mut grown = vec![0.0; heads * capacity * hd];
            for head in 0..heads {
                grown[head * capacity * hd..][..old].copy_from_slice(&side[head * old..][..old]);
            }
            *side = grown;
        }
        self.capacity = capacity;
    }
}
