//! Grouped-query attention over a cache, in three orders. Scores, softmax and accumulators are fp32, the output is rounded to the activation dtype.
//!
//! A query row sees the keys `first..last` of its mask; keys outside are skipped, never added as zeros.

mod batched;
mod single;
mod steps;

use crate::{Ctx, ctx::expect_len, simd::dispatch};
use moire_base::{Error, Result};
use single::Single;
use std::ops::Range;

/// The switch `attention`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionForm {
    /// Each query alone over its own keys, as decode does: all scores, their maximum, exponentials, then values in key order.
    PerPosition,
    /// Blocks of queries over tiles of 64 keys with an online softmax, scores summed over the head dim in sequence. One row takes `PerPosition`.
    Batched,
    /// Tiles of 32 keys anchored at key 0 with an online softmax, fixed lanes; the same for any number of rows.
    Exact,
}

impl AttentionForm {
    /// The name in requests and kernel ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerPosition => "per_position",
            Self::Batched => "batched",
            Self::Exact => "exact",
        }
    }

    /// `per_position`, `batched` or `exact`.
    ///
    /// # Errors
    /// `Invalid` at place `attention`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "per_position" => Ok(Self::PerPosition),
            "batched" => Ok(Self::Batched),
            "exact" => Ok(Self::Exact),
            _ => {
                Err(Error::invalid("attention", format!("unknown form \"{name}\"; use per_position, batched or exact")))
            }
        }
    }
}

/// Keys and values of one sequence: `[kv_heads, capacity, head_dim]` each, fp32 holding values rounded to the cache's dtype. Position p of head h starts at
/// `(h * capacity + p) * head_dim`; positions from `len` on are never read.
#[derive(Clone, Copy, Debug)]
pub struct KvView<'a> {
    /// Keys, after norm and rope.
    pub keys: &'a [f32],
    /// Values.
    pub values: &'a [f32],
    /// Key/value heads.
    pub kv_heads: usize,
    /// Positions there is room for.
    pub capacity: usize,
    /// Positions filled, the rows of this call included.
    pub len: usize,
    /// Width of a head.
    pub head_dim: usize,
}

/// Which keys a query sees. Query row t of a call of `rows` rows stands at position `len - rows + t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Only keys up to the query's own position.
    pub causal: bool,
    /// Only keys with `query position - key position < window`.
    pub window: Option<usize>,
}

impl Mask {
    /// The mask of a decoder layer.
    pub const CAUSAL: Self = Self { causal: true, window: None };

    /// Keys that the query at `position` sees in a cache of `len` positions.
    pub fn visible(self, position: usize, len: usize) -> Range<usize> {
        let end = if self.causal { position + 1 } else { len };
        let start = self.window.map_or(0, |window| (position + 1).saturating_sub(window));
        start.min(end)..end
    }
}

/// What a layer's attention is, the same for every call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionSpec {
    /// Query heads, a multiple of the cache's `kv_heads`.
    pub heads: usize,
    /// Visible keys.
    pub mask: Mask,
    /// Factor on the scores, `head_dim^-0.5`.
    pub scale: f32,
}

/// `out[rows, heads, head_dim] = softmax(q · kᵀ · scale) · v` for `q[rows, heads, head_dim]`; query head j reads KV head `j / (heads / kv_heads)`.
/// The cache already holds this call's rows. A row that sees no key gives zeros. Returns the kernel that ran, for example `attention.per_position.avx2`.
///
/// # Errors
/// `Cancelled`, checked between blocks of queries.
pub fn attention(
    ctx: &Ctx,
    form: AttentionForm,
    spec: AttentionSpec,
    q: &[f32],
    kv: &KvView,
    out: &mut [f32],
) -> Result<String> {
    let rows = check(spec, q, kv, out);
    let form = if rows == 1 && form == AttentionForm::Batched { AttentionForm::PerPosition } else { form };
    if form == AttentionForm::Batched {
        batched::run(ctx, spec, q, kv, out);
    } else {
        ctx.pool.slabs(out, kv.head_dim, 1, |first, out| {
            let call = Single { spec, kv, q, first, rows, form, act: ctx.act, control: ctx.control, out };
            dispatch(ctx.isa, call);
        });
    }
    ctx.control.check()?;
    Ok(format!("attention.{}.{}", form.name(), ctx.isa.name()))
}

/// Lengths and heads; the number of query rows.
fn check(spec: AttentionSpec, q: &[f32], kv: &KvView, out: &[f32]) -> usize {
    assert!(
        kv.kv_heads > 0 && spec.heads % kv.kv_heads == 0,
        "{} query heads for {} key/value heads",
        spec.heads,
        kv.kv_heads
    );
    let width = spec.heads * kv.head_dim;
    assert!(width > 0 && q.len() % width == 0, "q has {} elements, rows of {width}", q.len());
    let rows = q.len() / width;
    assert!(rows <= kv.len && kv.len <= kv.capacity, "{rows} rows, {} of {} positions", kv.len, kv.capacity);
    expect_len("keys", kv.keys.len(), kv.kv_heads * kv.capacity * kv.head_dim);
    expect_len("values", kv.values.len(), kv.keys.len());
    expect_len("out", out.len(), q.len());
    rows
}

/// Keys and values of query head `head`, `[len, head_dim]` each.
fn of_head<'a>(kv: &KvView<'a>, heads: usize, head: usize) -> (&'a [f32], &'a [f32]) {
    let start = head / (heads / kv.kv_heads) * kv.capacity * kv.head_dim;
    let range = start..start + kv.len * kv.head_dim;
    (&kv.keys[range.clone()], &kv.values[range])
}
