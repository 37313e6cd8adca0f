//! `config.json`: what the engine needs of it, every number within bounds.

mod eos;
mod layers;
mod parameters;
mod parse;
mod plan;
mod rope;
mod types;

pub(crate) use eos::{Eos, eos_ids};
pub(crate) use parse::{Parsed, parse};
pub(crate) use plan::{Declared, Geometry, Plan};
pub use types::{Architecture, Delta, LayerKind, ModelConfig, Quantisation, Rope, RopeScaling};
