//! Models whose weight files others write to.
#![cfg(all(unix, not(miri)))]

mod common;

use common::{load, run::with, sample};
use moire_base::{Control, Error, Result, Status};
use moire_engine::{Capture, Drafter, Model, Pair, Session, Step, Wanted, compare, tensors};
use serde_json::Map;
use std::{
    fs::{self, File},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

const IDS: [u32; 12] = [5, 9, 2, 7, 11, 3, 8, 1, 4, 10, 6, 12];

/// A folder of the repository, copied.
struct Copied(tempfile::TempDir);

impl Copied {
    fn of(folder: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(common::repository().join(folder)).unwrap() {
            let from = entry.unwrap().path();
            fs::copy(&from, dir.path().join(from.file_name().unwrap())).unwrap();
        }
        Self(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn weights(&self) -> PathBuf {
        self.path().join("model.safetensors")
    }

    fn writing(&self) -> File {
        File::options().write(true).open(self.weights()).unwrap()
    }
}

fn open(model: &Arc<Model>) -> Session {
    model.open(&Map::new(), 1).unwrap()
}

fn prefill(session: &mut Session, capture: &Capture) -> Result<Step> {
    session.prefill(&[IDS.to_vec()], capture, &Control::default())
}

fn decode(session: &mut Session) -> Result<Step> {
    session.decode(&[5], &with(&[]), &Control::default())
}

fn assert_names_the_file(error: &Error, folder: &Copied) {
    assert_eq!(error.status, Status::Io, "{error}");
    assert_eq!(error.place, folder.weights().display().to_string());
    assert!(error.message.contains("load the model again"), "{error}");
}

#[test]
fn a_cut_file_fails_the_job_and_nothing_else() {
    let folder = Copied::of("samples/target-4bit");
    let (model, other) = (load(folder.path()), sample());
    let (mut session, mut others) = (open(&model), open(&other));
    let before = prefill(&mut session, &with(&[])).unwrap();
    folder.writing().set_len(4096).unwrap();
    for _ in 0..2 {
        let error = decode(&mut session).unwrap_err();
        assert_names_the_file(&error, &folder);
        assert!(error.message.contains("and has 4096 now"), "{error}");
        assert_eq!(session.position(), [IDS.len()], "the session is as it was");
    }
    assert!(prefill(&mut open(&model), &with(&[])).is_err());
    let after = prefill(&mut others, &with(&[])).unwrap();
    assert!(common::same_bytes(before.logits.as_ref().unwrap(), after.logits.as_ref().unwrap()));
}

/// The file is cut while kernels read it: the job may end before, and what it then gives is right.
#[test]
fn a_file_that_is_cut_while_a_job_runs_gives_no_wrong_result() {
    let other = sample();
    let right = prefill(&mut open(&other), &with(&[])).unwrap().logits.unwrap();
    let mut failed = 0;
    for turn in 0..24 {
        let folder = Copied::of("samples/target-4bit");
        let model = load(folder.path());
        let mut session = model.open(serde_json::json!({ "threads": 2 }).as_object().unwrap(), 1).unwrap();
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(400 * turn));
                folder.writing().set_len(0).unwrap();
            });
            (0..200).find_map(|_| match prefill(&mut session, &with(&[])) {
                Ok(step) if session.position() == [IDS.len()] => {
                    assert!(common::same_bytes(&step.logits.unwrap(), &right), "a result of a broken model came out");
                    session = open(&model);
                    None
                }
                Ok(_) => None,
                Err(error) => Some(error),
            })
        });
        if let Some(error) = outcome {
            assert_names_the_file(&error, &folder);
            failed += 1;
        }
        assert!(prefill(&mut open(&other), &with(&[])).is_ok());
    }
    assert_eq!(failed, 24, "the file was gone before the last of 200 calls");
}

#[test]
fn a_file_that_was_replaced_by_another_of_its_name_is_no_fault() {
    let folder = Copied::of("samples/target-4bit");
    let model = load(folder.path());
    let mut session = open(&model);
    let before = prefill(&mut session, &with(&[])).unwrap();
    let new = folder.path().join("new");
    fs::write(&new, b"another checkpoint").unwrap();
    fs::rename(&new, folder.weights()).unwrap();
    assert!(decode(&mut session).is_ok());
    let after = prefill(&mut open(&model), &with(&[])).unwrap();
    assert!(common::same_bytes(before.logits.as_ref().unwrap(), after.logits.as_ref().unwrap()));
    fs::remove_file(folder.weights()).unwrap();
    assert!(decode(&mut session).is_ok());
}

#[test]
fn bytes_rewritten_in_place_are_another_model() {
    let folder = Copied::of("samples/target-4bit");
    let model = load(folder.path());
    let mut session = open(&model);
    prefill(&mut session, &with(&[])).unwrap();
    let mut file = folder.writing();
    file.seek(SeekFrom::End(-8)).unwrap();
    file.write_all(&[0; 8]).unwrap();
    let error = decode(&mut session).unwrap_err();
    assert_names_the_file(&error, &folder);
    assert!(error.message.contains("it still has"), "{error}");
    assert!(prefill(&mut open(&load(folder.path())), &with(&[])).is_ok(), "loaded again it runs");
}

#[test]
fn a_drafter_minds_its_own_file_and_that_of_its_target() {
    for cut_the_target in [false, true] {
        let target = Copied::of("samples/target-4bit");
        let folder = Copied::of("samples/drafter");
        let model = load(target.path());
        let drafter = Drafter::load(folder.path(), &model, &Control::default()).unwrap();
        let taps: Vec<&str> = drafter.info().taps.iter().map(String::as_str).collect();
        let step = prefill(&mut open(&model), &with(&taps)).unwrap();
        let mut draft = drafter.open(&Map::new(), 1).unwrap();
        let observed = |features: &Step| moire_engine::Observation {
            features: features.taps.iter().map(|t| Arc::new(t.tensor.clone())).collect(),
            rows: vec![[0, IDS.len()]],
            next: vec![IDS.to_vec()],
        };
        let wish = moire_engine::Wish { width: 4, logits: false, top: 1, after: None };
        draft.observe(observed(&step), &Control::default()).unwrap();
        draft.propose(&wish, &Control::default()).unwrap();
        let cut = if cut_the_target { &target } else { &folder };
        cut.writing().set_len(0).unwrap();
        assert_names_the_file(&draft.propose(&wish, &Control::default()).unwrap_err(), cut);
        assert_names_the_file(&draft.observe(observed(&step), &Control::default()).unwrap_err(), cut);
        assert_eq!(draft.position(), [IDS.len()]);
        assert_eq!(decode(&mut open(&model)).is_err(), cut_the_target);
    }
}

#[test]
fn tensors_of_a_file_are_not_compared_once_it_was_cut() {
    let folder = Copied::of("samples/target-4bit");
    let tensor = tensors(&folder.weights()).unwrap().tensors.pop().unwrap().tensor;
    let side = || Arc::new(tensor.clone());
    let pair = Pair { a: side(), b: side(), a_rows: None, b_rows: None };
    let wanted = Wanted { tile: 0, rows: false };
    assert!(compare(std::slice::from_ref(&pair), wanted, &Control::default()).is_ok());
    folder.writing().set_len(10).unwrap();
    assert_names_the_file(&compare(&[pair], wanted, &Control::default()).err().unwrap(), &folder);
}
