//! The loss of the sample model on held-out text: integer sums and rounding between ops cost nothing that shows.

mod common;

use common::{f32s, repository, run, sample};
use moire_base::Control;
use moire_engine::{Capture, CaptureMode, LogitRows, Model};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tokens that are predicted in a row, each row from an empty state.
const ROW: usize = 512;

/// Rows of all texts, one token longer than what is run.
fn rows(model: &Model) -> Vec<Vec<u32>> {
    let folder = repository().join("test/fixtures/heldout");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "txt"));
    paths.sort();
    let text = |path| model.tokenize(&std::fs::read_to_string(path).unwrap(), false).unwrap();
    let ids = paths.into_iter().map(text);
    ids.flat_map(|ids| ids.windows(ROW + 1).step_by(ROW).map(<[u32]>::to_vec).collect::<Vec<_>>()).collect()
}

/// Nats that the logits of a position give its next token.
fn loss(logits: &[f32], next: u32) -> f64 {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|l| f64::from(l - max).exp()).sum();
    sum.ln() + f64::from(max) - f64::from(logits[next as usize])
}

/// Mean loss in nats per token of each row.
fn losses(model: &Arc<Model>, switches: &Value, rows: &[Vec<u32>]) -> Vec<f64> {
    let capture = Capture { taps: Vec::new(), mode: CaptureMode::Bytes, logits: LogitRows::All, top: 0 };
    let mean = |row: &Vec<u32>| {
        let mut session = run::open(model, switches, 1);
        let step = session.prefill(&[row[..ROW].to_vec()], &capture, &Control::default()).unwrap();
        let logits = f32s(run::logits(&step));
        let each = logits.chunks_exact(model.info().vocab).zip(&row[1..]);
        each.map(|(logits, next)| loss(logits, *next)).sum::<f64>() / ROW as f64
    };
    rows.iter().map(mean).collect()
}

/// The reference dequantises in fp32 and rounds nowhere between ops. With fp32 activations there is little to scatter, so a few rows do.
#[test]
fn perplexity_of_exact_is_that_of_fp32_within_a_thousandth() {
    let model = sample();
    let rows = rows(&model);
    assert!(rows.len() >= 16, "{} rows are too few to compare", rows.len());
    let fp32 = json!({"activations": "f32", "matmul": "qmm", "attention": "batched", "delta": "recurrent"});
    let reference = losses(&model, &fp32, &rows);
    for (activations, count) in [("f32", 4), ("checkpoint", rows.len())] {
        let exact = json!({"activations": activations, "matmul": "exact", "attention": "exact", "delta": "recurrent"});
        let perplexity = |losses: &[f64]| (losses.iter().sum::<f64>() / count as f64).exp();
        let exact = perplexity(&losses(&model, &exact, &rows[..count]));
        let fp32 = perplexity(&reference[..count]);
        let (tokens, ratio) = (count * ROW, exact / fp32);
        println!(
            "perplexity over {tokens} tokens: exact with activations {activations} {exact:.5}, fp32 {fp32:.5}, ratio {ratio:.7}"
        );
        assert!((ratio - 1.0).abs() <= 1e-3, "activations {activations}: {exact:.5} against {fp32:.5}");
    }
}
