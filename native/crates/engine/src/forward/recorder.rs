//! What a forward leaves behind besides its result: taps, and which kernel ran each op. It only copies, so it changes nothing.

use super::Rows;
use crate::{KernelUse, Tap, Tensor, taps::TapFilter};

/// Collects taps and kernels of one forward.
pub struct Recorder {
    filter: TapFilter,
    /// -1 before the first layer, the number of layers after the last.
    pub layer: i64,
    /// In data order.
    pub taps: Vec<Tap>,
    /// One entry per distinct (layer, op, kernel).
    pub kernels: Vec<KernelUse>,
}

impl Recorder {
    /// Nothing recorded yet, before the first layer.
    pub fn new(filter: TapFilter) -> Self {
        Self { filter, layer: -1, taps: Vec::new(), kernels: Vec::new() }
    }

    /// Keep `rows` as `[rows, dims...]` if somebody asked for this tap.
    pub fn tap(&mut self, name: &'static str, rows: &Rows, dims: &[usize]) {
        if self.filter.wants(self.layer, name) {
            let shape = std::iter::once(rows.rows()).chain(dims.iter().copied()).collect();
            let tensor = Tensor::from_f32(rows.dtype, shape, &rows.values);
            self.taps.push(Tap { layer: self.layer, tap: name, tensor });
        }
    }

    /// Note that `kernel` ran `op` over `rows` rows. Calls of the same op by the same kernel (one per batch row) add up.
    pub fn kernel(&mut self, op: &'static str, kernel: String, rows: usize) {
        let layer = self.layer;
        let same = |k: &&mut KernelUse| k.layer == layer && k.op == op && k.kernel == kernel;
        match self.kernels.iter_mut().rev().take_while(|k| k.layer == layer).find(same) {
            Some(found) => found.rows += rows,
            None => self.kernels.push(KernelUse { layer, op, kernel, rows }),
        }
    }
}
