//! What a draft session refuses, and that it changes nothing.

use crate::{
    common::{goldens, load as load_model, same_bytes},
    pair::{DFLASH, folder, load, logits, noise, observe, open, propose, tokens, wish},
};
use moire_base::{Control, Dtype, Error, Status};
use moire_engine::{DraftSession, Observation, Wish};
use serde_json::json;

fn drafts(name: &str, batch: usize) -> DraftSession {
    let target = load_model(&goldens().join("models/qwen35-tiny-bf16"));
    open(&load(&folder(name), &target), &json!({}), batch)
}

/// Makes an observation wrong.
type Spoil = fn(&mut Observation);

fn refused(draft: &mut DraftSession, observation: Observation) -> (String, String) {
    let before = draft.position();
    let e = draft.observe(observation, &Control::default()).unwrap_err();
    assert_eq!((e.status, draft.position()), (Status::Invalid, before), "{e}");
    (e.place, e.message)
}

#[test]
fn observations_that_do_not_fit() {
    let mut draft = drafts(DFLASH[0], 2);
    let good = || Observation {
        features: noise(3, 10, 128, Dtype::Bf16),
        rows: vec![[0, 3], [5, 7]],
        next: vec![tokens(3), tokens(2)],
    };
    let cases: [(&str, &str, Spoil); 10] = [
        ("/features", "reads 3 taps: 1.layer_output", |o| o.features.truncate(2)),
        ("/features/1", "3.layer_output", |o| o.features[1] = noise(1, 10, 64, Dtype::Bf16).remove(0)),
        ("/features/2", "float tensor [10, 128]", |o| o.features[2] = noise(1, 9, 128, Dtype::Bf16).remove(0)),
        ("/rows", "batch 2", |o| o.rows.truncate(1)),
        ("/rows/1", "rows 5 to 11", |o| o.rows[1] = [5, 11]),
        ("/rows/0", "rows 3 to 1", |o| o.rows[0] = [3, 1]),
        ("/next", "batch 2", |o| o.next.push(vec![])),
        ("/next/0", "2 ids for 3 rows", |o| o.next[0].truncate(2)),
        ("/next/1/0", "vocabulary of 512", |o| o.next[1][0] = 512),
        ("/rows/0", "context of 4096", |o| {
            o.features = noise(3, 4097, 128, Dtype::Bf16);
            (o.rows[0], o.next[0]) = ([0, 4097], tokens(4097));
        }),
    ];
    for (place, words, spoil) in cases {
        let mut observation = good();
        spoil(&mut observation);
        let (at, message) = refused(&mut draft, observation);
        assert!(at == place && message.contains(words), "{place}: {at}: {message}");
    }
    draft.observe(good(), &Control::default()).unwrap();
    assert_eq!(draft.position(), [3, 2]);
    let other = Observation { features: noise(3, 10, 128, Dtype::F32), ..good() };
    let (at, message) = refused(&mut draft, other);
    assert!(at == "/features" && message.contains("f32 where") && message.contains("bf16"), "{message}");
}

fn wrong(draft: &mut DraftSession, wish: &Wish) -> Error {
    draft.propose(wish, &Control::default()).unwrap_err()
}

#[test]
fn proposals_that_cannot_be_made() {
    for name in [DFLASH[1], "mtp-tiny"] {
        let mut draft = drafts(name, 2);
        let given = noise(if name == "mtp-tiny" { 1 } else { 3 }, 10, 128, Dtype::Bf16);
        assert_eq!(wrong(&mut draft, &wish(4)).status, Status::State);
        observe(&mut draft, &given, &[[0, 3], [0, 0]], &[tokens(3), vec![]]);
        let e = wrong(&mut draft, &wish(4));
        assert!(e.status == Status::State && e.message.contains("batch row 1"), "{e}");
        observe(&mut draft, &given, &[[3, 3], [0, 2]], &[vec![], tokens(2)]);
        assert_eq!(wrong(&mut draft, &wish(1)).place, "/width");
        let after = |ids: &[u32]| Wish { after: Some(ids.to_vec()), ..wish(2) };
        if name == "mtp-tiny" {
            for (ids, place) in [(&[1][..], "/after"), (&[1, 512], "/after/1")] {
                let e = wrong(&mut draft, &after(ids));
                assert_eq!((e.status, e.place.as_str()), (Status::Invalid, place));
            }
        } else {
            let e = wrong(&mut draft, &after(&[1, 2]));
            assert!(e.status == Status::Unsupported && e.message.contains("whole block"), "{e}");
            let e = wrong(&mut draft, &wish(17));
            assert!(e.place == "/width" && e.message.contains("sliding window of 16"), "{e}");
        }
        propose(&mut draft, &wish(4));
    }
}

#[test]
fn switches_that_mean_nothing_here() {
    let target = load_model(&goldens().join("models/qwen35-tiny-bf16"));
    for (name, switches, words) in [
        (DFLASH[0], json!({"delta": "chunked"}), "slidingCausal"),
        (DFLASH[0], json!({"slidingCausal": "perhaps"}), "auto, true, false"),
        (DFLASH[0], json!({"matmul": "fast"}), "qmv"),
        ("mtp-tiny", json!({"slidingCausal": "true"}), "matmul, attention, activations, threads, isa"),
        ("mtp-tiny", json!({"threads": "two"}), "1 to 256"),
    ] {
        let drafter = load(&folder(name), &target);
        let e = drafter.open(switches.as_object().unwrap(), 1).err().unwrap();
        assert!(e.place.starts_with("/switches/") && e.message.contains(words), "{e}");
        assert_eq!(drafter.open(&serde_json::Map::new(), 65).err().unwrap().place, "/batch");
        let map = open(&drafter, &json!({}), 1).switches();
        let names: Vec<&str> = drafter.info().switches.iter().map(|s| s.name).collect();
        assert_eq!(map.keys().map(String::as_str).collect::<Vec<_>>(), names);
    }
}

#[test]
fn cancelled_it_is_as_before() {
    for name in [DFLASH[0], "mtp-tiny"] {
        let mut draft = drafts(name, 1);
        let given = noise(if name == "mtp-tiny" { 1 } else { 3 }, 20, 128, Dtype::Bf16);
        observe(&mut draft, &given, &[[0, 9]], &[tokens(9)]);
        let mut twin = draft.fork();
        let control = Control::default();
        control.cancel();
        let more = Observation { features: given.clone(), rows: vec![[9, 20]], next: vec![tokens(11)] };
        assert_eq!(draft.observe(more, &control).unwrap_err().status, Status::Cancelled);
        assert_eq!(draft.propose(&wish(4), &control).unwrap_err().status, Status::Cancelled);
        assert_eq!(draft.position(), [9]);
        let [a, b] = [&mut draft, &mut twin].map(|d| propose(d, &wish(4)));
        assert!(same_bytes(logits(&a), logits(&b)), "{name}");
    }
}
