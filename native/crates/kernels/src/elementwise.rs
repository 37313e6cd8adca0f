//! Elementwise steps. Every slice of a call has the same length.

use crate::Ctx;

/// `rnd(a + b)`: a residual.
pub fn add(ctx: &Ctx, a: &[f32], b: &[f32], out: &mut [f32]) {
    let _ = (ctx, a, b, out);
    todo!()
}

/// `rnd(x · rnd(sigmoid(x)))`.
pub fn silu(ctx: &Ctx, x: &[f32], out: &mut [f32]) {
    let _ = (ctx, x, out);
    todo!()
}

/// `rnd(rnd(gate · rnd(sigmoid(gate))) · up)` (model-spec 1.4.4).
pub fn swiglu(ctx: &Ctx, gate: &[f32], up: &[f32], out: &mut [f32]) {
    let _ = (ctx, gate, up, out);
    todo!()
}

/// `rnd(x · rnd(sigmoid(gate)))`: the output gate of full attention.
pub fn sigmoid_gate(ctx: &Ctx, x: &[f32], gate: &[f32], out: &mut [f32]) {
    let _ = (ctx, x, gate, out);
    todo!()
}
