//! Small loops over lanes. Tails are padded with zeros, which every instruction set treats alike.

use super::{LANES, Lanes};

/// `Σ a·b` over equal slices: lane = index mod 8, fused, ascending; then the tree of `Lanes::sum`.
#[inline(always)]
pub fn dot<L: Lanes>(a: &[f32], b: &[f32]) -> f32 {
    let mut acc = L::splat(0.0);
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        acc = L::load_part(a).fma(L::load_part(b), acc);
    }
    acc.sum()
}

/// `y += a·x`, fused.
#[inline(always)]
pub fn axpy<L: Lanes>(a: f32, x: &[f32], y: &mut [f32]) {
    let a = L::splat(a);
    for (x, y) in x.chunks(LANES).zip(y.chunks_mut(LANES)) {
        a.fma(L::load_part(x), L::load_part(y)).store_part(y);
    }
}

/// The largest element of a slice padded to whole vectors; NaN does not win over a number that follows it.
#[inline(always)]
pub fn max_of<L: Lanes>(x: &[f32]) -> f32 {
    let mut best = L::splat(f32::NEG_INFINITY);
    for x in x.chunks_exact(LANES) {
        best = best.max(L::load(x));
    }
    let mut lanes = [0.0; LANES];
    best.store(&mut lanes);
    lanes.iter().fold(f32::NEG_INFINITY, |m, &v| if m > v { m } else { v })
}

/// `out[i] = f(a[i], b[i])`.
#[inline(always)]
pub fn zip_map<L: Lanes>(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(L, L) -> L) {
    for ((a, b), out) in a.chunks(LANES).zip(b.chunks(LANES)).zip(out.chunks_mut(LANES)) {
        f(L::load_part(a), L::load_part(b)).store_part(out);
    }
}
