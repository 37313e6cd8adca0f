//! The pass over a pair of buffers: chunks of fixed size on all threads, added up in order.

use super::{Comparer, First, NonFinite, RowCounts, Tile};
use moire_base::{Control, Dtype, Result};
use moire_kernels::{
    Isa, Pool,
    diff::{self, CHUNK, Chunk, Sums},
};
use std::{
    fmt::Write,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// Two equally long buffers of one dtype.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    pub dtype: Dtype,
    pub rows: usize,
    pub a: &'a [u8],
    pub b: &'a [u8],
}

/// Sums over all chunks.
#[derive(Default)]
pub struct Total {
    pub counts: Chunk,
    pub square_a: f64,
    /// Flat index of the first differing element.
    pub first: Option<usize>,
}

impl<'a> Sides<'a> {
    pub fn elements(&self) -> usize {
        self.a.len() / self.dtype.size()
    }

    fn part(&self, from: usize, len: usize) -> Self {
        let range = from..self.a.len().min(from + len);
        Self { a: &self.a[range.clone()], b: &self.b[range], ..*self }
    }

    fn compare(&self, isa: Isa, sums: Sums) -> Chunk {
        diff::compare(isa, self.dtype, self.a, self.b, sums)
    }

    fn element(&self, index: usize) -> (&'a [u8], &'a [u8]) {
        let range = index * self.dtype.size()..(index + 1) * self.dtype.size();
        (&self.a[range.clone()], &self.b[range])
    }

    /// The first differing element of a pair that differs.
    fn first_difference(&self) -> usize {
        let byte = self.a.iter().zip(self.b).position(|(x, y)| x != y);
        byte.unwrap_or_default() / self.dtype.size()
    }
}

/// Compare all of both sides. Errors: `Cancelled`.
pub fn scan(run: &Comparer, sides: Sides) -> Result<Total> {
    let chunks = sides.a.len().div_ceil(CHUNK);
    let chunk = |i: usize| sides.part(i * CHUNK, CHUNK);
    let differs = AtomicBool::new(false);
    // Σ a² matters only if something differs: until then, equal chunks do without.
    let glance = |i: usize| {
        let sums = if differs.load(Ordering::Relaxed) { Sums::Always } else { Sums::Differing };
        let found = chunk(i).compare(run.isa, sums);
        if found.differing_elements > 0 {
            differs.store(true, Ordering::Relaxed);
        }
        run.control.advance(chunk(i).a.len() as u64);
        found
    };
    let mut all = on_threads(run.pool, run.control, chunks, glance)?;
    if differs.into_inner() {
        let missing: Vec<usize> = (0..chunks).filter(|i| all[*i].square_a.is_none()).collect();
        let sum = |i: usize| chunk(missing[i]).compare(run.isa, Sums::Always);
        for (i, found) in missing.iter().zip(on_threads(run.pool, run.control, missing.len(), sum)?) {
            all[*i] = found;
        }
    }
    let first = all.iter().position(|c| c.differing_elements > 0);
    let mut total = all.iter().fold(Total::default(), Total::add);
    total.first = first.map(|i| i * (CHUNK / sides.dtype.size()) + chunk(i).first_difference());
    Ok(total)
}

impl Total {
    fn add(mut self, chunk: &Chunk) -> Self {
        self.counts.add(chunk);
        self.square_a += chunk.square_a.unwrap_or_default();
        self
    }

    pub fn non_finite(&self) -> NonFinite {
        NonFinite { a: self.counts.non_finite_a, b: self.counts.non_finite_b }
    }

    /// Root mean square of a - b over `elements` less those left out.
    pub fn rms(&self, elements: usize) -> f64 {
        let finite = elements as u64 - self.counts.excluded;
        if finite == 0 { 0.0 } else { (self.counts.square_difference / finite as f64).sqrt() }
    }

    /// |a - b| / |a|.
    pub fn rel_l2(&self) -> f64 {
        let difference = self.counts.square_difference;
        if difference == 0.0 { 0.0 } else { (difference / self.square_a).sqrt() }
    }
}

/// `f(0) .. f(count - 1)` in order; threads take the next one as they get through. Errors: `Cancelled`.
fn on_threads<T: Send>(pool: &Pool, control: &Control, count: usize, f: impl Fn(usize) -> T + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = |_| {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count && !control.is_cancelled());
        std::iter::from_fn(take).map(|i| (i, f(i))).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = pool.map(pool.threads().min(count), work).into_iter().flatten().collect();
    control.check()?;
    all.sort_unstable_by_key(|(i, _)| *i);
    Ok(all.into_iter().map(|(_, found)| found).collect())
}

/// Differing elements and largest distance of each row. Errors: `Cancelled`.
pub fn rows(run: &Comparer, sides: Sides) -> Result<RowCounts> {
    let len = sides.a.len().checked_div(sides.rows).unwrap_or_default();
    let row = |i: usize| {
        let (mut differing, mut max_ulp) = (0, 0);
        for at in (0..len).step_by(CHUNK) {
            let found = sides.part(i * len + at, CHUNK.min(len - at)).compare(run.isa, Sums::Never);
            differing += found.differing_elements;
            max_ulp = found.max_ulp.max(max_ulp);
        }
        (differing, max_ulp)
    };
    let (differing_elements, max_ulp) = on_threads(run.pool, run.control, sides.rows, row)?.into_iter().unzip();
    Ok(RowCounts { differing_elements, max_ulp })
}

pub fn first(sides: Sides, index: usize) -> First {
    let (a, b) = sides.element(index);
    First {
        index: index as u64,
        a: diff::value(sides.dtype, a),
        b: diff::value(sides.dtype, b),
        a_hex: hex(a),
        b_hex: hex(b),
        ulp: diff::distance(sides.dtype, a, b),
    }
}

/// `count` elements with `index` in the middle, moved inwards at either end.
pub fn tile(sides: Sides, index: usize, count: usize) -> Tile {
    let count = count.min(sides.elements());
    let start = index.saturating_sub(count / 2).min(sides.elements() - count);
    let size = sides.dtype.size();
    let part = sides.part(start * size, count * size);
    Tile { start: start as u64, a: hex(part.a), b: hex(part.b) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
