//! Builds `Weights` from the tensors of a folder: names, shapes and dtypes checked against the config, nothing copied.

mod drafter;
mod layers;
mod matrix;
mod source;

pub(crate) use drafter::drafter;
pub(crate) use layers::build;
pub(crate) use source::{Norms, Source, has_hf_text_model};
