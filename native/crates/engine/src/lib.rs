//! The built-in engine: models, sessions, the forward pass with its taps and state, and the tensor diff.
//! Reads checkpoints through `moire-checkpoint`, computes with `moire-kernels`; knows neither the C ABI nor any report.
#![forbid(unsafe_code)]

mod batch;
mod diff;
mod draft;
mod forward;
mod info;
mod model;
mod need;
mod net;
mod number;
mod session;
mod state;
mod step;
mod switches;
mod taps;
mod tensor;
mod text;
mod threads;

pub use diff::{Diff, First, NonFinite, Pair, RowCounts, Tile, Wanted, compare};
pub use draft::{DraftLayerInfo, DraftSession, Drafter, DrafterInfo, Observation, Proposal, Wish};
pub use info::{Inspection, LayerInfo, ModelInfo, Quantisation, SwitchInfo, TapInfo, TensorRecord};
pub use model::{Model, StoredAs, StoredTensor, TensorFile, architectures, inspect, tensors};
pub use number::float;
pub use session::Session;
pub use step::{
    Capture, CaptureMode, Digest, KernelUse, LayerRewind, LayerState, LogitRows, NamedTensor, OpTime, Rewound, Step,
    Tap, TapHash, TapPlace, TapStats, Taps, TopLogit,
};
pub use tensor::Tensor;
pub use text::{Chat, Pieces};
