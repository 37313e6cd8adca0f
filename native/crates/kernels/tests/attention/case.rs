//! One sequence under attention, and its value in f64.

use crate::common::{Rng, pages};
use moire_base::Dtype;
use moire_kernels::{
    Ctx,
    attention::{AttentionForm, AttentionSpec, KvPage, KvShape, KvView, Mask, attention},
};
use std::sync::Arc;

pub const FORMS: [AttentionForm; 3] = [AttentionForm::PerPosition, AttentionForm::Batched, AttentionForm::Exact];

/// A cache of some positions and a call of `rows` rows at its end.
#[derive(Clone, Debug)]
pub struct Case {
    pub heads: usize,
    pub shape: KvShape,
    pub rows: usize,
    pub mask: Mask,
    pub q: Vec<f32>,
    /// `[positions, kv_heads, head_dim]`.
    pub keys: Vec<f32>,
    pub values: Vec<f32>,
    pages: Vec<Arc<KvPage>>,
}

impl Case {
    pub fn new(
        seed: u64,
        (kv_heads, group, head_dim): (usize, usize, usize),
        past: usize,
        rows: usize,
        mask: Mask,
        dtype: Dtype,
    ) -> Self {
        let mut rng = Rng(seed);
        let heads = kv_heads * group;
        let shape = KvShape { kv_heads, head_dim, keys: dtype, values: dtype };
        let mut cache = |size| rng.values((past + rows) * kv_heads * head_dim, size, dtype);
        let (keys, values) = (cache(1.5), cache(1.0));
        let q = rng.values(rows * heads * head_dim, 1.5, Dtype::Bf16);
        let pages = pages(shape, &keys, &values);
        Self { heads, shape, rows, mask, q, keys, values, pages }
    }

    /// Positions in the cache.
    pub fn len(&self) -> usize {
        self.keys.len() / (self.shape.kv_heads * self.shape.head_dim)
    }

    /// Changes one element of the keys.
    pub fn set_key(&mut self, position: usize, element: usize, value: f32) {
        self.keys[position * self.shape.kv_heads * self.shape.head_dim + element] = value;
        self.pages = pages(self.shape, &self.keys, &self.values);
    }

    pub fn view(&self, len: usize) -> KvView<'_> {
        KvView { shape: self.shape, pages: &self.pages, len }
    }

    pub fn spec(&self) -> AttentionSpec {
        AttentionSpec { heads: self.heads, mask: self.mask, scale: 1.0 / (self.shape.head_dim as f32).sqrt() }
    }

    pub fn run(&self, ctx: &Ctx, form: AttentionForm) -> Vec<f32> {
        let mut out = vec![f32::NAN; self.q.len()];
        attention(ctx, form, self.spec(), &self.q, &self.view(self.len()), &mut out).unwrap();
        out
    }

    /// Row by row, each with the cache as long as its own position.
    pub fn run_chain(&self, ctx: &Ctx, form: AttentionForm) -> Vec<f32> {
        let mut out = vec![f32::NAN; self.q.len()];
        let line = self.heads * self.shape.head_dim;
        for (row, (q, out)) in self.q.chunks(line).zip(out.chunks_mut(line)).enumerate() {
            let view = self.view(self.len() - self.rows + row + 1);
            attention(ctx, form, self.spec(), q, &view, out).unwrap();
        }
        out
    }

    /// The query of a row and head.
    pub fn query(&self, row: usize, head: usize) -> &[f32] {
        &self.q[(row * self.heads + head) * self.shape.head_dim..][..self.shape.head_dim]
    }

    /// Key and value that a query head reads at a position.
    pub fn cell(&self, position: usize, head: usize) -> (&[f32], &[f32]) {
        let KvShape { kv_heads, head_dim, .. } = self.shape;
        let at = (position * kv_heads + head / (self.heads / kv_heads)) * head_dim;
        (&self.keys[at..at + head_dim], &self.values[at..at + head_dim])
    }

    /// Keys that a row sees.
    pub fn visible(&self, row: usize) -> std::ops::Range<usize> {
        self.mask.visible(self.len() - self.rows + row, self.len())
    }

    pub fn reference(&self) -> Vec<f64> {
        let lines = 0..self.rows * self.heads;
        lines.flat_map(|i| self.reference_row(i / self.heads, i % self.heads)).collect()
    }

    fn reference_row(&self, row: usize, head: usize) -> Vec<f64> {
        let product = |key: &[f32]| -> f64 {
            self.query(row, head).iter().zip(key).map(|(q, k)| f64::from(*q) * f64::from(*k)).sum()
        };
        let keys: Vec<usize> = self.visible(row).collect();
        let factor = f64::from(self.spec().scale);
        let scores: Vec<f64> = keys.iter().map(|k| product(self.cell(*k, head).0) * factor).collect();
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let p: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
        let sum: f64 = p.iter().sum();
        let value =
            |d: usize| -> f64 { keys.iter().zip(&p).map(|(k, p)| p * f64::from(self.cell(*k, head).1[d])).sum() };
        (0..self.shape.head_dim).map(|d| if keys.is_empty() { 0.0 } else { value(d) / sum }).collect()
    }
}
