//! Gated delta net (model-spec 1.4.3).

use super::{Pass, Rows};
use crate::{
    net::GatedDelta,
    state::{DeltaBlock, DeltaCache, Staged},
};
use moire_base::{Dtype, Result};
use moire_kernels::{
    Ctx,
    conv::conv,
    delta::{self, DeltaForm, DeltaShape},
    elementwise,
    norm::{self, DeltaRole},
    promote,
};

/// The mixer of a gated delta layer over its normed input. The new state is staged in `cache`.
pub fn forward(pass: &mut Pass, m: &GatedDelta, eps: f32, a: &Rows, cache: &mut DeltaCache) -> Result<Rows> {
    let qkv = pass.linear("in_proj_qkv", &m.in_qkv, a)?;
    let z = pass.linear("in_proj_z", &m.in_z, a)?;
    let b = pass.linear("in_proj_b", &m.in_b, a)?;
    let decay_input = pass.linear("in_proj_a", &m.in_a, a)?;
    let window = cache.window(&qkv, pass.batch());
    let c = convolve(pass, m, &qkv, &window);
    let [q, k, v] = split_heads(pass, m, &c);
    let beta = write_strength(pass, &b);
    let (log_decay, decay) = decay(pass, m, &decay_input);
    let block = DeltaBlock { width: pass.width, window, q, k, v, beta, log_decay, decay };
    let y = core(pass, m, block, cache)?;
    let mut gated = Rows::like(&y);
    norm::gated_norm(&pass.ctx.with_act(y.dtype), &y.values, &z.values, &m.norm, eps, &mut gated.values);
    pass.tap("delta_gated", &gated);
    pass.linear("out_proj", &m.out, &gated)
}

/// Four-row convolution of every channel, then silu. `window`: per batch row the conv state and then the rows of `qkv`.
fn convolve(pass: &mut Pass, m: &GatedDelta, qkv: &Rows, window: &[f32]) -> Rows {
    let mut c = Rows::like(qkv);
    c.dtype = promote(qkv.dtype, m.conv_dtype);
    let ctx = pass.ctx.with_act(c.dtype);
    let block = pass.width * qkv.width;
    let windows = window.chunks_exact(window.len() / pass.batch());
    for (x, out) in windows.zip(c.values.chunks_exact_mut(block)) {
        conv(&ctx, &m.conv, x, out);
    }
    pass.tap("conv", &c);
    let mut out = Rows::like(&c);
    elementwise::silu(&ctx, &c.values, &mut out.values);
    pass.tap("conv_out", &out);
    out
}

/// q and k, normalised and scaled per head, and v.
fn split_heads(pass: &mut Pass, m: &GatedDelta, c: &Rows) -> [Rows; 3] {
    let DeltaShape { key_heads, value_heads, key_dim, .. } = m.shape;
    let key_width = key_heads * key_dim;
    let ctx = pass.ctx.with_act(c.dtype);
    let normed = |x: Rows, role| {
        let mut y = Rows::like(&x);
        norm::delta_qk_norm(&ctx, &x.values, key_dim, role, &mut y.values);
        y
    };
    let q = normed(c.columns(c.width, 0, key_width), DeltaRole::Query);
    let k = normed(c.columns(c.width, key_width, 2 * key_width), DeltaRole::Key);
    let v = c.columns(c.width, 2 * key_width, c.width);
    pass.tap_heads("delta_q", &q, key_heads);
    pass.tap_heads("delta_k", &k, key_heads);
    pass.tap_heads("delta_v", &v, value_heads);
    [q, k, v]
}

fn write_strength(pass: &mut Pass, b: &Rows) -> Rows {
    let mut beta = Rows::like(b);
    delta::beta(&pass.ctx.with_act(b.dtype), &b.values, &mut beta.values);
    pass.tap("beta", &beta);
    beta
}

/// log g and g, both fp32.
fn decay(pass: &mut Pass, m: &GatedDelta, a: &Rows) -> (Rows, Rows) {
    let mut log_decay = Rows { dtype: Dtype::F32, ..Rows::like(a) };
    let mut decay = log_decay.clone();
    let ctx = pass.ctx.with_act(a.dtype);
    delta::decay(&ctx, &a.values, &m.dt_bias, &m.a_log, &mut log_decay.values, &mut decay.values);
    pass.tap("decay", &decay);
    (log_decay, decay)
}

/// The recurrence of every batch row from its own state.
fn core(pass: &mut Pass, m: &GatedDelta, block: DeltaBlock, cache: &mut DeltaCache) -> Result<Rows> {
    let mut y = Rows::like(&block.v);
    let ctx = pass.ctx.with_act(y.dtype);
    let mut recurrent = cache.copy_of_recurrent();
    let (one_state, one_row) = (recurrent.len() / pass.batch(), pass.width * y.width);
    let rows = recurrent.chunks_exact_mut(one_state).zip(y.values.chunks_exact_mut(one_row));
    for (b, (state, out)) in rows.enumerate() {
        let inputs = block.inputs(b, pass.width);
        let kernel = delta::gated_delta(&ctx, pass.switches.delta, m.shape, &inputs, state, out)?;
        pass.recorder.kernel("delta_core", kernel, pass.width);
    }
    pass.tap_heads("delta_core", &y, m.shape.value_heads);
    cache.staged = Some(Staged { recurrent, block });
    Ok(y)
}

/// Takes `state` of batch row `b` from before a verified block to after its first `kept` rows, token by token as decode does.
pub fn recompute(
    ctx: &Ctx,
    shape: DeltaShape,
    block: &DeltaBlock,
    b: usize,
    kept: usize,
    state: &mut [f32],
) -> Result<()> {
    let inputs = block.inputs(b, kept);
    let mut discarded = vec![0.0; inputs.v.len()];
    delta::gated_delta(&ctx.with_act(block.v.dtype), DeltaForm::Recurrent, shape, &inputs, state, &mut discarded)?;
    Ok(())
}
