//! Configs by themselves: published sizes, families, and every key that can be wrong.

use moire_base::{Dtype, Error, Status};
use moire_checkpoint::{Architecture, LayerKind, ModelConfig, RopeScaling};
use serde_json::{Value, json};

fn parse(value: &Value) -> Result<ModelConfig, Error> {
    ModelConfig::parse(value.to_string().as_bytes())
}

fn qwen35(hidden: u64, intermediate: u64, layers: u64, heads: u64, kv: u64, value_heads: u64, tied: bool) -> Value {
    json!({"model_type": "qwen3_5", "architectures": ["Qwen3_5ForConditionalGeneration"], "tie_word_embeddings": tied, "vision_config": {"depth": 2}, "text_config": {
        "model_type": "qwen3_5_text", "vocab_size": 248320, "hidden_size": hidden, "intermediate_size": intermediate, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": 256, "rms_norm_eps": 1e-6, "hidden_act": "silu", "attn_output_gate": true,
        "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_num_key_heads": 16,
        "linear_num_value_heads": value_heads, "max_position_embeddings": 262144, "dtype": "bfloat16", "eos_token_id": 248044, "mtp_num_hidden_layers": 1,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000000, "partial_rotary_factor": 0.25, "mrope_section": [11, 11, 10], "mrope_interleaved": true}}})
}

/// The totals of the published sizes of Qwen 3.5: 0.8B, 2B, 4B, 9B, 27B.
#[test]
fn published_sizes_have_their_parameter_counts() {
    let sizes = [
        (qwen35(1024, 3584, 24, 8, 2, 16, true), 752_393_024),
        (qwen35(2048, 6144, 24, 8, 2, 16, true), 1_881_825_088),
        (qwen35(2560, 9216, 32, 16, 4, 32, true), 4_205_751_296),
        (qwen35(4096, 12288, 32, 16, 4, 32, false), 8_953_803_264),
        (qwen35(5120, 17408, 64, 24, 4, 48, false), 26_895_998_464u64),
    ];
    for (config, parameters) in sizes {
        let c = parse(&config).expect("parses");
        assert_eq!(c.parameters(), parameters);
        assert_eq!(c.layers.iter().filter(|k| **k == LayerKind::Attention).count() * 4, c.layers.len());
        assert_eq!(
            (c.rope.dims, c.eos.as_slice(), c.dtype, c.tied),
            (64, [248044].as_slice(), Dtype::Bf16, config["tie_word_embeddings"] == true)
        );
    }
}

#[test]
fn a_flat_config_is_the_wrapped_one() {
    let wrapped = qwen35(1024, 3584, 24, 8, 2, 16, true);
    let mut flat = wrapped["text_config"].clone();
    flat["tie_word_embeddings"] = true.into();
    let c = parse(&flat).expect("parses");
    assert_eq!(c.model_type, "qwen3_5_text");
    assert_eq!(ModelConfig { model_type: "qwen3_5".to_owned(), ..c }, parse(&wrapped).expect("parses"));
}

fn llama() -> Value {
    json!({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "rms_norm_eps": 1e-5, "vocab_size": 128256, "max_position_embeddings": 131072, "torch_dtype": "float16", "tie_word_embeddings": false, "rope_theta": 500000.0})
}

#[test]
fn other_families() {
    let c = parse(&llama()).expect("parses");
    assert_eq!(
        (c.architecture, c.head_dim, c.parameters(), c.dtype),
        (Architecture::Llama, 128, 8_030_261_248, Dtype::F16)
    );
    assert_eq!((c.rope.theta, c.rope.dims, c.qk_norm, c.delta), (500_000.0, 128, false, None));
    let qwen3 = json!({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "rms_norm_eps": 1e-6, "vocab_size": 151936, "max_position_embeddings": 40960, "torch_dtype": "bfloat16", "tie_word_embeddings": false, "rope_theta": 1000000, "rope_scaling": null,
        "use_sliding_window": false, "sliding_window": null, "max_window_layers": 36});
    let c = parse(&qwen3).expect("parses");
    assert_eq!((c.parameters(), c.qk_norm, c.attention_output_gate), (8_190_735_360, true, false));
    let mut sliding = qwen3.clone();
    for (key, value) in
        [("use_sliding_window", json!(true)), ("sliding_window", json!(4096)), ("max_window_layers", json!(35))]
    {
        sliding[key] = value;
    }
    assert_eq!(parse(&sliding).expect("parses").windows[33..], [None, None, Some(4096)]);
}

#[test]
fn rope_scalings() {
    let with = |scaling: Value| {
        let mut config = llama();
        config["rope_scaling"] = scaling;
        parse(&config).map(|c| c.rope.scaling)
    };
    assert_eq!(with(Value::Null), Ok(RopeScaling::Default));
    assert_eq!(with(json!({"type": "linear", "factor": 2})), Ok(RopeScaling::Linear { factor: 2.0 }));
    assert_eq!(with(json!({"type": "dynamic", "factor": 4.0})), Ok(RopeScaling::Dynamic { factor: 4.0 }));
    let yarn = RopeScaling::Yarn {
        factor: 4.0,
        beta_fast: 32.0,
        beta_slow: 1.0,
        mscale: 1.0,
        mscale_all_dim: 0.0,
        original: 32768.0,
    };
    assert_eq!(with(json!({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})), Ok(yarn));
    for (scaling, key) in [
        (json!({"rope_type": "linear"}), "factor"),
        (json!({"rope_type": "linear", "factor": -1}), "factor"),
        (
            json!({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 4.0}),
            "high_freq_factor",
        ),
        (json!({"rope_type": "yarn", "factor": 4.0, "attention_factor": 1.0}), "attention_factor"),
        (json!({"rope_type": "fancy"}), "fancy"),
        (json!([1]), "rope_scaling"),
    ] {
        let e = with(scaling).expect_err("wrong");
        assert!(e.to_string().contains(key), "{key}: {e}");
    }
}

/// Every size key, with every kind of nonsense.
#[test]
fn no_number_gets_through_unchecked() {
    let keys = [
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "vocab_size",
        "max_position_embeddings",
    ];
    let linear = [
        "linear_num_key_heads",
        "linear_num_value_heads",
        "linear_key_head_dim",
        "linear_value_head_dim",
        "linear_conv_kernel_dim",
        "full_attention_interval",
    ];
    let nonsense = [
        json!(0),
        json!(-1),
        json!(2.5),
        json!("8"),
        json!(u64::MAX),
        json!(1e300),
        json!([1]),
        json!({}),
        json!(true),
        json!(4_000_000_000_000_000_000u64),
    ];
    for key in keys.iter().chain(&linear) {
        for value in &nonsense {
            if *key == "full_attention_interval" && value.is_u64() && *value != json!(0) {
                continue; // a huge interval is a model of delta layers alone
            }
            let mut config = qwen35(1024, 3584, 24, 8, 2, 16, true);
            config["text_config"][key] = value.clone();
            let e = parse(&config).expect_err(key);
            assert!(e.status == Status::Format && e.to_string().contains(key), "{key} = {value}: {e}");
        }
    }
}

#[test]
fn other_keys_are_checked_too() {
    let cases = [
        ("rms_norm_eps", json!(-1e-6), "rms_norm_eps"),
        ("rms_norm_eps", json!("x"), "rms_norm_eps"),
        ("layer_types", json!(["full_attention"]), "layer_types"),
        ("layer_types", json!(vec!["mamba"; 24]), "mamba"),
        ("partial_rotary_factor", json!(0.001), "partial_rotary_factor"),
        ("linear_num_value_heads", json!(17), "linear_num_value_heads"),
        ("linear_conv_kernel_dim", json!(3), "only 4"),
        ("num_key_value_heads", json!(3), "num_key_value_heads"),
        ("eos_token_id", json!("x"), "eos_token_id"),
        ("dtype", json!("float8"), "float8"),
        ("attention_bias", json!(1), "attention_bias"),
        ("model_type", json!("qwen3_5_text"), ""),
    ];
    for (key, value, words) in cases {
        let mut config = qwen35(1024, 3584, 24, 8, 2, 16, true);
        if key == "partial_rotary_factor" {
            config["text_config"]["rope_parameters"][key] = value.clone();
        } else {
            config["text_config"][key] = value.clone();
        }
        let outcome = parse(&config);
        if words.is_empty() {
            outcome.expect("parses");
        } else {
            let e = outcome.expect_err(key);
            assert!(e.to_string().contains(words), "{key}: {e}");
        }
    }
}
