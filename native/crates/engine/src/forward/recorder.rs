//! What a forward leaves behind besides its result: taps, which kernel ran each op, and how long each op took. It only copies, so it changes nothing.

use super::Rows;
use crate::{
    CaptureMode, KernelUse, OpTime, Tap, TapHash, TapPlace, TapStats, Taps, Tensor,
    taps::{TapFilter, digest},
};
use moire_base::{Bytes, Dtype};
use moire_kernels::{Isa, convert, stats};
use std::{
    ops::Range,
    time::{Duration, Instant},
};

/// Collects taps, kernels and times of one forward.
pub struct Recorder {
    filter: TapFilter,
    mode: CaptureMode,
    isa: Isa,
    /// -1 before the first layer, the number of layers after the last.
    pub layer: i64,
    /// One entry per distinct (layer, op, kernel).
    pub kernels: Vec<KernelUse>,
    /// Bytes of all taps, one after another; of one tap alone where only its hash is kept.
    arena: Vec<u8>,
    parts: Vec<(TapPlace, Range<usize>)>,
    hashes: Vec<TapHash>,
    stats: Vec<TapStats>,
    /// By op, in order of appearance.
    times: Vec<(&'static str, Duration)>,
    since: Instant,
}

impl Recorder {
    /// Nothing recorded yet, before the first layer. `room`: bytes of all taps that will be kept.
    pub fn new(filter: TapFilter, mode: CaptureMode, isa: Isa, room: usize) -> Self {
        Self {
            filter,
            mode,
            isa,
            layer: -1,
            kernels: Vec::new(),
            arena: Vec::with_capacity(room),
            parts: Vec::new(),
            hashes: Vec::new(),
            stats: Vec::new(),
            times: Vec::new(),
            since: Instant::now(),
        }
    }

    /// Whether somebody asked for this tap of the layer at hand.
    pub fn wants(&self, name: &str) -> bool {
        self.filter.wants(self.layer, name)
    }

    /// Record `rows` as `[rows, dims...]` if somebody asked for this tap.
    pub fn tap(&mut self, name: &'static str, rows: &Rows, dims: &[usize]) {
        self.lap(name);
        if !self.wants(name) {
            return;
        }
        let shape = std::iter::once(rows.rows()).chain(dims.iter().copied()).collect();
        let place = TapPlace { layer: self.layer, tap: name, dtype: rows.dtype, shape };
        match self.mode {
            CaptureMode::Bytes => self.keep(place, &rows.values),
            CaptureMode::Hash => self.hash(place, rows),
            CaptureMode::Stats => self.stats.push(TapStats { stats: stats::stats(self.isa, &rows.values), place }),
        }
        self.lap("taps");
    }

    fn keep(&mut self, place: TapPlace, values: &[f32]) {
        let start = self.arena.len();
        convert::narrow(self.isa, place.dtype, values, &mut self.arena);
        self.parts.push((place, start..self.arena.len()));
    }

    fn hash(&mut self, place: TapPlace, rows: &Rows) {
        self.arena.clear();
        convert::narrow(self.isa, place.dtype, &rows.values, &mut self.arena);
        let row = rows.width * place.dtype.size();
        let hash = digest(&self.arena);
        let rows = if self.arena.len() == row { vec![hash] } else { self.arena.chunks(row).map(digest).collect() };
        self.hashes.push(TapHash { place, hash, rows });
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

    /// What was recorded, in data order: the tensors share one allocation.
    pub fn finish(self) -> (Taps, Vec<KernelUse>) {
        let bytes = Bytes::from(if self.mode == CaptureMode::Bytes { self.arena } else { Vec::new() });
        let tensor = |dtype: Dtype, shape: Vec<usize>, part: Range<usize>| {
            let data = bytes.slice(part.start, part.end).expect("a part of the arena");
            Tensor { dtype, shape, data }
        };
        let tap =
            |(TapPlace { layer, tap, dtype, shape }, part)| Tap { layer, tap, tensor: tensor(dtype, shape, part) };
        let tensors = self.parts.into_iter().map(tap).collect();
        (Taps { tensors, hashes: self.hashes, stats: self.stats }, self.kernels)
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
