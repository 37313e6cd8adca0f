//! The weights of a model: views into the mapped files, checked against the config.

use moire_base::{Linear, Matrix, Vector};

/// All weights.
#[derive(Clone, Debug)]
pub struct Weights {
    /// `[vocab, hidden]`.
    pub embedding: Matrix,
    /// First to last.
    pub layers: Vec<LayerWeights>,
    /// `[hidden]`.
    pub final_norm: Vector,
    /// `[vocab, hidden]`; `None`: tied, use `embedding`.
    pub head: Option<Matrix>,
}

/// One decoder layer.
#[derive(Clone, Debug)]
pub struct LayerWeights {
    /// `[hidden]`, ready to multiply with.
    pub input_norm: Vector,
    /// `[hidden]`, ready to multiply with.
    pub post_norm: Vector,
    /// Attention or gated delta net.
    pub mixer: Mixer,
    /// SwiGLU.
    pub mlp: Mlp,
}

/// What mixes the positions.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a model holds a few dozen of them
pub enum Mixer {
    /// Softmax attention.
    Attention(Attention),
    /// Gated delta net.
    GatedDelta(GatedDelta),
}

/// Softmax attention.
#[derive(Clone, Debug)]
pub struct Attention {
    /// `[nh * hd, hidden]`, or `[2 * nh * hd, hidden]` with an output gate.
    pub q: Linear,
    /// `[nkv * hd, hidden]`.
    pub k: Linear,
    /// `[nkv * hd, hidden]`.
    pub v: Linear,
    /// `[hidden, nh * hd]`.
    pub o: Linear,
    /// `[hd]`.
    pub q_norm: Option<Vector>,
    /// `[hd]`.
    pub k_norm: Option<Vector>,
}

/// Gated delta net.
#[derive(Clone, Debug)]
pub struct GatedDelta {
    /// `[C, hidden]`: q rows, k rows, v rows.
    pub in_qkv: Linear,
    /// `[Hv * Dv, hidden]`.
    pub in_z: Linear,
    /// `[Hv, hidden]`: write strength.
    pub in_b: Linear,
    /// `[Hv, hidden]`: decay.
    pub in_a: Linear,
    /// `[hidden, Hv * Dv]`.
    pub out: Linear,
    /// `[C, 4]`, taps oldest first.
    pub conv: Vector,
    /// `[Hv]`.
    pub dt_bias: Vector,
    /// `[Hv]`.
    pub a_log: Vector,
    /// `[Dv]`, a plain multiplier.
    pub norm: Vector,
}

/// `down(silu(gate(x)) * up(x))`.
#[derive(Clone, Debug)]
pub struct Mlp {
    /// `[intermediate, hidden]`.
    pub gate: Linear,
    /// `[intermediate, hidden]`.
    pub up: Linear,
    /// `[hidden, intermediate]`.
    pub down: Linear,
}

/// The weights of a drafter. Embedding and head are the target's.
#[derive(Clone, Debug)]
pub struct DrafterWeights {
    /// DFlash `[hidden, n * hidden]` over the features of n target layers; MTP `[hidden, 2 * hidden]` over a token and a feature.
    pub fc: Linear,
    /// `[hidden]`. DFlash: after `fc`. MTP: on the target's output, before `fc`.
    pub hidden_norm: Vector,
    /// `[hidden]`, MTP: on the token's embedding, before `fc`.
    pub embedding_norm: Option<Vector>,
    /// First to last, all with attention.
    pub layers: Vec<LayerWeights>,
    /// `[hidden]`, before the head.
    pub norm: Vector,
}

impl DrafterWeights {
    /// Every matrix.
    pub fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        let layers = self.layers.iter().flat_map(LayerWeights::linears);
        std::iter::once(&self.fc).chain(layers).map(|l| &l.weight)
    }

    /// Every norm.
    pub fn norms(&self) -> impl Iterator<Item = &Vector> {
        let layers = self.layers.iter().flat_map(LayerWeights::shifted_norms);
        [&self.hidden_norm, &self.norm].into_iter().chain(&self.embedding_norm).chain(layers)
    }
}

impl Weights {
    /// Every matrix: embedding, layers, head.
    pub fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        let layers = self.layers.iter().flat_map(LayerWeights::linears).map(|l| &l.weight);
        std::iter::once(&self.embedding).chain(layers).chain(&self.head)
    }

    /// Every norm that HF files store around 0.
    pub(crate) fn shifted_norms(&self) -> impl Iterator<Item = &Vector> {
        self.layers.iter().flat_map(LayerWeights::shifted_norms).chain([&self.final_norm])
    }
}

impl LayerWeights {
    /// Every linear layer, mixer first.
    pub fn linears(&self) -> impl Iterator<Item = &Linear> {
        let mixer = match &self.mixer {
            Mixer::Attention(a) => vec![&a.q, &a.k, &a.v, &a.o],
            Mixer::GatedDelta(d) => vec![&d.in_qkv, &d.in_z, &d.in_b, &d.in_a, &d.out],
        };
        mixer.into_iter().chain([&self.mlp.gate, &self.mlp.up, &self.mlp.down])
    }

    /// Every norm of the layer that HF files store around 0.
    pub(crate) fn shifted_norms(&self) -> impl Iterator<Item = &Vector> {
        let heads = match &self.mixer {
            Mixer::Attention(a) => [a.q_norm.as_ref(), a.k_norm.as_ref()],
            Mixer::GatedDelta(_) => [None, None],
        };
        [&self.input_norm, &self.post_norm].into_iter().chain(heads.into_iter().flatten())
    }
}
