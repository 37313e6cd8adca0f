//! `batched` and `exact`: tiles of keys anchored at key 0 under an online softmax, for all lines (query row and head) that read one key/value head.
//!
//! Each line adds up its own tiles in the same order, whoever shares the tile with it: a score is one chain over the dims, a tile's weights are summed by lanes,
//! values are added key by key, and a key that a line does not see is left out of its sums.

use super::{
    Call, Part,
    pages::GROUP,
    products::{LINES, Queries, Weights, add_values, scores},
    softmax::{Online, scale},
};
use crate::simd::{Kernel, LANES, Lanes};
use std::ops::Range;

/// What tells the tiled forms apart.
#[derive(Clone, Copy)]
pub struct Order {
    /// Keys of a tile, a multiple of 32 that divides a page.
    pub tile: usize,
    /// The factor goes onto the queries; otherwise onto the scores.
    pub scaled_queries: bool,
}

/// `batched`.
pub const BATCHED: Order = Order { tile: 64, scaled_queries: true };
/// `exact`.
pub const EXACT: Order = Order { tile: 32, scaled_queries: false };

/// One part of a call.
pub struct Tiled<'a, 'o> {
    pub call: &'a Call<'a>,
    pub order: Order,
    pub part: Part<'o>,
}

/// What a part computes with. Line = row of the part times heads a key/value head, plus head.
struct Work {
    /// Per six lines `[head_dim, lines]`.
    q: Vec<f32>,
    /// Scores and weights of the tile, `[lines, tile]`.
    s: Vec<f32>,
    /// `[lines, stride]`.
    out: Vec<f32>,
    /// One per eight lines.
    online: Vec<Online>,
    /// Keys of the tile that each line sees, counted from its first.
    seen: Vec<Range<usize>>,
}

impl Kernel for Tiled<'_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { call, order, mut part } = self;
        let lines = part.rows.len() * call.group();
        let stride = call.kv.shape.stride();
        let mut work = Work {
            q: queries::<L>(call, order, &part),
            s: vec![0.0; lines * order.tile],
            out: vec![0.0; lines * stride],
            online: (0..lines.div_ceil(LANES)).map(|_| Online::START).collect(),
            seen: vec![0..0; lines],
        };
        let (first, last) = (call.visible(part.rows.start), call.visible(part.rows.end - 1));
        for tile in first.start / order.tile..last.end.div_ceil(order.tile) {
            if call.control.is_cancelled() {
                return;
            }
            work.tile::<L>(call, order, &part, tile * order.tile);
        }
        work.finish::<L>(call, &mut part);
    }
}

/// Queries of six lines side by side.
#[inline(always)]
fn queries<L: Lanes>(call: &Call, order: Order, part: &Part) -> Vec<f32> {
    let (width, group) = (call.kv.shape.head_dim, call.group());
    let lines = part.rows.len() * group;
    let mut q = vec![0.0; lines * width];
    for (block, q) in q.chunks_mut(LINES * width).enumerate() {
        let count = q.len() / width;
        let mut from: [&[f32]; LINES] = [&[]; LINES];
        for (i, from) in from.iter_mut().enumerate().take(count) {
            let line = block * LINES + i;
            *from = call.query(part.rows.start + line / group, part.head * group + line % group);
        }
        for (d, q) in q.chunks_exact_mut(count).enumerate() {
            q.iter_mut().zip(&from).for_each(|(to, from)| *to = from[d]);
        }
    }
    if order.scaled_queries {
        scale::<L>(&mut q, call.spec.scale);
    }
    q
}

/// First line, lines and keys of what is added at once: what comes before the keys that all lines see, line by line, then these for all lines, then the rest.
fn spans(seen: &[Range<usize>], tile: usize) -> impl Iterator<Item = (usize, usize, Range<usize>)> {
    let common = seen.iter().fold(0..tile, |a, b| a.start.max(b.start)..a.end.min(b.end));
    let (from, to) = (common.start, common.end.max(common.start));
    let before = seen.iter().enumerate().map(move |(i, seen)| (i, 1, seen.start..seen.end.min(from)));
    let after = seen.iter().enumerate().map(move |(i, seen)| (i, 1, seen.start.max(to)..seen.end));
    before.chain(std::iter::once((0, seen.len(), from..to))).chain(after)
}

impl Work {
    /// The tile that starts at key `start`.
    #[inline(always)]
    fn tile<L: Lanes>(&mut self, call: &Call, order: Order, part: &Part, start: usize) {
        let within = |key: usize| key.clamp(start, start + order.tile) - start;
        for (line, seen) in self.seen.iter_mut().enumerate() {
            let keys = call.visible(part.rows.start + line / call.group());
            *seen = within(keys.start)..within(keys.end);
        }
        self.score::<L>(call, order, part, start);
        let eights = self.s.chunks_mut(LANES * order.tile).zip(self.seen.chunks(LANES));
        for ((s, seen), online) in eights.zip(&mut self.online) {
            if seen.iter().any(|seen| !seen.is_empty()) {
                online.take::<L>(s, order.tile, seen);
            }
        }
        self.add::<L>(call, order, part, start);
    }

    #[inline(always)]
    fn score<L: Lanes>(&mut self, call: &Call, order: Order, part: &Part, start: usize) {
        let width = call.kv.shape.head_dim;
        let factor = if order.scaled_queries { 1.0 } else { call.spec.scale };
        let blocks = self.q.chunks(LINES * width).zip(self.s.chunks_mut(LINES * order.tile));
        for ((q, s), seen) in blocks.zip(self.seen.chunks(LINES)) {
            let seen = seen.iter().filter(|seen| !seen.is_empty());
            let Some(union) = seen.cloned().reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else { continue };
            for first in (0..order.tile).step_by(GROUP) {
                let keys = union.start.max(first)..union.end.min(first + GROUP);
                if !keys.is_empty() {
                    let keys = keys.start - first..keys.end - first;
                    let group = call.kv.keys(part.head, (start + first) / GROUP);
                    let ahead = call.kv.keys_after(part.head, (start + first) / GROUP);
                    let queries = Queries { q, lines: q.len() / width };
                    scores::<L>(call.kv.shape.keys, queries, group, ahead, keys, factor, (&mut s[first..], order.tile));
                }
            }
        }
    }

    /// Values by the weights of the tile.
    #[inline(always)]
    fn add<L: Lanes>(&mut self, call: &Call, order: Order, part: &Part, start: usize) {
        let (stride, tile) = (call.kv.shape.stride(), order.tile);
        for (block, out) in self.out.chunks_mut(LINES * stride).enumerate() {
            let lines = block * LINES..block * LINES + out.len() / stride;
            let (seen, s) = (&self.seen[lines.clone()], &self.s[lines.start * tile..lines.end * tile]);
            for ((line, seen), out) in lines.zip(seen).zip(out.chunks_exact_mut(stride)) {
                let factor = self.online[line / LANES].factor[line % LANES];
                if factor != 1.0 && !seen.is_empty() {
                    scale::<L>(out, factor);
                }
            }
            for (first, lines, keys) in spans(seen, tile) {
                if !keys.is_empty() {
                    let weights = Weights { p: &s[first * tile + keys.start..], stride: tile, lines };
                    let values = call.kv.values(part.head, start + keys.start..start + keys.end);
                    let ahead = call.kv.values_after(part.head, start + keys.start, tile);
                    let out = &mut out[first * stride..(first + lines) * stride];
                    add_values::<L>(call.kv.shape.values, weights, values, ahead, stride, out);
                }
            }
        }
    }

    #[inline(always)]
    fn finish<L: Lanes>(&mut self, call: &Call, part: &mut Part) {
        let (width, group) = (call.kv.shape.head_dim, call.group());
        for (line, x) in self.out.chunks_exact_mut(call.kv.shape.stride()).enumerate() {
            if !call.visible(part.rows.start + line / group).is_empty() {
                self.online[line / LANES].finish::<L>(line % LANES, x, call.act);
            }
            part.out.row(line / group)[line % group * width..][..width].copy_from_slice(&x[..width]);
        }
    }
}
