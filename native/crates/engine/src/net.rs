//! The layers of a model as the forward uses them: small weights widened once, matrices still in the mapped file.

use moire_base::Linear;
use moire_checkpoint::{self as checkpoint, LayerKind, ModelConfig};
use moire_kernels::{
    Weights,
    attention::{AttentionSpec, Mask},
    conv::ConvKernel,
    delta::DeltaShape,
    rope::{Rope, RopeScaling},
};

/// A whole decoder.
pub struct Net {
    /// Sizes and facts.
    pub config: ModelConfig,
    /// First to last.
    pub layers: Vec<Layer>,
    /// Before the head.
    pub final_norm: Weights,
    /// Embedding table and output head; when tied they share their bytes.
    pub embedding: moire_base::Matrix,
    /// `[V, H]`.
    pub head: Linear,
    /// Rotation of the attention layers.
    pub rope: Rope,
}

/// One decoder layer.
pub struct Layer {
    /// Before the mixer.
    pub input_norm: Weights,
    /// Attention or gated delta net.
    pub mixer: Mixer,
    /// Before the MLP.
    pub post_norm: Weights,
    /// SwiGLU.
    pub mlp: checkpoint::Mlp,
}

/// What mixes the positions.
pub enum Mixer {
    /// Softmax attention.
    Attention(Box<Attention>),
    /// Gated delta net.
    GatedDelta(Box<GatedDelta>),
}

/// Softmax attention.
pub struct Attention {
    /// Queries, each head followed by its gate if there is an output gate.
    pub q: Linear,
    /// Keys.
    pub k: Linear,
    /// Values.
    pub v: Linear,
    /// Output.
    pub o: Linear,
    /// Per head.
    pub q_norm: Option<Weights>,
    /// Per head.
    pub k_norm: Option<Weights>,
    /// Heads, mask and scale.
    pub spec: AttentionSpec,
}

/// Gated delta net.
pub struct GatedDelta {
    /// q, k, v rows in one.
    pub in_qkv: Linear,
    /// Output gate.
    pub in_z: Linear,
    /// Write strength.
    pub in_b: Linear,
    /// Decay.
    pub in_a: Linear,
    /// Output.
    pub out: Linear,
    /// Causal convolution.
    pub conv: ConvKernel,
    /// Stored dtype of the convolution.
    pub conv_dtype: moire_base::Dtype,
    /// Added to the decay input.
    pub dt_bias: Weights,
    /// Log of the decay rate.
    pub a_log: Weights,
    /// Output norm.
    pub norm: Weights,
    /// Heads and widths.
    pub shape: DeltaShape,
}

impl Net {
    /// Layers over a checkpoint's weights, which were checked against `config`.
    pub fn new(config: ModelConfig, weights: checkpoint::Weights) -> Self {
        let layers = weights.layers.into_iter().enumerate().map(|(i, l)| layer(&config, i, l)).collect();
        let (head, path) = match weights.head {
            Some(head) => (head, "lm_head"),
            None => (weights.embedding.clone(), "embed_tokens"),
        };
        Self {
            layers,
            final_norm: Weights::from(&weights.final_norm),
            embedding: weights.embedding,
            head: Linear { weight: head, bias: None, path: path.into() },
            rope: rope(&config),
            config,
        }
    }

    /// Kind of a layer.
    pub fn kind(&self, layer: usize) -> LayerKind {
        self.config.layers[layer]
    }
}

/// Layer `index` over its weights.
pub fn layer(config: &ModelConfig, index: usize, weights: checkpoint::LayerWeights) -> Layer {
    let mixer = match weights.mixer {
        checkpoint::Mixer::Attention(w) => Mixer::Attention(Box::new(attention(config, index, w))),
        checkpoint::Mixer::GatedDelta(w) => Mixer::GatedDelta(Box::new(gated_delta(w, config.delta))),
    };
    Layer {
        input_norm: Weights::from(&weights.input_norm),
        mixer,
        post_norm: Weights::from(&weights.post_norm),
        mlp: weights.mlp,
    }
}

fn attention(config: &ModelConfig, index: usize, w: checkpoint::Attention) -> Attention {
    Attention {
        q: w.q,
        k: w.k,
        v: w.v,
        o: w.o,
        q_norm: w.q_norm.as_ref().map(Weights::from),
        k_norm: w.k_norm.as_ref().map(Weights::from),
        spec: AttentionSpec {
            heads: config.heads,
            mask: Mask { window: config.windows[index], ..Mask::CAUSAL },
            scale: (config.head_dim as f64).powf(-0.5) as f32,
        },
    }
}

fn gated_delta(w: checkpoint::GatedDelta, sizes: Option<checkpoint::Delta>) -> GatedDelta {
    let sizes = sizes.expect("a checkpoint with gated delta layers has their sizes");
    GatedDelta {
        in_qkv: w.in_qkv,
        in_z: w.in_z,
        in_b: w.in_b,
        in_a: w.in_a,
        out: w.out,
        conv: ConvKernel::new(&w.conv, sizes.channels()),
        conv_dtype: w.conv.dtype,
        dt_bias: Weights::from(&w.dt_bias),
        a_log: Weights::from(&w.a_log),
        norm: Weights::from(&w.norm),
        shape: DeltaShape {
            key_heads: sizes.key_heads,
            value_heads: sizes.value_heads,
            key_dim: sizes.key_dim,
            value_dim: sizes.value_dim,
        },
    }
}

/// The rotation of a model's attention layers.
pub fn rope(config: &ModelConfig) -> Rope {
    let scaling = match config.rope.scaling {
        checkpoint::RopeScaling::Default => RopeScaling::Default,
        checkpoint::RopeScaling::Linear { factor } => RopeScaling::Linear { factor },
        checkpoint::RopeScaling::Dynamic { factor } => {
            RopeScaling::Dynamic { factor, max_position: config.max_positions as f64 }
        }
        checkpoint::RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original } => {
            RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_max_position: original }
        }
        checkpoint::RopeScaling::Yarn { factor, beta_fast, beta_slow, mscale, mscale_all_dim, original } => {
            RopeScaling::Yarn { factor, original_max_position: original, beta_fast, beta_slow, mscale, mscale_all_dim }
        }
    };
    Rope { dims: config.rope.dims, base: config.rope.theta, traditional: config.rope.traditional, scaling }
}
