//! Rewind after a verify: against mlx-lm's goldens, and byte for byte against never having seen the rejected rows.

mod common;

use common::{Golden, distance, run, same_bytes};
use moire_base::{Control, Status};
use moire_engine::{Session, Tensor};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const FAMILIES: [(&str, &str); 2] = [("qmv", "per_position"), ("exact", "exact")];

fn switches((matmul, attention): (&str, &str)) -> Value {
    json!({"matmul": matmul, "attention": attention})
}

/// A session that verified the golden block after the golden prompt.
fn verified(golden: &Golden, switches: &Value) -> Session {
    let mut session = run::open(&golden.model, switches, 1);
    run::prefill(&mut session, &golden.ids("/prompt"), &run::with(&[]));
    run::verify(&mut session, &golden.ids("/block"), &run::with(&[]));
    session
}

fn assert_same_state(a: &Session, b: &Session, what: &str) {
    let (a, b) = (run::caches(a), run::caches(b));
    for (name, t) in &a {
        assert!(same_bytes(t, &b[name]), "{what}: {name} differs");
    }
}

#[test]
fn kept_rows_leave_the_state_of_never_having_seen_the_rest() {
    for name in ["qwen35-tiny-4bit", "qwen35-tiny-bf16"] {
        let golden = Golden::open_ref(name, &format!("rewind.{name}"));
        for family in FAMILIES {
            let switches = switches(family);
            for kept in 1..=4 {
                let mut rewound = verified(&golden, &switches);
                let result = rewound.rewind(&[kept]).unwrap();
                assert_eq!(
                    (result.asked, result.dropped, result.position),
                    (vec![kept], vec![4 - kept], vec![24 + kept])
                );
                let how = |layer: usize| result.layers[layer].how;
                assert_eq!((how(0), how(3)), if kept == 4 { ("none", "none") } else { ("recompute", "truncate") });
                let mut chain = run::open(&golden.model, &switches, 1);
                run::prefill(&mut chain, &golden.ids("/prompt"), &run::with(&[]));
                golden.ids("/block")[..kept].iter().for_each(|id| drop(run::decode(&mut chain, *id, &run::with(&[]))));
                assert_same_state(&rewound, &chain, &format!("{name} {family:?} keep {kept}"));
                let state = run::caches(&rewound);
                let next =
                    u32::try_from(golden.json[&"keep"][&kept.to_string()]["next_token_fed"].as_u64().unwrap()).unwrap();
                let steps = [&mut rewound, &mut chain].map(|s| run::decode(s, next, &run::with(&[])));
                assert!(same_bytes(run::logits(&steps[0]), run::logits(&steps[1])));
                check_golden(&golden, kept, &state, run::logits(&steps[0]));
            }
        }
    }
}

/// State and next logits of mlx-lm's fresh run over only the kept rows, within 5 noise floors as the states of `activations.rs`: one row
/// of logits scatters more than the 24 of which the floor is made.
fn check_golden(golden: &Golden, kept: usize, state: &BTreeMap<String, Tensor>, next: &Tensor) {
    let floor = if golden.model.info().quantisation.is_some() { 0.00743 } else { 0.00541 };
    for (name, ours) in state {
        let d = distance(ours, &golden.tensors[&format!("keep{kept}.cache.{name}")]);
        assert!(d.rms <= 5.0 * floor, "{} keep {kept} {name}: {d:?}", golden.name);
    }
    let d = distance(next, &golden.tensors[&format!("keep{kept}.next_logits")]);
    assert!(d.rms <= 5.0 * floor, "{} keep {kept} next logits: {d:?}", golden.name);
}

#[test]
fn rewinding_twice_or_without_a_verify_is_a_state_error() {
    let golden = Golden::open_ref("qwen35-tiny-4bit", "rewind.qwen35-tiny-4bit");
    let mut session = verified(&golden, &json!({}));
    session.rewind(&[2]).unwrap();
    assert_eq!(session.rewind(&[1]).unwrap_err().status, Status::State);
    run::decode(&mut session, 1, &run::with(&[]));
    assert_eq!(session.rewind(&[1]).unwrap_err().status, Status::State);
    let mut fresh = run::open(&golden.model, &json!({}), 1);
    assert_eq!(fresh.rewind(&[1]).unwrap_err().status, Status::State);
    run::prefill(&mut fresh, &[1, 2, 3], &run::with(&[]));
    assert_eq!(fresh.rewind(&[1]).unwrap_err().status, Status::State);
}

#[test]
fn wrong_counts_are_refused_and_change_nothing() {
    let golden = Golden::open_ref("qwen35-tiny-4bit", "rewind.qwen35-tiny-4bit");
    let mut session = verified(&golden, &json!({}));
    let before = session.fork();
    for (kept, place) in
        [(vec![0], "/keptRows/0"), (vec![5], "/keptRows/0"), (vec![1, 1], "/keptRows"), (vec![], "/keptRows")]
    {
        let e = session.rewind(&kept).unwrap_err();
        assert_eq!((e.status, e.place.as_str()), (Status::Invalid, place));
    }
    assert!(session.rewind(&[9]).unwrap_err().message.contains("9 rows of a block of 4"));
    assert_same_state(&session, &before, "after refusals");
    assert_eq!(session.rewind(&[3]).unwrap().position, [27]);
}

#[test]
fn a_failed_forward_in_between_keeps_the_rewind_possible() {
    let golden = Golden::open_ref("qwen35-tiny-4bit", "rewind.qwen35-tiny-4bit");
    let mut session = verified(&golden, &json!({}));
    let mut twin = session.fork();
    let control = Control::default();
    control.cancel();
    assert_eq!(session.verify(&[vec![1, 2]], &run::with(&[]), &control).unwrap_err().status, Status::Cancelled);
    session.rewind(&[2]).unwrap();
    twin.rewind(&[2]).unwrap();
    assert_same_state(&session, &twin, "rewind after a cancelled verify");
}

#[test]
fn a_chunked_block_is_recomputed_token_by_token_from_the_state_before_it() {
    let golden = Golden::open_ref("qwen35-tiny-4bit", "rewind.qwen35-tiny-4bit");
    let chunked = json!({"matmul": "exact", "attention": "exact", "delta": "chunked"});
    let mut session = verified(&golden, &chunked);
    session.rewind(&[3]).unwrap();
    let mut chain = run::open(&golden.model, &chunked, 1);
    run::prefill(&mut chain, &golden.ids("/prompt"), &run::with(&[]));
    golden.ids("/block")[..3].iter().for_each(|id| drop(run::decode(&mut chain, *id, &run::with(&[]))));
    let (a, b) = (run::caches(&session), run::caches(&chain));
    assert!(same_bytes(&a["0.rec"], &b["0.rec"]), "layer 0 sees the same inputs in block and chain");
}

#[test]
fn a_batch_row_forked_alone_is_the_session_that_ran_alone() {
    let golden = Golden::open_ref("qwen35-tiny-4bit", "rewind.qwen35-tiny-4bit");
    let switches = json!({"matmul": "exact", "attention": "exact"});
    let (prompt, block, control) = (golden.ids("/prompt"), golden.ids("/block"), Control::default());
    let blocks = [block.clone(), block.iter().rev().copied().collect()];
    let kept = [1, 3];
    let mut batch = run::open(&golden.model, &switches, 2);
    batch.prefill(&[prompt.clone(), prompt.clone()], &run::with(&[]), &control).unwrap();
    batch.verify(&blocks, &run::with(&[]), &control).unwrap();
    batch.rewind(&kept).unwrap();
    for row in 0..2 {
        let mut alone = run::open(&golden.model, &switches, 1);
        run::prefill(&mut alone, &prompt, &run::with(&[]));
        run::verify(&mut alone, &blocks[row], &run::with(&[]));
        alone.rewind(&[kept[row]]).unwrap();
        let mut forked = batch.fork_rows(&[row]).unwrap();
        assert_eq!(forked.position(), alone.position());
        assert_same_state(&forked, &alone, &format!("row {row}"));
        let steps = [&mut forked, &mut alone].map(|s| run::decode(s, 7, &run::with(&[])));
        assert!(same_bytes(run::logits(&steps[0]), run::logits(&steps[1])));
        assert_eq!(forked.rewind(&[1]).err().unwrap().status, Status::State);
    }
}
