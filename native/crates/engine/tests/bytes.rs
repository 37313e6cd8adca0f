//! What may never change a byte: threads, taps, repetition, forks, the other rows of a batch.

mod common;

use common::{
    goldens, load,
    rows::{assert_row, assert_states, ids},
    run, same_bytes, sample,
};
use moire_engine::{Model, Session, Step, Tensor};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// Every family at least once.
fn families() -> Vec<Value> {
    vec![
        json!({"matmul": "qmv"}),
        json!({"matmul": "qmm", "attention": "batched", "delta": "chunked", "rope": "block"}),
        json!({"matmul": "exact", "attention": "exact"}),
        json!({"matmul": "auto", "activations": "f32"}),
    ]
}

fn with(switches: &Value, name: &str, value: Value) -> Value {
    let mut all = switches.clone();
    all[name] = value;
    all
}

fn models() -> Vec<Arc<Model>> {
    let golden = |name: &str| load(&goldens().join("models").join(name));
    vec![sample(), golden("qwen35-tiny-bf16"), golden("llama-tiny-4bit")]
}

/// Steps with all taps, and the state at the end.
type Run = (Vec<Step>, BTreeMap<String, Tensor>);

/// A prefill over more than one chunk, a block, a rewind and a step.
fn run_all(model: &Arc<Model>, switches: &Value) -> Run {
    let mut session = run::open(model, switches, 1);
    let mut steps = vec![run::prefill(&mut session, &ids(model, 66, 1), &run::all())];
    steps.push(run::verify(&mut session, &ids(model, 9, 2), &run::all()));
    session.rewind(&[5]).unwrap();
    steps.push(run::decode(&mut session, 3, &run::all()));
    let state = run::caches(&session);
    (steps, state)
}

fn assert_same((a, a_state): &Run, b: &Run, what: &str) {
    for (x, y) in a.iter().zip(&b.0) {
        assert_eq!(x.taps.len(), y.taps.len());
        for (t, u) in x.taps.iter().zip(&y.taps) {
            assert!(same_bytes(&t.tensor, &u.tensor), "{what}: layer {} {}", t.layer, t.tap);
        }
    }
    assert!(a_state.iter().all(|(name, t)| same_bytes(t, &b.1[name])), "{what}: state");
}

#[test]
fn threads_and_instruction_sets_and_repetition() {
    for model in [sample(), load(&goldens().join("models/llama-tiny-4bit"))] {
        for family in families() {
            let one = run_all(&model, &with(&family, "threads", json!(1)));
            for (name, value) in
                [("threads", json!(1)), ("threads", json!(2)), ("threads", json!(3)), ("isa", json!("scalar"))]
            {
                let again = run_all(&model, &with(&family, name, value.clone()));
                assert_same(&one, &again, &format!("{family} with {name} {value}"));
            }
        }
    }
}

#[test]
fn taps_do_not_change_what_is_computed() {
    for model in models() {
        for family in families() {
            let mut logits = Vec::new();
            let mut states = Vec::new();
            for taps in [&[][..], &["0.input_norm", "*.layer_output"], &["*"]] {
                let mut session = run::open(&model, &family, 1);
                run::prefill(&mut session, &ids(&model, 20, 1), &run::with(taps));
                let step = run::verify(&mut session, &ids(&model, 8, 2), &run::with(taps));
                logits.push(run::logits(&step).clone());
                states.push(run::caches(&session));
            }
            assert!(same_bytes(&logits[0], &logits[1]) && same_bytes(&logits[0], &logits[2]), "{family}");
            assert!(states.iter().all(|s| s.iter().all(|(name, t)| same_bytes(t, &states[0][name]))), "{family}");
        }
    }
}

#[test]
fn a_fork_is_independent_of_its_source() {
    let model = sample();
    let mut source = run::open(&model, &json!({}), 1);
    run::prefill(&mut source, &ids(&model, 20, 1), &run::with(&[]));
    let before = run::caches(&source);
    let mut fork = source.fork();
    let first = run::decode(&mut fork, 5, &run::with(&[]));
    assert!(run::caches(&source).iter().all(|(name, t)| same_bytes(t, &before[name])));
    assert_eq!((source.position(), fork.position()), (vec![20], vec![21]));
    let again = run::decode(&mut source, 5, &run::with(&[]));
    assert!(same_bytes(run::logits(&first), run::logits(&again)));
}

/// Rows of a batch session, as lists of ids.
fn batch_ids(model: &Model, count: u32, seed: u32) -> Vec<Vec<u32>> {
    (0..4).map(|b| ids(model, count, seed + 10 * b)).collect()
}

#[test]
fn a_batch_row_equals_the_same_row_alone_also_after_unequal_rewinds() {
    for model in models() {
        for switches in [json!({"matmul": "exact", "attention": "exact"}), json!({"matmul": "qmv"})] {
            let control = moire_base::Control::default();
            let mut batch = run::open(&model, &switches, 4);
            let mut alone: Vec<Session> = (0..4).map(|_| run::open(&model, &switches, 1)).collect();
            let (prompts, blocks) = (batch_ids(&model, 17, 1), batch_ids(&model, 4, 2));
            let step = batch.prefill(&prompts, &run::all(), &control).unwrap();
            for (b, session) in alone.iter_mut().enumerate() {
                assert_row(&step, b, &run::prefill(session, &prompts[b], &run::all()), "prefill");
            }
            let step = batch.verify(&blocks, &run::all(), &control).unwrap();
            for (b, session) in alone.iter_mut().enumerate() {
                assert_row(&step, b, &run::verify(session, &blocks[b], &run::all()), "verify");
            }
            let rewound = batch.rewind(&[1, 4, 2, 3]).unwrap();
            assert_eq!((rewound.dropped, rewound.position), (vec![3, 0, 2, 1], vec![18, 21, 19, 20]));
            for (b, kept) in [1, 4, 2, 3].into_iter().enumerate() {
                alone[b].rewind(&[kept]).unwrap();
            }
            for round in 0..2 {
                let step = batch.verify(&batch_ids(&model, 3, 5 + round), &run::all(), &control).unwrap();
                for (b, session) in alone.iter_mut().enumerate() {
                    let ids = &batch_ids(&model, 3, 5 + round)[b];
                    assert_row(&step, b, &run::verify(session, ids, &run::all()), "verify after a rewind");
                }
            }
            assert_states(&batch, &alone, "after two more blocks");
        }
    }
}
