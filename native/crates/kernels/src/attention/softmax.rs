//! Softmax weights and their sums.

use crate::{
    math::exp_falling,
    simd::{LANES, Lanes},
};
use moire_base::Dtype;
use std::ops::Range;

/// `s = exp(s - max)` in place; gives the sum by lanes: lane = index mod 8, ascending.
#[inline(always)]
pub fn exponentials<L: Lanes>(s: &mut [f32], max: f32) -> L {
    let mut sum = L::splat(0.0);
    for s in s.chunks_exact_mut(LANES) {
        let p = exp_falling(L::load(s) - L::splat(max));
        p.store(s);
        sum = sum + p;
    }
    sum
}

/// Maximum and sum of the keys seen so far, and the factor that the last tile put on what was summed before; one lane a line.
pub struct Online {
    max: [f32; LANES],
    sum: [f32; LANES],
    pub factor: [f32; LANES],
}

impl Online {
    pub const START: Self = Self { max: [f32::NEG_INFINITY; LANES], sum: [0.0; LANES], factor: [1.0; LANES] };

    /// Takes the scores of a tile for up to eight lines, `s[line]` every `tile` elements, of which line i sees `seen[i]`, and makes them weights.
    /// A tile's weights are summed by lanes and then in the tree of `Lanes::sum`.
    #[inline(always)]
    pub fn take<L: Lanes>(&mut self, s: &mut [f32], tile: usize, seen: &[Range<usize>]) {
        let mut best = [L::splat(f32::NEG_INFINITY); LANES];
        for ((s, seen), best) in s.chunks_exact_mut(tile).zip(seen).zip(&mut best) {
            for s in cover(s, seen).chunks_exact(LANES) {
                *best = best.max(L::load(s));
            }
        }
        let old = L::load(&self.max);
        let mut max = old;
        for lane in L::transpose(best) {
            max = max.max(lane);
        }
        max.store(&mut self.max);
        // Nothing but -infinity so far: any finite base gives weights of zero.
        let base = L::splat(f32::NEG_INFINITY).if_less(max, max, L::splat(0.0));
        let factor = exp_falling(old - base);
        factor.store(&mut self.factor);
        let mut bases = [0.0; LANES];
        base.store(&mut bases);
        let mut sums = [L::splat(0.0); LANES];
        for (((s, seen), sum), base) in s.chunks_exact_mut(tile).zip(seen).zip(&mut sums).zip(bases) {
            *sum = exponentials::<L>(cover(s, seen), base);
        }
        L::load(&self.sum).fma(factor, L::sums(sums)).store(&mut self.sum);
    }

    /// `x = rnd(x / sum)` for line i.
    #[inline(always)]
    pub fn finish<L: Lanes>(&self, i: usize, x: &mut [f32], act: Dtype) {
        divide::<L>(x, self.sum[i], act);
    }
}

/// The whole vectors that hold `seen`, with -infinity beside it.
#[inline(always)]
fn cover<'a>(s: &'a mut [f32], seen: &Range<usize>) -> &'a mut [f32] {
    if seen.is_empty() {
        return &mut [];
    }
    let (start, end) = (seen.start / LANES * LANES, seen.end.next_multiple_of(LANES));
    s[start..seen.start].fill(f32::NEG_INFINITY);
    s[seen.end..end].fill(f32::NEG_INFINITY);
    &mut s[start..end]
}

/// `x = rnd(x / sum)`.
#[inline(always)]
pub fn divide<L: Lanes>(x: &mut [f32], sum: f32, act: Dtype) {
    for x in x.chunks_mut(LANES) {
        (L::load_part(x) / L::splat(sum)).round_to(act).store_part(x);
    }
}

/// `x *= factor`.
#[inline(always)]
pub fn scale<L: Lanes>(x: &mut [f32], factor: f32) {
    for x in x.chunks_mut(LANES) {
        (L::load_part(x) * L::splat(factor)).store_part(x);
    }
}
