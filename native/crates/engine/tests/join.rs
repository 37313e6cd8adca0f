//! Sessions joined to one batch, and rows taken out of it: every row goes on as the request that runs alone.

mod common;

use common::{
    goldens, load,
    rows::{assert_row, assert_states, ids},
    run, same_bytes, sample,
};
use moire_base::{Control, Error, Status};
use moire_engine::{Model, Session};
use serde_json::{Value, json};
use std::sync::Arc;

fn exact() -> Value {
    json!({"matmul": "exact", "attention": "exact"})
}

/// A request after its prompt.
fn prompted(model: &Arc<Model>, switches: &Value, length: u32, seed: u32) -> Session {
    let mut session = run::open(model, switches, 1);
    run::prefill(&mut session, &ids(model, length, seed), &run::with(&[]));
    session
}

/// Requests as rows of a batch, and each alone on the same ids. Every step compares all taps, the logits among them, and the whole state.
struct Beside {
    batch: Session,
    alone: Vec<Session>,
    /// So that no two steps and no two rows have the same ids.
    seed: u32,
}

impl Beside {
    fn ids(&mut self, width: u32) -> Vec<Vec<u32>> {
        self.seed += 100;
        (0..self.alone.len() as u32).map(|b| ids(self.alone[0].model(), width, self.seed + b)).collect()
    }

    fn decode(&mut self) {
        let ids = self.ids(1);
        let step = self.batch.decode(&ids.concat(), &run::all(), &Control::default()).unwrap();
        for (b, session) in self.alone.iter_mut().enumerate() {
            assert_row(&step, b, &run::decode(session, ids[b][0], &run::all()), "decode");
        }
        self.check("decode");
    }

    fn verify(&mut self, width: u32) {
        let ids = self.ids(width);
        let step = self.batch.verify(&ids, &run::all(), &Control::default()).unwrap();
        for (b, session) in self.alone.iter_mut().enumerate() {
            assert_row(&step, b, &run::verify(session, &ids[b], &run::all()), "verify");
        }
        self.check("verify");
    }

    fn rewind(&mut self, kept: &[usize]) {
        self.batch.rewind(kept).unwrap();
        self.alone.iter_mut().zip(kept).for_each(|(session, kept)| drop(session.rewind(&[*kept]).unwrap()));
        self.check("rewind");
    }

    fn check(&self, what: &str) {
        assert_states(&self.batch, &self.alone, what);
    }

    /// The requests of these rows leave for a batch of their own.
    fn part(&self, rows: &[usize], seed: u32) -> Self {
        let alone = rows.iter().map(|b| self.alone[*b].fork()).collect();
        Self { batch: self.batch.fork_rows(rows).unwrap(), alone, seed }
    }
}

/// Prompts around a page of 64 positions.
const LENGTHS: [u32; 3] = [5, 70, 64];

#[test]
fn joined_rows_go_on_as_the_requests_alone_and_so_do_rows_that_leave_and_rows_that_come() {
    let golden = |name: &str| load(&goldens().join("models").join(name));
    for (model, switches) in [
        (sample(), exact()),
        (sample(), json!({"matmul": "exact", "attention": "exact", "activations": "f32", "threads": 2})),
        (golden("qwen35-tiny-bf16"), json!({"matmul": "qmv"})),
        (golden("llama-tiny-4bit"), exact()),
    ] {
        let requests = || LENGTHS.map(|length| prompted(&model, &switches, length, length));
        let [a, b, c] = requests();
        let before = [&a, &b, &c].map(run::caches);
        let mut three = Beside { batch: a.join(&[&b, &c]).unwrap(), alone: requests().into(), seed: 0 };
        three.check("join");
        three.verify(4);
        three.rewind(&[1, 4, 2]);
        three.decode();
        three.verify(3);
        three.rewind(&[3, 1, 2]);

        let (mut one, mut two) = (three.part(&[1], 10_000), three.part(&[2, 0], 20_000));
        one.decode();
        one.verify(5);
        two.check("rows taken out");
        two.verify(2);
        two.rewind(&[1, 2]);

        let late = || prompted(&model, &switches, 9, 3);
        let fresh = || run::open(&model, &switches, 1);
        two.batch = two.batch.join(&[&late(), &fresh()]).unwrap();
        two.alone.extend([late(), fresh()]);
        two.check("two requests came");
        two.verify(3);
        two.rewind(&[2, 3, 1, 1]);
        two.decode();

        // The batch they left knows nothing of it, and neither do those that were joined.
        three.decode();
        for ((session, before), alone) in [a, b, c].iter_mut().zip(&before).zip(requests().iter_mut()) {
            assert!(run::caches(session).iter().all(|(name, t)| same_bytes(t, &before[name])));
            let [own, other] = [session, alone].map(|s| run::decode(s, 7, &run::with(&[])));
            assert!(same_bytes(run::logits(&own), run::logits(&other)));
        }
    }
}

#[test]
fn one_session_may_be_joined_several_times() {
    let model = sample();
    let session = prompted(&model, &exact(), 66, 1);
    let alone = vec![session.fork(), session.fork(), session.fork()];
    let mut beside = Beside { batch: session.join(&[&session, &session]).unwrap(), alone, seed: 0 };
    beside.verify(4);
    beside.rewind(&[4, 1, 2]);
    let mut twice = beside.part(&[2, 2], 5_000);
    twice.decode();
    beside.decode();
    assert_eq!(session.position(), [66]);
}

#[test]
fn a_join_right_after_a_verify_keeps_its_rows_and_has_nothing_to_rewind() {
    let model = sample();
    let requests = || {
        let [mut a, b] = [prompted(&model, &exact(), 12, 1), prompted(&model, &exact(), 8, 2)];
        run::verify(&mut a, &ids(&model, 4, 3), &run::with(&[]));
        [a, b]
    };
    let [mut a, b] = requests();
    let mut beside = Beside { batch: a.join(&[&b]).unwrap(), alone: requests().into(), seed: 0 };
    assert_eq!(beside.batch.position(), [16, 8]);
    assert_eq!(beside.batch.rewind(&[1, 1]).unwrap_err().status, Status::State);
    beside.decode();
    assert_eq!(a.rewind(&[2]).unwrap().position, [14]);
}

fn refusal(session: Result<Session, Error>) -> (String, String) {
    let e = session.err().unwrap();
    assert_eq!(e.status, Status::Invalid, "{e}");
    (e.place, e.message)
}

#[test]
fn what_cannot_be_joined_or_taken_out_is_named() {
    let (model, twin) = (sample(), sample());
    let target = run::open(&model, &json!({"threads": 2}), 1);
    let like = run::open(&model, &json!({"threads": 2}), 63);
    let (place, message) = refusal(target.join(&[&like, &run::open(&twin, &json!({"threads": 2}), 1)]));
    assert!(
        place == "/sessions/1" && message.contains("another loaded model (") && message.contains("target-4bit"),
        "{message}"
    );
    for (name, value) in
        [("matmul", json!("qmv")), ("delta", json!("chunked")), ("threads", json!(1)), ("isa", json!("scalar"))]
    {
        let mut switches = json!({"threads": 2});
        switches[name] = value.clone();
        let (place, message) = refusal(target.join(&[&run::open(&model, &switches, 1)]));
        assert!(place == "/sessions/0" && message.contains(&format!("switch {name} is {value}")), "{message}");
    }
    assert_eq!(target.join(&[&like]).unwrap().batch(), 64);
    assert_eq!(refusal(target.join(&[&like, &target])), ("/sessions".into(), "65 rows; use 1 to 64".into()));
    for (rows, place, words) in [
        (vec![], "/rows", "0 rows"),
        (vec![0; 65], "/rows", "65 rows"),
        (vec![62, 63], "/rows/1", "no batch row 63; there are 63"),
    ] {
        let (at, message) = refusal(like.fork_rows(&rows));
        assert!(at == place && message.contains(words), "{at}: {message}");
    }
}
