//! Tensor diff: one pass over two tensors of one dtype and shape.

mod scan;

use crate::{Tensor, number, threads::cores};
use moire_base::{Control, Error, Result};
use moire_kernels::{Isa, Pool};
use scan::Sides;
use serde::Serialize;
use std::{ops::Range, sync::Arc};

/// Most elements a tile shows.
pub const MAX_TILE: usize = 1024;
/// Most rows of a pair that are counted one by one.
pub const MAX_ROWS: usize = 1 << 16;
/// Bytes of a side from which on other threads pay.
const PARALLEL: usize = 4 << 20;

/// Two tensors, or rows of them along the first dimension.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The one; relative measures refer to it.
    pub a: Arc<Tensor>,
    /// The other.
    pub b: Arc<Tensor>,
    /// Rows of a; all of them by default.
    pub a_rows: Option<Range<usize>>,
    /// Rows of b.
    pub b_rows: Option<Range<usize>>,
}

/// What a diff tells besides its counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Elements around the first difference; 0 for none.
    pub tile: usize,
    /// Counts of every row.
    pub rows: bool,
}

/// How two tensors differ; the `Diff` document of `moire.h`. Elements are counted within the compared rows.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// Whether every byte is the same.
    pub equal: bool,
    /// Bytes compared.
    pub bytes: u64,
    /// Bytes that differ.
    pub differing_bytes: u64,
    /// Elements compared.
    pub elements: u64,
    /// Elements with a differing byte.
    pub differing_elements: u64,
    /// The first of them.
    pub first: Option<First>,
    /// Largest distance in representable values (integers: largest difference), at most 2^53 - 1.
    pub max_ulp: u64,
    /// Largest |a - b| over elements finite in both.
    #[serde(serialize_with = "number::float")]
    pub max_abs: f64,
    /// Root mean square of a - b over the same elements.
    #[serde(serialize_with = "number::float")]
    pub rms: f64,
    /// |a - b| / |a| as vectors over the same elements; infinite when a is all zero and b is not.
    #[serde(rename = "relL2", serialize_with = "number::float")]
    pub rel_l2: f64,
    /// NaN and infinities on each side.
    pub non_finite: NonFinite,
    /// Elements around the first difference.
    pub tile: Option<Tile>,
    /// Counts of every row, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowCounts>,
}

impl Diff {
    /// Whether there is nothing to tell: equal, and every element is finite.
    pub fn is_plain(&self) -> bool {
        self.equal && self.non_finite.a == 0
    }
}

/// Counts of each compared row, first to last.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowCounts {
    /// Elements with a differing byte.
    pub differing_elements: Vec<u64>,
    /// Largest distance in representable values.
    pub max_ulp: Vec<u64>,
}

/// The first differing element.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct First {
    /// Flat index within the compared rows.
    pub index: u64,
    /// Value in a.
    #[serde(serialize_with = "number::float")]
    pub a: f64,
    /// Value in b.
    #[serde(serialize_with = "number::float")]
    pub b: f64,
    /// Bytes of a as hex, little-endian as stored.
    pub a_hex: String,
    /// Bytes of b.
    pub b_hex: String,
    /// Representable values between them.
    pub ulp: u64,
}

/// Elements that are not finite.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct NonFinite {
    /// In a.
    pub a: u64,
    /// In b.
    pub b: u64,
}

/// Consecutive elements of both sides, in memory order.
#[derive(Clone, Debug, Serialize)]
pub struct Tile {
    /// Flat index of its first element within the compared rows.
    pub start: u64,
    /// Bytes of a as hex, little-endian as stored.
    pub a: String,
    /// Bytes of b.
    pub b: String,
}

/// Compare pairs, on all physical cores where they are large. Bytes, sums and counts do not depend on threads or instruction set.
/// Errors: `Invalid` for different dtypes or shapes, a range outside a tensor, a tile above [`MAX_TILE`], more than [`MAX_ROWS`] rows to count; `Cancelled`;
/// `Io` for a tensor of a file that was cut or written to since it was opened.
pub fn compare(pairs: &[Pair], wanted: Wanted, control: &Control) -> Result<Vec<Diff>> {
    let total: usize = pairs.iter().map(|pair| pair.a.data.len()).sum();
    let pool = Pool::new(if total < PARALLEL { 1 } else { cores() })?;
    let run = Comparer { wanted, isa: Isa::detect(), pool: &pool, control };
    let sides: Vec<Sides> =
        pairs.iter().enumerate().map(|(i, p)| run.sides(p).map_err(|e| in_pair(i, e))).collect::<Result<_>>()?;
    control.stage("diff", sides.iter().map(|s| s.a.len() as u64).sum());
    let diffs = sides.into_iter().map(|sides| run.compare(sides)).collect::<Result<_>>()?;
    pairs.iter().flat_map(|pair| [&pair.a, &pair.b]).try_for_each(|tensor| tensor.data.check())?;
    Ok(diffs)
}

/// The place of an error of one pair, seen from the request.
fn in_pair(index: usize, error: Error) -> Error {
    let field = error.place.strip_prefix("/pairs").unwrap_or(&error.place);
    Error { place: format!("/pairs/{index}{field}"), ..error }
}

/// How pairs are compared.
struct Comparer<'a> {
    wanted: Wanted,
    isa: Isa,
    pool: &'a Pool,
    control: &'a Control,
}

impl Comparer<'_> {
    /// The bytes of a pair, if they can be compared.
    fn sides<'t>(&self, Pair { a, b, a_rows, b_rows }: &'t Pair) -> Result<Sides<'t>> {
        let (a_data, a_count) = select(a, a_rows, "/aRows")?;
        let (b_data, b_count) = select(b, b_rows, "/bRows")?;
        if a.dtype != b.dtype || a_count != b_count || a.shape.get(1..) != b.shape.get(1..) {
            let (a, b) = (a.describe(), b.describe());
            let message = format!(
                "a is {a} ({a_count} rows), b is {b} ({b_count} rows): only tensors of one dtype and shape can be compared"
            );
            return Err(Error::invalid("/pairs", message));
        }
        if self.wanted.tile > MAX_TILE {
            return Err(Error::invalid(
                "/tile",
                format!("{} elements; a tile has at most {MAX_TILE}", self.wanted.tile),
            ));
        }
        if self.wanted.rows && a_count > MAX_ROWS {
            return Err(Error::invalid("/rows", format!("{a_count} rows; at most {MAX_ROWS} are counted one by one")));
        }
        Ok(Sides { dtype: a.dtype, rows: a_count, a: a_data, b: b_data })
    }

    fn compare(&self, sides: Sides) -> Result<Diff> {
        let total = scan::scan(self, sides)?;
        Ok(Diff {
            equal: total.first.is_none(),
            bytes: sides.a.len() as u64,
            differing_bytes: total.counts.differing_bytes,
            elements: sides.elements() as u64,
            differing_elements: total.counts.differing_elements,
            first: total.first.map(|i| scan::first(sides, i)),
            max_ulp: total.counts.max_ulp,
            max_abs: total.counts.max_abs,
            rms: total.rms(sides.elements()),
            rel_l2: total.rel_l2(),
            non_finite: total.non_finite(),
            tile: total.first.filter(|_| self.wanted.tile > 0).map(|i| scan::tile(sides, i, self.wanted.tile)),
            rows: self.wanted.rows.then(|| scan::rows(self, sides)).transpose()?,
        })
    }
}

fn select<'t>(t: &'t Tensor, rows: &Option<Range<usize>>, place: &str) -> Result<(&'t [u8], usize)> {
    let all = t.rows();
    let range = rows.clone().unwrap_or(0..all);
    if range.start > range.end || range.end > all {
        let Range { start, end } = range;
        return Err(Error::invalid(place, format!("rows {start}..{end} of a tensor with {all} rows")));
    }
    let row = t.row_len() * t.dtype.size();
    Ok((&t.data[range.start * row..range.end * row], range.len()))
}

#[cfg(test)]
mod tests;
