//! Drafter folders: what is read of them, and everything that is refused.

mod common;

use common::{folder_with_config, golden, json};
use moire_base::{Control, Dtype, Error, Matrix, Status};
use moire_checkpoint::{Dflash, DrafterCheckpoint, DrafterKind, ModelConfig, TensorFile};
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use std::path::Path;

fn target() -> ModelConfig {
    config("qwen35-tiny-bf16")
}

fn config(model: &str) -> ModelConfig {
    ModelConfig::parse(&std::fs::read(golden("models").join(model).join("config.json")).expect("read")).expect("parses")
}

fn open(path: &Path, target: &ModelConfig) -> Result<DrafterCheckpoint, Error> {
    DrafterCheckpoint::open(path, target, &Control::default())
}

fn dflash_folder() -> std::path::PathBuf {
    golden("drafters/dflash-tiny-sliding")
}

/// The sliding DFlash drafter with a changed config.
fn changed(change: impl Fn(&mut Value), target: &ModelConfig) -> Result<DrafterCheckpoint, Error> {
    let mut config = json(&dflash_folder().join("config.json"));
    change(&mut config);
    let folder = folder_with_config(&config, &dflash_folder());
    open(folder.path(), target)
}

fn dflash(found: &DrafterCheckpoint) -> &Dflash {
    match &found.config.kind {
        DrafterKind::Dflash(d) => d,
        DrafterKind::Mtp => panic!("an MTP head"),
    }
}

#[test]
fn a_dflash_folder_has_its_facts() {
    let found = open(&dflash_folder(), &target()).expect("opens");
    let d = dflash(&found);
    assert_eq!((d.mask_id, &d.target_layers[..], d.is_causal), (509, &[1, 3, 5][..], None));
    assert_eq!((d.input_scale, d.output_multiplier, d.softcap), (1.0, 1.0, None));
    let decoder = &found.config.decoder;
    assert_eq!((found.config.block_size, &decoder.windows[..]), (Some(8), &[Some(16), None][..]));
    assert_eq!((decoder.dtype, decoder.quantisation, decoder.rope.dims), (Dtype::Bf16, None, 32));
    // The file is nothing but the drafter: 1 fc, 2 norms, 2 layers of 11 tensors.
    assert_eq!((found.summary.tensors.len(), found.summary.parameters * 2), (25, found.summary.weight_bytes));
    assert!(found.summary.fingerprint.starts_with("blake3:") && found.summary.warnings.is_empty());
}

#[test]
fn keys_stand_in_dflash_config_or_beside_it() {
    let outside = changed(
        |c| {
            let inner = c["dflash_config"].take();
            for key in ["block_size", "mask_token_id", "target_layer_ids"] {
                c[key] = inner[key].clone();
            }
            c["rope_theta"] = c["rope_parameters"]["rope_theta"].clone();
            c["rope_parameters"] = Value::Null;
            (c["is_causal"], c["input_embedding_scale"]) = (json!(false), json!(1.5));
        },
        &target(),
    );
    let outside = outside.expect("opens");
    let inside = open(&dflash_folder(), &target()).expect("opens");
    assert_eq!(outside.config.decoder, inside.config.decoder);
    let want = Dflash { is_causal: Some(false), input_scale: 1.5, ..dflash(&inside).clone() };
    assert_eq!((dflash(&outside), outside.config.block_size), (&want, Some(8)));
    // The inner one counts.
    let both = changed(|c| c["mask_token_id"] = json!(1), &target()).expect("opens");
    assert_eq!(dflash(&both).mask_id, 509);
    let silent = changed(
        |c| {
            for key in ["vocab_size", "num_target_layers", "layer_types", "max_position_embeddings"] {
                c[key] = Value::Null;
            }
            c["dflash_config"]["block_size"] = Value::Null;
        },
        &target(),
    );
    let silent = silent.expect("opens");
    assert_eq!((silent.config.block_size, &silent.config.decoder.windows[..]), (None, &[None, None][..]));
}

/// Published drafters that do not list their layers, by (draft layers, target layers).
#[test]
fn layers_that_are_not_listed_follow_the_old_rule() {
    let layers = |draft: usize, target_layers: usize| {
        let mut target = target();
        target.layers = vec![target.layers[0]; target_layers];
        target.windows = vec![None; target_layers];
        let outcome = changed(
            |c| {
                c["num_target_layers"] = json!(target_layers);
                c["num_hidden_layers"] = json!(draft);
                c["layer_types"] = Value::Null;
                c["dflash_config"]["target_layer_ids"] = Value::Null;
            },
            &target,
        );
        // The weights have another fc, whose message names the number of layers.
        outcome.expect_err("fc does not fit").message
    };
    for (draft, target, count) in [(5, 32, 5), (8, 32, 8), (5, 64, 5), (1, 32, 1)] {
        let message = layers(draft, target);
        assert!(message.contains(&format!("[128, {}]", count * 128)), "{message}");
    }
    assert!(layers(5, 4).contains("twice"));
}

fn refused(change: impl Fn(&mut Value), status: Status, words: &[&str]) {
    let e = changed(change, &target()).expect_err("refused");
    assert_eq!(e.status, status, "{e}");
    for word in words {
        assert!(e.to_string().contains(word), "{word}: {e}");
    }
}

#[test]
fn what_does_not_fit_the_target_is_refused() {
    let format = Status::Format;
    refused(|c| c["hidden_size"] = json!(256), format, &["hidden_size", "256", "target has 128", "another model"]);
    refused(|c| c["vocab_size"] = json!(511), format, &["vocab_size", "target has 512"]);
    refused(|c| c["num_target_layers"] = json!(9), format, &["num_target_layers", "target has 8"]);
    let ids = |list: Value| move |c: &mut Value| c["dflash_config"]["target_layer_ids"] = list.clone();
    refused(ids(json!([1, 3, 8])), format, &["dflash_config/target_layer_ids", "0 to 7", "found 8"]);
    refused(ids(json!([1, -3, 5])), format, &["target_layer_ids", "found -3"]);
    refused(ids(json!([1, 3, 3])), format, &["target_layer_ids", "layer 3", "twice"]);
    refused(ids(json!([])), format, &["target_layer_ids", "empty"]);
    refused(ids(json!("1")), format, &["target_layer_ids", "list"]);
    refused(ids(json!([1, 3])), format, &["fc.weight", "[128, 384]", "[128, 256]"]);
    let mask = |id: Value| move |c: &mut Value| c["dflash_config"]["mask_token_id"] = id.clone();
    refused(mask(json!(512)), format, &["mask_token_id", "vocabulary of 512"]);
    refused(mask(json!(-1)), format, &["mask_token_id", "found -1"]);
    refused(mask(Value::Null), format, &["mask_token_id", "missing"]);
    refused(|c| c["final_logit_softcapping"] = json!(0), format, &["final_logit_softcapping", "above 0"]);
    refused(|c| c["is_causal"] = json!("no"), format, &["is_causal", "true or false"]);
    refused(|c| c["sliding_window"] = Value::Null, format, &["sliding_window", "missing"]);
    refused(|c| c["layer_types"] = json!(["full_attention"]), format, &["layer_types", "1 entries"]);
    refused(|c| c["layer_types"][0] = json!("linear_attention"), Status::Unsupported, &["linear_attention"]);
    refused(|c| c["num_hidden_layers"] = json!(3), format, &["layer_types", "num_hidden_layers 3"]);
    refused(|c| c["num_attention_heads"] = json!(6), format, &["q_proj", "[192, 128]"]);
    refused(|c| c["dflash_config"] = json!([1]), format, &["dflash_config", "object"]);
    refused(|c| c["rope_parameters"] = Value::Null, format, &["rope_theta", "missing"]);
}

#[test]
fn layers_that_the_config_leaves_out_are_not_passed_over() {
    refused(
        |c| (c["num_hidden_layers"], c["layer_types"]) = (json!(1), json!(["sliding_attention"])),
        Status::Format,
        &["layers.1.", "no weight of a DFlash drafter with 1 layers"],
    );
}

#[test]
fn other_families_are_named() {
    let says = |architecture: &'static str, model_type: &'static str| {
        move |c: &mut Value| (c["architectures"], c["model_type"]) = (json!([architecture]), json!(model_type))
    };
    let unsupported = Status::Unsupported;
    refused(
        says("DFlash2DraftModel", "qwen3"),
        unsupported,
        &["DFlash2DraftModel", "a DFlash 2 drafter", "not supported"],
    );
    refused(says("DSparkDraftModel", "lfm2"), unsupported, &["a DSpark drafter"]);
    refused(says("LlamaForCausalLMEagle3", "llama"), unsupported, &["an EAGLE drafter"]);
    refused(says("MuseAssistant", "gemma4_assistant"), unsupported, &["an assistant drafter"]);
    refused(says("Glm4MTP", "glm4_moe_lite_mtp"), unsupported, &["an MTP head of another family"]);
    refused(says("SomeDraftModel", "x"), unsupported, &["a drafter of another family"]);
    refused(says("DFlashDraftModel", "llama"), unsupported, &["layers of \"llama\""]);
    refused(says("Qwen3ForCausalLM", "qwen3"), unsupported, &["no drafter", "supported are DFlash"]);
    refused(|c| (c["architectures"], c["model_type"]) = (Value::Null, Value::Null), unsupported, &["no drafter"]);
}

#[test]
fn a_folder_without_a_head_says_so() {
    for model in ["qwen35-tiny-bf16", "qwen35-tiny-4bit"] {
        let e = open(&golden("models").join(model), &config(model)).expect_err("no head");
        assert!(e.status == Status::Format && e.message.contains("holds no MTP head"), "{e}");
    }
    let e = open(&golden("models/llama-tiny-bf16"), &target()).expect_err("no drafter");
    assert!(e.status == Status::Unsupported && e.message.contains("no drafter"), "{e}");
    for (path, words) in [(golden("drafters"), "holds no config.json"), (golden("nowhere"), "no such folder")] {
        let e = open(&path, &target()).expect_err("nothing there");
        assert!(e.status == Status::Io && e.message.contains(words), "{e}");
    }
}

fn mtp(change: impl Fn(&mut Value), target: &ModelConfig) -> Result<DrafterCheckpoint, Error> {
    let mut config = json(&golden("drafters/mtp-tiny/config.json"));
    change(&mut config);
    let folder = folder_with_config(&config, &golden("drafters/mtp-tiny"));
    open(folder.path(), target)
}

#[test]
fn an_mtp_folder_has_its_facts() {
    let found = mtp(|_| {}, &target()).expect("opens");
    assert_eq!((&found.config.kind, found.config.block_size), (&DrafterKind::Mtp, Some(3)));
    let decoder = &found.config.decoder;
    assert_eq!((decoder.layers.len(), decoder.attention_output_gate, decoder.rope.dims), (1, true, 8));
    assert_eq!((found.summary.tensors.len(), found.weights.norms().count()), (15, 7));
    assert!(found.summary.warnings.is_empty());
}

#[test]
fn heads_that_do_not_fit_are_refused() {
    let cases: [(&str, Value, Status, &str); 5] = [
        ("hidden_size", json!(64), Status::Format, "target has 128"),
        ("vocab_size", json!(99), Status::Format, "target has 512"),
        ("mtp_num_hidden_layers", json!(2), Status::Unsupported, "heads of one layer"),
        ("mtp_use_dedicated_embeddings", json!(true), Status::Unsupported, "share the target's embedding"),
        ("num_experts", json!(8), Status::Unsupported, "mixture of experts"),
    ];
    for (key, value, status, words) in cases {
        let e = mtp(|c| c["text_config"][key] = value.clone(), &target()).expect_err(key);
        assert!(e.status == status && e.to_string().contains(key) && e.message.contains(words), "{e}");
    }
    let mut llama = target();
    llama.architecture = moire_checkpoint::Architecture::Llama;
    let e = mtp(|_| {}, &llama).expect_err("another family");
    assert!(e.status == Status::Unsupported && e.message.contains("llama"), "{e}");
}

/// Tensors of a file under other names, `None` to leave one out, in a folder with this config.
fn renamed(file: &Path, config: &Value, name: impl Fn(&str) -> Option<String>) -> tempfile::TempDir {
    let file = TensorFile::open(file).expect("opens");
    let kept = file.tensors.iter().filter_map(|t| Some((name(&t.name)?, t)));
    let views = kept.map(|(name, t)| {
        let dtype = match t.dtype {
            Some(Dtype::U32) => safetensors::Dtype::U32,
            _ => safetensors::Dtype::BF16,
        };
        (name, TensorView::new(dtype, t.shape.clone(), &t.data).expect("fits"))
    });
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("model.safetensors"), safetensors::serialize(views, None).expect("written"))
        .expect("written");
    std::fs::write(dir.path().join("config.json"), config.to_string()).expect("written");
    dir
}

/// The first weight of `fc`, of the first norm of the layer, and of the last norm.
fn samples(found: &DrafterCheckpoint) -> [f32; 3] {
    let Matrix::Float { data, dtype, .. } = &found.weights.fc.weight else { panic!("quantised") };
    [dtype.load(data, 0), found.weights.layers[0].input_norm.to_f32()[0], found.weights.norm.to_f32()[0]]
}

#[test]
fn prefixes_change_nothing_and_raw_heads_are_shifted() {
    let config = json(&dflash_folder().join("config.json"));
    let file = dflash_folder().join("model.safetensors");
    let plain = open(&dflash_folder(), &target()).expect("opens");
    let prefixed = renamed(&file, &config, |n| Some(format!("model.{n}")));
    assert_eq!(samples(&open(prefixed.path(), &target()).expect("opens")), samples(&plain));

    let head = golden("drafters/mtp-tiny");
    let config = json(&head.join("config.json"));
    let converted = open(&head, &target()).expect("opens");
    let raw = head.join("mtp-hf-layout.safetensors");
    for prefix in ["mtp.", "language_model.mtp."] {
        let folder = renamed(&raw, &config, |n| Some(n.replace("mtp.", prefix)));
        let found = open(folder.path(), &target()).expect("opens");
        assert_eq!(samples(&found), samples(&converted), "{prefix}");
        assert_eq!(found.weights.fc.path, format!("{prefix}fc"));
    }
    // Without the prefix nothing says that they lack their 1, but their mean does.
    let bare = renamed(&raw, &config, |n| Some(n.replace("mtp.", "")));
    let warnings = open(bare.path(), &target()).expect("opens").summary.warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("around 0"), "{warnings:?}");
    let mixed = renamed(&raw, &config, |n| Some(if n == "mtp.norm.weight" { "norm.weight" } else { n }.to_owned()));
    let e = open(mixed.path(), &target()).expect_err("mixed");
    assert!(e.place.ends_with("norm.weight") && e.message.contains("two layouts are mixed"), "{e}");
}

#[test]
fn missing_and_surplus_tensors_are_named_as_the_file_spells_them() {
    let head = golden("drafters/mtp-tiny");
    let config = json(&head.join("config.json"));
    let raw = head.join("mtp-hf-layout.safetensors");
    let without = |gone: &'static str, prefix: &'static str| {
        let name = move |n: &str| (!n.contains(gone)).then(|| n.replace("mtp.", prefix));
        let folder = renamed(&raw, &config, name);
        open(folder.path(), &target()).expect_err(gone)
    };
    for (gone, prefix) in
        [("fc.weight", "mtp."), ("q_norm.weight", ""), ("pre_fc_norm_hidden.weight", "language_model.mtp.")]
    {
        let e = without(gone, prefix);
        assert!(e.place.starts_with(prefix) && e.place.ends_with(gone) && e.message.contains("missing"), "{e}");
    }
    let surplus = renamed(&raw, &config, |n| Some(n.replace("mtp.fc", "mtp.eh_proj")));
    assert!(open(surplus.path(), &target()).expect_err("surplus").place.contains("mtp.fc.weight"));
}

/// Layers of a quantised Qwen 3 as those of a drafter, beside a float `fc`: presence of scales decides, overrides have their say.
#[test]
fn drafters_may_be_quantised() {
    let model = golden("models/qwen3-tiny-4bit");
    let target = config("qwen3-tiny-4bit");
    let file = TensorFile::open(&model.join("model.safetensors")).expect("opens");
    let fc = safetensors::Dtype::BF16;
    let zeros = vec![0u8; target.hidden * target.hidden * 2];
    let ones: Vec<u8> = Dtype::Bf16.narrow(&vec![1.0; target.hidden]);
    let mut views: Vec<(String, TensorView<'_>)> = vec![
        ("fc.weight".to_owned(), TensorView::new(fc, vec![target.hidden, target.hidden], &zeros).expect("fits")),
        ("hidden_norm.weight".to_owned(), TensorView::new(fc, vec![target.hidden], &ones).expect("fits")),
    ];
    for t in &file.tensors {
        let Some(name) = t.name.strip_prefix("model.").filter(|n| n.starts_with("layers.") || *n == "norm.weight")
        else {
            continue;
        };
        let dtype = if t.dtype == Some(Dtype::U32) { safetensors::Dtype::U32 } else { fc };
        views.push((name.to_owned(), TensorView::new(dtype, t.shape.clone(), &t.data).expect("fits")));
    }
    let mut config = json(&model.join("config.json"));
    config["architectures"] = json!(["DFlashDraftModel"]);
    config["dflash_config"] = json!({"mask_token_id": 3, "target_layer_ids": [2]});
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("model.safetensors"), safetensors::serialize(views, None).expect("written"))
        .expect("written");
    let mut open_with = |quantisation: Value| {
        config["quantization"] = quantisation;
        config["quantization_config"] = Value::Null;
        std::fs::write(dir.path().join("config.json"), config.to_string()).expect("written");
        open(dir.path(), &target)
    };
    let found = open_with(json!({"group_size": 64, "bits": 4})).expect("opens");
    let q = found.config.decoder.quantisation.expect("quantised");
    assert_eq!((q.bits, q.group, q.mixed), (4, 64, true));
    assert!(found.weights.layers[0].linears().all(|l| matches!(l.weight, Matrix::Affine { .. })));
    for path in ["layers.0.mlp.up_proj", "model.layers.0.mlp.up_proj"] {
        let e = open_with(json!({"group_size": 64, "bits": 4, path: {"group_size": 32, "bits": 8}}))
            .expect_err("contradicts");
        assert!(e.place.contains("layers.0.mlp.up_proj"), "{e}");
    }
    assert!(open_with(Value::Null).expect_err("no quantisation").message.contains("no quantization"));
}
