//! Norms (model-spec 1.4.1 and 1.4.3). A row is `weight.len()` wide, so a per-head norm is the same call over `[rows * heads, head_dim]`.
//!
//! The sum of squares runs in 8 fixed lanes (lane = index mod 8, fused), then a fixed tree; `rsqrt` is `1 / sqrt`.

use crate::{
    Ctx, Weights,
    ctx::expect_len,
    math, promote,
    simd::{Kernel, LANES, Lanes, dispatch, dot},
};
use moire_base::Dtype;

/// Elements worth a thread.
const LEAST: usize = 1 << 14;

/// `rnd(w · rnd(x · rsqrt(mean(x²) + eps)))`, two roundings to the promoted dtype of activations and weight, which is returned (f32 when an fp32 weight meets
/// bf16 activations).
pub fn rms_norm(ctx: &Ctx, x: &[f32], weight: &Weights, eps: f32, out: &mut [f32]) -> Dtype {
    let dtype = promote(ctx.act, weight.dtype);
    let factor = Factor::Weight(&weight.values);
    norm_rows(ctx, Norm { x, z: &[], factor, width: weight.values.len(), eps, dtype, act: ctx.act }, out);
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

/// The weightless q/k norm of gated delta layers: `rnd(rnd(c) · rnd(x · rsqrt(mean(x²) + 1e-6 / Dk)))` per head of `key_dim`. An epsilon of 1e-6 on the sum, as in
/// mlx-lm 0.32.2 and transformers.
pub fn delta_qk_norm(ctx: &Ctx, x: &[f32], key_dim: usize, role: DeltaRole, out: &mut [f32]) {
    let dim = key_dim as f64;
    let scale = match role {
        DeltaRole::Query => 1.0 / dim,
        DeltaRole::Key => 1.0 / dim.sqrt(),
    };
    let factor = Factor::Constant(ctx.act.round(scale as f32));
    let eps = (1e-6 / dim) as f32;
    norm_rows(ctx, Norm { x, z: &[], factor, width: key_dim, eps, dtype: ctx.act, act: ctx.act }, out);
}

/// The output norm of gated delta layers, per value head: `n = rms_norm(y)` with its two roundings, then `rnd(silu(z) · n)` in fp32 with one.
pub fn gated_norm(ctx: &Ctx, y: &[f32], z: &[f32], weight: &Weights, eps: f32, out: &mut [f32]) {
    expect_len("z", z.len(), y.len());
    let dtype = promote(ctx.act, weight.dtype);
    let factor = Factor::Weight(&weight.values);
    norm_rows(ctx, Norm { x: y, z, factor, width: weight.values.len(), eps, dtype, act: ctx.act }, out);
}

#[derive(Clone, Copy)]
enum Factor<'a> {
    Weight(&'a [f32]),
    Constant(f32),
}

#[derive(Clone, Copy)]
struct Norm<'a> {
    x: &'a [f32],
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
    let width = norm.width;
    assert!(width > 0 && norm.x.len() % width == 0, "x has {} elements, rows of {width}", norm.x.len());
    expect_len("out", out.len(), norm.x.len());
    ctx.pool.slabs(out, width, LEAST / width, |first, out| {
        let range = first * width..first * width + out.len();
        let z = if norm.z.is_empty() { norm.z } else { &norm.z[range.clone()] };
        dispatch(ctx.isa, Rows(Norm { x: &norm.x[range], z, ..norm }, out));
    });
}

struct Rows<'a>(Norm<'a>, &'a mut [f32]);

impl Kernel for Rows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self(norm, out) = self;
        for (row, (x, out)) in norm.x.chunks_exact(norm.width).zip(out.chunks_exact_mut(norm.width)).enumerate() {
            let inverse = L::splat(math::rsqrt(dot::<L>(x, x) / norm.width as f32 + norm.eps));
            for (i, (x, out)) in x.chunks(LANES).zip(out.chunks_mut(LANES)).enumerate() {
                let factor = match norm.factor {
                    Factor::Weight(w) => L::load_part(&w[i * LANES..]),
                    Factor::Constant(c) => L::splat(c),
                };
                let unit = (L::load_part(x) * inverse).round_to(norm.dtype);
                let mut value = (factor * unit).round_to(norm.dtype);
                if !norm.z.is_empty() {
                    let z = L::load_part(&norm.z[row * norm.width + i * LANES..(row + 1) * norm.width]);
                    value = (z * math::sigmoid(z, Dtype::F32) * value).round_to(norm.act);
                }
                value.store_part(out);
            }
        }
    }
}
