//! From the JSON to a `ModelConfig`.

use super::{Architecture, Delta, LayerKind, ModelConfig, Plan, layers, rope};
use crate::{
    files::json::{self, Object},
    names,
};
use moire_base::{Dtype, Error, Result};
use serde_json::{Map, Value};

/// Name used in messages.
pub(crate) const CONFIG: &str = "config.json";

// Bounds: several times the largest published model, small enough that no product of two or three of them overflows 64 bits.
const MAX_HIDDEN: usize = 1 << 17;
const MAX_INTERMEDIATE: usize = 1 << 20;
pub(super) const MAX_VOCAB: usize = 1 << 22;
pub(super) const MAX_LAYERS: usize = 1024;
const MAX_HEADS: usize = 1024;
const MAX_HEAD_DIM: usize = 1024;
const MAX_POSITIONS: usize = 1 << 30;
/// The convolution kernel of every published model; state and kernels are built for it.
const CONV_KERNEL: usize = 4;

/// A parsed config and what the weights still have to settle.
pub(crate) struct Parsed {
    /// `dtype`, `tied`, `quantisation` and `eos` are settled by the weights and the other files.
    pub config: ModelConfig,
    /// `None`: not said; the presence of a head decides.
    pub tied: Option<bool>,
    pub quantisation: Plan,
    /// The object that the text keys come from.
    pub text: Value,
}

/// Parses the bytes of `config.json`.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed> {
    let whole = json::parse(bytes, CONFIG)?;
    let top = Object::new(&whole, CONFIG)?;
    let (architecture, model_type) = architecture(top)?;
    let merged = merged(top)?;
    let text = Object::new(&merged, CONFIG)?;
    let config = model_config(text, architecture, model_type)?;
    let quantisation = Plan::parse(top, text, names::TEXT)?;
    let tied = text.flag("tie_word_embeddings")?;
    Ok(Parsed { config, tied, quantisation, text: merged })
}

/// Every key as `text_config` has it, else as the top level has it.
pub(super) fn merged(top: Object<'_>) -> Result<Value> {
    let mut map: Map<String, Value> = top.entries().map(|(k, v)| (k.clone(), v.clone())).collect();
    if let Some(text) = top.get("text_config") {
        let text = Object::new(text, "config.json/text_config")?;
        map.extend(text.entries().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), v.clone())));
    }
    Ok(Value::Object(map))
}

fn architecture(top: Object<'_>) -> Result<(Architecture, String)> {
    let Some(model_type) = top.text("model_type")? else {
        return Err(top.error("model_type", "is missing; it must say the family, for example \"qwen3_5\""));
    };
    let family = top.list("architectures")?.and_then(|a| a.first()).and_then(Value::as_str).unwrap_or_default();
    let refuse = |why: String| {
        Err(top.unsupported("model_type", format!("\"{model_type}\" {why}; supported are {}", supported())))
    };
    if family.starts_with("DFlash") || family.contains("Draft") || model_type.ends_with("_mtp") {
        return refuse(format!("({family}) is a drafter, not a model that runs by itself"));
    }
    let known = match model_type {
        "qwen3_5" | "qwen3_5_text" => Architecture::Qwen35,
        "qwen3" => Architecture::Qwen3,
        "llama" => Architecture::Llama,
        moe if moe.contains("moe") => return refuse("is a mixture of experts, which is not supported".to_owned()),
        _ => return refuse("is not supported".to_owned()),
    };
    Ok((known, model_type.to_owned()))
}

fn supported() -> String {
    Architecture::ALL.map(Architecture::name).join(", ")
}

fn required<T>(text: Object<'_>, key: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| text.error(key, "is missing; the file is incomplete, fetch it again"))
}

fn size(text: Object<'_>, key: &str, max: usize) -> Result<usize> {
    required(text, key, text.size(key, 1, max)?)
}

/// The model that `text` describes, run as `architecture`.
pub(super) fn model_config(text: Object<'_>, architecture: Architecture, model_type: String) -> Result<ModelConfig> {
    refuse_variants(text)?;
    let hidden = size(text, "hidden_size", MAX_HIDDEN)?;
    let heads = size(text, "num_attention_heads", MAX_HEADS)?;
    let kv_heads = kv_heads(text, heads)?;
    let head_dim = head_dim(text, hidden, heads)?;
    let count = size(text, "num_hidden_layers", MAX_LAYERS)?;
    let layers = layers::kinds(text, architecture, count)?;
    let qwen35 = architecture == Architecture::Qwen35;
    Ok(ModelConfig {
        architecture,
        model_type,
        hidden,
        intermediate: size(text, "intermediate_size", MAX_INTERMEDIATE)?,
        vocab: size(text, "vocab_size", MAX_VOCAB)?,
        windows: layers::windows(text, architecture, &layers)?,
        norm_eps: norm_eps(text)?,
        heads,
        kv_heads,
        head_dim,
        attention_output_gate: text.flag("attn_output_gate")?.unwrap_or(qwen35),
        qk_norm: architecture != Architecture::Llama,
        attention_bias: text.flag("attention_bias")?.unwrap_or(false),
        mlp_bias: text.flag("mlp_bias")?.unwrap_or(false),
        rope: rope::parse(text, architecture, head_dim)?,
        delta: layers.contains(&LayerKind::GatedDelta).then(|| delta(text)).transpose()?,
        layers,
        tied: false,
        max_positions: size(text, "max_position_embeddings", MAX_POSITIONS)?,
        eos: Vec::new(),
        dtype: Dtype::Bf16,
        quantisation: None,
    })
}

/// Keys that change the mathematics to something this engine does not compute.
fn refuse_variants(text: Object<'_>) -> Result<()> {
    if text.size("num_experts", 0, usize::MAX)?.is_some_and(|n| n > 0)
        || text.size("num_local_experts", 0, usize::MAX)?.is_some_and(|n| n > 0)
    {
        return Err(text.unsupported(
            "num_experts",
            format!(
                "says a mixture of experts, which is not supported; supported are the dense models of {}",
                supported()
            ),
        ));
    }
    match text.text("hidden_act")? {
        None | Some("silu" | "swish") => Ok(()),
        Some(other) => Err(text.unsupported("hidden_act", format!("is \"{other}\"; only silu is supported"))),
    }
}

fn kv_heads(text: Object<'_>, heads: usize) -> Result<usize> {
    let kv = text.size("num_key_value_heads", 1, MAX_HEADS)?.unwrap_or(heads);
    if heads % kv == 0 {
        Ok(kv)
    } else {
        Err(text.error("num_key_value_heads", format!("is {kv}, which does not divide num_attention_heads {heads}")))
    }
}

fn head_dim(text: Object<'_>, hidden: usize, heads: usize) -> Result<usize> {
    if let Some(dim) = text.size("head_dim", 1, MAX_HEAD_DIM)? {
        return Ok(dim);
    }
    if hidden % heads == 0 && hidden / heads <= MAX_HEAD_DIM {
        return Ok(hidden / heads);
    }
    Err(text.error(
        "head_dim",
        format!("is missing and hidden_size {hidden} / num_attention_heads {heads} gives no usable value"),
    ))
}

fn norm_eps(text: Object<'_>) -> Result<f32> {
    let eps = required(text, "rms_norm_eps", text.number("rms_norm_eps")?)?;
    if (0.0..1.0).contains(&eps) {
        Ok(eps as f32)
    } else {
        Err(text.error("rms_norm_eps", format!("must be at least 0 and below 1, found {eps}")))
    }
}

fn delta(text: Object<'_>) -> Result<Delta> {
    let d = Delta {
        key_heads: size(text, "linear_num_key_heads", MAX_HEADS)?,
        value_heads: size(text, "linear_num_value_heads", MAX_HEADS)?,
        key_dim: size(text, "linear_key_head_dim", MAX_HEAD_DIM)?,
        value_dim: size(text, "linear_value_head_dim", MAX_HEAD_DIM)?,
        conv_kernel: text.size("linear_conv_kernel_dim", 1, MAX_HEAD_DIM)?.unwrap_or(CONV_KERNEL),
    };
    if d.conv_kernel != CONV_KERNEL {
        return Err(text
            .unsupported("linear_conv_kernel_dim", format!("is {}; only {CONV_KERNEL} is supported", d.conv_kernel)));
    }
    if d.value_heads % d.key_heads != 0 {
        return Err(text.error(
            "linear_num_value_heads",
            format!("is {}, no multiple of linear_num_key_heads {}", d.value_heads, d.key_heads),
        ));
    }
    Ok(d)
}

impl ModelConfig {
    /// Parses the bytes of a `config.json` alone, with no weights: `dtype`, `tied`, `quantisation` and `eos` are then what the file says, or bf16, false, `None` and empty.
    ///
    /// # Errors
    /// `Format` for a wrong file, `Unsupported` for a model that the engine does not run; the place is the key.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let parsed = parse(bytes)?;
        let eos = super::eos_ids(&[Object::new(&parsed.text, CONFIG)?], None, parsed.config.vocab)?.ids;
        Ok(Self { tied: parsed.tied.unwrap_or(false), eos, dtype: declared_dtype(&parsed.text)?, ..parsed.config })
    }
}

/// `dtype` or `torch_dtype`, bf16 if neither is there.
fn declared_dtype(text: &Value) -> Result<Dtype> {
    let text = Object::new(text, CONFIG)?;
    let (key, name) = match text.text("dtype")? {
        Some(name) => ("dtype", Some(name)),
        None => ("torch_dtype", text.text("torch_dtype")?),
    };
    match name {
        None | Some("bfloat16") => Ok(Dtype::Bf16),
        Some("float16") => Ok(Dtype::F16),
        Some("float32") => Ok(Dtype::F32),
        Some(other) => Err(Error::unsupported(
            format!("{CONFIG}/{key}"),
            format!("{key} \"{other}\" is not supported; supported are bfloat16, float16 and float32"),
        )),
    }
}
