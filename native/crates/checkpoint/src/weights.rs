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
