//! Softmax attention with a KV cache (model-spec 1.4.2, 1.7, 1.8).

use super::{Pass, Rows};
use crate::{net::Attention, state::KvCache};
use moire_base::Result;
use moire_checkpoint::ModelConfig;
use moire_kernels::{
    attention::{self, AttentionSpec, Mask},
    elementwise,
};

/// The mixer of an attention layer over its normed input. `mask` says which keys a query sees.
pub fn forward(
    pass: &mut Pass,
    m: &Attention,
    mask: Mask,
    config: &ModelConfig,
    a: &Rows,
    cache: &mut KvCache,
) -> Result<Rows> {
    let (heads, kv_heads, eps) = (config.heads, config.kv_heads, config.norm_eps);
    let [projected, k, v] = pass.linears([("q_proj", &m.q), ("k_proj", &m.k), ("v_proj", &m.v)], a)?;
    let (q, gate) = split_gate(projected, config);
    let q = m.q_norm.as_ref().map(|w| pass.head_norm("q_norm", &q, w, eps)).unwrap_or(q);
    let k = m.k_norm.as_ref().map(|w| pass.head_norm("k_norm", &k, w, eps)).unwrap_or(k);
    let q = pass.rotate("q_rope", &q, heads);
    let k = pass.rotate("k_rope", &k, kv_heads);
    let mut o = core(pass, AttentionSpec { mask, ..m.spec }, [&q, &k, &v], cache)?;
    if let Some(gate) = gate {
        let core = o.clone();
        elementwise::sigmoid_gate(&pass.ctx.with_act(o.dtype), &core.values, &gate.values, &mut o.values);
        pass.tap("attention_gated", &o);
    }
    pass.linear("o_proj", &m.o, &o)
}

/// Keys, normed and rotated, and values of rows that are attended to and ask nothing themselves (model-spec 3.4).
pub fn context(pass: &mut Pass, m: &Attention, config: &ModelConfig, rows: &Rows) -> Result<[Rows; 2]> {
    let [k, v] = pass.linears([("k_proj", &m.k), ("v_proj", &m.v)], rows)?;
    let k = m.k_norm.as_ref().map(|w| pass.head_norm("k_norm", &k, w, config.norm_eps)).unwrap_or(k);
    Ok([pass.rotate("k_rope", &k, config.kv_heads), v])
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
fn core(pass: &mut Pass, spec: AttentionSpec, [q, k, v]: [&Rows; 3], cache: &mut KvCache) -> Result<Rows> {
    let mut out = Rows::like(q);
    let ctx = pass.ctx.with_act(q.dtype);
    for (b, rows) in pass.rows().into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        cache.write(b, pass.start[b], k, v, rows.clone())?;
        let view = cache.view(b, pass.start[b] + rows.len());
        let part = rows.start * q.width..rows.end * q.width;
        let (q, out) = (&q.values[part.clone()], &mut out.values[part]);
        let kernel = attention::attention(&ctx, pass.attention, spec, q, &view, out)?;
        pass.recorder.kernel("attention_core", kernel, rows.len());
    }
    pass.tap("attention_core", &out);
    Ok(out)
}
