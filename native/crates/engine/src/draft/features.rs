//! What a drafter is told of committed tokens: features of the target and the tokens that follow.

use super::DrafterInfo;
use crate::{Tensor, forward::Rows};
use moire_base::{Dtype, Error, Result};
use moire_kernels::promote;
use std::{ops::Range, sync::Arc};

/// Rows that are projected at once: enough for the kernels of many rows, little beside a long prompt.
const CHUNK: usize = 512;

/// What the target made of committed tokens. Rows of a batch stand one after another, as in the forward that the features are from.
pub struct Observation {
    /// `[rows, H]` each, one for every tap of [`DrafterInfo::taps`].
    pub features: Vec<Arc<Tensor>>,
    /// Per batch row the rows `from..to` of the features; empty for none.
    pub rows: Vec<[usize; 2]>,
    /// Per batch row the token after each of these rows.
    pub next: Vec<Vec<u32>>,
}

/// A checked observation.
pub struct Features {
    tensors: Vec<Arc<Tensor>>,
    rows: Vec<Range<usize>>,
    next: Vec<Vec<u32>>,
    /// Of all tensors together with the activations of the session: with those of fp32 nothing is rounded.
    pub dtype: Dtype,
}

impl Features {
    /// Checks an observation for a session of `batch` rows with activations of `act`. Errors: `Invalid` with the place in the request.
    pub fn new(observation: Observation, info: &DrafterInfo, batch: usize, act: Dtype) -> Result<Self> {
        let Observation { features, rows, next } = observation;
        let count = check_tensors(&features, info)?;
        for (name, len) in [("rows", rows.len()), ("next", next.len())] {
            if len != batch {
                let message = format!("{len} entries for a draft session with batch {batch}");
                return Err(Error::invalid(format!("/{name}"), message));
            }
        }
        let rows: Vec<Range<usize>> = rows.into_iter().map(|[from, to]| from..to).collect();
        for (b, (rows, next)) in rows.iter().zip(&next).enumerate() {
            if rows.start > rows.end || rows.end > count {
                let message = format!("rows {} to {} of features with {count} rows", rows.start, rows.end);
                return Err(Error::invalid(format!("/rows/{b}"), message));
            }
            if next.len() != rows.len() {
                let message = format!("{} ids for {} rows; every row has the token after it", next.len(), rows.len());
                return Err(Error::invalid(format!("/next/{b}"), message));
            }
            if let Some(i) = next.iter().position(|id| *id as usize >= info.vocab) {
                let message = format!("token id {} is beyond the vocabulary of {}", next[i], info.vocab);
                return Err(Error::invalid(format!("/next/{b}/{i}"), message));
            }
        }
        let dtype = features.iter().map(|t| t.dtype).fold(act, promote);
        Ok(Self { tensors: features, rows, next, dtype })
    }

    /// Whether the tensors are what they were. Errors: `Io` for one of a file that was cut or written to since.
    pub fn check(&self) -> Result<()> {
        self.tensors.iter().try_for_each(|t| t.data.check())
    }

    /// New rows, per batch row.
    pub fn counts(&self) -> Vec<usize> {
        self.rows.iter().map(Range::len).collect()
    }

    /// The token after the last new row, per batch row.
    pub fn last(&self) -> impl Iterator<Item = Option<u32>> {
        self.next.iter().map(|ids| ids.last().copied())
    }

    /// All new rows in parts of limited length: of each batch row which of its new rows.
    pub fn chunks(&self) -> impl Iterator<Item = Vec<Range<usize>>> {
        let counts = self.counts();
        let longest = counts.iter().copied().max().unwrap_or(0);
        (0..longest)
            .step_by(CHUNK)
            .map(move |from| counts.iter().map(|n| from.min(*n)..(from + CHUNK).min(*n)).collect())
    }

    /// Rows of the largest chunk.
    pub fn largest(&self) -> usize {
        self.counts().iter().map(|n| (*n).min(CHUNK)).sum()
    }

    /// The features of a chunk side by side, `[rows, n·H]`.
    pub fn gather(&self, chunk: &[Range<usize>]) -> Rows {
        let width = self.tensors.iter().map(|t| t.row_len()).sum();
        let mut values = Vec::with_capacity(chunk.iter().map(Range::len).sum::<usize>() * width);
        for (rows, part) in self.rows.iter().zip(chunk) {
            for row in part.clone().map(|i| rows.start + i) {
                for t in &self.tensors {
                    let bytes = t.row_len() * t.dtype.size();
                    values.extend(t.dtype.widen(&t.data[row * bytes..(row + 1) * bytes]));
                }
            }
        }
        Rows { values, width, dtype: self.dtype }
    }

    /// The tokens after the rows of a chunk.
    pub fn ids(&self, chunk: &[Range<usize>]) -> Vec<u32> {
        self.next.iter().zip(chunk).flat_map(|(ids, part)| &ids[part.clone()]).copied().collect()
    }
}

/// Rows that every tensor has.
fn check_tensors(features: &[Arc<Tensor>], info: &DrafterInfo) -> Result<usize> {
    if features.len() != info.taps.len() {
        let message = format!(
            "{} tensors; this drafter reads {} taps: {}",
            features.len(),
            info.taps.len(),
            info.taps.join(", ")
        );
        return Err(Error::invalid("/features", message));
    }
    let rows = features.first().map_or(0, |t| t.rows());
    let wrong = |t: &Arc<Tensor>| !t.dtype.is_float() || t.shape[..] != [rows, info.hidden];
    match features.iter().position(wrong) {
        None => Ok(rows),
        Some(i) => {
            let message = format!(
                "{} where the tap {} is a float tensor [{rows}, {}]",
                features[i].describe(),
                info.taps[i],
                info.hidden
            );
            Err(Error::invalid(format!("/features/{i}"), message))
        }
    }
}
