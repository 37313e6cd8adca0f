//! A model of published size (Qwen 3.5 0.8B, bf16) as a file without blocks on disk: opening and inspecting it must neither read nor copy the weights.
#![cfg(target_os = "linux")]

mod common;

use moire_base::Control;
use moire_checkpoint::{Checkpoint, OpenOptions};
use serde_json::{Map, Value, json};
use std::{fs::File, io::Write, path::Path};

const CONFIG: &str = r#"{"model_type": "qwen3_5", "tie_word_embeddings": true, "text_config": {"vocab_size": 248320, "hidden_size": 1024, "intermediate_size": 3584,
  "num_hidden_layers": 24, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256, "rms_norm_eps": 1e-6, "full_attention_interval": 4,
  "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 16, "max_position_embeddings": 262144,
  "rope_parameters": {"rope_type": "default", "rope_theta": 10000000, "partial_rotary_factor": 0.25}, "eos_token_id": 248044}}"#;
const PARAMETERS: u64 = 752_393_024;

/// Names and shapes as mlx-lm writes them.
fn tensors() -> Vec<(String, Vec<u64>)> {
    let mut all = vec![("embed_tokens.weight".to_owned(), vec![248320, 1024]), ("norm.weight".to_owned(), vec![1024])];
    let mlp = [
        ("input_layernorm.weight", vec![1024]),
        ("post_attention_layernorm.weight", vec![1024]),
        ("mlp.gate_proj.weight", vec![3584, 1024]),
        ("mlp.up_proj.weight", vec![3584, 1024]),
        ("mlp.down_proj.weight", vec![1024, 3584]),
    ];
    let delta = [
        ("in_proj_qkv.weight", vec![6144, 1024]),
        ("in_proj_z.weight", vec![2048, 1024]),
        ("in_proj_b.weight", vec![16, 1024]),
        ("in_proj_a.weight", vec![16, 1024]),
        ("conv1d.weight", vec![6144, 4, 1]),
        ("dt_bias", vec![16]),
        ("A_log", vec![16]),
        ("norm.weight", vec![128]),
        ("out_proj.weight", vec![1024, 2048]),
    ];
    let attention = [
        ("q_proj.weight", vec![4096, 1024]),
        ("k_proj.weight", vec![512, 1024]),
        ("v_proj.weight", vec![512, 1024]),
        ("o_proj.weight", vec![1024, 2048]),
        ("q_norm.weight", vec![256]),
        ("k_norm.weight", vec![256]),
    ];
    for i in 0..24 {
        let (path, mixer): (&str, &[(&str, Vec<u64>)]) =
            if i % 4 == 3 { ("self_attn", &attention) } else { ("linear_attn", &delta) };
        all.extend(mlp.iter().map(|(n, s)| (format!("layers.{i}.{n}"), s.clone())));
        all.extend(mixer.iter().map(|(n, s)| (format!("layers.{i}.{path}.{n}"), s.clone())));
    }
    all
}

fn write_model(folder: &Path) -> u64 {
    let (mut header, mut end) = (Map::new(), 0);
    for (name, shape) in tensors() {
        let begin = end;
        end += 2 * shape.iter().product::<u64>();
        header.insert(
            format!("language_model.model.{name}"),
            json!({"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}),
        );
    }
    let text = Value::Object(header).to_string();
    let mut file = File::create(folder.join("model.safetensors")).expect("made");
    file.write_all(&(text.len() as u64).to_le_bytes()).expect("written");
    file.write_all(text.as_bytes()).expect("written");
    file.set_len(8 + text.len() as u64 + end).expect("grown");
    std::fs::write(folder.join("config.json"), CONFIG).expect("written");
    end
}

/// Resident memory of this process in bytes, mapped pages included.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number") * 4096
}

#[test]
fn a_large_model_is_neither_read_nor_copied() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bytes = write_model(dir.path());
    assert_eq!((tensors().len(), bytes), (320, 2 * PARAMETERS));
    let before = resident();
    let seen = common::inspect(dir.path()).expect("inspected");
    let options = OpenOptions { scan: false, ..OpenOptions::default() };
    let model = Checkpoint::open(dir.path(), &options, &Control::default()).expect("opens");
    let grown = resident().saturating_sub(before);
    assert_eq!((seen.summary.parameters, model.summary.parameters), (PARAMETERS, PARAMETERS));
    assert_eq!(model.summary.weight_bytes, bytes);
    assert!(grown < 64 << 20, "{grown} bytes of {bytes} became resident");
}
