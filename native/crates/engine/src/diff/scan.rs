//! The pass itself: counts, distances, norms, the first difference.

use super::{Diff, First, NonFinite, Tile, element::Element};
use std::fmt::Write;

/// Running sums of a scan.
#[derive(Default)]
struct Sums {
    differing_bytes: u64,
    differing_elements: u64,
    first: Option<usize>,
    max_ulp: u64,
    max_abs: f64,
    square_difference: f64,
    square_a: f64,
    finite: u64,
    non_finite: NonFinite,
}

impl Sums {
    #[inline(always)]
    fn add_values(&mut self, a: f64, b: f64) {
        self.non_finite.a += u64::from(!a.is_finite());
        self.non_finite.b += u64::from(!b.is_finite());
        if a.is_finite() && b.is_finite() {
            let d = (a - b).abs();
            self.finite += 1;
            self.max_abs = self.max_abs.max(d);
            self.square_difference += d * d;
            self.square_a += a * a;
        }
    }

    fn add_difference<E: Element>(&mut self, index: usize, a: &[u8], b: &[u8]) {
        self.first.get_or_insert(index);
        self.differing_elements += 1;
        self.differing_bytes += a.iter().zip(b).filter(|(x, y)| x != y).count() as u64;
        self.max_ulp = self.max_ulp.max(E::read(a).distance(E::read(b)));
    }
}

/// Compare equally long buffers of `E`.
pub fn scan<E: Element>(a: &[u8], b: &[u8], tile: usize) -> Diff {
    let mut sums = Sums::default();
    for (i, (x, y)) in a.chunks_exact(E::SIZE).zip(b.chunks_exact(E::SIZE)).enumerate() {
        sums.add_values(E::read(x).value(), E::read(y).value());
        if x != y {
            sums.add_difference::<E>(i, x, y);
        }
    }
    let elements = a.len() / E::SIZE;
    Diff {
        equal: sums.differing_elements == 0,
        bytes: a.len() as u64,
        differing_bytes: sums.differing_bytes,
        elements: elements as u64,
        differing_elements: sums.differing_elements,
        first: sums.first.map(|i| first::<E>(i, a, b)),
        max_ulp: sums.max_ulp,
        max_abs: sums.max_abs,
        rms: if sums.finite == 0 { 0.0 } else { (sums.square_difference / sums.finite as f64).sqrt() },
        rel_l2: relative(sums.square_difference, sums.square_a),
        non_finite: sums.non_finite,
        tile: sums.first.filter(|_| tile > 0).map(|i| tile_around::<E>(i, tile, elements, a, b)),
    }
}

fn relative(square_difference: f64, square_a: f64) -> f64 {
    if square_difference == 0.0 { 0.0 } else { (square_difference / square_a).sqrt() }
}

fn first<E: Element>(index: usize, a: &[u8], b: &[u8]) -> First {
    let part = index * E::SIZE..(index + 1) * E::SIZE;
    let (x, y) = (&a[part.clone()], &b[part]);
    let (a, b) = (E::read(x), E::read(y));
    First {
        index: index as u64,
        a: a.value(),
        b: b.value(),
        a_hex: hex(x.iter()),
        b_hex: hex(y.iter()),
        ulp: a.distance(b),
    }
}

/// `count` elements with `index` in the middle, moved inwards at either end.
fn tile_around<E: Element>(index: usize, count: usize, elements: usize, a: &[u8], b: &[u8]) -> Tile {
    let count = count.min(elements);
    let start = index.saturating_sub(count / 2).min(elements - count);
    let part = start * E::SIZE..(start + count) * E::SIZE;
    Tile { start: start as u64, a: hex(a[part.clone()].iter()), b: hex(b[part].iter()) }
}

fn hex<'b>(bytes: impl Iterator<Item = &'b u8>) -> String {
    bytes.fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
