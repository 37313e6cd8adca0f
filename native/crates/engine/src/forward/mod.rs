//! The forward pass (model-spec 1.4), written once for Qwen 3.5, Qwen 3 and Llama.

mod attention;
mod gated_delta;
mod mlp;
mod pass;
mod recorder;
mod rows;

pub use attention::{context, forward as attend};
pub use gated_delta::recompute;
pub use pass::{Pass, Path};
pub use recorder::Recorder;
pub use rows::Rows;

use crate::{
    net::{Layer, Mixer, Net},
    state::{LayerCache, State},
};
use moire_base::Result;

/// The normed residual stream after the last layer, `[batch · width, H]`. Reads `state` up to its position and writes behind it: nothing counts before `State::commit`.
pub fn hidden(pass: &mut Pass, net: &Net, state: &mut State, ids: &[u32]) -> Result<Rows> {
    let eps = net.config.norm_eps;
    let mut h = pass.embed(&net.embedding, ids)?;
    for (i, layer) in net.layers.iter().enumerate() {
        pass.enter(i)?;
        h = decoder_layer(pass, layer, eps, h, |pass, a| match (&layer.mixer, &mut state.layers[i]) {
            (Mixer::Attention(m), LayerCache::Attention(cache)) => attend(pass, m, m.spec.mask, &net.config, a, cache),
            (Mixer::GatedDelta(m), LayerCache::GatedDelta(cache)) => gated_delta::forward(pass, m, eps, a, cache),
            _ => unreachable!("a session's caches are made from the model's layers"),
        })?;
    }
    pass.enter(net.layers.len())?;
    Ok(pass.norm("final_norm", &h, &net.final_norm, eps))
}

/// The residual stream after one layer whose mixer is `mix`, over its normed input.
pub fn decoder_layer(
    pass: &mut Pass,
    layer: &Layer,
    eps: f32,
    h: Rows,
    mix: impl FnOnce(&mut Pass, &Rows) -> Result<Rows>,
) -> Result<Rows> {
    pass.tap("layer_input", &h);
    let a = pass.norm("input_norm", &h, &layer.input_norm, eps);
    let r = mix(pass, &a)?;
    let h = pass.add("mixer_residual", &h, &r);
    let m = pass.norm("post_norm", &h, &layer.post_norm, eps);
    let r = mlp::forward(pass, &layer.mlp, &m)?;
    Ok(pass.add("layer_output", &h, &r))
}

/// Logits `[rows.len(), V]` of some rows of `hidden`.
pub fn logits(pass: &mut Pass, net: &Net, hidden: &Rows, rows: &[usize]) -> Result<Rows> {
    pass.linear("logits", &net.head, &hidden.gather(rows))
}
