//! Block against chain, byte for byte: where the kernel families promise equality, and where they part.

mod common;

use common::{
    blocks::{Parting, part},
    goldens, load, run, sample,
};
use moire_engine::Model;
use serde_json::{Value, json};
use std::sync::Arc;

/// One model of every architecture and packing, and the sample.
fn models() -> Vec<(&'static str, Arc<Model>)> {
    let golden = |name| (name, load(&goldens().join("models").join(name)));
    let names = [
        "qwen35-tiny-4bit",
        "qwen35-tiny-bf16",
        "qwen35-tiny-mixed",
        "qwen35-mini-f32",
        "qwen3-tiny-4bit",
        "llama-tiny-4bit",
    ];
    names.into_iter().map(golden).chain([("sample", sample())]).collect()
}

/// Ids all over the vocabulary, the same in every run.
fn ids(model: &Model, count: usize, seed: u64) -> Vec<u32> {
    let vocab = model.info().vocab as u64;
    (0..count as u64).map(|i| ((i * 7919 + seed * 104_729 + i * i * 31) % vocab) as u32).collect()
}

/// Prefills 20 tokens, then runs `width` tokens both ways from forks of that state.
fn run_both(model: &Arc<Model>, switches: &Value, width: usize) -> Parting {
    let mut block = run::open(model, switches, 1);
    run::prefill(&mut block, &ids(model, 20, 1), &run::with(&[]));
    part(&mut block.fork(), &mut block, &ids(model, width, 2))
}

fn first(parting: &Parting) -> Option<(i64, &'static str)> {
    parting.first.map(|(layer, tap, _)| (layer, tap))
}

#[test]
fn exact_blocks_equal_chains_at_every_width() {
    for (name, model) in models() {
        for width in 1..=16 {
            let p = run_both(&model, &json!({"matmul": "exact", "attention": "exact"}), width);
            assert!(p.none() && p.compared > 20 * width, "{name} width {width}: {p:?}");
        }
    }
}

#[test]
fn auto_blocks_equal_chains_below_8_rows() {
    for (name, model) in models() {
        for width in 2..8 {
            let p = run_both(&model, &json!({"matmul": "auto"}), width);
            assert!(p.none(), "{name} width {width}: {p:?}");
        }
    }
}

/// From 8 rows on `auto` takes other kernels, and quantised weights part at the first projection of all. With float weights both orders sum in fp32 and
/// the rounding to bf16 often hides that, so there the first difference may come later: at some linear layer, whichever flips first.
#[test]
fn auto_blocks_part_from_8_rows_on_first_at_a_projection() {
    for (name, model) in models() {
        let quantised = model.info().quantisation.as_ref().is_some_and(|q| !q.mixed);
        let first_projection = if model.info().layers[0].kind == "attention" { "q_proj" } else { "in_proj_qkv" };
        for width in [8, 9, 16] {
            let p = run_both(&model, &json!({"matmul": "auto"}), width);
            let (layer, tap) = first(&p).unwrap_or_else(|| panic!("{name} width {width} is equal"));
            assert!(tap.contains("proj") || tap.starts_with("mlp_"), "{name} width {width}: {layer} {tap}");
            assert!(!quantised || (layer, tap) == (0, first_projection), "{name} width {width}: {layer} {tap}");
        }
    }
}

/// Ops that other orders of one family touch. `recurrent_state` is fp32, so a chunked form may show there before any rounded tap does.
struct Family {
    switches: Value,
    ops: &'static [&'static str],
    kind: &'static str,
}

fn families() -> [Family; 3] {
    let exact = |name: &str, value: &str| {
        let mut switches = json!({"matmul": "exact", "attention": "exact"});
        switches[name] = json!(value);
        switches
    };
    [
        Family { switches: exact("attention", "batched"), ops: &["attention_core"], kind: "attention" },
        Family { switches: exact("delta", "chunked"), ops: &["delta_core"], kind: "gated_delta" },
        Family { switches: exact("rope", "block"), ops: &["q_rope", "k_rope"], kind: "attention" },
    ]
}

fn first_of_kind(model: &Model, kind: &str) -> Option<i64> {
    model.info().layers.iter().find(|l| l.kind == kind).map(|l| l.index as i64)
}

/// Without rounding between ops every other order shows at once: in the first layer that has the op, at that op.
#[test]
fn in_fp32_every_other_family_parts_at_its_own_op_of_the_first_layer_that_has_it() {
    for (name, model) in models() {
        for Family { mut switches, ops, kind } in families() {
            switches["activations"] = json!("f32");
            for width in [2, 8, 16] {
                let p = run_both(&model, &switches, width);
                let Some(layer) = first_of_kind(&model, kind) else {
                    assert!(p.none(), "{name} {switches}: {p:?}");
                    continue;
                };
                assert_eq!(first(&p), Some((layer, ops[0])), "{name} {switches} width {width}");
            }
        }
    }
}

/// In bf16 and f16 the rounding after an op hides most of these differences (1e-7 of a value against 2^-9 or 2^-12): a short block may be equal.
/// Where it is not, nothing but the op itself comes first; and a chunked form shows in the fp32 recurrent state of the first layer at any width.
#[test]
fn in_the_checkpoints_dtype_nothing_but_its_own_op_comes_first() {
    for (name, model) in models() {
        for Family { switches, ops, kind } in families() {
            for width in [2, 8, 16] {
                let p = run_both(&model, &switches, width);
                assert!(first(&p).is_none_or(|(_, tap)| ops.contains(&tap)), "{name} {switches} width {width}: {p:?}");
                if kind == "gated_delta" && first_of_kind(&model, kind).is_some() {
                    assert!(p.states.contains("0.rec"), "{name} width {width}: {p:?}");
                }
            }
        }
    }
}

/// Over a longer block of the sample, batched attention and chunked delta are visible in its own bf16.
#[test]
fn the_sample_shows_batched_attention_and_chunked_delta_in_bf16() {
    let model = sample();
    for Family { switches, ops, .. } in families().into_iter().take(2) {
        let p = run_both(&model, &switches, 16);
        assert!(first(&p).is_some_and(|(_, tap)| ops.contains(&tap)), "{switches}: {p:?}");
    }
}
