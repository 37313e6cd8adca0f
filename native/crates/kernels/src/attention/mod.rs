//! Grouped-query attention over a cache, in three orders. Scores, softmax and accumulators are fp32, the output is rounded to the activation dtype.
//!
//! A query row sees the keys `first..last` of its mask; keys outside are skipped, never added as zeros.

mod pages;
mod products;
mod single;
mod softmax;
mod tiled;

pub use pages::{KvPage, KvShape, KvView, PAGE};

use crate::{
    Ctx,
    ctx::expect_len,
    disjoint::{Window, windows},
    simd::dispatch,
};
use moire_base::{Control, Dtype, Error, Result};
use single::Single;
use std::ops::Range;
use tiled::{BATCHED, EXACT, Tiled};

/// Lines (query row and head) of a part: with a tile of keys and values they fit the cache next to a core.
const LINES: usize = 48;

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
    let call = Call { spec, kv, q, rows, act: ctx.act, control: ctx.control };
    let parts = call.parts(ctx.pool.threads(), out);
    ctx.pool.each(parts, |part| match form {
        AttentionForm::PerPosition => dispatch(ctx.isa, Single { call: &call, part }),
        AttentionForm::Batched => dispatch(ctx.isa, Tiled { call: &call, order: BATCHED, part }),
        AttentionForm::Exact => dispatch(ctx.isa, Tiled { call: &call, order: EXACT, part }),
    });
    ctx.control.check()?;
    Ok(format!("attention.{}.{}", form.name(), ctx.isa.of_lanes().name()))
}

/// Lengths and heads; the number of query rows.
fn check(spec: AttentionSpec, q: &[f32], kv: &KvView, out: &[f32]) -> usize {
    let KvShape { kv_heads, head_dim, .. } = kv.shape;
    assert!(kv_heads > 0 && spec.heads % kv_heads == 0, "{} query heads for {kv_heads} key/value heads", spec.heads);
    let width = spec.heads * head_dim;
    assert!(width > 0 && q.len() % width == 0, "q has {} elements, rows of {width}", q.len());
    let (rows, room) = (q.len() / width, kv.pages.len() * PAGE);
    assert!(rows <= kv.len && kv.len <= room, "{rows} rows, {} of {room} positions", kv.len);
    assert!(kv.pages.iter().all(|page| page.shape() == kv.shape), "pages of another shape than {:?}", kv.shape);
    expect_len("out", out.len(), q.len());
    rows
}

/// One call of any form.
struct Call<'a> {
    spec: AttentionSpec,
    kv: &'a KvView<'a>,
    q: &'a [f32],
    rows: usize,
    act: Dtype,
    control: &'a Control,
}

/// Some rows of a call and the query heads that read one key/value head.
struct Part<'o> {
    /// The key/value head.
    head: usize,
    rows: Range<usize>,
    /// Output of these rows and heads.
    out: Window<'o>,
}

impl Call<'_> {
    /// Query heads that read one key/value head.
    fn group(&self) -> usize {
        self.spec.heads / self.kv.shape.kv_heads
    }

    /// Keys that a row sees.
    fn visible(&self, row: usize) -> Range<usize> {
        self.spec.mask.visible(self.kv.len - self.rows + row, self.kv.len)
    }

    fn query(&self, row: usize, head: usize) -> &[f32] {
        let width = self.kv.shape.head_dim;
        &self.q[(row * self.spec.heads + head) * width..][..width]
    }

    /// All parts. Early rows see few keys and late ones many, so they take turns: any run of parts is about as much work as another.
    fn parts<'o>(&self, threads: usize, out: &'o mut [f32]) -> Vec<Part<'o>> {
        let KvShape { kv_heads, head_dim, .. } = self.kv.shape;
        let (group, width) = (self.group() * head_dim, self.spec.heads * head_dim);
        let rows = (LINES / self.group()).min((self.rows * kv_heads).div_ceil(threads)).max(1);
        let columns: Vec<Range<usize>> = (0..kv_heads).map(|head| head * group..(head + 1) * group).collect();
        let mut parts = Vec::with_capacity(self.rows.div_ceil(rows) * kv_heads);
        for (i, block) in out.chunks_mut(rows * width).enumerate() {
            let rows = i * rows..self.rows.min((i + 1) * rows);
            let heads = windows(block, width, &columns).into_iter().enumerate();
            parts.extend(heads.map(|(head, out)| Part { head, rows: rows.clone(), out }));
        }
        parts.sort_by_key(|part| (part.head, part.rows.start.min(self.rows - part.rows.end)));
        parts
    }
}
