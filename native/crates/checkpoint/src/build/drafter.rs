//! The tensors of a drafter (model-spec 2.2 and 3.2), by canonical name.

use super::{
    Source,
    layers::{layer, refuse_left_over},
};
use crate::{
    config::{DrafterConfig, DrafterKind},
    weights::DrafterWeights,
};
use moire_base::Result;

/// All weights of the drafter.
pub(crate) fn drafter(source: &mut Source<'_>, config: &DrafterConfig) -> Result<DrafterWeights> {
    let decoder = &config.decoder;
    let hidden = decoder.hidden;
    let (columns, hidden_norm, embedding_norm) = match &config.kind {
        DrafterKind::Dflash(d) => (d.target_layers.len() * hidden, "model.hidden_norm.weight", None),
        DrafterKind::Mtp => (2 * hidden, "model.pre_fc_norm_hidden.weight", Some("model.pre_fc_norm_embedding.weight")),
    };
    let fc = source.linear("model.fc", hidden, columns, false)?;
    let layers = decoder.layers.iter().enumerate().map(|(i, kind)| layer(source, decoder, i, *kind));
    let weights = DrafterWeights {
        fc,
        layers: layers.collect::<Result<_>>()?,
        hidden_norm: source.shifted_norm(hidden_norm, hidden)?,
        embedding_norm: embedding_norm.map(|name| source.shifted_norm(name, hidden)).transpose()?,
        norm: source.shifted_norm("model.norm.weight", hidden)?,
    };
    refuse_left_over(source, |_| true, config.kind.describes(), decoder.layers.len())?;
    Ok(weights)
}
