//! The gated delta rule (model-spec 1.4.3, chunked form 8.1), fp32 state.

use crate::{Ctx, Weights};
use moire_base::{Error, Result};

/// The switch `delta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeltaForm {
    /// Token by token.
    Recurrent,
    /// Chunks of 64 tokens, restarted at each call; one row takes `Recurrent`.
    Chunked,
}

impl DeltaForm {
    /// `recurrent` or `chunked`.
    ///
    /// # Errors
    /// `Invalid` at place `delta`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "recurrent" => Ok(Self::Recurrent),
            "chunked" => Ok(Self::Chunked),
            _ => Err(Error::invalid("delta", format!("unknown form \"{name}\"; use recurrent or chunked"))),
        }
    }
}

/// Heads and widths. Value head h reads key head `h / (value_heads / key_heads)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeltaShape {
    /// Hk.
    pub key_heads: usize,
    /// Hv, a multiple of Hk.
    pub value_heads: usize,
    /// Dk.
    pub key_dim: usize,
    /// Dv.
    pub value_dim: usize,
}

/// Inputs of `rows` tokens of one sequence.
#[derive(Clone, Copy, Debug)]
pub struct DeltaInputs<'a> {
    /// `[rows, Hk, Dk]`, normalised and scaled.
    pub q: &'a [f32],
    /// `[rows, Hk, Dk]`, normalised and scaled.
    pub k: &'a [f32],
    /// `[rows, Hv, Dv]`.
    pub v: &'a [f32],
    /// `[rows, Hv]`, write strength.
    pub beta: &'a [f32],
    /// `[rows, Hv]`, g in (0, 1], fp32; read by `Recurrent`.
    pub decay: &'a [f32],
    /// `[rows, Hv]`, log g, fp32; read by `Chunked`.
    pub log_decay: &'a [f32],
}

/// `rnd(sigmoid(b))`: the write strength, `[rows, Hv]`.
pub fn beta(ctx: &Ctx, b: &[f32], out: &mut [f32]) {
    let _ = (ctx, b, out);
    todo!()
}

/// `log_decay = -exp(A_log) · softplus(a + dt_bias)` and `decay = exp(log_decay)`, both `[rows, Hv]` fp32. Sum and softplus run in the promoted dtype of
/// activations and `dt_bias`, each step rounded; `A_log` is fp32.
pub fn decay(ctx: &Ctx, a: &[f32], dt_bias: &Weights, a_log: &Weights, log_decay: &mut [f32], decay: &mut [f32]) {
    let _ = (ctx, a, dt_bias, a_log, log_decay, decay);
    todo!()
}

/// `out[rows, Hv, Dv]`, rounded to the activation dtype; `state[Hv, Dv, Dk]` goes on in place. Returns the kernel that ran, for example `delta.recurrent.avx2`.
///
/// # Errors
/// `Cancelled`, checked between heads; `state` is then unspecified.
pub fn gated_delta(
    ctx: &Ctx,
    form: DeltaForm,
    shape: DeltaShape,
    inputs: &DeltaInputs,
    state: &mut [f32],
    out: &mut [f32],
) -> Result<String> {
    let _ = (ctx, form, shape, inputs, state, out);
    todo!()
}
