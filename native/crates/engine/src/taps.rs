//! The taps of a forward: which there are, in the order in which it makes them, and which of them a capture asks for.

use crate::TapInfo;
use moire_base::{Error, Result};

const MODEL: &[&str] = &["model"];
const ATTENTION: &[&str] = &["attention"];
const DELTA: &[&str] = &["gated_delta"];
const LAYER: &[&str] = &["attention", "gated_delta"];

const fn tap(name: &'static str, kinds: &'static [&'static str], describes: &'static str) -> TapInfo {
    TapInfo { name, kinds, describes }
}

/// Every tap, in data order. Shapes: H hidden, I MLP width, nh / nkv heads of hd, Hk / Hv linear heads of Dk / Dv, C conv channels, V vocabulary.
pub const TAPS: &[TapInfo] = &[
    tap("embedding", MODEL, "rows of the embedding table [rows, H]"),
    tap("layer_input", LAYER, "residual stream entering the layer [rows, H]"),
    tap("input_norm", LAYER, "RMS norm before the mixer [rows, H]"),
    tap("q_proj", ATTENTION, "query projection, with the output gate after each head's query where the model has one [rows, nh·hd or nh·2hd]"),
    tap("k_proj", ATTENTION, "key projection [rows, nkv·hd]"),
    tap("v_proj", ATTENTION, "value projection [rows, nkv·hd]"),
    tap("q_norm", ATTENTION, "queries after their RMS norm; the plain queries where the model has no such norm [rows, nh, hd]"),
    tap("k_norm", ATTENTION, "keys after their RMS norm; the plain keys where the model has no such norm [rows, nkv, hd]"),
    tap("q_rope", ATTENTION, "queries after rotation [rows, nh, hd]"),
    tap("k_rope", ATTENTION, "keys after rotation, as the cache keeps them [rows, nkv, hd]"),
    tap("attention_core", ATTENTION, "softmax(q·kᵀ)·v [rows, nh·hd]"),
    tap("attention_gated", ATTENTION, "attention core times sigmoid of the output gate [rows, nh·hd]"),
    tap("o_proj", ATTENTION, "output projection [rows, H]"),
    tap("in_proj_qkv", DELTA, "joint projection of q, k, v before the convolution [rows, C]"),
    tap("in_proj_z", DELTA, "output gate before silu [rows, Hv, Dv]"),
    tap("in_proj_b", DELTA, "write strength before sigmoid [rows, Hv]"),
    tap("in_proj_a", DELTA, "decay input [rows, Hv]"),
    tap("conv", DELTA, "causal convolution over four rows, before silu [rows, C]"),
    tap("conv_out", DELTA, "silu of the convolution [rows, C]"),
    tap("delta_q", DELTA, "normalised and scaled queries [rows, Hk, Dk]"),
    tap("delta_k", DELTA, "normalised keys [rows, Hk, Dk]"),
    tap("delta_v", DELTA, "values [rows, Hv, Dv]"),
    tap("beta", DELTA, "write strength [rows, Hv]"),
    tap("decay", DELTA, "decay of the state, fp32 [rows, Hv]"),
    tap("delta_core", DELTA, "what the recurrence reads out [rows, Hv, Dv]"),
    tap("delta_gated", DELTA, "read-out after its RMS norm, times silu of the gate [rows, Hv·Dv]"),
    tap("out_proj", DELTA, "output projection [rows, H]"),
    tap("mixer_residual", LAYER, "layer input plus mixer output [rows, H]"),
    tap("post_norm", LAYER, "RMS norm before the MLP [rows, H]"),
    tap("mlp_gate", LAYER, "gate projection [rows, I]"),
    tap("mlp_up", LAYER, "up projection [rows, I]"),
    tap("mlp_act", LAYER, "silu(gate)·up [rows, I]"),
    tap("mlp_down", LAYER, "down projection [rows, H]"),
    tap("layer_output", LAYER, "residual stream leaving the layer [rows, H]"),
    tap("final_norm", MODEL, "RMS norm after the last layer [rows, H]"),
    tap("logits", MODEL, "output head [logit rows, V]"),
];
