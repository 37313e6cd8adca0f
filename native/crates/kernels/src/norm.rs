//! Norms (model-spec 1.4.1 and 1.4.3). A row is `weight.len()` wide, so a per-head norm is the same call over `[rows * heads, head_dim]`.
//!
//! The sum of squares runs in 8 fixed lanes (lane = index mod 8), then a fixed tree; `rsqrt` is `1 / sqrt`.

use crate::{Ctx, Weights, promote};
use moire_base::Dtype;

/// `rnd(w · rnd(x · rsqrt(mean(x²) + eps)))`, two roundings to the promoted dtype of activations and weight, which is returned (f32 when an fp32 weight meets
/// bf16 activations).
pub fn rms_norm(ctx: &Ctx, x: &[f32], weight: &Weights, eps: f32, out: &mut [f32]) -> Dtype {
    let _ = (x, eps, out);
    promote(ctx.act, weight.dtype)
}

/// Which of the two scalings `delta_qk_norm` applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeltaRole {
    /// Times `1 / Dk`.
    Query,
    /// Times `Dk^-0.5`.
    Key,
}

/// The weightless q/k norm of gated delta layers: `rnd(rnd(c) · rnd(x · rsqrt(mean(x²) + 1e-6 / Dk)))` per head of `key_dim`.
pub fn delta_qk_norm(ctx: &Ctx, x: &[f32], key_dim: usize, role: DeltaRole, out: &mut [f32]) {
    let _ = (ctx, x, key_dim, role, out);
    todo!()
}

/// The output norm of gated delta layers, per value head: `n = rms_norm(y)` with its two roundings, then `rnd(silu(z) · n)` in fp32 with one.
pub fn gated_norm(ctx: &Ctx, y: &[f32], z: &[f32], weight: &Weights, eps: f32, out: &mut [f32]) {
    let _ = (ctx, y, z, weight, eps, out);
    todo!()
}
