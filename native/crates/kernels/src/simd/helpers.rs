//! Small loops over lanes. Tails are padded with zeros, which every instruction set treats alike.

use super::{LANES, Lanes};
use moire_base::Dtype;

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

/// A step on lanes. `apply` must be `#[inline(always)]`; a closure in its place may be compiled without the instruction set.
pub trait Step {
    /// The result, rounded to `act`.
    fn apply<L: Lanes>(a: L, b: L, act: Dtype) -> L;
}

/// `out[i] = S(a[i], b[i])` over equal slices, in a loop of its own per dtype.
#[inline(always)]
pub fn zip_map<L: Lanes, S: Step>(a: &[f32], b: &[f32], out: &mut [f32], act: Dtype) {
    match act {
        Dtype::Bf16 => each::<L, S>(a, b, out, Dtype::Bf16),
        Dtype::F16 => each::<L, S>(a, b, out, Dtype::F16),
        _ => each::<L, S>(a, b, out, Dtype::F32),
    }
}

#[inline(always)]
fn each<L: Lanes, S: Step>(a: &[f32], b: &[f32], out: &mut [f32], act: Dtype) {
    let mut chunks = out.chunks_exact_mut(LANES);
    for ((a, b), out) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)).zip(&mut chunks) {
        S::apply(L::load(a), L::load(b), act).store(out);
    }
    let rest = chunks.into_remainder();
    if !rest.is_empty() {
        let at = a.len() - rest.len();
        S::apply(L::load_part(&a[at..]), L::load_part(&b[at..]), act).store_part(rest);
    }
}

/// `to[c][r] = from[r][c]` for `(rows, columns)` of `from`, whose rows stand `stride` apart, as those of `to` do `to_stride`.
#[inline(always)]
pub fn transpose<L: Lanes>(
    from: &[f32],
    stride: usize,
    (rows, columns): (usize, usize),
    to: &mut [f32],
    to_stride: usize,
) {
    for r in (0..rows).step_by(LANES) {
        for c in (0..columns).step_by(LANES) {
            let (height, width) = (LANES.min(rows - r), LANES.min(columns - c));
            let mut tile = [L::splat(0.0); LANES];
            for (i, line) in tile.iter_mut().enumerate().take(height) {
                *line = L::load_part(&from[(r + i) * stride + c..][..width]);
            }
            for (i, line) in L::transpose(tile).into_iter().enumerate().take(width) {
                line.store_part(&mut to[(c + i) * to_stride + r..][..height]);
            }
        }
    }
}
