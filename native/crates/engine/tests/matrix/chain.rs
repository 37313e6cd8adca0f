//! The reference: a chain of single steps, with its state at the places where walks compare it.

use crate::axes::Walk;
use crate::common::run;
use crate::walk::{ids, state_places};
use moire_engine::{Model, Step, Tensor};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// What single steps gave.
pub(crate) struct Chain {
    /// By position: all taps and the logits of one row.
    pub(crate) steps: Vec<Step>,
    /// By number of tokens in the state: its tensors by name.
    pub(crate) states: BTreeMap<usize, BTreeMap<String, Tensor>>,
}

impl Chain {
    /// Runs the tokens of the compared row one by one, on one thread, as far as the walks go.
    pub(crate) fn record(model: &Arc<Model>, switches: &Value, isa: &str, walks: &[Walk]) -> Self {
        let mut switches = switches.clone();
        (switches["isa"], switches["threads"]) = (json!(isa), json!(1));
        let mut session = run::open(model, &switches, 1);
        let wanted: BTreeSet<usize> = walks.iter().flat_map(state_places).collect();
        let (mut steps, mut states) = (Vec::new(), BTreeMap::new());
        // Taps only where some walk compares them: those of a long chain would fill the memory.
        let capture = if walks.iter().any(|walk| walk.run.capture) { run::all() } else { run::with(&[]) };
        for id in ids(model, wanted.last().copied().unwrap_or_default(), 0) {
            steps.push(run::decode(&mut session, id, &capture));
            if wanted.contains(&steps.len()) {
                states.insert(steps.len(), run::caches(&session));
            }
        }
        Self { steps, states }
    }
}
