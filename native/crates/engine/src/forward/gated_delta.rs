//! Gated delta net (model-spec 1.4.3).

use super::{Pass, Rows};
use crate::{
    net::GatedDelta,
    state::{DeltaBlock, DeltaCache, Staged},
};
use moire_base::{Dtype, Result};
use moire_kernels::{
    Columns, Ctx,
    conv::conv,
    delta::{self, DeltaForm, DeltaShape, DeltaStates},
    elementwise,
    norm::{self, DeltaRole},
    promote,
};

/// The mixer of a gated delta layer over its normed input. The new state is staged in `cache`.
pub fn forward(pass: &mut Pass, m: &GatedDelta, eps: f32, a: &Rows, cache: &mut DeltaCache) -> Result<Rows> {
    let inputs = [("in_proj_qkv", &m.in_qkv), ("in_proj_z", &m.in_z), ("in_proj_b", &m.in_b), ("in_proj_a", &m.in_a)];
    let [qkv, z, b, decay_input] = pass.linears(inputs, a)?;
    let c = convolve(pass, m, &qkv, cache);
    let [q, k] = keys(pass, m, &c);
    let beta = write_strength(pass, &b);
    let (log_decay, decay) = decay(pass, m, &decay_input);
    let block = DeltaBlock { width: pass.width, qkv, q, k, v: c, beta, log_decay, decay };
    let y = core(pass, m, block, cache)?;
    let mut gated = Rows::like(&y);
    norm::gated_norm(&pass.ctx.with_act(y.dtype), &y.values, &z.values, &m.norm, eps, &mut gated.values);
    pass.tap("delta_gated", &gated);
    pass.linear("out_proj", &m.out, &gated)
}

/// Four-row convolution of every channel, from the conv state on, then silu.
fn convolve(pass: &mut Pass, m: &GatedDelta, qkv: &Rows, cache: &DeltaCache) -> Rows {
    let mut c = Rows::like(qkv);
    c.dtype = promote(qkv.dtype, m.conv_dtype);
    let ctx = pass.ctx.with_act(c.dtype);
    let block = pass.width * qkv.width;
    for (b, (x, out)) in qkv.values.chunks_exact(block).zip(c.values.chunks_exact_mut(block)).enumerate() {
        conv(&ctx, &m.conv, cache.conv(pass.batch(), b), x, out);
    }
    pass.tap("conv", &c);
    let mut out = Rows::like(&c);
    elementwise::silu(&ctx, &c.values, &mut out.values);
    pass.tap("conv_out", &out);
    out
}

/// q and k of the convolution's columns q, k, v, normalised and scaled per head.
fn keys(pass: &mut Pass, m: &GatedDelta, c: &Rows) -> [Rows; 2] {
    let DeltaShape { key_heads, key_dim, .. } = m.shape;
    let width = key_heads * key_dim;
    let ctx = pass.ctx.with_act(c.dtype);
    let normed = |first, role| {
        let mut y = Rows::zeros(c.rows(), width, c.dtype);
        norm::delta_qk_norm(&ctx, Columns::new(&c.values, c.width, first..first + width), key_dim, role, &mut y.values);
        y
    };
    let (q, k) = (normed(0, DeltaRole::Query), normed(width, DeltaRole::Key));
    pass.tap_heads("delta_q", &q, key_heads);
    pass.tap_heads("delta_k", &k, key_heads);
    if pass.recorder.wants("delta_v") {
        pass.tap_heads("delta_v", &c.columns(c.width, 2 * width, c.width), m.shape.value_heads);
    }
    [q, k]
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
    let mut y = Rows::zeros(block.v.rows(), m.shape.value_heads * m.shape.value_dim, block.v.dtype);
    let ctx = pass.ctx.with_act(y.dtype);
    let mut recurrent = cache.room();
    let (one_state, one_row) = (recurrent.len() / pass.batch(), pass.width * y.width);
    let states = cache.recurrent().chunks_exact(one_state).zip(recurrent.chunks_exact_mut(one_state));
    for (b, ((before, after), out)) in states.zip(y.values.chunks_exact_mut(one_row)).enumerate() {
        let inputs = block.inputs(m.shape, b, pass.width);
        let states = DeltaStates { before, after };
        let kernel = delta::gated_delta(&ctx, pass.switches.delta, m.shape, &inputs, states, out)?;
        pass.recorder.kernel("delta_core", kernel, pass.width);
    }
    pass.tap_heads("delta_core", &y, m.shape.value_heads);
    cache.staged = Some(Staged { recurrent, block });
    Ok(y)
}

/// The state of batch row `b` after the first `kept` rows of a verified block, token by token as decode does.
pub fn recompute(
    ctx: &Ctx,
    shape: DeltaShape,
    block: &DeltaBlock,
    (b, kept): (usize, usize),
    states: DeltaStates,
) -> Result<()> {
    let inputs = block.inputs(shape, b, kept);
    let mut discarded = vec![0.0; kept * inputs.v.width()];
    delta::gated_delta(&ctx.with_act(block.v.dtype), DeltaForm::Recurrent, shape, &inputs, states, &mut discarded)?;
    Ok(())
}
