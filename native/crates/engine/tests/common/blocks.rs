//! A block against the chain of single steps over the same tokens: every tap of every row, then the state.

use super::{run, same_bytes};
use moire_engine::{Session, Step, Tensor};
use std::collections::BTreeSet;

/// Where a block parts from its chain.
#[derive(Debug, Default)]
pub struct Parting {
    /// The first differing tap in data order: layer, tap, row of the block.
    pub first: Option<(i64, &'static str, usize)>,
    /// State tensors that differ.
    pub states: BTreeSet<String>,
    /// Rows compared times taps.
    pub compared: usize,
}

impl Parting {
    pub fn none(&self) -> bool {
        self.first.is_none() && self.states.is_empty()
    }
}

pub fn row(t: &Tensor, row: usize) -> &[u8] {
    let size = t.row_len() * t.dtype.size();
    &t.data[row * size..(row + 1) * size]
}

/// Runs `ids` as single steps in `chain` and as one verify in `block`.
pub fn part(chain: &mut Session, block: &mut Session, ids: &[u32]) -> Parting {
    let steps: Vec<Step> = ids.iter().map(|id| run::decode(chain, *id, &run::all())).collect();
    let whole = run::verify(block, ids, &run::all());
    let mut parting = Parting::default();
    for (k, tap) in whole.taps.iter().enumerate() {
        for (t, step) in steps.iter().enumerate() {
            let one = &step.taps[k];
            assert_eq!((one.layer, one.tap, one.tensor.dtype), (tap.layer, tap.tap, tap.tensor.dtype));
            parting.compared += 1;
            if row(&tap.tensor, t) != row(&one.tensor, 0) && parting.first.is_none() {
                parting.first = Some((tap.layer, tap.tap, t));
            }
        }
    }
    let (a, b) = (run::caches(chain), run::caches(block));
    parting.states = a.iter().filter(|(name, t)| !same_bytes(t, &b[*name])).map(|(name, _)| name.clone()).collect();
    parting
}
