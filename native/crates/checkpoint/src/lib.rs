//! Reads model folders: `config.json`, safetensors shards, tokenizer and chat template. Weights stay in the mapped files; nothing is copied but the few
//! norm vectors that the HF layout stores without their 1.
#![deny(unsafe_code)]

mod config;
mod weights;

pub use config::{Architecture, Delta, LayerKind, ModelConfig, Quantisation, Rope, RopeScaling};
pub use weights::{Attention, GatedDelta, LayerWeights, Mixer, Mlp, Weights};
