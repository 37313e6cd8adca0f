//! `config.json`: what the engine needs of it, every number within bounds.

mod types;

pub use types::{Architecture, Delta, LayerKind, ModelConfig, Quantisation, Rope, RopeScaling};
