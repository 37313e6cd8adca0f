//! What the forwards of both families are given.

use super::{net::DraftNet, switches::DraftSwitches};
use crate::{
    CaptureMode,
    forward::{Pass, Recorder},
    net::Net,
    taps::TapFilter,
};
use moire_kernels::Ctx;

/// One observation or proposal: the networks, where it runs, and the switches.
pub struct Call<'a> {
    /// The drafter.
    pub net: &'a DraftNet,
    /// Has embedding and head.
    pub target: &'a Net,
    /// Threads, instruction set, activation dtype, cancel.
    pub ctx: Ctx<'a>,
    /// The session's choices.
    pub switches: DraftSwitches,
}

impl<'a> Call<'a> {
    /// A forward over `widths[batch row]` positions from `start[batch row]` on. It records nothing.
    pub fn pass(&self, start: &[usize], widths: &[usize]) -> Pass<'a> {
        let shared = self.switches.shared;
        let recorder = Recorder::new(TapFilter::none(), CaptureMode::Bytes, shared.isa, 0);
        Pass::ragged(self.ctx, shared, &self.net.rope, start, widths, recorder)
    }
}

/// Where the rows of a chunk stand.
pub fn positions(position: &[usize], chunk: &[std::ops::Range<usize>]) -> (Vec<usize>, Vec<usize>) {
    let start = position.iter().zip(chunk).map(|(p, part)| p + part.start).collect();
    (start, chunk.iter().map(ExactSizeIterator::len).collect())
}
