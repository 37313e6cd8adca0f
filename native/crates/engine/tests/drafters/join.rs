//! Draft sessions joined to one batch, and rows taken out of it. The exact families.

use crate::{
    common::{goldens, load as load_model, same_bytes},
    pair::{DFLASH, folder, load, logits, noise, observe, open, propose, rows, tokens, wish},
};
use moire_base::{Dtype, Error, Status};
use moire_engine::{DraftSession, Drafter, Tensor, Wish};
use serde_json::{Value, json};
use std::sync::Arc;

const NAMES: [&str; 3] = [DFLASH[0], DFLASH[1], "mtp-tiny"];
const ROWS: usize = 200;

fn exact() -> Value {
    json!({"matmul": "exact", "attention": "exact"})
}

fn drafter(name: &str) -> Arc<Drafter> {
    load(&folder(name), &load_model(&goldens().join("models/qwen35-tiny-4bit")))
}

fn given(drafter: &Drafter) -> Vec<Arc<Tensor>> {
    noise(drafter.info().taps.len(), ROWS, drafter.info().hidden, Dtype::Bf16)
}

/// What rows of one batch saw, and the drafts that saw the same alone.
struct Beside {
    batch: DraftSession,
    alone: Vec<DraftSession>,
    given: Vec<Arc<Tensor>>,
}

impl Beside {
    fn observe(&mut self, parts: &[[usize; 2]]) {
        let all = tokens(ROWS);
        let next: Vec<Vec<u32>> = parts.iter().map(|[from, to]| all[*from..*to].to_vec()).collect();
        observe(&mut self.batch, &self.given, parts, &next);
        for (b, draft) in self.alone.iter_mut().enumerate() {
            observe(draft, &self.given, &parts[b..=b], &next[b..=b]);
        }
    }

    /// The same ids and the same bytes of logits.
    fn propose(&mut self, width: usize, after: Option<&[u32]>) {
        let ask = |ids: Option<&[u32]>| Wish { after: ids.map(<[u32]>::to_vec), ..wish(width) };
        let whole = propose(&mut self.batch, &ask(after));
        for (b, draft) in self.alone.iter_mut().enumerate() {
            let one = propose(draft, &ask(after.map(|ids| &ids[b..=b])));
            assert_eq!(whole.ids[b], one.ids[0], "row {b}");
            let own = rows(logits(&whole), b * (width - 1), (b + 1) * (width - 1));
            assert!(same_bytes(&own, logits(&one)), "row {b}");
        }
    }

    fn part(&self, rows: &[usize]) -> Self {
        let alone = rows.iter().map(|b| self.alone[*b].fork()).collect();
        Self { batch: self.batch.fork_rows(rows).unwrap(), alone, given: self.given.clone() }
    }
}

#[test]
fn rows_propose_what_they_propose_alone_after_they_came_together_and_after_some_left() {
    for name in NAMES {
        let drafter = drafter(name);
        let given = given(&drafter);
        let seen = |part: [usize; 2]| {
            let mut draft = open(&drafter, &exact(), 1);
            observe(&mut draft, &given, &[part], &[tokens(ROWS)[part[0]..part[1]].to_vec()]);
            draft
        };
        // Fewer and more than the window of 16 and the page of 64, and nothing at all.
        let requests = || vec![seen([0, 3]), seen([10, 110]), open(&drafter, &exact(), 1), seen([20, 84])];
        let originals = requests();
        let others: Vec<&DraftSession> = originals[1..].iter().collect();
        let batch = originals[0].join(&others).unwrap();
        assert_eq!(batch.position(), [3, 100, 0, 64]);
        let mut four = Beside { batch, alone: requests(), given: given.clone() };
        four.observe(&[[3, 5], [0, 0], [40, 57], [84, 85]]);
        four.propose(5, None);
        four.observe(&[[5, 5], [110, 130], [57, 58], [85, 88]]);
        four.propose(3, None);

        let mut two = four.part(&[3, 0]);
        if name == "mtp-tiny" {
            two.propose(3, Some(&[5, 6]));
        }
        two.observe(&[[88, 90], [5, 6]]);
        two.propose(8, None);
        // A row that comes while the others have drafted: all go on from what they observed.
        two.batch = two.batch.join(&[&seen([7, 31]), &open(&drafter, &exact(), 1)]).unwrap();
        two.alone.extend([seen([7, 31]), open(&drafter, &exact(), 1)]);
        two.alone.iter_mut().take(3).for_each(|draft| drop(propose(draft, &wish(2))));
        two.observe(&[[90, 91], [6, 6], [31, 33], [60, 62]]);
        two.propose(4, None);

        four.observe(&[[5, 9], [130, 131], [58, 58], [88, 89]]);
        four.propose(6, None);
        let untouched: Vec<usize> = originals.iter().flat_map(DraftSession::position).collect();
        assert_eq!(untouched, [3, 100, 0, 64]);
        let mut own = originals;
        let [a, b] = [&mut own[1], &mut seen([10, 110])].map(|draft| propose(draft, &wish(8)));
        assert!(same_bytes(logits(&a), logits(&b)), "{name}");
    }
}

#[test]
fn a_join_forgets_what_was_drafted() {
    let drafter = drafter("mtp-tiny");
    let given = given(&drafter);
    let mut draft = open(&drafter, &exact(), 1);
    observe(&mut draft, &given, &[[0, 9]], &[tokens(9)]);
    let quiet = draft.fork();
    propose(&mut draft, &wish(5));
    let [mut a, mut b] = [&draft, &quiet].map(|draft| draft.join(&[&quiet]).unwrap());
    let after = Wish { after: Some(vec![7, 7]), ..wish(3) };
    assert!(same_bytes(logits(&propose(&mut a, &after)), logits(&propose(&mut b, &after))));
}

fn refusal(draft: Result<DraftSession, Error>) -> (String, String) {
    let e = draft.err().unwrap();
    assert_eq!(e.status, Status::Invalid, "{e}");
    (e.place, e.message)
}

#[test]
fn drafts_that_do_not_belong_together_are_named() {
    for name in NAMES {
        let (drafter, twin) = (drafter(name), drafter(name));
        let open = |switches: Value, batch: usize| open(&drafter, &switches, batch);
        let seen = |dtype: Dtype| {
            let mut draft = open(exact(), 1);
            let features = noise(drafter.info().taps.len(), 4, drafter.info().hidden, dtype);
            observe(&mut draft, &features, &[[0, 4]], &[tokens(4)]);
            draft
        };
        let target = open(exact(), 1);
        let (place, message) = refusal(target.join(&[&crate::pair::open(&twin, &exact(), 1)]));
        assert!(
            place == "/drafts/0" && message.contains("another loaded drafter (") && message.contains(name),
            "{message}"
        );
        let other = open(json!({"matmul": "exact", "attention": "batched"}), 1);
        let (place, message) = refusal(target.join(&[&target, &other]));
        assert!(place == "/drafts/1" && message.contains("switch attention is \"batched\""), "{message}");
        let (place, message) = refusal(target.join(&[&seen(Dtype::Bf16), &target, &seen(Dtype::F32)]));
        assert!(place == "/drafts/2" && message.contains("f32 where") && message.contains("bf16"), "{message}");
        let (place, message) = refusal(target.join(&[&open(exact(), 64)]));
        assert!(place == "/drafts" && message.contains("65 rows"), "{message}");
        assert_eq!(refusal(target.fork_rows(&[0, 1])).0, "/rows/1");
        assert_eq!(refusal(target.fork_rows(&[])).0, "/rows");
        assert_eq!(target.join(&[&open(exact(), 63)]).unwrap().batch(), 64);
    }
}
