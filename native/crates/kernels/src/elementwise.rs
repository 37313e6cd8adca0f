//! Elementwise steps. Every slice of a call has the same length. `sigmoid` is `math::sigmoid` in the activation dtype, which rounds inside.

use crate::{
    Ctx,
    ctx::expect_len,
    math,
    simd::{Kernel, Lanes, Real, Step, dispatch, zip_map},
};
use moire_base::Dtype;
use std::marker::PhantomData;

/// Elements of a sum worth a thread.
const LEAST: usize = 1 << 15;
/// Elements of a step with an exponential worth a thread.
const LEAST_SIGMOIDS: usize = 1 << 13;

/// `rnd(a + b)`: a residual.
pub fn add(ctx: &Ctx, a: &[f32], b: &[f32], out: &mut [f32]) {
    pairs(ctx, LEAST, Sum, a, b, out);
}

/// `rnd(x · sigmoid(x))`.
pub fn silu(ctx: &Ctx, x: &[f32], out: &mut [f32]) {
    pairs(ctx, LEAST_SIGMOIDS, SigmoidGate, x, x, out);
}

/// `rnd(rnd(gate · sigmoid(gate)) · up)` (model-spec 1.4.4).
pub fn swiglu(ctx: &Ctx, gate: &[f32], up: &[f32], out: &mut [f32]) {
    pairs(ctx, LEAST_SIGMOIDS, Swiglu, gate, up, out);
}

/// `rnd(x · sigmoid(gate))`: the output gate of full attention.
pub fn sigmoid_gate(ctx: &Ctx, x: &[f32], gate: &[f32], out: &mut [f32]) {
    pairs(ctx, LEAST_SIGMOIDS, SigmoidGate, x, gate, out);
}

/// `rnd(x · rnd(factor))`, in place: a constant takes the activation dtype.
pub fn scale(ctx: &Ctx, factor: f32, x: &mut [f32]) {
    let factor = ctx.act.round(factor);
    ctx.pool.slabs(x, 1, LEAST, |_, x| x.iter_mut().for_each(|x| *x = Real::round_to(*x * factor, ctx.act)));
}

/// `rnd(cap · rnd(tanh(rnd(x / cap))))`, in place; `cap` is above 0 (model-spec 3.4).
pub fn softcap(ctx: &Ctx, cap: f32, x: &mut [f32]) {
    let (act, cap) = (ctx.act, ctx.act.round(cap));
    let rnd = |x: f32| Real::round_to(x, act);
    ctx.pool.slabs(x, 1, LEAST_SIGMOIDS, |_, x| x.iter_mut().for_each(|x| *x = rnd(cap * rnd(tanh(rnd(*x / cap))))));
}

/// `1 - 2 / (e^2x + 1)` in f64.
fn tanh(x: f32) -> f32 {
    (1.0 - 2.0 / (math::wide::exp(2.0 * f64::from(x)) + 1.0)) as f32
}

/// `sigmoid(x)`.
pub(crate) fn sigmoid(ctx: &Ctx, x: &[f32], out: &mut [f32]) {
    pairs(ctx, LEAST_SIGMOIDS, Sigmoid, x, x, out);
}

struct Sum;

impl Step for Sum {
    #[inline(always)]
    fn apply<L: Lanes>(a: L, b: L, act: Dtype) -> L {
        (a + b).round_to(act)
    }
}

struct Sigmoid;

impl Step for Sigmoid {
    #[inline(always)]
    fn apply<L: Lanes>(x: L, _: L, act: Dtype) -> L {
        math::sigmoid(x, act)
    }
}

struct SigmoidGate;

impl Step for SigmoidGate {
    #[inline(always)]
    fn apply<L: Lanes>(x: L, gate: L, act: Dtype) -> L {
        (x * math::sigmoid(gate, act)).round_to(act)
    }
}

struct Swiglu;

impl Step for Swiglu {
    #[inline(always)]
    fn apply<L: Lanes>(gate: L, up: L, act: Dtype) -> L {
        (SigmoidGate::apply(gate, gate, act) * up).round_to(act)
    }
}

fn pairs<S: Step>(ctx: &Ctx, least: usize, _: S, a: &[f32], b: &[f32], out: &mut [f32]) {
    expect_len("the second input", b.len(), a.len());
    expect_len("out", out.len(), a.len());
    ctx.pool.slabs(out, 1, least, |first, out| {
        let range = first..first + out.len();
        let step = PhantomData::<S>;
        dispatch(ctx.isa, Pairs { step, act: ctx.act, a: &a[range.clone()], b: &b[range], out });
    });
}

struct Pairs<'a, S> {
    step: PhantomData<S>,
    act: Dtype,
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut [f32],
}

impl<S: Step> Kernel for Pairs<'_, S> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        zip_map::<L, S>(self.a, self.b, self.out, self.act);
    }
}
