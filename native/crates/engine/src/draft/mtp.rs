//! The MTP head: a token and the target's output at the position before it give one more output, from which the next token is read (model-spec 2.3 and 2.4).

use super::{
    call::{Call, positions},
    features::Features,
    net::DraftNet,
    state::DraftState,
};
use crate::{
    forward::{Pass, Rows, attend, decoder_layer},
    session::top,
};
use moire_base::Result;
use moire_kernels::attention::Mask;

/// Drops drafted entries and appends one for every new committed row and the token after it. The last output is the seed of the next proposal.
pub fn observe(call: &Call, state: &mut DraftState, features: &Features) -> Result<()> {
    state.chain.restart();
    let counts = features.counts();
    let mut seed = state.chain.seed.clone();
    for chunk in features.chunks() {
        let (start, widths) = positions(&state.position, &chunk);
        let mut pass = call.pass(&start, &widths);
        let o = outputs(call, &mut pass, state, &features.ids(&chunk), &features.gather(&chunk))?;
        seed.dtype = o.dtype;
        for (b, rows) in pass.rows().into_iter().enumerate() {
            if !rows.is_empty() && chunk[b].end == counts[b] {
                let last = &o.values[(rows.end - 1) * o.width..rows.end * o.width];
                seed.values[b * o.width..(b + 1) * o.width].copy_from_slice(last);
            }
        }
    }
    state.chain.seed = seed;
    state.chain.restart();
    Ok(())
}

/// Logits `[batch, V]` of each of `width - 1` steps. Every step but the first feeds the token of the one before; with `after` the first feeds these tokens.
pub fn propose(call: &Call, state: &mut DraftState, width: usize, after: Option<&[u32]>) -> Result<Vec<Rows>> {
    if after.is_none() {
        state.chain.restart();
    }
    let (mut tail, mut drafted) = (state.chain.tail.clone(), state.chain.drafted);
    let mut fed = after.map(<[u32]>::to_vec);
    let mut steps = Vec::with_capacity(width - 1);
    for _ in 1..width {
        let start: Vec<usize> = state.position.iter().map(|p| p + drafted).collect();
        let mut pass = call.pass(&start, &vec![1; start.len()]);
        if let Some(ids) = &fed {
            tail = outputs(call, &mut pass, state, ids, &tail)?;
            drafted += 1;
        }
        let logits = pass.linear("logits", &call.target.head, &tail)?;
        fed = Some(top(call.ctx.isa, &logits, 1).iter().map(|best| best[0].id).collect());
        steps.push(logits);
    }
    (state.chain.tail, state.chain.drafted) = (tail, drafted);
    Ok(steps)
}

/// `rmsnorm(block(fc([rmsnorm(embed(id)), rmsnorm(hidden)])))`: an entry and an output a row.
fn outputs(call: &Call, pass: &mut Pass, state: &mut DraftState, ids: &[u32], hidden: &Rows) -> Result<Rows> {
    let Call { net, target, .. } = call;
    let eps = net.config.norm_eps;
    let e = pass.embed(&target.embedding, ids)?;
    let e = match &net.embedding_norm {
        Some(weight) => pass.norm("pre_fc_norm_embedding", &e, weight, eps),
        None => e,
    };
    let c = pass.norm("pre_fc_norm_hidden", hidden, &net.hidden_norm, eps);
    let mut x = pass.linear("fc", &net.fc, &Rows::beside(&e, &c))?;
    for (i, layer) in net.layers.iter().enumerate() {
        pass.enter(i)?;
        let cache = &mut state.caches[i];
        x = decoder_layer(pass, layer, eps, x, |pass, a| {
            attend(pass, DraftNet::attention(layer), Mask::CAUSAL, &net.config, a, cache)
        })?;
    }
    Ok(pass.norm("norm", &x, &net.norm, eps))
}
