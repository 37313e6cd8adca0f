//! Files of a model folder: bounded reads, JSON with places, mapped safetensors, shards.

pub(crate) mod folder;
pub(crate) mod header;
pub(crate) mod json;
mod map;
mod read;
mod tensors;

pub use tensors::{Tensor, TensorFile};

pub(crate) use read::{is_missing, read_bounded};
