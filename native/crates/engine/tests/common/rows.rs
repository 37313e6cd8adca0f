//! Rows of a batched session beside sessions that run alone.

use super::{blocks::row, run};
use moire_engine::{Model, Session, Step};

/// Ids of nobody, others for every seed.
pub fn ids(model: &Model, count: u32, seed: u32) -> Vec<u32> {
    (0..count).map(|i| (i * 7919 + seed * 104_729) % model.info().vocab as u32).collect()
}

/// Every tap of a batch row is that of the session alone.
pub fn assert_row(batch: &Step, b: usize, alone: &Step, what: &str) {
    let width = alone.rows;
    for (t, u) in batch.taps.iter().zip(&alone.taps) {
        for r in 0..width {
            let same = row(&t.tensor, b * width + r) == row(&u.tensor, r);
            assert!(same, "{what}: batch row {b}, position {r}, layer {} {}", t.layer, t.tap);
        }
    }
}

/// State of a batch row: its slice of every tensor; keys and values of shorter rows end in zeros.
pub fn assert_states(batch: &Session, alone: &[Session], what: &str) {
    let position: Vec<usize> = alone.iter().map(|session| session.position()[0]).collect();
    assert_eq!(batch.position(), position, "{what}");
    let whole = run::caches(batch);
    for (b, session) in alone.iter().enumerate() {
        for (name, t) in run::caches(session) {
            let (have, want) = (row(&whole[&name], b), row(&t, 0));
            if !name.ends_with(".k") && !name.ends_with(".v") {
                assert!(have == want, "{what}: batch row {b}: {name}");
                continue;
            }
            let (heads, longest, len) = (t.shape[1], whole[&name].shape[2], t.shape[2]);
            let size = t.shape[3] * t.dtype.size();
            for h in 0..heads {
                let have = &have[h * longest * size..(h + 1) * longest * size];
                assert!(
                    have[..len * size] == want[h * len * size..(h + 1) * len * size],
                    "{what}: batch row {b}: {name}"
                );
                assert!(have[len * size..].iter().all(|byte| *byte == 0));
            }
        }
    }
}
