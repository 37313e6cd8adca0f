//! fp32 mode against transformers in fp32: formulas, names, shifts, rope, delta rule, gates. First the mathematics, before any rounding question.

mod common;

use common::{CASES, Distance, Golden, distance, run};
use serde_json::json;

/// Two fp32 implementations of one formula. mlx-lm in fp32 stands this far from transformers (goldens/TOLERANCES.md, runs `mlx_lm_in_fp32`, per case);
/// ours sums in other orders, so it gets a small multiple of that distance.
const FACTOR_RMS: f64 = 2.0;
/// The maximum over some thousand values scatters more than the rms.
const FACTOR_MAX: f64 = 4.0;

struct Budget {
    rms: f64,
    max_abs: f64,
}

fn budget(golden: &Golden, place: &str) -> Budget {
    let number = |key: &str| golden.number(&format!("/distance_to_hf_fp32/mlx_lm_in_fp32/{place}/{key}")).unwrap();
    Budget { rms: FACTOR_RMS * number("rms_over_rms_ref"), max_abs: FACTOR_MAX * number("max_abs") }
}

fn check(golden: &Golden, what: &str, d: Distance, b: &Budget) {
    let name = &golden.name;
    assert!(
        d.rms <= b.rms && d.max_abs <= b.max_abs,
        "{name} {what}: rms {:.2e} of {:.2e}, max {:.2e} of {:.2e}",
        d.rms,
        b.rms,
        d.max_abs,
        b.max_abs
    );
}

fn switches(matmul: &str, attention: &str) -> serde_json::Value {
    json!({"activations": "f32", "matmul": matmul, "prefillAttention": attention, "attention": attention})
}

fn check_case(name: &str, matmul: &str, attention: &str) {
    let golden = Golden::open(name);
    let mut session = run::open(&golden.model, &switches(matmul, attention), 1);
    let step = run::prefill(&mut session, &golden.ids("/prompt"), &run::with(&["layer_output"]));
    let logits = budget(&golden, "logits");
    check(&golden, "prefill", distance(run::logits(&step), &golden.tensors["hf_fp32.prefill.logits"]), &logits);
    for tap in &step.taps {
        if let Some(reference) = golden.tensors.get(&format!("hf_fp32.prefill.layer.{}", tap.layer)) {
            let budget = budget(&golden, &format!("layers/{}", tap.layer));
            check(&golden, &format!("layer {}", tap.layer), distance(&tap.tensor, reference), &budget);
        }
    }
    let decode = run::decode_logits(&mut session, &golden.decode_ids(golden.prefix()));
    check(&golden, "decode", distance(&decode, &golden.tensors["hf_fp32.decode.logits"]), &logits);
}

#[test]
fn every_case_agrees_with_transformers_under_qmv() {
    CASES.iter().for_each(|name| check_case(name, "qmv", "per_position"));
}

#[test]
fn every_case_agrees_with_transformers_under_qmm() {
    CASES.iter().for_each(|name| check_case(name, "qmm", "batched"));
}

#[test]
fn long_prompts_agree_in_both_delta_forms() {
    for name in CASES {
        let golden = Golden::open(name);
        let Some(reference) = golden.tensors.get("hf_fp32.long.logits") else { continue };
        let number = |key: &str| golden.number(&format!("/distance_to_hf_fp32/mlx_lm_in_fp32/long_logits/{key}"));
        let Some((rms, max_abs)) = number("rms_over_rms_ref").zip(number("max_abs")) else { continue };
        let budget = Budget { rms: FACTOR_RMS * rms, max_abs: FACTOR_MAX * max_abs };
        for delta in ["recurrent", "chunked"] {
            let mut session =
                run::open(&golden.model, &json!({"activations": "f32", "matmul": "qmv", "delta": delta}), 1);
            let step = run::prefill(&mut session, &golden.ids("/long_prompt"), &run::with(&[]));
            check(&golden, &format!("long {delta}"), distance(run::logits(&step), reference), &budget);
        }
    }
}
