//! What is kept of a tap changes nothing that is computed, and all modes speak of the same bytes.

mod common;

use common::{Golden, run};
use moire_engine::{Capture, CaptureMode, LogitRows, Session, Step};
use serde_json::json;

const MODES: [CaptureMode; 3] = [CaptureMode::Bytes, CaptureMode::Hash, CaptureMode::Stats];

fn capture(mode: CaptureMode) -> Capture {
    Capture { mode, ..run::all() }
}

/// The same calls under one capture: prefill, decode, verify of three rows.
fn walk(session: &mut Session, golden: &Golden, capture: &Capture) -> Vec<Step> {
    let prompt = golden.ids("/prompt");
    vec![
        run::prefill(session, &prompt, capture),
        run::decode(session, prompt[0], capture),
        run::verify(session, &prompt[..3], capture),
    ]
}

fn hash(bytes: &[u8]) -> [u8; 16] {
    blake3::hash(bytes).as_bytes()[..16].try_into().unwrap()
}

fn golden() -> Golden {
    Golden::open("qwen35-tiny-4bit")
}

#[test]
fn no_mode_changes_a_byte_of_logits_or_state() {
    let golden = golden();
    let mut plain = run::open(&golden.model, &json!({}), 2);
    let nothing = Capture { taps: Vec::new(), mode: CaptureMode::Bytes, logits: LogitRows::All, top: 2 };
    let want = walk(&mut plain, &golden, &nothing);
    let state = run::caches(&plain);
    for mode in MODES {
        let mut session = run::open(&golden.model, &json!({}), 2);
        for (ours, want) in walk(&mut session, &golden, &capture(mode)).iter().zip(&want) {
            assert_eq!(run::logits(ours).data[..], run::logits(want).data[..], "{mode:?}");
            assert_eq!((&ours.top, &ours.kernels), (&want.top, &want.kernels));
        }
        for (name, tensor) in run::caches(&session) {
            assert_eq!(tensor.data[..], state[&name].data[..], "{mode:?} {name}");
        }
    }
}

#[test]
fn hashes_are_those_of_the_bytes_and_of_their_rows() {
    let golden = golden();
    let [mut whole, mut hashed] = [(); 2].map(|()| run::open(&golden.model, &json!({}), 1));
    let bytes = walk(&mut whole, &golden, &capture(CaptureMode::Bytes));
    for (step, with) in walk(&mut hashed, &golden, &capture(CaptureMode::Hash)).iter().zip(&bytes) {
        assert!(step.taps.is_empty() && step.stats.is_empty() && with.hashes.is_empty());
        assert!(step.hashes.len() > 30 && step.hashes.len() == with.taps.len());
        for (h, tap) in step.hashes.iter().zip(&with.taps) {
            assert_eq!((h.place.layer, h.place.tap, h.place.dtype), (tap.layer, tap.tap, tap.tensor.dtype));
            assert_eq!(h.place.shape, tap.tensor.shape);
            assert_eq!(h.hash, hash(&tap.tensor.data), "{}.{}", tap.layer, tap.tap);
            let row = tap.tensor.row_len() * tap.tensor.dtype.size();
            let rows: Vec<_> = tap.tensor.data.chunks(row).map(hash).collect();
            assert_eq!(h.rows, rows, "{}.{}", tap.layer, tap.tap);
        }
    }
}

#[test]
fn another_token_gives_other_hashes_from_the_embedding_on() {
    let golden = golden();
    let step = |id: u32| run::decode(&mut run::open(&golden.model, &json!({}), 1), id, &capture(CaptureMode::Hash));
    let (one, same, other) = (step(3), step(3), step(4));
    assert_eq!(one.hashes, same.hashes);
    let differing = one.hashes.iter().zip(&other.hashes).filter(|(a, b)| a.hash != b.hash).count();
    assert!(one.hashes[0].hash != other.hashes[0].hash && differing > one.hashes.len() / 2);
}

#[test]
fn stats_are_those_of_the_values() {
    let golden = golden();
    let [mut whole, mut measured] = [(); 2].map(|()| run::open(&golden.model, &json!({}), 1));
    let bytes = walk(&mut whole, &golden, &capture(CaptureMode::Bytes));
    for (step, with) in walk(&mut measured, &golden, &capture(CaptureMode::Stats)).iter().zip(&bytes) {
        assert_eq!(step.stats.len(), with.taps.len());
        assert!(step.taps.is_empty() && step.hashes.is_empty());
        for (s, tap) in step.stats.iter().zip(&with.taps) {
            let values: Vec<f64> = tap.tensor.dtype.widen(&tap.tensor.data).into_iter().map(f64::from).collect();
            let rms = (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt();
            assert_eq!(s.stats.count as usize, values.len());
            assert_eq!(s.stats.max, values.iter().copied().fold(f64::NEG_INFINITY, f64::max), "{}", tap.tap);
            assert!((s.stats.rms - rms).abs() <= 1e-9 * rms, "{}.{}", tap.layer, tap.tap);
        }
    }
}

#[test]
fn taps_of_one_forward_live_as_long_as_one_of_them() {
    let golden = golden();
    let mut session = run::open(&golden.model, &json!({}), 1);
    let last = run::decode(&mut session, 3, &capture(CaptureMode::Bytes)).taps.pop().unwrap();
    let again = run::decode(&mut run::open(&golden.model, &json!({}), 1), 3, &capture(CaptureMode::Bytes));
    assert_eq!(last.tensor.data[..], again.taps.last().unwrap().tensor.data[..]);
    assert_eq!((last.layer, last.tap), (golden.layers() as i64, "logits"));
}
