//! The facts of a model, as the engine uses them. Names follow model-spec section 0.

use moire_base::Dtype;

/// Model families that the engine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// Qwen 3.5 dense: gated delta net and gated full attention (model-spec 1.1 to 1.6).
    Qwen35,
    /// Qwen 3 dense (model-spec 1.7).
    Qwen3,
    /// Llama (model-spec 1.8).
    Llama,
}

impl Architecture {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Qwen35, Self::Qwen3, Self::Llama];

    /// `qwen3_5`, `qwen3` or `llama`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Qwen35 => "qwen3_5",
            Self::Qwen3 => "qwen3",
            Self::Llama => "llama",
        }
    }
}

/// What mixes the positions in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// Softmax attention with a KV cache.
    Attention,
    /// Gated delta net with a convolution state and a recurrent state.
    GatedDelta,
}

impl LayerKind {
    /// `attention` or `gated_delta`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::GatedDelta => "gated_delta",
        }
    }
}

/// How rope frequencies are changed for long contexts (formulas: model-spec 1.8). Lengths are positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RopeScaling {
    /// Unchanged.
    Default,
    /// Positions are multiplied by `1 / factor`.
    Linear {
        /// Above 0.
        factor: f64,
    },
    /// Dynamic NTK: the base depends on the end position of the call and on `ModelConfig::max_positions`.
    Dynamic {
        /// Above 0.
        factor: f64,
    },
    /// Llama 3: three bands of frequencies.
    Llama3 {
        /// Above 0.
        factor: f64,
        /// Below this many periods in `original` positions a frequency is scaled.
        low_freq_factor: f64,
        /// Above this many periods a frequency is kept. Above `low_freq_factor`.
        high_freq_factor: f64,
        /// Positions the base model was trained on.
        original: f64,
    },
    /// YaRN.
    Yarn {
        /// Above 0.
        factor: f64,
        /// Rotations above which a frequency is kept.
        beta_fast: f64,
        /// Rotations below which a frequency is scaled.
        beta_slow: f64,
        /// Numerator weight of the attention scale.
        mscale: f64,
        /// Denominator weight of the attention scale.
        mscale_all_dim: f64,
        /// Positions the base model was trained on.
        original: f64,
    },
}

/// Rotary embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// Rotated dimensions of each head: even, at most `head_dim`, always the first ones.
    pub dims: usize,
    /// Base of the frequencies.
    pub theta: f64,
    /// True: pairs are neighbours (2i, 2i+1). False: pairs are (i, i + dims/2).
    pub traditional: bool,
    /// Change of the frequencies.
    pub scaling: RopeScaling,
}

/// Sizes of the gated delta net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// `Hk`.
    pub key_heads: usize,
    /// `Hv`, a multiple of `Hk`.
    pub value_heads: usize,
    /// `Dk`.
    pub key_dim: usize,
    /// `Dv`.
    pub value_dim: usize,
    /// Taps of the causal convolution, 4.
    pub conv_kernel: usize,
}

impl Delta {
    /// `Hk * Dk`: width of q, and of k.
    pub fn key_width(&self) -> usize {
        self.key_heads * self.key_dim
    }
    /// `Hv * Dv`: width of v, z and the output.
    pub fn value_width(&self) -> usize {
        self.value_heads * self.value_dim
    }
    /// `C = 2 * Hk * Dk + Hv * Dv`: channels of the convolution.
    pub fn channels(&self) -> usize {
        2 * self.key_width() + self.value_width()
    }
}

/// Affine quantisation in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantisation {
    /// The most common code width, weighted by parameters.
    pub bits: u32,
    /// The group size that goes with it.
    pub group: usize,
    /// Some matrix has other bits, another group, or is a float matrix.
    pub mixed: bool,
}

/// Everything the engine reads from `config.json` and its companions. Every size is at least 1 and bounded.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// Family.
    pub architecture: Architecture,
    /// `model_type` as written.
    pub model_type: String,
    /// `H`.
    pub hidden: usize,
    /// `I`.
    pub intermediate: usize,
    /// `V`: rows of the embedding and of the head.
    pub vocab: usize,
    /// Kind of each layer, first to last.
    pub layers: Vec<LayerKind>,
    /// Sliding window of each layer: a query sees keys with `q_pos - k_pos < window`. `None`: all of them.
    pub windows: Vec<Option<usize>>,
    /// Epsilon of every RMS norm.
    pub norm_eps: f32,
    /// `nh`, a multiple of `kv_heads`.
    pub heads: usize,
    /// `nkv`.
    pub kv_heads: usize,
    /// `hd`.
    pub head_dim: usize,
    /// q_proj holds a gate next to each query head: its rows are `[head][hd query rows, hd gate rows]`.
    pub attention_output_gate: bool,
    /// q and k are normalised per head before rope.
    pub qk_norm: bool,
    /// q, k, v and o have a bias.
    pub attention_bias: bool,
    /// gate, up and down have a bias.
    pub mlp_bias: bool,
    /// Rotary embedding of the attention layers.
    pub rope: Rope,
    /// Sizes of the gated delta layers, if the family has them.
    pub delta: Option<Delta>,
    /// The head is the embedding table.
    pub tied: bool,
    /// Longest context the config promises.
    pub max_positions: usize,
    /// End-of-text ids: union of generation_config.json, config.json and the tokenizer's eos token, in that order.
    pub eos: Vec<u32>,
    /// Activation dtype: dtype of the embedding, or of its scales.
    pub dtype: Dtype,
    /// `None`: all weights are float.
    pub quantisation: Option<Quantisation>,
}
