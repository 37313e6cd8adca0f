//! Reads model folders: `config.json`, safetensors shards, tokenizer and chat template. Weights stay in the mapped files; nothing is copied but the few
//! norm vectors that the HF layout stores without their 1.
#![deny(unsafe_code)]

mod build;
mod chat;
mod checkpoint;
mod companions;
mod config;
mod drafter;
mod files;
mod names;
mod scan;
mod tokenizer;
mod weights;

pub use chat::ChatTemplate;
pub use checkpoint::{Checkpoint, Inspection, OpenOptions, Summary};

pub use config::{
    Architecture, Delta, Dflash, DrafterConfig, DrafterKind, LayerKind, ModelConfig, Quantisation, Rope, RopeScaling,
};
pub use drafter::DrafterCheckpoint;
pub use files::{Tensor, TensorFile, WeightFiles};
pub use tokenizer::Tokenizer;
pub use weights::{Attention, DrafterWeights, GatedDelta, LayerWeights, Mixer, Mlp, Weights};
