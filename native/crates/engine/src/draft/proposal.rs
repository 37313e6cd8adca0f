//! What a drafter proposes.

use crate::{Tensor, TopLogit, forward::Rows, session::top};
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
