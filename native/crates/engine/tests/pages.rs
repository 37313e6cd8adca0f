//! The pages of the KV cache: shared by forks until one side writes, and given back by what failed.

mod common;

use common::{run, same_bytes, sample};
use moire_engine::{Model, Session};
use serde_json::json;
use std::sync::Arc;

fn ids(count: usize, seed: usize) -> Vec<u32> {
    (0..count).map(|i| ((i * 13 + seed * 7) % 4096) as u32).collect()
}

fn opened(model: &Arc<Model>) -> Session {
    run::open(model, &json!({"matmul": "exact", "attention": "exact"}), 1)
}

fn assert_same(a: &Session, b: &Session, what: &str) {
    let (a, b) = (run::caches(a), run::caches(b));
    assert!(a.iter().all(|(name, t)| same_bytes(t, &b[name])), "{what}");
}

/// Lengths around the page of 64 positions: the last page empty, begun, full.
#[test]
fn forks_that_go_different_ways_do_not_meet() {
    let model = sample();
    for past in [1, 63, 64, 65, 130] {
        let mut trunk = opened(&model);
        run::prefill(&mut trunk, &ids(past, 0), &run::with(&[]));
        let mut forks: Vec<Session> = (0..3).map(|_| trunk.fork()).collect();
        for (i, fork) in forks.iter_mut().enumerate() {
            run::verify(fork, &ids(70, i), &run::with(&[]));
        }
        forks[2].rewind(&[3]).unwrap();
        run::prefill(&mut trunk, &ids(5, 9), &run::with(&[]));
        for (i, (fork, kept)) in forks.iter().zip([70, 70, 3]).enumerate() {
            let mut alone = opened(&model);
            run::prefill(&mut alone, &ids(past, 0), &run::with(&[]));
            run::prefill(&mut alone, &ids(70, i)[..kept], &run::with(&[]));
            assert_same(fork, &alone, &format!("fork {i} after {past}"));
        }
        let mut alone = opened(&model);
        run::prefill(&mut alone, &ids(past, 0), &run::with(&[]));
        run::prefill(&mut alone, &ids(5, 9), &run::with(&[]));
        assert_same(&trunk, &alone, &format!("trunk after {past}"));
    }
}
