//! Elementwise steps. Every slice of a call has the same length. `sigmoid` is `math::sigmoid` in the activation dtype, which rounds inside.

use crate::{
    Ctx,
    ctx::expect_len,
    math,
    simd::{Kernel, Lanes, dispatch, zip_map},
};
use moire_base::Dtype;

/// Elements worth a thread.
const LEAST: usize = 1 << 14;

/// `rnd(a + b)`: a residual.
pub fn add(ctx: &Ctx, a: &[f32], b: &[f32], out: &mut [f32]) {
    pairs(ctx, Op::Add, a, b, out);
}

/// `rnd(x · sigmoid(x))`.
pub fn silu(ctx: &Ctx, x: &[f32], out: &mut [f32]) {
    pairs(ctx, Op::SigmoidGate, x, x, out);
}

/// `rnd(rnd(gate · sigmoid(gate)) · up)` (model-spec 1.4.4).
pub fn swiglu(ctx: &Ctx, gate: &[f32], up: &[f32], out: &mut [f32]) {
    pairs(ctx, Op::Swiglu, gate, up, out);
}

/// `rnd(x · sigmoid(gate))`: the output gate of full attention.
pub fn sigmoid_gate(ctx: &Ctx, x: &[f32], gate: &[f32], out: &mut [f32]) {
    pairs(ctx, Op::SigmoidGate, x, gate, out);
}

/// `sigmoid(x)`.
pub(crate) fn sigmoid(ctx: &Ctx, x: &[f32], out: &mut [f32]) {
    pairs(ctx, Op::Sigmoid, x, x, out);
}

#[derive(Clone, Copy)]
enum Op {
    Add,
    Sigmoid,
    SigmoidGate,
    Swiglu,
}

fn pairs(ctx: &Ctx, op: Op, a: &[f32], b: &[f32], out: &mut [f32]) {
    expect_len("the second input", b.len(), a.len());
    expect_len("out", out.len(), a.len());
    ctx.pool.slabs(out, 1, LEAST, |first, out| {
        let range = first..first + out.len();
        dispatch(ctx.isa, Pairs { op, act: ctx.act, a: &a[range.clone()], b: &b[range], out });
    });
}

struct Pairs<'a> {
    op: Op,
    act: Dtype,
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut [f32],
}

impl Kernel for Pairs<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { op, act, a, b, out } = self;
        match op {
            Op::Add => zip_map::<L>(a, b, out, |a, b| (a + b).round_to(act)),
            Op::Sigmoid => zip_map::<L>(a, b, out, |a, _| math::sigmoid(a, act)),
            Op::SigmoidGate => zip_map::<L>(a, b, out, |x, gate| gated(x, gate, act)),
            Op::Swiglu => zip_map::<L>(a, b, out, |gate, up| (gated(gate, gate, act) * up).round_to(act)),
        }
    }
}

#[inline(always)]
fn gated<L: Lanes>(x: L, gate: L, act: Dtype) -> L {
    (x * math::sigmoid(gate, act)).round_to(act)
}
