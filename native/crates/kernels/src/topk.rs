//! The best logits of a row.

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
pub fn top_k(logits: &[f32], k: usize) -> Vec<Candidate> {
    let mut best: Vec<Candidate> = Vec::with_capacity(k.min(logits.len()) + 1);
    for (id, &logit) in (0u32..).zip(logits) {
        if k == 0 || (best.len() == k && !beats(logit, best[k - 1].logit)) {
            continue;
        }
        let at = best.partition_point(|c| !beats(logit, c.logit));
        best.truncate(k - 1);
        best.insert(at, Candidate { id, logit });
    }
    best
}

/// Strictly better, so that an equal but earlier id stays ahead.
fn beats(a: f32, b: f32) -> bool {
    a > b || (b.is_nan() && !a.is_nan())
}
