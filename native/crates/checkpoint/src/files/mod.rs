//! Files of a model folder: bounded reads, JSON with places, mapped safetensors that are watched while they are in use, shards.

#[cfg(unix)]
mod fault;
pub(crate) mod folder;
pub(crate) mod header;
pub(crate) mod json;
mod map;
mod read;
mod stamp;
mod tensors;
mod watch;
mod weight_files;

pub use tensors::{Tensor, TensorFile};
pub use weight_files::WeightFiles;

pub(crate) use read::{is_missing, read_bounded};
