//! Every golden model opens with the right facts.

mod common;

use common::{golden, inspect, open, weight_bytes};
use moire_base::{Dtype, Matrix, Status};
use moire_checkpoint::{Architecture, Checkpoint, LayerKind, Mixer, OpenOptions, RopeScaling, TensorFile};
use std::collections::BTreeSet;

struct Facts {
    case: &'static str,
    architecture: Architecture,
    layers: &'static str,
    dtype: Dtype,
    quantisation: Option<(u32, usize, bool)>,
    tied: bool,
}

const fn facts(
    case: &'static str,
    architecture: Architecture,
    layers: &'static str,
    dtype: Dtype,
    quantisation: Option<(u32, usize, bool)>,
    tied: bool,
) -> Facts {
    Facts { case, architecture, layers, dtype, quantisation, tied }
}

const NAMED: [Facts; 11] = [
    facts("qwen35-tiny-bf16", Architecture::Qwen35, "dddaddda", Dtype::Bf16, None, false),
    facts("qwen35-tiny-4bit", Architecture::Qwen35, "dddaddda", Dtype::Bf16, Some((4, 64, false)), false),
    facts("qwen35-tiny-mixed", Architecture::Qwen35, "ddda", Dtype::F16, Some((4, 64, true)), true),
    facts("qwen35-tiny-mixed-sharded", Architecture::Qwen35, "ddda", Dtype::F16, Some((4, 64, true)), true),
    facts("qwen35-mini-f32", Architecture::Qwen35, "da", Dtype::F32, None, false),
    facts("qwen35-small-bf16", Architecture::Qwen35, "ddda", Dtype::Bf16, None, false),
    facts("qwen35-small-wrapper", Architecture::Qwen35, "ddda", Dtype::Bf16, None, false),
    facts("qwen35-small-hf-layout", Architecture::Qwen35, "ddda", Dtype::Bf16, None, false),
    facts("qwen3-tiny-4bit", Architecture::Qwen3, "aaaa", Dtype::Bf16, Some((4, 64, false)), false),
    facts("llama-tiny-4bit", Architecture::Llama, "aaaa", Dtype::Bf16, Some((4, 64, false)), false),
    facts("llama-tiny-bf16", Architecture::Llama, "aaa", Dtype::Bf16, None, true),
];

fn letters(layers: &[LayerKind]) -> String {
    layers.iter().map(|k| if *k == LayerKind::Attention { 'a' } else { 'd' }).collect()
}

fn check(case: &str, model: &Checkpoint, want: &Facts) {
    let c = &model.config;
    assert_eq!(c.architecture, want.architecture, "{case}");
    assert_eq!(letters(&c.layers), want.layers, "{case}");
    assert_eq!(c.dtype, want.dtype, "{case}");
    assert_eq!(c.quantisation.map(|q| (q.bits, q.group, q.mixed)), want.quantisation, "{case}");
    assert_eq!(c.tied, want.tied, "{case}");
    assert_eq!(model.weights.head.is_none(), want.tied, "{case}");
    assert_eq!(
        counted(model),
        c.parameters(),
        "{case}: parameters counted in the weights and computed from the config"
    );
    assert_eq!(model.summary.parameters, c.parameters(), "{case}");
    assert!(model.summary.fingerprint.starts_with("blake3:"), "{case}");
    assert!(!c.eos.is_empty(), "{case}");
    for (kind, layer) in c.layers.iter().zip(&model.weights.layers) {
        assert_eq!(*kind == LayerKind::Attention, matches!(layer.mixer, Mixer::Attention(_)), "{case}");
    }
}

/// Logical weights, counted from the shapes that were opened.
fn counted(model: &Checkpoint) -> u64 {
    let matrices: usize = model.weights.matrices().map(|m| m.rows() * m.cols()).sum();
    let vectors: usize = model
        .weights
        .layers
        .iter()
        .map(|l| {
            let mixer: usize = match &l.mixer {
                Mixer::Attention(a) => [&a.q_norm, &a.k_norm].into_iter().flatten().map(moire_base::Vector::len).sum(),
                Mixer::GatedDelta(d) => {
                    [&d.conv, &d.dt_bias, &d.a_log, &d.norm].map(moire_base::Vector::len).iter().sum()
                }
            };
            mixer + l.input_norm.len() + l.post_norm.len()
        })
        .sum();
    (matrices + vectors + model.weights.final_norm.len()) as u64
}

#[test]
fn every_named_model_has_its_facts() {
    for want in &NAMED {
        let model = open(&golden("models").join(want.case)).unwrap_or_else(|e| panic!("{}: {e}", want.case));
        check(want.case, &model, want);
        assert_eq!(model.summary.warnings, Vec::<String>::new(), "{}", want.case);
    }
}

/// The converter leaves a matrix as it is whose columns are no multiple of the group.
#[test]
fn all_eighteen_geometries_open() {
    let mut seen = BTreeSet::new();
    for (bits, group) in [2, 3, 4, 5, 6, 8].into_iter().flat_map(|bits| [32, 64, 128].map(|group| (bits, group))) {
        let case = format!("qwen35-mini-b{bits}g{group}");
        let model = open(&golden("models").join(&case)).unwrap_or_else(|e| panic!("{case}: {e}"));
        let mixed = model.weights.matrices().any(|m| m.cols() % group != 0);
        check(&case, &model, &facts("", Architecture::Qwen35, "da", Dtype::Bf16, Some((bits, group, mixed)), false));
        for m in model.weights.matrices() {
            let weights = m.rows() * m.cols();
            match m {
                Matrix::Affine { codes, scales, biases, .. } => {
                    assert_eq!(
                        (codes.len(), scales.len(), biases.len()),
                        (weights * bits as usize / 8, 2 * weights / group, 2 * weights / group),
                        "{case}"
                    );
                }
                Matrix::Float { cols, data, .. } => assert!(cols % group != 0 && data.len() == 2 * weights, "{case}"),
            }
        }
        seen.insert(case);
    }
    let folders = std::fs::read_dir(golden("models")).expect("the models are there").count();
    assert_eq!(seen.len() + NAMED.len(), folders, "every folder is covered");
}

#[test]
fn overrides_decide_module_by_module() {
    let model = open(&golden("models/qwen35-tiny-mixed")).expect("opens");
    let geometry = |m: &Matrix| match m {
        Matrix::Affine { bits, group, .. } => Some((*bits, *group)),
        Matrix::Float { .. } => None,
    };
    assert_eq!(geometry(&model.weights.embedding), Some((8, 32)));
    let layers = &model.weights.layers;
    for layer in layers {
        assert_eq!(geometry(&layer.mlp.down.weight), Some((8, 32)));
        assert_eq!(geometry(&layer.mlp.up.weight), Some((4, 64)));
    }
    let (Mixer::GatedDelta(first), Mixer::GatedDelta(second), Mixer::Attention(last)) =
        (&layers[0].mixer, &layers[1].mixer, &layers[3].mixer)
    else {
        panic!("the layer kinds are wrong");
    };
    assert_eq!(geometry(&first.out.weight), None);
    assert_eq!(geometry(&first.in_a.weight), Some((4, 64)));
    assert_eq!((geometry(&second.in_a.weight), geometry(&second.in_b.weight)), (None, None));
    assert_eq!(geometry(&last.v.weight), Some((6, 64)));
    assert_eq!(last.v.path, "language_model.model.layers.3.self_attn.v_proj");
}

#[test]
fn shards_hold_the_same_model() {
    let one = open(&golden("models/qwen35-tiny-mixed")).expect("opens");
    let two = open(&golden("models/qwen35-tiny-mixed-sharded")).expect("opens");
    assert_same_weights(&one, &two);
    assert_ne!(one.summary.fingerprint, two.summary.fingerprint);
    assert_eq!(two.summary.tensors.iter().map(|t| &t.file).collect::<BTreeSet<_>>().len(), 2);
}

/// The HF layout is transposed and shifted, vision and MTP tensors change nothing: all three hold the bytes of the plain file.
#[test]
fn layouts_hold_the_same_model() {
    let plain = open(&golden("models/qwen35-small-bf16")).expect("opens");
    for case in ["qwen35-small-wrapper", "qwen35-small-hf-layout"] {
        let other = open(&golden("models").join(case)).expect("opens");
        assert_same_weights(&plain, &other);
        assert_eq!(plain.summary.weight_bytes, other.summary.weight_bytes, "{case}");
    }
}

fn assert_same_weights(a: &Checkpoint, b: &Checkpoint) {
    let (a, b) = (weight_bytes(a), weight_bytes(b));
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(&b).all(|(x, y)| x == y));
}

/// Models are shared between threads.
#[test]
fn a_checkpoint_is_send_and_sync() {
    fn assert<T: Send + Sync>() {}
    assert::<Checkpoint>();
    assert::<TensorFile>();
}

#[test]
fn config_details_arrive() {
    let c = open(&golden("models/qwen35-tiny-bf16")).expect("opens").config;
    assert_eq!((c.model_type.as_str(), c.hidden, c.heads, c.kv_heads, c.head_dim), ("qwen3_5", 128, 4, 2, 32));
    assert!(c.attention_output_gate && c.qk_norm && !c.attention_bias && !c.rope.traditional);
    assert_eq!((c.rope.dims, c.rope.theta, c.rope.scaling), (8, 1e7, RopeScaling::Default));
    let d = c.delta.expect("delta layers");
    assert_eq!(
        (d.key_heads, d.value_heads, d.key_dim, d.value_dim, d.conv_kernel, d.channels()),
        (2, 4, 32, 32, 4, 256)
    );
    assert_eq!((c.norm_eps, c.max_positions, c.windows.iter().flatten().count()), (1e-6, 4096, 0));

    let c = open(&golden("models/llama-tiny-4bit")).expect("opens").config;
    assert!(!c.attention_output_gate && !c.qk_norm && c.delta.is_none());
    let llama3 = RopeScaling::Llama3 { factor: 8.0, low_freq_factor: 1.0, high_freq_factor: 4.0, original: 64.0 };
    assert_eq!((c.rope.dims, c.rope.theta, c.rope.scaling), (32, 1e4, llama3));
    assert_eq!((c.norm_eps, c.eos), (1e-5, vec![398]));
}

#[test]
fn inspect_agrees_with_open() {
    for case in ["qwen35-small-hf-layout", "qwen35-tiny-mixed-sharded", "llama-tiny-bf16"] {
        let path = golden("models").join(case);
        let (seen, model) = (inspect(&path).expect("inspected"), open(&path).expect("opens"));
        assert_eq!(seen.config, model.config, "{case}");
        assert_eq!(
            (seen.summary.parameters, seen.summary.weight_bytes),
            (model.summary.parameters, model.summary.weight_bytes),
            "{case}"
        );
        assert!(seen.summary.fingerprint.starts_with("headers:blake3:"), "{case}");
        assert!(!seen.tokenizer && !seen.chat_template && model.tokenizer.is_none(), "{case}");
    }
}

#[test]
fn the_fingerprint_follows_every_byte() {
    let from = golden("models/qwen35-mini-f32");
    let config = common::json(&from.join("config.json"));
    let dir = common::folder_with_config(&config, &from);
    let print = |scan: bool| {
        let options = OpenOptions { scan, ..OpenOptions::default() };
        Checkpoint::open(dir.path(), &options, &Default::default()).expect("opens").summary.fingerprint
    };
    let (full, light) = (print(true), print(false));
    assert_eq!((print(true), print(false)), (full.clone(), light.clone()));
    let path = dir.path().join("model.safetensors");
    let mut bytes = std::fs::read(&path).expect("read");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    assert_ne!(print(true), full);
    assert_eq!(print(false), light);
}

#[test]
fn a_cancelled_open_stops() {
    let control = moire_base::Control::default();
    control.cancel();
    let error =
        Checkpoint::open(&golden("models/qwen35-mini-f32"), &OpenOptions::default(), &control).expect_err("stops");
    assert_eq!(error.status, Status::Cancelled);
}

#[test]
fn any_safetensors_file_opens() {
    let file = TensorFile::open(&golden("quant/affine.safetensors")).expect("opens");
    assert!(file.tensors.len() > 100);
    let wq = file.tensors.iter().find(|t| t.name.ends_with(".wq")).expect("packed weights");
    assert_eq!((wq.dtype, wq.dtype_name.as_str()), (Some(Dtype::U32), "u32"));
    assert_eq!(wq.data.len(), 4 * wq.shape.iter().product::<usize>());
    let mlx = TensorFile::open(&golden("models/qwen35-mini-f32/model.safetensors")).expect("opens");
    assert_eq!(mlx.metadata.get("format").map(String::as_str), Some("mlx"));
    assert!(mlx.get("language_model.model.norm.weight").is_some());
}
