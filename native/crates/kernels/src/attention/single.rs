//! `per_position` and `exact`: one query row and head at a time.

use super::{
    AttentionForm, AttentionSpec, KvView, of_head,
    steps::{Online, add_values, exponentials, finish, scale, scores},
};
use crate::simd::{Kernel, LANES, Lanes, max_of};
use moire_base::{Control, Dtype};
use std::ops::Range;

/// Keys of a tile of `exact`.
const TILE: usize = 32;

/// (row, head) pairs from `first` on, `out.len() / head_dim` of them.
pub struct Single<'a> {
    pub spec: AttentionSpec,
    pub kv: &'a KvView<'a>,
    pub q: &'a [f32],
    pub first: usize,
    pub rows: usize,
    pub form: AttentionForm,
    pub act: Dtype,
    pub control: &'a Control,
    pub out: &'a mut [f32],
}

impl Kernel for Single<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (heads, width) = (self.spec.heads, self.kv.head_dim);
        let mut buffer = Vec::new();
        for (i, out) in self.out.chunks_exact_mut(width).enumerate() {
            if self.control.is_cancelled() {
                return;
            }
            let (row, head) = ((self.first + i) / heads, (self.first + i) % heads);
            let q = &self.q[(self.first + i) * width..][..width];
            let keys = self.spec.mask.visible(self.kv.len - self.rows + row, self.kv.len);
            let cache = of_head(self.kv, heads, head);
            out.fill(0.0);
            let sum = match self.form {
                AttentionForm::Exact => online::<L>(q, cache, keys, self.spec.scale, out),
                _ => two_passes::<L>(q, cache, keys, self.spec.scale, &mut buffer, out),
            };
            finish::<L>(out, sum, self.act);
        }
    }
}

/// All scores of the query scaled beforehand, their maximum, exponentials and sum, then the values.
#[inline(always)]
fn two_passes<L: Lanes>(
    q: &[f32],
    cache: (&[f32], &[f32]),
    keys: Range<usize>,
    factor: f32,
    buffer: &mut Vec<f32>,
    out: &mut [f32],
) -> f32 {
    let (width, count) = (q.len(), keys.len());
    let cells = keys.start * width..keys.end * width;
    buffer.clear();
    buffer.extend_from_slice(q);
    buffer.resize(width + count.next_multiple_of(LANES), f32::NEG_INFINITY);
    let (q, s) = buffer.split_at_mut(width);
    scale::<L>(q, factor);
    scores::<L>(q, &cache.0[cells.clone()], 1.0, s);
    let max = max_of::<L>(s);
    let sum = exponentials::<L>(s, max);
    add_values::<L>(&s[..count], &cache.1[cells], out);
    sum
}

/// Tiles of 32 keys anchored at key 0; scores are scaled after the dot product.
#[inline(always)]
fn online<L: Lanes>(q: &[f32], cache: (&[f32], &[f32]), keys: Range<usize>, factor: f32, out: &mut [f32]) -> f32 {
    let width = q.len();
    let mut state = Online::START;
    let mut start = keys.start;
    while start < keys.end {
        let end = keys.end.min(start / TILE * TILE + TILE);
        let cells = start * width..end * width;
        let mut s = [f32::NEG_INFINITY; TILE];
        let s = &mut s[..(end - start).next_multiple_of(LANES)];
        scores::<L>(q, &cache.0[cells.clone()], factor, s);
        let factor = state.raise(max_of::<L>(s));
        scale::<L>(out, factor);
        state.sum = state.sum.mul_add(factor, exponentials::<L>(s, state.max));
        add_values::<L>(&s[..end - start], &cache.1[cells], out);
        start = end;
    }
    state.sum
}
