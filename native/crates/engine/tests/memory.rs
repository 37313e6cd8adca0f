//! Calls that need more memory than there is: refused with all numbers, and the session goes on as if they had not been made.

mod common;

use common::{goldens, load, run, same_bytes};
use moire_base::{Control, Error, Status, memory};
use moire_engine::{Capture, LogitRows, Model, Session};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, sync::Arc};

/// A tiny model whose config allows as many positions as one likes.
fn boundless() -> (PathBuf, Arc<Model>) {
    let from = goldens().join("models/llama-tiny-bf16");
    let to = std::env::temp_dir().join(format!("moire-boundless-{}", std::process::id()));
    fs::create_dir_all(&to).unwrap();
    for file in fs::read_dir(&from).unwrap().map(|f| f.unwrap().path()).filter(|f| f.is_file()) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
    let config = to.join("config.json");
    let mut json: Value = serde_json::from_slice(&fs::read(&config).unwrap()).unwrap();
    json["max_position_embeddings"] = json!(1_000_000_000);
    fs::write(&config, json.to_string()).unwrap();
    let model = load(&to);
    (to, model)
}

fn refused(session: &mut Session, rows: usize, capture: &Capture) -> Error {
    let e = session.prefill(&[vec![1; rows]], capture, &Control::default()).unwrap_err();
    assert_eq!(e.status, Status::Memory, "{e}");
    e
}

#[test]
fn what_does_not_fit_is_refused_and_the_session_goes_on() {
    let Some(free) = memory::available() else { return };
    let (folder, model) = boundless();
    let info = model.info();
    let mut session = run::open(&model, &json!({}), 1);
    run::prefill(&mut session, &[5, 6, 7], &run::with(&[]));
    let mut twin = session.fork();
    let capture = |taps: &[&str], logits| Capture { logits, ..run::with(taps) };
    let rows = |bytes_per_row: usize| free as usize / bytes_per_row + 1_000;

    let kv = info.layers.len() * 2 * info.kv_heads * info.head_dim * 2;
    let e = refused(&mut session, rows(kv), &capture(&[], LogitRows::None));
    assert!(e.message.contains("KV cache ") && e.message.contains("B of memory and "), "{e}");
    assert!(e.message.contains("B is free"), "{e}");
    let e = refused(&mut session, rows(info.vocab * 4), &capture(&[], LogitRows::All));
    assert!(e.message.contains(", logits "), "{e}");
    let e =
        refused(&mut session, rows(info.layers.len() * 2 * info.intermediate * 2), &capture(&["*"], LogitRows::None));
    assert!(e.message.contains(", taps "), "{e}");

    // A joined session takes pages for every row.
    let mut joined = session.join(&[&twin]).unwrap();
    let half = vec![vec![1; rows(2 * kv)]; 2];
    let e = joined.prefill(&half, &capture(&[], LogitRows::None), &Control::default()).unwrap_err();
    assert!(e.status == Status::Memory && e.message.contains("KV cache "), "{e}");
    assert_eq!(joined.position(), [3, 3]);

    assert_eq!(session.position(), [3]);
    let steps = [&mut session, &mut twin].map(|s| run::decode(s, 8, &run::with(&["*"])));
    assert!(same_bytes(run::logits(&steps[0]), run::logits(&steps[1])));
    let (a, b) = (run::caches(&session), run::caches(&twin));
    assert!(a.iter().all(|(name, t)| same_bytes(t, &b[name])));
    fs::remove_dir_all(folder).unwrap();
}
