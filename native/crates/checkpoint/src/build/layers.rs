//! The tensors of each family, layer by layer (model-spec 1.2, 1.7, 1.8).

use super::Source;
use crate::{
    config::{Delta, LayerKind, ModelConfig},
    weights::{Attention, GatedDelta, LayerWeights, Mixer, Mlp, Weights},
};
use moire_base::{Error, Result};

/// All weights of the model. `config.tied` must be settled.
pub(crate) fn build(source: &mut Source<'_>, config: &ModelConfig) -> Result<Weights> {
    let (hidden, vocab) = (config.hidden, config.vocab);
    let mut layers = Vec::with_capacity(config.layers.len());
    for (i, kind) in config.layers.iter().enumerate() {
        layers.push(layer(source, config, i, *kind)?);
    }
    let weights = Weights {
        embedding: source.matrix("model.embed_tokens", vocab, hidden)?,
        layers,
        final_norm: source.shifted_norm("model.norm.weight", hidden)?,
        head: (!config.tied).then(|| source.matrix("lm_head", vocab, hidden)).transpose()?,
    };
    let own = |name: &str| name.starts_with("model.") || (name.starts_with("lm_head.") && !config.tied);
    refuse_left_over(source, own, &format!("a {} model", config.architecture.name()), config.layers.len())?;
    Ok(weights)
}

/// The tensors of one layer.
pub(super) fn layer(
    source: &mut Source<'_>,
    config: &ModelConfig,
    index: usize,
    kind: LayerKind,
) -> Result<LayerWeights> {
    let at = |name: &str| format!("model.layers.{index}.{name}");
    let hidden = config.hidden;
    Ok(LayerWeights {
        input_norm: source.shifted_norm(&at("input_layernorm.weight"), hidden)?,
        post_norm: source.shifted_norm(&at("post_attention_layernorm.weight"), hidden)?,
        mixer: match (kind, &config.delta) {
            (LayerKind::GatedDelta, Some(delta)) => {
                Mixer::GatedDelta(gated_delta(source, &at("linear_attn"), delta, hidden)?)
            }
            _ => Mixer::Attention(attention(source, &at("self_attn"), config)?),
        },
        mlp: mlp(source, &at("mlp"), config)?,
    })
}

fn attention(source: &mut Source<'_>, path: &str, config: &ModelConfig) -> Result<Attention> {
    let at = |name: &str| format!("{path}.{name}");
    let (hidden, bias) = (config.hidden, config.attention_bias);
    let kv = config.kv_heads * config.head_dim;
    let mut norm = |name: &str| config.qk_norm.then(|| source.shifted_norm(&at(name), config.head_dim)).transpose();
    let (q_norm, k_norm) = (norm("q_norm.weight")?, norm("k_norm.weight")?);
    Ok(Attention {
        q: source.linear(&at("q_proj"), config.query_rows(), hidden, bias)?,
        k: source.linear(&at("k_proj"), kv, hidden, bias)?,
        v: source.linear(&at("v_proj"), kv, hidden, bias)?,
        o: source.linear(&at("o_proj"), hidden, config.heads * config.head_dim, bias)?,
        q_norm,
        k_norm,
    })
}

fn gated_delta(source: &mut Source<'_>, path: &str, delta: &Delta, hidden: usize) -> Result<GatedDelta> {
    let at = |name: &str| format!("{path}.{name}");
    Ok(GatedDelta {
        in_qkv: source.linear(&at("in_proj_qkv"), delta.channels(), hidden, false)?,
        in_z: source.linear(&at("in_proj_z"), delta.value_width(), hidden, false)?,
        in_b: source.linear(&at("in_proj_b"), delta.value_heads, hidden, false)?,
        in_a: source.linear(&at("in_proj_a"), delta.value_heads, hidden, false)?,
        out: source.linear(&at("out_proj"), hidden, delta.value_width(), false)?,
        conv: source.conv(&at("conv1d.weight"), delta.channels(), delta.conv_kernel)?,
        dt_bias: source.vector(&at("dt_bias"), delta.value_heads)?,
        a_log: source.vector(&at("A_log"), delta.value_heads)?,
        norm: source.vector(&at("norm.weight"), delta.value_dim)?,
    })
}

fn mlp(source: &mut Source<'_>, path: &str, config: &ModelConfig) -> Result<Mlp> {
    let at = |name: &str| format!("{path}.{name}");
    let (hidden, inner, bias) = (config.hidden, config.intermediate, config.mlp_bias);
    Ok(Mlp {
        gate: source.linear(&at("gate_proj"), inner, hidden, bias)?,
        up: source.linear(&at("up_proj"), inner, hidden, bias)?,
        down: source.linear(&at("down_proj"), hidden, inner, bias)?,
    })
}

/// A tensor among the network's `own` names that the config does not explain means another network than the config says: it would run, and be wrong.
/// A head beside a tied embedding is the exception (old converters left it in).
pub(super) fn refuse_left_over(
    source: &Source<'_>,
    own: impl Fn(&str) -> bool,
    what: &str,
    layers: usize,
) -> Result<()> {
    let Some((_, tensor)) = source.left_over().find(|(name, _)| own(name)) else { return Ok(()) };
    Err(Error::format(
        format!("{}: {}", tensor.file, tensor.name),
        format!(
            "is no weight of {what} with {layers} layers as config.json describes it; config and weights do not belong together"
        ),
    ))
}
