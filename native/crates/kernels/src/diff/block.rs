//! The two passes over a block: integer counts, and fp64 sums where they are needed.

use super::{
    Chunk,
    element::{Element, MAX_DISTANCE, Word},
};
use crate::simd::{LANES, Wide, prefetch};

/// Bytes of a block.
pub const BLOCK: usize = 4096;
/// Bytes that are asked for together.
const STRIDE: usize = 256;
/// How far ahead of the comparison memory is asked for.
const AHEAD: usize = 1024;

/// Counts of a block, without sums. Equal blocks take a short way: what is not finite in a is not finite in b.
#[inline(always)]
pub fn compare<E: Element>(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> Chunk {
    let (difference, bad) = glance::<E>(a, b);
    if difference == 0 {
        return Chunk { non_finite_a: bad, non_finite_b: bad, excluded: bad, ..Chunk::default() };
    }
    let bad_b = glance::<E>(b, b).1;
    let (differing_elements, max_ulp, excluded) =
        if bad + bad_b == 0 { distances::<E, true>(a, b) } else { distances::<E, false>(a, b) };
    Chunk {
        differing_bytes: if E::Word::BYTES == 1 { differing_elements } else { differing_bytes(a, b) },
        differing_elements,
        max_ulp: max_ulp.min(MAX_DISTANCE),
        non_finite_a: bad,
        non_finite_b: bad_b,
        excluded,
        ..Chunk::default()
    }
}

/// Bits that differ anywhere, and how many elements of a are not finite.
#[inline(always)]
fn glance<E: Element>(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> (u64, u64) {
    let (mut difference, mut bad) = (E::Word::ZERO, E::Word::ZERO);
    for (a, b) in a.as_chunks::<STRIDE>().0.iter().zip(b.as_chunks::<STRIDE>().0) {
        for line in (0..STRIDE).step_by(64) {
            prefetch(a, AHEAD + line);
            prefetch(b, AHEAD + line);
        }
        for i in 0..STRIDE / E::Word::BYTES {
            let (x, y) = (E::Word::load(a, i), E::Word::load(b, i));
            difference = difference.or(x.xor(y));
            bad = bad.count(!E::finite(x));
        }
    }
    (difference.wide(), bad.wide())
}

/// (elements that differ, largest distance, elements that are not finite on both sides). `FINITE`: all elements are.
#[inline(always)]
fn distances<E: Element, const FINITE: bool>(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> (u64, u64, u64) {
    let (mut all_differing, mut largest, mut all_excluded) = (0, E::Word::ZERO, 0);
    for group in (0..BLOCK / E::Word::BYTES).step_by(E::Word::COUNTED) {
        let (mut differing, mut excluded) = (E::Word::ZERO, E::Word::ZERO);
        for i in group..group + E::Word::COUNTED {
            let (x, y) = (E::Word::load(a, i), E::Word::load(b, i));
            differing = differing.count(x != y);
            let distance = if FINITE { E::finite_distance(x, y) } else { E::distance(x, y) };
            largest = largest.max(distance);
            excluded = excluded.count(!FINITE && (!E::finite(x) | !E::finite(y)));
        }
        all_differing += differing.wide();
        all_excluded += excluded.wide();
    }
    (all_differing, largest.wide(), all_excluded)
}

#[inline(always)]
fn differing_bytes(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u64 {
    let mut all = 0;
    for group in (0..BLOCK).step_by(u8::COUNTED) {
        let mut differing = 0u8;
        for i in group..group + u8::COUNTED {
            differing = differing.count(a[i] != b[i]);
        }
        all += u64::from(differing);
    }
    all
}

/// Running sums over the blocks of a chunk: element i goes to lane i mod 8.
pub struct Sums<W> {
    max_abs: W,
    square_difference: W,
    square_a: W,
}

impl<W: Wide> Sums<W> {
    pub fn new() -> Self {
        let zero = W::load(&[0.0; LANES]);
        Self { max_abs: zero, square_difference: zero, square_a: zero }
    }

    /// A block more. `MASK`: leave out elements that are not finite on both sides.
    #[inline(always)]
    pub fn add<E: Element, const MASK: bool>(&mut self, a: &[u8; BLOCK], b: &[u8; BLOCK]) {
        let (mut max_abs, mut square_difference, mut square_a) = (self.max_abs, self.square_difference, self.square_a);
        let size = LANES * E::Word::BYTES;
        for (a, b) in a.chunks_exact(size).zip(b.chunks_exact(size)) {
            let (x, y) = if MASK { finite::<E, W>(a, b) } else { (values::<E, W>(a), values::<E, W>(b)) };
            let d = (x - y).abs();
            max_abs = d.max(max_abs);
            square_difference = square_difference + d * d;
            square_a = square_a + x * x;
        }
        *self = Self { max_abs, square_difference, square_a };
    }

    /// (max |a - b|, Σ (a - b)², Σ a²).
    #[inline(always)]
    pub fn finish(self) -> (f64, f64, f64) {
        let (mut max_abs, mut square_difference, mut square_a) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        self.max_abs.store(&mut max_abs);
        self.square_difference.store(&mut square_difference);
        self.square_a.store(&mut square_a);
        (max_abs.into_iter().fold(0.0, f64::max), tree(square_difference), tree(square_a))
    }
}

/// Eight values.
#[inline(always)]
fn values<E: Element, W: Wide>(bytes: &[u8]) -> W {
    W::load(&std::array::from_fn(|i| E::value(E::Word::load(bytes, i))))
}

/// Eight values of both sides, zero where one is not finite.
#[inline(always)]
fn finite<E: Element, W: Wide>(a: &[u8], b: &[u8]) -> (W, W) {
    let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..LANES {
        let (p, q) = (E::Word::load(a, i), E::Word::load(b, i));
        if E::finite(p) && E::finite(q) {
            (x[i], y[i]) = (E::value(p), E::value(q));
        }
    }
    (W::load(&x), W::load(&y))
}

/// `((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7))`.
fn tree(l: [f64; LANES]) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}
