//! Wrong folders and hostile values: a sentence each, with what to do.

mod common;

use common::{folder_with_config, golden, json, open};
use moire_base::{Error, Status};
use std::path::Path;

fn refused(path: &Path) -> Error {
    open(path).expect_err("must be refused")
}

#[test]
fn what_is_no_model_folder() {
    let model = golden("models/llama-tiny-bf16");
    let e = refused(&model.join("nothing-here"));
    assert_eq!(e.status, Status::Io);
    assert!(e.message.contains("no such folder") && e.place.ends_with("nothing-here"), "{e}");

    let e = refused(&model.join("model.safetensors"));
    assert!(e.message.contains("give its folder") && e.message.contains("llama-tiny-bf16"), "{e}");

    let dir = tempfile::tempdir().expect("a temporary folder");
    let e = refused(dir.path());
    assert!(e.message.contains("no config.json"), "{e}");

    std::fs::copy(model.join("config.json"), dir.path().join("config.json")).expect("copied");
    let e = refused(dir.path());
    assert!(e.message.contains("no *.safetensors"), "{e}");

    let gguf = dir.path().join("x.gguf");
    std::fs::write(&gguf, "GGUF").expect("written");
    assert!(refused(&gguf).message.contains("GGUF"));

    std::fs::create_dir(dir.path().join("model.safetensors")).expect("made");
    let e = refused(dir.path());
    assert!(e.message.contains("not a regular file"), "{e}");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_is_never_opened() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::copy(golden("models/llama-tiny-bf16/config.json"), dir.path().join("config.json")).expect("copied");
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("model.safetensors")).expect("linked");
    assert!(refused(dir.path()).message.contains("not a regular file"));
    // Links to regular files are how download caches lay out a model.
    std::fs::remove_file(dir.path().join("model.safetensors")).expect("removed");
    let weights = golden("models/llama-tiny-bf16/model.safetensors").canonicalize().expect("there");
    std::os::unix::fs::symlink(weights, dir.path().join("model.safetensors")).expect("linked");
    open(dir.path()).expect("opens through a link");
}

/// A file that is there but cannot be read is not called missing.
#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_says_why() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink("config.json", dir.path().join("config.json")).expect("linked");
    let e = refused(dir.path());
    assert!(e.message.contains("cannot be read") && e.place.ends_with("config.json"), "{e}");
    let e = refused(&dir.path().join("x".repeat(5000)));
    assert!(e.message.contains("cannot be opened"), "{e}");
    let file = dir.path().join("file");
    std::fs::write(&file, "").expect("written");
    assert!(refused(&file.join("model")).message.contains("no such folder"));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let weights = golden("models/llama-tiny-bf16");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let config = std::fs::read(weights.join("config.json")).expect("read");
    std::fs::write(dir.path().join("config.json"), [b"\xef\xbb\xbf", config.as_slice()].concat()).expect("written");
    std::fs::copy(weights.join("model.safetensors"), dir.path().join("model.safetensors")).expect("copied");
    open(dir.path()).expect("opens");
}

/// A hundred thousand end-of-text ids are one warning, and no work that grows with their square.
#[test]
fn a_list_of_eos_ids_may_be_long() {
    let weights = golden("models/llama-tiny-bf16");
    let mut config = json(&weights.join("config.json"));
    config["eos_token_id"] = (0..200_000u32).chain(0..200_000).collect();
    let vocab = config["vocab_size"].as_u64().expect("a number") as usize;
    let model = open(folder_with_config(&config, &weights).path()).expect("opens");
    assert_eq!(model.config.eos.len(), vocab);
    let beyond: Vec<&String> = model.summary.warnings.iter().filter(|w| w.contains("eos id")).collect();
    assert_eq!(beyond.len(), 1, "{beyond:?}");
    assert!(
        beyond[0].contains(&format!("{} eos ids, for example {vocab}, are beyond", 2 * (200_000 - vocab))),
        "{}",
        beyond[0]
    );
}

/// JSON readers hold whole numbers up to 2^53 - 1.
#[test]
fn no_dimension_is_beyond_what_json_carries() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("a.safetensors");
    let header = r#"{"z":{"dtype":"F32","shape":[0,9007199254740992],"data_offsets":[0,0]}}"#;
    std::fs::write(&path, [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat()).expect("written");
    let e = moire_checkpoint::TensorFile::open(&path).expect_err("must be refused");
    assert!(e.status == Status::Format && e.message.contains("a dimension of 9007199254740992"), "{e}");
}

#[test]
fn drafters_and_foreign_models_are_named() {
    let weights = golden("models/qwen3-tiny-4bit");
    let config = json(&weights.join("config.json"));
    let with = |changes: &[(&str, serde_json::Value)]| {
        let mut config = config.clone();
        for (key, value) in changes {
            config[*key] = value.clone();
        }
        refused(folder_with_config(&config, &weights).path())
    };
    let cases: [(&[(&str, serde_json::Value)], &str); 8] = [
        (&[("architectures", serde_json::json!(["DFlashDraftModel"]))], "drafter"),
        (&[("model_type", "qwen3_5_moe".into())], "mixture of experts"),
        (&[("num_experts", 8.into())], "mixture of experts"),
        (&[("model_type", "gemma3".into())], "qwen3_5, qwen3, llama"),
        (&[("quantization", serde_json::json!({"mode": "mxfp4", "bits": 4, "group_size": 32}))], "mxfp4"),
        (
            &[
                ("quantization", serde_json::Value::Null),
                ("quantization_config", serde_json::json!({"quant_method": "awq"})),
            ],
            "awq",
        ),
        (
            &[("rope_scaling", serde_json::json!({"rope_type": "longrope", "factor": 2.0}))],
            "default, linear, dynamic, llama3 and yarn",
        ),
        (&[("hidden_act", "gelu".into())], "only silu"),
    ];
    for (changes, words) in cases {
        let e = with(changes);
        assert_eq!(e.status, Status::Unsupported, "{e}");
        assert!(e.to_string().contains(words), "{words}: {e}");
    }
}

/// The config and the tensors must tell the same story.
#[test]
fn contradictions_name_the_tensor() {
    let weights = golden("models/qwen3-tiny-4bit");
    let config = json(&weights.join("config.json"));
    let cases: [(&str, serde_json::Value, &str); 7] = [
        ("tie_word_embeddings", true.into(), ""),
        ("model_type", "llama".into(), "self_attn.k_norm.weight"),
        ("num_hidden_layers", 3.into(), "model.layers.3."),
        ("num_hidden_layers", 5.into(), "model.layers.4."),
        ("intermediate_size", 512.into(), "mlp.gate_proj.weight"),
        ("attention_bias", true.into(), "self_attn.q_proj.bias"),
        (
            "quantization",
            serde_json::json!({"bits": 4, "group_size": 64, "model.layers.0.mlp.up_proj": false}),
            "model.layers.0.mlp.up_proj.scales",
        ),
    ];
    for (key, value, name) in cases {
        let mut config = config.clone();
        config[key] = value;
        if key == "quantization" {
            config["quantization_config"] = serde_json::Value::Null;
        }
        let outcome = open(folder_with_config(&config, &weights).path());
        if name.is_empty() {
            // A head beside tied embeddings is left alone, and said.
            assert!(outcome.expect("opens").summary.warnings.iter().any(|w| w.contains("lm_head")));
        } else {
            let e = outcome.expect_err("contradicts");
            assert!(e.status == Status::Format && e.to_string().contains(name), "{key}: {e}");
        }
    }
}

#[test]
fn an_absent_tie_flag_follows_the_tensors() {
    for (case, tied) in [("qwen3-tiny-4bit", false), ("llama-tiny-bf16", true)] {
        let weights = golden("models").join(case);
        let mut config = json(&weights.join("config.json"));
        config.as_object_mut().expect("an object").remove("tie_word_embeddings");
        assert_eq!(open(folder_with_config(&config, &weights).path()).expect("opens").config.tied, tied, "{case}");
    }
}

/// Norms that were shifted twice or not at all open, with a warning.
#[test]
fn suspicious_norms_are_reported() {
    let weights = golden("models/qwen35-small-bf16");
    let config = json(&weights.join("config.json"));
    for (add, words) in [(-1.0, "around 0"), (1.0, "twice")] {
        let dir = folder_with_config(&config, &weights);
        let path = dir.path().join("model.safetensors");
        let file = moire_checkpoint::TensorFile::open(&path).expect("opens");
        let mut bytes = file.bytes.to_vec();
        for t in file.tensors.iter().filter(|t| t.name.ends_with("norm.weight") && !t.name.contains("linear_attn")) {
            let dtype = t.dtype.expect("a float");
            let moved: Vec<f32> = dtype.widen(&t.data).into_iter().map(|w| w + add).collect();
            let at = t.data.as_ptr() as usize - file.bytes.as_ptr() as usize;
            bytes[at..at + t.data.len()].copy_from_slice(&dtype.narrow(&moved));
        }
        drop(file);
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, bytes).expect("written");
        let warnings = open(dir.path()).expect("opens").summary.warnings;
        assert!(warnings.iter().any(|w| w.contains(words)), "{words}: {warnings:?}");
    }
}
