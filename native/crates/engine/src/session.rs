//! A session: the state of one or several rows, and the forwards that move it.

use crate::{Capture, LayerState, Model, Rewound, Step};
use moire_base::{Control, Error, Result};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a run carries from token to token, under fixed switches.
pub struct Session {
    model: Arc<Model>,
    switches: Map<String, Value>,
    position: Vec<usize>,
}

impl Session {
    /// The model it runs.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// All switches, resolved.
    pub fn switches(&self) -> &Map<String, Value> {
        &self.switches
    }
    /// Threads it computes with.
    pub fn threads(&self) -> usize {
        1
    }
    /// Instruction set it computes with.
    pub fn isa(&self) -> &'static str {
        "scalar"
    }
    /// Batch rows.
    pub fn batch(&self) -> usize {
        self.position.len()
    }
    /// Positions in the state, per batch row.
    pub fn position(&self) -> Vec<usize> {
        self.position.clone()
    }
    /// The batched causal forward over a prompt; `ids[batch row]`, all of one length.
    pub fn prefill(&mut self, ids: &[Vec<u32>], capture: &Capture, control: &Control) -> Result<Step> {
        let _ = (ids, capture, control);
        Err(Error::unsupported("", "no forward yet"))
    }
    /// One token per batch row.
    pub fn decode(&mut self, ids: &[u32], capture: &Capture, control: &Control) -> Result<Step> {
        let _ = (ids, capture, control);
        Err(Error::unsupported("", "no forward yet"))
    }
    /// A block of W rows; keeps what a rewind needs.
    pub fn verify(&mut self, ids: &[Vec<u32>], capture: &Capture, control: &Control) -> Result<Step> {
        let _ = (ids, capture, control);
        Err(Error::unsupported("", "no forward yet"))
    }
    /// Keep the first n rows of the last verify, per batch row.
    pub fn rewind(&mut self, kept_rows: &[usize]) -> Result<Rewound> {
        let _ = kept_rows;
        Err(Error::unsupported("", "no forward yet"))
    }
    /// An independent copy.
    pub fn fork(&self) -> Self {
        Self { model: Arc::clone(&self.model), switches: self.switches.clone(), position: self.position.clone() }
    }
    /// State tensors of one layer or of all.
    pub fn state(&self, layer: Option<usize>) -> Result<Vec<LayerState>> {
        let _ = layer;
        Ok(Vec::new())
    }
}
