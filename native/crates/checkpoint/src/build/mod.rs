//! Builds `Weights` from the tensors of a folder: names, shapes and dtypes checked against the config, nothing copied.

mod layers;
mod matrix;
mod source;

pub(crate) use layers::build;
pub(crate) use source::{Norms, Source};
