//! Tensors inside the layers against mlx-lm's own (`ref/*.taps.safetensors`, made in the mode that a case is compared in).

mod common;

use common::{Golden, distance, file, rows_first, run};
use moire_base::Dtype;
use moire_engine::{Step, Tensor};
use serde_json::json;

/// Names of the golden taps and ours, for gated delta layers, attention layers, and both.
const DELTA: &[(&str, &str)] = &[
    ("qkv", "in_proj_qkv"),
    ("z", "in_proj_z"),
    ("b", "in_proj_b"),
    ("a", "in_proj_a"),
    ("conv_silu", "conv_out"),
    ("q_normed", "delta_q"),
    ("k_normed", "delta_k"),
    ("beta", "beta"),
    ("g", "decay"),
    ("delta_out", "delta_core"),
    ("gated_norm", "delta_gated"),
    ("mixer_out", "out_proj"),
];
const ATTENTION: &[(&str, &str)] = &[
    ("q_proj", "q_proj"),
    ("q_normed", "q_norm"),
    ("k_normed", "k_norm"),
    ("v", "v_proj"),
    ("q_rope", "q_rope"),
    ("k_rope", "k_rope"),
    ("attn_out", "attention_core"),
    ("attn_gated", "attention_gated"),
    ("mixer_out", "o_proj"),
];
const BOTH: &[(&str, &str)] = &[
    ("input_norm", "input_norm"),
    ("after_mixer", "mixer_residual"),
    ("post_norm", "post_norm"),
    ("mlp_act", "mlp_act"),
    ("mlp_out", "mlp_down"),
    ("layer_out", "layer_output"),
];

fn ours(step: &Step, layer: i64, tap: &str) -> Tensor {
    let found = step.taps.iter().find(|t| t.layer == layer && t.tap == tap);
    found.unwrap_or_else(|| panic!("no tap {layer}.{tap}")).tensor.clone()
}

/// Our tensor that corresponds to a golden name, and the golden one in our row order.
fn pair(golden: &Golden, step: &Step, name: &str, reference: &Tensor) -> Option<(Tensor, Tensor)> {
    let layers = golden.layers() as i64;
    let (layer, tap) = match name {
        "embed" => (-1, "embedding"),
        "final_norm" => (layers, "final_norm"),
        "logits" => (layers, "logits"),
        _ => {
            let (layer, tap) = name.strip_prefix("layer.")?.split_once('.')?;
            let layer: i64 = layer.parse().ok()?;
            let attention = golden.model.info().layers[usize::try_from(layer).ok()?].kind == "attention";
            let names = BOTH.iter().chain(if attention { ATTENTION } else { DELTA });
            (layer, names.clone().find(|(theirs, _)| *theirs == tap)?.1)
        }
    };
    let heads_first = matches!(tap, "q_norm" | "k_norm" | "v_proj" | "q_rope" | "k_rope");
    Some((ours(step, layer, tap), if heads_first { rows_first(reference) } else { reference.clone() }))
}

/// rms of the difference over rms of the reference: four times the largest noise floor of logits of its kind (goldens/TOLERANCES.md), which no tap before the
/// logits should pass either.
fn budget(golden: &Golden) -> f64 {
    let info = golden.model.info();
    4.0 * match (info.dtype.as_str(), info.quantisation.is_some()) {
        ("f32", _) => 5.4e-7,
        (_, true) => 0.00743,
        (_, false) => 0.00541,
    }
}

fn check(name: &str, matmul: &str, attention: &str) {
    let golden = Golden::open(name);
    let mut session = run::open(&golden.model, &json!({"matmul": matmul, "prefillAttention": attention}), 1);
    let step = run::prefill(&mut session, &golden.ids("/prompt"), &run::all());
    let mut matched = 0;
    for (name, reference) in file(&format!("ref/{name}.taps.safetensors")) {
        let Some((ours, reference)) = pair(&golden, &step, &name, &reference) else {
            assert!(name.ends_with("recurrent_state"), "{name} has no counterpart");
            continue;
        };
        matched += 1;
        let d = distance(&ours, &reference);
        assert_eq!(ours.dtype, reference.dtype, "{name}");
        assert!(d.rms <= budget(&golden), "{} {matmul} {name}: {d:?}", golden.name);
    }
    assert!(matched > 30, "only {matched} taps correspond");
}

#[test]
fn every_tap_is_near_its_counterpart() {
    for name in ["qwen35-mini-f32", "qwen35-tiny-bf16", "qwen35-tiny-4bit"] {
        check(name, "qmv", "per_position");
        check(name, "exact", "exact");
    }
}

/// The decay stays in fp32, where exp and log of two libraries differ in last bits: a few times 2^-24.
const ELEMENTARY: f64 = 5e-7;

/// Float products of this width round to the same bf16 in either order, so the first layer shows the rounding points alone: they are mlx-lm's.
#[test]
fn the_first_layer_in_bf16_has_the_bytes_of_mlx_lm() {
    let golden = Golden::open("qwen35-tiny-bf16");
    let mut session = run::open(&golden.model, &json!({"matmul": "qmv"}), 1);
    let step = run::prefill(&mut session, &golden.ids("/prompt"), &run::all());
    let taps = file("ref/qwen35-tiny-bf16.taps.safetensors");
    let first = taps.iter().filter(|(name, _)| name.starts_with("layer.0.") || *name == "embed");
    let pairs: Vec<_> = first.filter_map(|(name, t)| Some((name, pair(&golden, &step, name, t)?))).collect();
    assert!(pairs.len() >= 19);
    for (name, (ours, reference)) in pairs {
        let near = distance(&ours, &reference).rms < ELEMENTARY;
        assert!(if ours.dtype == Dtype::F32 { near } else { ours.data[..] == reference.data[..] }, "{name}");
    }
}
