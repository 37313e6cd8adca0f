//! Grouped-query attention over a cache, in three orders. Scores, softmax and accumulators are fp32, the output is rounded to the activation dtype.
//!
//! A query row sees the keys `first..last` of its mask; keys outside are skipped, never added as zeros.

use crate::Ctx;
use moire_base::{Error, Result};

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
    let _ = (ctx, form, spec, q, kv, out);
    todo!()
}
