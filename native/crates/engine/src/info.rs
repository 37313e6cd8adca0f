//! What a model says about itself: the `ModelInfo` document of `moire.h`.

use serde::Serialize;

/// Facts of a model, its switches and its taps.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// Folder it was opened from.
    pub path: String,
    /// Family the engine runs it as: `qwen3_5`, `qwen3` or `llama`.
    pub architecture: String,
    /// `model_type` of its config.
    pub model_type: String,
    /// Every layer in order.
    pub layers: Vec<LayerInfo>,
    /// Hidden size.
    pub hidden: usize,
    /// MLP width.
    pub intermediate: usize,
    /// Vocabulary size: ids are below it.
    pub vocab: usize,
    /// Positions a session may hold.
    pub context: usize,
    /// Query heads of attention.
    pub heads: usize,
    /// Key and value heads of attention.
    pub kv_heads: usize,
    /// Elements of one attention head.
    pub head_dim: usize,
    /// Activation dtype of the checkpoint.
    pub dtype: String,
    /// How its weights are packed; `null` for a float checkpoint.
    pub quantisation: Option<Quantisation>,
    /// Whether the embedding table is the output head too.
    pub tied: bool,
    /// Parameters that the forward uses.
    pub parameters: u64,
    /// Bytes of their tensors.
    pub weight_bytes: u64,
    /// Hash that names the weights: of all bytes after a scan, else of config and headers.
    pub fingerprint: String,
    /// Whether the folder holds a usable tokenizer.
    pub tokenizer: bool,
    /// Whether it holds a chat template.
    pub chat_template: bool,
    /// End-of-text ids.
    pub eos: Vec<u32>,
    /// What a user should know of this folder.
    pub warnings: Vec<String>,
    /// What a session of it may choose.
    pub switches: Vec<SwitchInfo>,
    /// What a forward may record, in the order in which it makes them.
    pub taps: Vec<TapInfo>,
}

/// One layer.
#[derive(Clone, Debug, Serialize)]
pub struct LayerInfo {
    /// From 0.
    pub index: usize,
    /// `attention` or `gated_delta`.
    pub kind: &'static str,
}

/// Packing of the weights.
#[derive(Clone, Debug, Serialize)]
pub struct Quantisation {
    /// Bits a weight, of most modules.
    pub bits: u32,
    /// Weights that share a scale, of most modules.
    pub group: usize,
    /// Whether some modules are packed otherwise or not at all.
    pub mixed: bool,
}

/// A switch: a list of values, or a range of integers.
#[derive(Clone, Debug, Serialize)]
pub struct SwitchInfo {
    /// Its name in the `switches` object of an `open` request.
    pub name: &'static str,
    /// The names it takes; `null` for a number.
    pub values: Option<Vec<String>>,
    /// Smallest number, where it takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// Largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// What a session gets that does not choose.
    pub default: serde_json::Value,
    /// One line for people.
    pub description: &'static str,
}

/// A tap: a named intermediate tensor.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TapInfo {
    /// Its name in a tap list.
    pub name: &'static str,
    /// Where it occurs: `attention`, `gated_delta`, or `model` (once a forward).
    pub kinds: &'static [&'static str],
    /// What it holds, with its shape.
    pub describes: &'static str,
}

/// Result of `inspect`: the model from its headers alone, and every tensor of the folder.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The model, as `load` would describe it.
    pub model: ModelInfo,
    /// Tensors in file order.
    pub tensors: Vec<TensorRecord>,
}

/// One tensor in a file.
#[derive(Clone, Debug, Serialize)]
pub struct TensorRecord {
    /// Name in the file.
    pub name: String,
    /// File name within the folder.
    pub file: String,
    /// Element type.
    pub dtype: String,
    /// Shape.
    pub shape: Vec<usize>,
    /// Bytes it takes.
    pub bytes: u64,
}
