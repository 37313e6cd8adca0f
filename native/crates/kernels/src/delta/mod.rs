//! The gated delta rule (model-spec 1.4.3, chunked form 8.1), fp32 state.

mod chunk;
mod chunked;
mod gates;
mod panel;
mod recurrent;

use crate::{
    Columns, Ctx,
    ctx::expect_len,
    disjoint::windows,
    simd::{LANES, dispatch},
};
use chunked::Chunked;
use moire_base::{Error, Result};
use recurrent::Recurrent;

pub use gates::{beta, decay};

/// Elements of the state, counted once per token, worth a thread.
const LEAST: usize = 1 << 15;

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
    /// `[rows, Hv · Dv]`.
    pub v: Columns<'a>,
    /// `[rows, Hv]`, write strength.
    pub beta: &'a [f32],
    /// `[rows, Hv]`, g in (0, 1], fp32; read by `Recurrent`.
    pub decay: &'a [f32],
    /// `[rows, Hv]`, log g, fp32; read by `Chunked`.
    pub log_decay: &'a [f32],
}

/// A state and the one after it, `[Hv, Dv, Dk]` each. The first is only read: a call that fails leaves it for the next try.
pub struct DeltaStates<'a> {
    /// Read.
    pub before: &'a [f32],
    /// Written, every element.
    pub after: &'a mut [f32],
}

/// `out[rows, Hv, Dv]`, rounded to the activation dtype, and the state after the rows. Returns the kernel that ran, for example `delta.recurrent.avx2`.
///
/// # Errors
/// `Cancelled`, checked between heads; `out` and `states.after` are then unspecified.
pub fn gated_delta(
    ctx: &Ctx,
    form: DeltaForm,
    shape: DeltaShape,
    inputs: &DeltaInputs,
    states: DeltaStates,
    out: &mut [f32],
) -> Result<String> {
    let rows = shape.check(inputs, &states, out);
    let form = if rows == 1 { DeltaForm::Recurrent } else { form };
    let DeltaShape { key_dim, value_dim, value_heads, .. } = shape;
    let columns = value_heads * value_dim;
    let unit = if form == DeltaForm::Recurrent { LANES } else { value_dim };
    let ranges = ctx.pool.split(columns, unit, LEAST / (rows * key_dim));
    let mut parts = Vec::with_capacity(ranges.len());
    let mut after = states.after;
    for out in windows(out, columns, &ranges) {
        let (mine, rest) = after.split_at_mut(out.columns().len() * key_dim);
        let before = &states.before[out.columns().start * key_dim..out.columns().end * key_dim];
        parts.push((out, before, mine));
        after = rest;
    }
    let (act, control) = (ctx.act, ctx.control);
    ctx.pool.each(parts, |(out, before, after)| match form {
        DeltaForm::Recurrent => {
            dispatch(ctx.isa, Recurrent { shape, inputs, act, control, before, after, out });
        }
        DeltaForm::Chunked => dispatch(ctx.isa, Chunked { shape, inputs, act, control, before, after, out }),
    });
    ctx.control.check()?;
    Ok(format!("delta.{}.{}", form.name(), ctx.isa.of_lanes().name()))
}

impl DeltaShape {
    /// Tokens of a call.
    fn rows(self, inputs: &DeltaInputs) -> usize {
        inputs.beta.len() / self.value_heads
    }

    /// q and k of a value head at token `t`.
    #[inline(always)]
    fn keys<'a>(self, inputs: &DeltaInputs<'a>, head: usize, t: usize) -> (&'a [f32], &'a [f32]) {
        let key = (t * self.key_heads + head / (self.value_heads / self.key_heads)) * self.key_dim;
        let keys = key..key + self.key_dim;
        (&inputs.q[keys.clone()], &inputs.k[keys])
    }

    /// Lengths and heads; the number of tokens.
    fn check(self, inputs: &DeltaInputs, states: &DeltaStates, out: &[f32]) -> usize {
        let Self { key_heads, value_heads, key_dim, value_dim } = self;
        assert!(key_heads > 0 && value_heads % key_heads == 0, "{value_heads} value heads for {key_heads} key heads");
        assert!(value_heads * key_dim * value_dim > 0, "no value heads, or heads of no width");
        let rows = self.rows(inputs);
        expect_len("beta", inputs.beta.len(), rows * value_heads);
        expect_len("decay", inputs.decay.len(), rows * value_heads);
        expect_len("log_decay", inputs.log_decay.len(), rows * value_heads);
        expect_len("q", inputs.q.len(), rows * key_heads * key_dim);
        expect_len("k", inputs.k.len(), rows * key_heads * key_dim);
        expect_len("rows of v", inputs.v.rows(), rows);
        expect_len("a row of v", inputs.v.width(), value_heads * value_dim);
        expect_len("the state before", states.before.len(), value_heads * value_dim * key_dim);
        expect_len("the state after", states.after.len(), states.before.len());
        expect_len("out", out.len(), rows * value_heads * value_dim);
        rows
    }
}
