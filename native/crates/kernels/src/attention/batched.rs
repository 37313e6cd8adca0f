//! `batched`: blocks of 16 query rows share tiles of 64 keys, anchored at key 0.
//!
//! A score is one fp32 chain over the dims, fused, ascending, of the query scaled beforehand (lane = key). The softmax is online, tile by tile; values are added in
//! key order.

use super::{
    AttentionSpec, KvView, of_head,
    steps::{Online, add_values, exponentials, finish, scale},
};
use crate::{
    Ctx,
    simd::{Kernel, LANES, Lanes, dispatch, max_of},
};
use moire_base::Dtype;
use std::ops::Range;

const BLOCK: usize = 16;
const TILE: usize = 64;

/// All rows and heads; on cancel `out` stays unfinished.
pub fn run(ctx: &Ctx, spec: AttentionSpec, q: &[f32], kv: &KvView, out: &mut [f32]) {
    let (heads, width) = (spec.heads, kv.head_dim);
    let rows = q.len() / (heads * width);
    let blocks = rows.div_ceil(BLOCK);
    let place = |task: usize| (task % heads, task / heads * BLOCK..rows.min(task / heads * BLOCK + BLOCK));
    let results = ctx.pool.map(heads * blocks, |task| {
        if ctx.control.is_cancelled() {
            return Vec::new();
        }
        let (head, rows_of_block) = place(task);
        dispatch(ctx.isa, Task { spec, kv, q, rows, head, block: rows_of_block, act: ctx.act })
    });
    for (task, result) in results.iter().enumerate() {
        let (head, block) = place(task);
        for (row, result) in block.zip(result.chunks_exact(width)) {
            out[(row * heads + head) * width..][..width].copy_from_slice(result);
        }
    }
}

/// One head, one block of rows.
struct Task<'a> {
    spec: AttentionSpec,
    kv: &'a KvView<'a>,
    q: &'a [f32],
    rows: usize,
    head: usize,
    block: Range<usize>,
    act: Dtype,
}

impl Kernel for Task<'_> {
    /// `[block, head_dim]`.
    type Out = Vec<f32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<f32> {
        let width = self.kv.head_dim;
        let (keys, values) = of_head(self.kv, self.spec.heads, self.head);
        let visible = |row: usize| self.spec.mask.visible(self.kv.len - self.rows + row, self.kv.len);
        let mut out = vec![0.0; self.block.len() * width];
        let mut q = self.queries::<L>();
        let mut states: Vec<Online> = self.block.clone().map(|_| Online::START).collect();
        let mut turned = vec![0.0; width * TILE];
        for tile in visible(self.block.start).start / TILE..visible(self.block.end - 1).end.div_ceil(TILE) {
            let span = tile * TILE..self.kv.len.min(tile * TILE + TILE);
            turn::<L>(&keys[span.start * width..span.end * width], width, &mut turned);
            let lines = q.chunks_exact_mut(width).zip(out.chunks_exact_mut(width)).zip(&mut states);
            for (row, ((q, out), state)) in self.block.clone().zip(lines) {
                let seen = visible(row);
                let seen = seen.start.max(span.start)..seen.end.min(span.end);
                if !seen.is_empty() {
                    let within = seen.start - span.start..seen.end - span.start;
                    step::<L>(q, &turned, within, &values[seen.start * width..seen.end * width], state, out);
                }
            }
        }
        for (out, state) in out.chunks_exact_mut(width).zip(&states) {
            finish::<L>(out, state.sum, self.act);
        }
        out
    }
}

impl Task<'_> {
    /// The block's queries, scaled.
    #[inline(always)]
    fn queries<L: Lanes>(&self) -> Vec<f32> {
        let width = self.kv.head_dim;
        let mut q = Vec::with_capacity(self.block.len() * width);
        for row in self.block.clone() {
            q.extend_from_slice(&self.q[(row * self.spec.heads + self.head) * width..][..width]);
        }
        scale::<L>(&mut q, self.spec.scale);
        q
    }
}

/// `keys[n, width]` to `turned[width, 64]`, zero beyond n.
#[inline(always)]
fn turn<L: Lanes>(keys: &[f32], width: usize, turned: &mut [f32]) {
    for first in (0..TILE).step_by(LANES) {
        for d in (0..width).step_by(LANES) {
            let mut rows = [L::splat(0.0); LANES];
            for (key, row) in keys.chunks_exact(width).skip(first).zip(&mut rows) {
                *row = L::load_part(&key[d..]);
            }
            for (i, column) in L::transpose(rows).into_iter().enumerate().take(width - d) {
                column.store(&mut turned[(d + i) * TILE + first..]);
            }
        }
    }
}

/// One row over the keys `seen` of a tile.
#[inline(always)]
fn step<L: Lanes>(q: &[f32], turned: &[f32], seen: Range<usize>, values: &[f32], state: &mut Online, out: &mut [f32]) {
    let mut acc = [L::splat(0.0); TILE / LANES];
    for (q, keys) in q.iter().zip(turned.chunks_exact(TILE)) {
        for (acc, keys) in acc.iter_mut().zip(keys.chunks_exact(LANES)) {
            *acc = L::splat(*q).fma(L::load(keys), *acc);
        }
    }
    let mut s = [0.0; TILE];
    for (acc, s) in acc.iter().zip(s.chunks_exact_mut(LANES)) {
        acc.store(s);
    }
    s[..seen.start].fill(f32::NEG_INFINITY);
    s[seen.end..].fill(f32::NEG_INFINITY);
    let factor = state.raise(max_of::<L>(&s));
    scale::<L>(out, factor);
    state.sum = state.sum.mul_add(factor, exponentials::<L>(&mut s, state.max));
    add_values::<L>(&s[seen], values, out);
}
