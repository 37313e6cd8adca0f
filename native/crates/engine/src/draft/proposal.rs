//! What a drafter proposes.

use super::DrafterInfo;
use crate::{Tensor, TopLogit, forward::Rows, session::top};
use moire_base::{Error, Result};
use moire_kernels::Isa;
use std::time::{Duration, Instant};

/// What is asked of a proposal.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Rows of the verification pass: width - 1 tokens are proposed.
    pub width: usize,
    /// Whether to hand out the logits.
    pub logits: bool,
    /// How many best logits to name per row.
    pub top: usize,
    /// Go on from these tokens, one per batch row (MTP).
    pub after: Option<Vec<u32>>,
}

impl Wish {
    /// Errors: `Invalid` with the place in the request; `Unsupported` for `after` with a drafter that fills whole blocks.
    pub(super) fn check(&self, info: &DrafterInfo, batch: usize) -> Result<()> {
        if self.width < 2 {
            let message = format!("{} rows; the anchor and at least one draft make 2", self.width);
            return Err(Error::invalid("/width", message));
        }
        if let Some(window) = info.sliding_window.filter(|w| *w < self.width) {
            let message = format!("{} rows are more than the sliding window of {window}", self.width);
            return Err(Error::invalid("/width", message));
        }
        let Some(after) = &self.after else { return Ok(()) };
        if info.family == "dflash" {
            let message = "a DFlash drafter fills its whole block in one forward from the last observed token: it cannot go on from others; observe them";
            return Err(Error::unsupported("/after", message));
        }
        if after.len() != batch {
            let message = format!("{} ids for a draft session with batch {batch}", after.len());
            return Err(Error::invalid("/after", message));
        }
        after.iter().position(|id| *id as usize >= info.vocab).map_or(Ok(()), |b| {
            let message = format!("token id {} is beyond the vocabulary of {}", after[b], info.vocab);
            Err(Error::invalid(format!("/after/{b}"), message))
        })
    }
}

/// Greedy tokens and what they were chosen from. Rows of a batch stand one after another.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// width - 1 ids per batch row: the first index of the largest logit.
    pub ids: Vec<Vec<u32>>,
    /// `[batch · (width - 1), V]`, if asked for.
    pub logits: Option<Tensor>,
    /// Best logits per row, best first, lowest id first among equals.
    pub top: Vec<Vec<TopLogit>>,
    /// Time of the proposal.
    pub elapsed: Duration,
}

impl Proposal {
    /// From logits `[batch · (width - 1), V]`.
    pub(super) fn new(isa: Isa, logits: &Rows, wish: &Wish, started: Instant) -> Self {
        let mut best = top(isa, logits, wish.top.max(1));
        let ids: Vec<u32> = best.iter().map(|row| row[0].id).collect();
        best.iter_mut().for_each(|row| row.truncate(wish.top));
        let tensor = || Tensor::from_f32(logits.dtype, vec![logits.rows(), logits.width], &logits.values);
        Self {
            ids: ids.chunks(wish.width - 1).map(<[u32]>::to_vec).collect(),
            logits: wish.logits.then(tensor),
            top: best,
            elapsed: started.elapsed(),
        }
    }
}

/// Rows `[batch · steps, V]` of steps of `[batch, V]` each.
pub fn by_batch_row(steps: &[Rows]) -> Rows {
    let (first, batch) = (&steps[0], steps[0].rows());
    let mut all = Rows { values: Vec::with_capacity(steps.len() * first.values.len()), ..*first };
    for b in 0..batch {
        steps.iter().for_each(|s| all.values.extend_from_slice(&s.values[b * s.width..(b + 1) * s.width]));
    }
    all
}
