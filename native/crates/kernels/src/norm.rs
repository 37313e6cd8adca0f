//! Norms (model-spec 1.4.1 and 1.4.3). A row is `weight.len()` wide, so a per-head norm is the same call over `[rows * heads, head_dim]`.
//!
//! The sum of squares runs in 32 fixed lanes, then a fixed tree (see `squares`); `rsqrt` is `1 / sqrt`.

use crate::{
    Columns, Ctx, Weights,
    ctx::expect_len,
    math, promote,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::Dtype;

/// Elements worth a thread.
const LEAST: usize = 1 << 14;

/// `rnd(w · rnd(x · rsqrt(mean(x²) + eps)))`, two roundings to the promoted dtype of activations and weight, which is returned (f32 when an fp32 weight meets
/// bf16 activations).
pub fn rms_norm(ctx: &Ctx, x: &[f32], weight: &Weights, eps: f32, out: &mut [f32]) -> Dtype {
    let dtype = promote(ctx.act, weight.dtype);
    let factor = Factor::Weight(&weight.values);
    let x = Columns::whole(x, weight.values.len());
    norm_rows(ctx, Norm { x, z: &[], factor, width: x.width(), eps, dtype, act: ctx.act }, out);
    dtype
}

/// Which of the two scalings `delta_qk_norm` applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeltaRole {
    /// Times `1 / Dk`.
    Query,
    /// Times `Dk^-0.5`.
    Key,
}

/// The weightless q/k norm of gated delta layers: `rnd(rnd(c) · rnd(x · rsqrt(mean(x²) + 1e-6 / Dk)))` per head of `key_dim`, of which a row of `x` holds whole ones. An epsilon of 1e-6 on the sum, as in
/// mlx-lm 0.32.2 and transformers.
pub fn delta_qk_norm(ctx: &Ctx, x: Columns, key_dim: usize, role: DeltaRole, out: &mut [f32]) {
    let dim = key_dim as f64;
    let scale = match role {
        DeltaRole::Query => 1.0 / dim,
        DeltaRole::Key => 1.0 / dim.sqrt(),
    };
    let factor = Factor::Constant(ctx.act.round(scale as f32));
    let eps = (1e-6 / dim) as f32;
    assert!(key_dim > 0 && x.width() % key_dim == 0, "{} columns of x, heads of {key_dim}", x.width());
    norm_rows(ctx, Norm { x, z: &[], factor, width: key_dim, eps, dtype: ctx.act, act: ctx.act }, out);
}

/// The output norm of gated delta layers, per value head: `n = rms_norm(y)` with its two roundings, then `rnd(silu(z) · n)` in fp32 with one.
pub fn gated_norm(ctx: &Ctx, y: &[f32], z: &[f32], weight: &Weights, eps: f32, out: &mut [f32]) {
    expect_len("z", z.len(), y.len());
    let dtype = promote(ctx.act, weight.dtype);
    let factor = Factor::Weight(&weight.values);
    let x = Columns::whole(y, weight.values.len());
    norm_rows(ctx, Norm { x, z, factor, width: x.width(), eps, dtype, act: ctx.act }, out);
}

#[derive(Clone, Copy)]
enum Factor<'a> {
    Weight(&'a [f32]),
    Constant(f32),
}

#[derive(Clone, Copy)]
struct Norm<'a> {
    /// Whole norms in a row.
    x: Columns<'a>,
    /// The gate, or empty.
    z: &'a [f32],
    factor: Factor<'a>,
    width: usize,
    eps: f32,
    /// Of the norm.
    dtype: Dtype,
    /// Of the gated result.
    act: Dtype,
}

fn norm_rows(ctx: &Ctx, norm: Norm, out: &mut [f32]) {
    let stride = norm.x.width();
    expect_len("out", out.len(), norm.x.rows() * stride);
    ctx.pool.slabs(out, stride, LEAST / stride, |first, out| {
        let rows = first..first + out.len() / stride;
        let z = if norm.z.is_empty() { norm.z } else { &norm.z[rows.start * stride..rows.end * stride] };
        dispatch(ctx.isa, Rows(Norm { x: norm.x.slice(rows), z, ..norm }, out));
    });
}

struct Rows<'a>(Norm<'a>, &'a mut [f32]);

impl Kernel for Rows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self(norm, out) = self;
        // A loop of its own for each usual dtype.
        match (norm.dtype, norm.act) {
            (Dtype::Bf16, Dtype::Bf16) => norm.rows::<L>((Dtype::Bf16, Dtype::Bf16), out),
            (Dtype::F32, Dtype::F32) => norm.rows::<L>((Dtype::F32, Dtype::F32), out),
            dtypes => norm.rows::<L>(dtypes, out),
        }
    }
}

impl Norm<'_> {
    #[inline(always)]
    fn rows<L: Lanes>(&self, dtypes: (Dtype, Dtype), out: &mut [f32]) {
        let stride = self.x.width();
        for (row, out) in out.chunks_exact_mut(stride).enumerate() {
            let x = self.x.row(row);
            for at in (0..stride).step_by(self.width) {
                let head = at..at + self.width;
                let (x, out) = (&x[head.clone()], &mut out[head.clone()]);
                let inverse = math::rsqrt(squares::<L>(x) / self.width as f32 + self.eps);
                match self.factor {
                    Factor::Constant(c) => constant::<L>(x, inverse, c, dtypes.0, out),
                    Factor::Weight(w) if self.z.is_empty() => weighted::<L>(x, inverse, w, dtypes.0, out),
                    Factor::Weight(w) => gated::<L>(x, inverse, (w, &self.z[row * stride..][head]), dtypes, out),
                }
            }
        }
    }
}

/// Σ x²: lane = index mod 32, fused, ascending; the four vectors `(a + b) + (c + d)`, then the tree of `Lanes::sum`.
#[inline(always)]
fn squares<L: Lanes>(x: &[f32]) -> f32 {
    let zero = L::splat(0.0);
    let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
    let mut blocks = x.chunks_exact(4 * LANES);
    for x in &mut blocks {
        let (xa, xb) = (L::load(x), L::load(&x[LANES..]));
        let (xc, xd) = (L::load(&x[2 * LANES..]), L::load(&x[3 * LANES..]));
        (a, b, c, d) = (xa.fma(xa, a), xb.fma(xb, b), xc.fma(xc, c), xd.fma(xd, d));
    }
    for (x, sum) in blocks.remainder().chunks(LANES).zip([&mut a, &mut b, &mut c, &mut d]) {
        let x = L::load_part(x);
        *sum = x.fma(x, *sum);
    }
    ((a + b) + (c + d)).sum()
}

#[inline(always)]
fn constant<L: Lanes>(x: &[f32], inverse: f32, factor: f32, dtype: Dtype, out: &mut [f32]) {
    let (inverse, factor) = (L::splat(inverse), L::splat(factor));
    for (x, out) in x.chunks(LANES).zip(out.chunks_mut(LANES)) {
        scaled(L::load_part(x), inverse, factor, dtype).store_part(out);
    }
}

#[inline(always)]
fn weighted<L: Lanes>(x: &[f32], inverse: f32, weight: &[f32], dtype: Dtype, out: &mut [f32]) {
    let inverse = L::splat(inverse);
    for ((x, w), out) in x.chunks(LANES).zip(weight.chunks(LANES)).zip(out.chunks_mut(LANES)) {
        scaled(L::load_part(x), inverse, L::load_part(w), dtype).store_part(out);
    }
}

#[inline(always)]
fn gated<L: Lanes>(
    x: &[f32],
    inverse: f32,
    (weight, z): (&[f32], &[f32]),
    (dtype, act): (Dtype, Dtype),
    out: &mut [f32],
) {
    let inverse = L::splat(inverse);
    let factors = weight.chunks(LANES).zip(z.chunks(LANES));
    for ((x, (w, z)), out) in x.chunks(LANES).zip(factors).zip(out.chunks_mut(LANES)) {
        let value = scaled(L::load_part(x), inverse, L::load_part(w), dtype);
        let z = L::load_part(z);
        (z * math::sigmoid(z, Dtype::F32) * value).round_to(act).store_part(out);
    }
}

#[inline(always)]
fn scaled<L: Lanes>(x: L, inverse: L, factor: L, dtype: Dtype) -> L {
    (factor * (x * inverse).round_to(dtype)).round_to(dtype)
}
