//! The two gates of the delta rule.

use crate::{Ctx, Weights, ctx::expect_len, elementwise, math, promote, simd::Real};

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
    let rates: Vec<f32> = a_log.values.iter().map(|a| math::exp(*a)).collect();
    for (i, a) in a.iter().enumerate() {
        let x = (a + dt_bias.values[i % heads]).round_to(dtype);
        let tail = math::exp(-x.abs()).round_to(dtype);
        let soft = (Real::max(x, 0.0) + math::log1p(tail).round_to(dtype)).round_to(dtype);
        let log = -(rates[i % heads] * soft);
        log_decay[i] = log.nan_or(Real::max(log, LOWEST_LOG));
        decay[i] = math::exp(log);
    }
}
