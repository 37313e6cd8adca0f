//! `per_position`: each query row over its own keys. All scores, their maximum, exponentials, then values in key order.
//!
//! A score has eight chains, one per dim modulo eight, added in the tree of `Lanes::sum`; here each chain is a register and a lane is a key.

use super::{
    Call, Part,
    pages::{GROUP, PAGE},
    products::{LINES, Weights, add_values, by_dims},
    softmax::{divide, exponentials, scale},
};
use crate::simd::{Kernel, LANES, Lanes, max_of};
use std::ops::Range;

/// One part of a call.
pub struct Single<'a, 'o> {
    pub call: &'a Call<'a>,
    pub part: Part<'o>,
}

impl Kernel for Single<'_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let (width, stride) = (self.call.kv.shape.head_dim, self.call.kv.shape.stride());
        let mut buffers = Buffers { s: Vec::new(), stride: 0, out: vec![0.0; self.call.group() * stride] };
        for row in 0..self.part.rows.len() {
            if self.call.control.is_cancelled() {
                return;
            }
            buffers.row::<L>(self.call, self.part.head, self.part.rows.start + row);
            let heads = self.part.out.row(row).chunks_exact_mut(width).zip(buffers.out.chunks_exact(stride));
            heads.for_each(|(to, from)| to.copy_from_slice(&from[..width]));
        }
    }
}

/// Of one row, for all heads that read a key/value head.
struct Buffers {
    /// Scores, then weights, `[heads, stride]`, from the first group of 32 keys on.
    s: Vec<f32>,
    stride: usize,
    /// `[heads, padded head_dim]`.
    out: Vec<f32>,
}

impl Buffers {
    #[inline(always)]
    fn row<L: Lanes>(&mut self, call: &Call, head: usize, row: usize) {
        let keys = call.visible(row);
        self.out.fill(0.0);
        if keys.is_empty() {
            return;
        }
        let groups = keys.start / GROUP..keys.end.div_ceil(GROUP);
        self.stride = groups.len() * GROUP + LANES;
        self.s.resize(call.group() * self.stride, 0.0);
        let heads = head * call.group()..(head + 1) * call.group();
        let mut q: Vec<f32> = heads.flat_map(|head| call.query(row, head)).copied().collect();
        scale::<L>(&mut q, call.spec.scale);
        for (i, group) in groups.clone().enumerate() {
            let (keys, ahead) = (call.kv.keys(head, group), call.kv.keys_after(head, group));
            for (q, s) in q.chunks_exact(call.kv.shape.head_dim).zip(self.s.chunks_exact_mut(self.stride)) {
                by_dims::<L>(call.kv.shape.keys, q, keys, ahead, &mut s[i * GROUP..][..GROUP]);
            }
        }
        let sums = self.softmax::<L>(keys.start - groups.start * GROUP, keys.len());
        self.add::<L>(call, head, keys, groups.start * GROUP);
        for (out, sum) in self.out.chunks_exact_mut(call.kv.shape.stride()).zip(sums) {
            divide::<L>(out, sum, call.act);
        }
    }

    /// The `count` scores from `first` on become weights; their sums.
    #[inline(always)]
    fn softmax<L: Lanes>(&mut self, first: usize, count: usize) -> Vec<f32> {
        let mut sums = Vec::with_capacity(self.s.len() / self.stride);
        for s in self.s.chunks_exact_mut(self.stride) {
            let s = &mut s[first..first + count.next_multiple_of(LANES)];
            s[count..].fill(f32::NEG_INFINITY);
            let max = max_of::<L>(s);
            sums.push(exponentials::<L>(s, max).sum());
        }
        sums
    }

    #[inline(always)]
    fn add<L: Lanes>(&mut self, call: &Call, head: usize, keys: Range<usize>, base: usize) {
        let width = call.kv.shape.stride();
        let mut start = keys.start;
        while start < keys.end {
            let end = keys.end.min(start / PAGE * PAGE + PAGE);
            let (values, ahead) = (call.kv.values(head, start..end), call.kv.values_after(head, start, PAGE));
            for (i, out) in self.out.chunks_mut(LINES * width).enumerate() {
                let p = &self.s[i * LINES * self.stride + start - base..];
                let weights = Weights { p, stride: self.stride, lines: out.len() / width };
                add_values::<L>(call.kv.shape.values, weights, values, ahead, width, out);
            }
            start = end;
        }
    }
}
