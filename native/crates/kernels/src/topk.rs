//! The best logits of a row.

use crate::{
    Isa,
    simd::{Kernel, LANES, Lanes, dispatch},
};

/// Logits that are passed over at once.
const BLOCK: usize = 256;

/// A token and its logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Token id: the index in the row.
    pub id: u32,
    /// Its logit.
    pub logit: f32,
}

/// The `k` best of a row, best first, the lowest id first among equals (-0 equals 0). NaN is below every number, -Infinity included, and comes in only when there
/// are fewer numbers than `k`.
pub fn top_k(isa: Isa, logits: &[f32], k: usize) -> Vec<Candidate> {
    dispatch(isa, TopK { logits, k: k.min(logits.len()) })
}

struct TopK<'a> {
    logits: &'a [f32],
    k: usize,
}

impl Kernel for TopK<'_> {
    type Out = Vec<Candidate>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Candidate> {
        let Self { logits, k } = self;
        let mut best: Vec<Candidate> = Vec::with_capacity(k + 1);
        if k == 0 {
            return best;
        }
        for (i, block) in logits.chunks(BLOCK).enumerate() {
            // Against a number only a greater one gets in; most blocks have none.
            if best.len() == k && largest::<L>(block) <= best[k - 1].logit {
                continue;
            }
            for (id, &logit) in ((i * BLOCK) as u32..).zip(block) {
                if best.len() == k && !beats(logit, best[k - 1].logit) {
                    continue;
                }
                let at = best.partition_point(|c| !beats(logit, c.logit));
                best.truncate(k - 1);
                best.insert(at, Candidate { id, logit });
            }
        }
        best
    }
}

/// The largest number of a block; -Infinity if it has none.
#[inline(always)]
fn largest<L: Lanes>(block: &[f32]) -> f32 {
    let mut best = L::splat(f32::NEG_INFINITY);
    let vectors = block.chunks_exact(LANES);
    let rest = vectors.remainder();
    for x in vectors {
        best = L::load(x).max(best);
    }
    let mut lanes = [0.0; LANES];
    best.store(&mut lanes);
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |m, &v| if v > m { v } else { m })
}

/// Strictly better, so that an equal but earlier id stays ahead.
fn beats(a: f32, b: f32) -> bool {
    a > b || (b.is_nan() && !a.is_nan())
}
