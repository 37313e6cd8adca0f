//! Tensor diff: one pass over two tensors of one dtype and shape.

mod element;
mod scan;

use crate::{Tensor, number};
use moire_base::{Dtype, Error, Result};
use serde::Serialize;
use std::ops::Range;

/// Most elements a tile shows.
pub const MAX_TILE: usize = 1024;

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

/// Compare rows of two tensors (whole tensors where no range is given); `tile` elements around the first difference, 0 for none.
/// Errors: `Invalid` for different dtypes or shapes, a range outside the tensor, or a tile above [`MAX_TILE`].
pub fn compare(
    a: &Tensor,
    b: &Tensor,
    a_rows: Option<Range<usize>>,
    b_rows: Option<Range<usize>>,
    tile: usize,
) -> Result<Diff> {
    if tile > MAX_TILE {
        return Err(Error::invalid("/tile", format!("{tile} elements; a tile has at most {MAX_TILE}")));
    }
    let (a_data, a_count) = select(a, a_rows, "/aRows")?;
    let (b_data, b_count) = select(b, b_rows, "/bRows")?;
    if a.dtype != b.dtype || a_count != b_count || a.shape.get(1..) != b.shape.get(1..) {
        let (a, b) = (a.describe(), b.describe());
        let message = format!(
            "a is {a} ({a_count} rows), b is {b} ({b_count} rows): only tensors of one dtype and shape can be compared"
        );
        return Err(Error::invalid("/pairs", message));
    }
    Ok(scan_dtype(a.dtype, a_data, b_data, tile))
}

fn select<'t>(t: &'t Tensor, rows: Option<Range<usize>>, place: &str) -> Result<(&'t [u8], usize)> {
    let all = t.rows();
    let range = rows.unwrap_or(0..all);
    if range.start > range.end || range.end > all {
        let Range { start, end } = range;
        return Err(Error::invalid(place, format!("rows {start}..{end} of a tensor with {all} rows")));
    }
    let row = t.row_len() * t.dtype.size();
    Ok((&t.data[range.start * row..range.end * row], range.len()))
}

fn scan_dtype(dtype: Dtype, a: &[u8], b: &[u8], tile: usize) -> Diff {
    match dtype {
        Dtype::F32 => scan::scan::<f32>(a, b, tile),
        Dtype::F16 => scan::scan::<half::f16>(a, b, tile),
        Dtype::Bf16 => scan::scan::<half::bf16>(a, b, tile),
        Dtype::F64 => scan::scan::<f64>(a, b, tile),
        Dtype::U8 | Dtype::Bool => scan::scan::<u8>(a, b, tile),
        Dtype::I8 => scan::scan::<i8>(a, b, tile),
        Dtype::U16 => scan::scan::<u16>(a, b, tile),
        Dtype::I16 => scan::scan::<i16>(a, b, tile),
        Dtype::U32 => scan::scan::<u32>(a, b, tile),
        Dtype::I32 => scan::scan::<i32>(a, b, tile),
        Dtype::U64 => scan::scan::<u64>(a, b, tile),
        Dtype::I64 => scan::scan::<i64>(a, b, tile),
    }
}

#[cfg(test)]
mod tests;
