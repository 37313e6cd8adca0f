//! What a forward is asked to record, and what it, a rewind and a state reading give back.

use crate::{Tensor, number};
use moire_base::Dtype;
use moire_kernels::stats::Stats;
use serde::Serialize;
use std::time::Duration;

/// What to record in a forward. Never changes what is computed.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Patterns: `tap`, `layer.tap` with `*` for any layer, or `*` for all.
    pub taps: Vec<String>,
    /// What of a tap is kept.
    pub mode: CaptureMode,
    /// Rows whose logits are wanted.
    pub logits: LogitRows,
    /// How many best logits to name per such row.
    pub top: usize,
}

/// What of a tap is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaptureMode {
    /// All of it.
    #[default]
    Bytes,
    /// A hash of its bytes, and one of each row.
    Hash,
    /// Count, range, mean and rms.
    Stats,
}

/// Which rows get logits. Without any the output head does not run, unless a tap asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogitRows {
    /// The last row of every batch row.
    Last,
    /// Every row.
    All,
    /// No row.
    None,
}

/// Result of a forward. Rows of a batch stand one after another: row = batch row · W + position in the block.
#[derive(Clone, Debug)]
pub struct Step {
    /// Rows computed: batch · W.
    pub rows: usize,
    /// Batch rows of the session.
    pub batch: usize,
    /// Position after the call, per batch row.
    pub position: Vec<usize>,
    /// `[logit rows, vocab]` in the activation dtype.
    pub logits: Option<Tensor>,
    /// Row index of each row of `logits`.
    pub logit_rows: Vec<usize>,
    /// Best logits per row of `logits`, best first, lowest id first among equals.
    pub top: Vec<Vec<TopLogit>>,
    /// Recorded taps in data order, where whole tensors were asked for.
    pub taps: Vec<Tap>,
    /// The same, where hashes were asked for.
    pub hashes: Vec<TapHash>,
    /// The same, where facts were asked for.
    pub stats: Vec<TapStats>,
    /// Which kernel ran each op, one entry per distinct (layer, op).
    pub kernels: Vec<KernelUse>,
    /// Where the time went, in the order of the first layer that has the op.
    pub times: Vec<OpTime>,
    /// Logits that are NaN or infinite.
    pub non_finite: usize,
    /// Time of the forward.
    pub elapsed: Duration,
}

/// A token id with its logit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TopLogit {
    /// Token id.
    pub id: u32,
    /// Its logit.
    #[serde(serialize_with = "number::float")]
    pub logit: f64,
}

/// A recorded intermediate tensor.
#[derive(Clone, Debug)]
pub struct Tap {
    /// -1 before the first layer, the number of layers after the last.
    pub layer: i64,
    /// Its name.
    pub tap: &'static str,
    /// `[rows, ...]`.
    pub tensor: Tensor,
}

/// Where a tap was made, and what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapPlace {
    /// As in [`Tap`].
    pub layer: i64,
    /// Its name.
    pub tap: &'static str,
    /// Element type.
    pub dtype: Dtype,
    /// `[rows, ...]`.
    pub shape: Vec<usize>,
}

/// The first 16 bytes of a BLAKE3 hash.
pub type Digest = [u8; 16];

/// Hashes of a tap's little-endian bytes in its dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapHash {
    /// Which tap.
    pub place: TapPlace,
    /// Of all its bytes.
    pub hash: Digest,
    /// Of each row.
    pub rows: Vec<Digest>,
}

/// Facts about a tap.
#[derive(Clone, Debug)]
pub struct TapStats {
    /// Which tap.
    pub place: TapPlace,
    /// Over its values in its dtype.
    pub stats: Stats,
}

/// What was recorded of the taps of a forward, in data order; one list is filled, by the mode of the capture.
#[derive(Clone, Debug, Default)]
pub struct Taps {
    /// [`CaptureMode::Bytes`].
    pub tensors: Vec<Tap>,
    /// [`CaptureMode::Hash`].
    pub hashes: Vec<TapHash>,
    /// [`CaptureMode::Stats`].
    pub stats: Vec<TapStats>,
}

/// Which kernel computed an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelUse {
    /// As in [`Tap`].
    pub layer: i64,
    /// The tap it made: `q_proj`, `attention_core`, ...
    pub op: &'static str,
    /// Kernel name with family and packing.
    pub kernel: String,
    /// Rows it ran over.
    pub rows: usize,
}

/// Time that an op took, in all layers together. What has no tap of its own counts to the next op that has one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpTime {
    /// The tap it made; `taps` for the keeping of taps.
    pub op: &'static str,
    /// Milliseconds.
    pub ms: f64,
}

/// Result of a rewind.
#[derive(Clone, Debug, Serialize)]
pub struct Rewound {
    /// Kept rows that were asked for, per batch row.
    pub asked: Vec<usize>,
    /// Rows dropped, per batch row.
    pub dropped: Vec<usize>,
    /// Position after the rewind, per batch row.
    pub position: Vec<usize>,
    /// What each layer did.
    pub layers: Vec<LayerRewind>,
}

/// How one layer got rid of rejected rows.
#[derive(Clone, Debug, Serialize)]
pub struct LayerRewind {
    /// Layer index.
    pub layer: usize,
    /// `truncate`, `recompute`, or `none` when nothing was dropped.
    pub how: &'static str,
}

/// State tensors of one layer.
#[derive(Clone, Debug)]
pub struct LayerState {
    /// Layer index.
    pub layer: usize,
    /// `attention` or `gated_delta`.
    pub kind: &'static str,
    /// `k`, `v`, or `conv_state`, `recurrent_state`; all with a leading batch dimension.
    pub tensors: Vec<NamedTensor>,
}

/// A tensor with its name.
#[derive(Clone, Debug)]
pub struct NamedTensor {
    /// Name.
    pub name: String,
    /// Values.
    pub tensor: Tensor,
}
