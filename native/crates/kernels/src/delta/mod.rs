//! The gated delta rule (model-spec 1.4.3, chunked form 8.1), fp32 state.

mod chunked;
mod gates;
mod recurrent;

use crate::{
    Ctx,
    ctx::expect_len,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use chunked::Chunked;
use moire_base::{Dtype, Error, Result};
use recurrent::Recurrent;
use std::sync::{Mutex, PoisonError};

pub use gates::{beta, decay};

/// The switch `delta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeltaForm {
    /// Token by token.
    Recurrent,
    /// Chunks of 64 tokens, restarted at each call; one row takes `Recurrent`.
    Chunked,
}

impl DeltaForm {
    /// The name in requests and kernel ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recurrent => "recurrent",
            Self::Chunked => "chunked",
        }
    }

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
    let rows = shape.check(inputs, state, out);
    let form = if rows == 1 { DeltaForm::Recurrent } else { form };
    let (heads, width) = (shape.value_heads, shape.value_dim);
    let states: Vec<Mutex<&mut [f32]>> = state.chunks_exact_mut(width * shape.key_dim).map(Mutex::new).collect();
    let results = ctx.pool.map(heads, |head| {
        if ctx.control.is_cancelled() {
            return Vec::new();
        }
        let state: &mut [f32] = &mut states[head].lock().unwrap_or_else(PoisonError::into_inner);
        match form {
            DeltaForm::Recurrent => dispatch(ctx.isa, Recurrent { shape, inputs, head, state }),
            DeltaForm::Chunked => dispatch(ctx.isa, Chunked { shape, inputs, head, state }),
        }
    });
    ctx.control.check()?;
    for (head, result) in results.iter().enumerate() {
        for (t, y) in result.chunks_exact(width).enumerate() {
            out[(t * heads + head) * width..][..width].copy_from_slice(y);
        }
    }
    dispatch(ctx.isa, Round { act: ctx.act, values: out });
    Ok(format!("delta.{}.{}", form.name(), ctx.isa.of_lanes().name()))
}

impl DeltaShape {
    /// Tokens of a call.
    fn rows(self, inputs: &DeltaInputs) -> usize {
        inputs.beta.len() / self.value_heads
    }

    /// q, k and v of a value head at token `t`.
    #[inline(always)]
    fn token<'a>(self, inputs: &DeltaInputs<'a>, head: usize, t: usize) -> (&'a [f32], &'a [f32], &'a [f32]) {
        let key = (t * self.key_heads + head / (self.value_heads / self.key_heads)) * self.key_dim;
        let value = (t * self.value_heads + head) * self.value_dim;
        let keys = key..key + self.key_dim;
        (&inputs.q[keys.clone()], &inputs.k[keys], &inputs.v[value..value + self.value_dim])
    }

    /// Lengths and heads; the number of tokens.
    fn check(self, inputs: &DeltaInputs, state: &[f32], out: &[f32]) -> usize {
        let Self { key_heads, value_heads, key_dim, value_dim } = self;
        assert!(key_heads > 0 && value_heads % key_heads == 0, "{value_heads} value heads for {key_heads} key heads");
        assert!(value_heads * key_dim * value_dim > 0, "no value heads, or heads of no width");
        let rows = self.rows(inputs);
        expect_len("beta", inputs.beta.len(), rows * value_heads);
        expect_len("decay", inputs.decay.len(), rows * value_heads);
        expect_len("log_decay", inputs.log_decay.len(), rows * value_heads);
        expect_len("q", inputs.q.len(), rows * key_heads * key_dim);
        expect_len("k", inputs.k.len(), rows * key_heads * key_dim);
        expect_len("v", inputs.v.len(), rows * value_heads * value_dim);
        expect_len("state", state.len(), value_heads * value_dim * key_dim);
        expect_len("out", out.len(), inputs.v.len());
        rows
    }
}

/// To the activation dtype, in place.
struct Round<'a> {
    act: Dtype,
    values: &'a mut [f32],
}

impl Kernel for Round<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for values in self.values.chunks_mut(LANES) {
            L::load_part(values).round_to(self.act).store_part(values);
        }
    }
}
