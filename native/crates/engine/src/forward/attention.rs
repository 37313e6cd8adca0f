//! Softmax attention with a KV cache (model-spec 1.4.2, 1.7, 1.8).

use super::{Pass, Rows};
use crate::{net::Attention, state::KvCache};
use moire_base::Result;
use moire_checkpoint::ModelConfig;
use moire_kernels::{attention, elementwise};

/// The mixer of an attention layer over its normed input.
pub fn forward(pass: &mut Pass, m: &Attention, config: &ModelConfig, a: &Rows, cache: &mut KvCache) -> Result<Rows> {
    let (heads, kv_heads, eps) = (config.heads, config.kv_heads, config.norm_eps);
    let projected = pass.linear("q_proj", &m.q, a)?;
    let k = pass.linear("k_proj", &m.k, a)?;
    let v = pass.linear("v_proj", &m.v, a)?;
    let (q, gate) = split_gate(projected, config);
    let q = m.q_norm.as_ref().map(|w| pass.head_norm("q_norm", &q, w, eps)).unwrap_or(q);
    let k = m.k_norm.as_ref().map(|w| pass.head_norm("k_norm", &k, w, eps)).unwrap_or(k);
    let q = pass.rotate("q_rope", &q, heads);
    let k = pass.rotate("k_rope", &k, kv_heads);
    let mut o = core(pass, m, &q, &k, &v, cache)?;
    if let Some(gate) = gate {
        let core = o.clone();
        elementwise::sigmoid_gate(&pass.ctx.with_act(o.dtype), &core.values, &gate.values, &mut o.values);
        pass.tap("attention_gated", &o);
    }
    pass.linear("o_proj", &m.o, &o)
}

/// q_proj's rows are, per head, its query and then its gate.
fn split_gate(projected: Rows, config: &ModelConfig) -> (Rows, Option<Rows>) {
    if !config.attention_output_gate {
        return (projected, None);
    }
    let hd = config.head_dim;
    (projected.columns(2 * hd, 0, hd), Some(projected.columns(2 * hd, hd, 2 * hd)))
}

/// Each batch row attends to exactly its own positions, the rows of this call included.
fn core(pass: &mut Pass, m: &Attention, q: &Rows, k: &Rows, v: &Rows, cache: &mut KvCache) -> Result<Rows> {
    let mut out = Rows::like(q);
    let ctx = pass.ctx.with_act(q.dtype);
    let block = pass.width * q.width;
    for b in 0..pass.batch() {
        cache.write(b, pass.start[b], k, v, b * pass.width..(b + 1) * pass.width)?;
        let view = cache.view(b, pass.start[b] + pass.width);
        let part = b * block..(b + 1) * block;
        let (q, out) = (&q.values[part.clone()], &mut out.values[part]);
        let kernel = attention::attention(&ctx, pass.attention, m.spec, q, &view, out)?;
        pass.recorder.kernel("attention_core", kernel, pass.width);
    }
    pass.tap("attention_core", &out);
    Ok(out)
}
