//! The pieces of attention that the forms share.

use crate::{
    math::exp,
    simd::{LANES, Lanes},
};
use moire_base::Dtype;

/// Dims accumulated in registers at once.
const DIMS: usize = 8 * LANES;

/// `out[key] = (q · key) · factor` for `keys[n, head_dim]`: lane = dim mod 8, fused, ascending, then the tree of `Lanes::sum`. Up to a multiple of eight, `out`
/// is filled with -infinity.
#[inline(always)]
pub fn scores<L: Lanes>(q: &[f32], keys: &[f32], factor: f32, out: &mut [f32]) {
    let width = q.len();
    for (keys, out) in keys.chunks(LANES * width).zip(out.chunks_exact_mut(LANES)) {
        let mut acc = [L::splat(0.0); LANES];
        for d in (0..width).step_by(LANES) {
            let q = L::load_part(&q[d..]);
            for (key, acc) in keys.chunks_exact(width).zip(&mut acc) {
                *acc = q.fma(L::load_part(&key[d..]), *acc);
            }
        }
        (L::sums(acc) * L::splat(factor)).store(out);
        out[keys.len() / width..].fill(f32::NEG_INFINITY);
    }
}

/// `s = exp(s - max)` in place; the sum: lane = index mod 8, ascending, then the tree.
#[inline(always)]
pub fn exponentials<L: Lanes>(s: &mut [f32], max: f32) -> f32 {
    let mut sum = L::splat(0.0);
    for s in s.chunks_exact_mut(LANES) {
        let p = exp(L::load(s) - L::splat(max));
        p.store(s);
        sum = sum + p;
    }
    sum.sum()
}

/// `acc += Σ p[key] · values[key]`, keys ascending, fused.
#[inline(always)]
pub fn add_values<L: Lanes>(p: &[f32], values: &[f32], acc: &mut [f32]) {
    let width = acc.len();
    for (i, acc) in acc.chunks_mut(DIMS).enumerate() {
        let values = &values[i * DIMS..];
        if acc.len() == DIMS {
            add_block::<L>(p, values, width, acc);
        } else {
            for (j, acc) in acc.chunks_mut(LANES).enumerate() {
                let mut sum = L::load_part(acc);
                for (key, p) in p.iter().enumerate() {
                    sum = L::splat(*p).fma(L::load_part(&values[key * width + j * LANES..][..acc.len()]), sum);
                }
                sum.store_part(acc);
            }
        }
    }
}

#[inline(always)]
fn add_block<L: Lanes>(p: &[f32], values: &[f32], width: usize, acc: &mut [f32]) {
    let mut sums = [L::splat(0.0); DIMS / LANES];
    for (sum, acc) in sums.iter_mut().zip(acc.chunks_exact(LANES)) {
        *sum = L::load(acc);
    }
    for (key, p) in p.iter().enumerate() {
        let value = &values[key * width..key * width + DIMS];
        for (sum, value) in sums.iter_mut().zip(value.chunks_exact(LANES)) {
            *sum = L::splat(*p).fma(L::load(value), *sum);
        }
    }
    for (sum, acc) in sums.iter().zip(acc.chunks_exact_mut(LANES)) {
        sum.store(acc);
    }
}

/// `x *= factor`.
#[inline(always)]
pub fn scale<L: Lanes>(x: &mut [f32], factor: f32) {
    for x in x.chunks_mut(LANES) {
        (L::load_part(x) * L::splat(factor)).store_part(x);
    }
}

/// `x = rnd(x / sum)`; zeros when no key was seen.
#[inline(always)]
pub fn finish<L: Lanes>(x: &mut [f32], sum: f32, act: Dtype) {
    if sum != 0.0 {
        for x in x.chunks_mut(LANES) {
            (L::load_part(x) / L::splat(sum)).round_to(act).store_part(x);
        }
    }
}

/// Maximum and sum of the keys seen so far.
pub struct Online {
    pub max: f32,
    pub sum: f32,
}

impl Online {
    pub const START: Self = Self { max: f32::NEG_INFINITY, sum: 0.0 };

    /// Takes a tile's maximum; gives the factor for what was summed before.
    #[inline(always)]
    pub fn raise(&mut self, tile_max: f32) -> f32 {
        let max = if self.max > tile_max { self.max } else { tile_max };
        let factor = exp(self.max - max);
        self.max = max;
        factor
    }
}
