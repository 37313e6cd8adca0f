//! DFlash: committed rows give keys and values to every layer, and a block of mask tokens is filled in one forward (model-spec 3.4 to 3.6).

use super::{
    call::{Call, positions},
    features::Features,
    net::DraftNet,
    state::DraftState,
};
use crate::forward::{Rows, attend, context, decoder_layer};
use moire_base::Result;
use moire_checkpoint::Dflash;
use moire_kernels::elementwise;

/// Keys and values of new committed rows: `ctx = rmsnorm(fc(features); hidden_norm)`, then `k = rope(norm(Wk·ctx))`, `v = Wv·ctx` in each layer.
pub fn observe(call: &Call, state: &mut DraftState, features: &Features) -> Result<()> {
    let Call { net, .. } = call;
    let ends: Vec<usize> = state.position.iter().zip(features.counts()).map(|(p, n)| p + n).collect();
    for chunk in features.chunks() {
        let (start, widths) = positions(&state.position, &chunk);
        let mut pass = call.pass(&start, &widths);
        let x = pass.linear("fc", &net.fc, &features.gather(&chunk))?;
        let x = pass.norm("hidden_norm", &x, &net.hidden_norm, net.config.norm_eps);
        for (i, layer) in net.layers.iter().enumerate() {
            pass.enter(i)?;
            // The next query stands at the end: it is the one that sees the farthest back.
            let first = |b: usize| net.config.windows[i].map_or(0, |w| (ends[b] + 1).saturating_sub(w));
            if (0..pass.batch()).all(|b| start[b] + widths[b] <= first(b)) {
                continue;
            }
            let [k, v] = context(&mut pass, DraftNet::attention(layer), &net.config, &x)?;
            for (b, rows) in pass.rows().into_iter().enumerate() {
                state.caches[i].write(b, start[b], &k, &v, rows)?;
            }
        }
    }
    Ok(())
}

/// Logits `[batch · (width - 1), V]` of the block `[anchor, mask, ..]`: the row at position j of the block predicts the token at j. Every batch row has an
/// anchor. Keys and values of the block stand behind the position and do not count.
pub fn propose(call: &Call, config: &Dflash, state: &mut DraftState, width: usize) -> Result<Rows> {
    let Call { net, target, .. } = call;
    let eps = net.config.norm_eps;
    let anchors = state.next.iter().flatten().copied();
    let block: Vec<u32> =
        anchors.flat_map(|id| std::iter::once(id).chain(std::iter::repeat_n(config.mask_id, width - 1))).collect();
    let mut pass = call.pass(&state.position, &vec![width; state.position.len()]);
    let mut x = pass.embed(&target.embedding, &block)?;
    if config.input_scale != 1.0 {
        elementwise::scale(&pass.ctx.with_act(x.dtype), config.input_scale, &mut x.values);
    }
    for (i, layer) in net.layers.iter().enumerate() {
        pass.enter(i)?;
        let mask = net.mask(i, call.switches.sliding_causal);
        let cache = &mut state.caches[i];
        x = decoder_layer(&mut pass, layer, eps, x, |pass, a| {
            attend(pass, DraftNet::attention(layer), mask, &net.config, a, cache)
        })?;
    }
    let drafts: Vec<usize> = (0..block.len()).filter(|row| row % width != 0).collect();
    let hidden = pass.norm("norm", &x.gather(&drafts), &net.norm, eps);
    let mut logits = pass.linear("logits", &target.head, &hidden)?;
    let ctx = pass.ctx.with_act(logits.dtype);
    if config.output_multiplier != 1.0 {
        elementwise::scale(&ctx, config.output_multiplier, &mut logits.values);
    }
    if let Some(cap) = config.softcap {
        elementwise::softcap(&ctx, cap, &mut logits.values);
    }
    Ok(logits)
}
