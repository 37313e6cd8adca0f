//! Words that every crate of the engine shares: status and error, dtypes, bytes in memory or mapped, matrices, cancel and progress, memory that is free.
#![forbid(unsafe_code)]

mod bytes;
mod control;
mod dtype;
mod error;
mod matrix;
pub mod memory;

pub use bytes::{Bytes, Owner};
pub use control::Control;
pub use dtype::Dtype;
pub use error::{Error, Result, Status};
pub use matrix::{Linear, Matrix, Vector};
