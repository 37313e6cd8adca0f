//! The two gates of the delta rule.

use crate::{
    Ctx, Weights,
    ctx::expect_len,
    elementwise,
    math::{exp, log1p},
    promote,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::Dtype;

/// Below this, `e^x` is zero in fp32: a cumulative sum of such values keeps its precision.
const LOWEST_LOG: f32 = -128.0;

/// `sigmoid(b)` in the activation dtype: the write strength, `[rows, Hv]`.
pub fn beta(ctx: &Ctx, b: &[f32], out: &mut [f32]) {
    elementwise::sigmoid(ctx, b, out);
}

/// `log_decay = -exp(A_log) · softplus(a + dt_bias)`, not below -128 (where its exponential is zero), and `decay = exp(log_decay)`, both `[rows, Hv]` fp32. Sum and
/// softplus = `max(x, 0) + log1p(exp(-|x|))` run in the promoted dtype of activations and `dt_bias`, each step rounded; `A_log` is taken as fp32.
pub fn decay(ctx: &Ctx, a: &[f32], dt_bias: &Weights, a_log: &Weights, log_decay: &mut [f32], decay: &mut [f32]) {
    let heads = dt_bias.values.len();
    expect_len("A_log", a_log.values.len(), heads);
    expect_len("log_decay", log_decay.len(), a.len());
    expect_len("decay", decay.len(), a.len());
    assert!(heads > 0 && a.len() % heads == 0, "a has {} elements, rows of {heads}", a.len());
    let dtype = promote(ctx.act, dt_bias.dtype);
    dispatch(ctx.isa, Decay { a, dt_bias: &dt_bias.values, a_log: &a_log.values, dtype, log_decay, decay });
}

struct Decay<'a> {
    a: &'a [f32],
    dt_bias: &'a [f32],
    a_log: &'a [f32],
    dtype: Dtype,
    log_decay: &'a mut [f32],
    decay: &'a mut [f32],
}

impl Kernel for Decay<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let heads = self.dt_bias.len();
        for head in (0..heads).step_by(LANES) {
            let width = LANES.min(heads - head);
            let bias = L::load_part(&self.dt_bias[head..head + width]);
            let rate = exp(L::load_part(&self.a_log[head..head + width]));
            for at in (head..self.a.len()).step_by(heads) {
                let part = at..at + width;
                let x = (L::load_part(&self.a[part.clone()]) + bias).round_to(self.dtype);
                let log = -(rate * softplus(x, self.dtype));
                log.nan_or(log.max(L::splat(LOWEST_LOG))).store_part(&mut self.log_decay[part.clone()]);
                exp(log).store_part(&mut self.decay[part]);
            }
        }
    }
}

#[inline(always)]
fn softplus<L: Lanes>(x: L, dtype: Dtype) -> L {
    let tail = log1p(exp(-x.abs()).round_to(dtype)).round_to(dtype);
    (x.max(L::splat(0.0)) + tail).round_to(dtype)
}
