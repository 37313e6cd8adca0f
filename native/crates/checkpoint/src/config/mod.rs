//! `config.json`: what the engine needs of it, every number within bounds.

mod drafter;
mod eos;
mod layers;
mod parameters;
mod parse;
mod plan;
mod rope;
mod types;

pub use drafter::{Dflash, DrafterConfig, DrafterKind};
pub(crate) use drafter::{DrafterFolder, ParsedDrafter, parse_drafter};
pub(crate) use eos::{Eos, eos_ids};
pub(crate) use parse::{Parsed, parse};
pub(crate) use plan::{Declared, Geometry, Plan};
pub use types::{Architecture, Delta, LayerKind, ModelConfig, Quantisation, Rope, RopeScaling};
