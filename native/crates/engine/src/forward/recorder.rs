//! What a forward leaves behind besides its result: taps, which kernel ran each op, and how long each op took. It only copies, so it changes nothing.

use super::Rows;
use crate::{KernelUse, OpTime, Tap, Tensor, taps::TapFilter};
use std::time::{Duration, Instant};

/// Collects taps, kernels and times of one forward.
pub struct Recorder {
    filter: TapFilter,
    /// -1 before the first layer, the number of layers after the last.
    pub layer: i64,
    /// In data order.
    pub taps: Vec<Tap>,
    /// One entry per distinct (layer, op, kernel).
    pub kernels: Vec<KernelUse>,
    /// By op, in order of appearance.
    times: Vec<(&'static str, Duration)>,
    since: Instant,
}

impl Recorder {
    /// Nothing recorded yet, before the first layer.
    pub fn new(filter: TapFilter) -> Self {
        Self { filter, layer: -1, taps: Vec::new(), kernels: Vec::new(), times: Vec::new(), since: Instant::now() }
    }

    /// Whether somebody asked for this tap of the layer at hand.
    pub fn wants(&self, name: &str) -> bool {
        self.filter.wants(self.layer, name)
    }

    /// Keep `rows` as `[rows, dims...]` if somebody asked for this tap.
    pub fn tap(&mut self, name: &'static str, rows: &Rows, dims: &[usize]) {
        self.lap(name);
        if self.wants(name) {
            let shape = std::iter::once(rows.rows()).chain(dims.iter().copied()).collect();
            let tensor = Tensor::from_f32(rows.dtype, shape, &rows.values);
            self.taps.push(Tap { layer: self.layer, tap: name, tensor });
            self.lap("taps");
        }
    }

    /// What has passed since the last lap belongs to `op`.
    fn lap(&mut self, op: &'static str) {
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.since, now);
        match self.times.iter_mut().find(|(known, _)| *known == op) {
            Some((_, sum)) => *sum += passed,
            None => self.times.push((op, passed)),
        }
    }

    /// Time of each op, over all layers.
    pub fn times(&self) -> Vec<OpTime> {
        self.times.iter().map(|(op, time)| OpTime { op, ms: time.as_secs_f64() * 1e3 }).collect()
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
