//! A draft session: what a drafter has seen beside a session of the target, and what it proposes.

use super::{
    Drafter, Observation, Proposal, Wish, call::Call, dflash, features::Features, mtp, proposal::by_batch_row,
    state::DraftState, switches::DraftSwitches,
};
use crate::{LayerState, NamedTensor, batch};
use moire_base::{Control, Dtype, Error, Result, Status, memory};
use moire_checkpoint::DrafterKind;
use moire_kernels::{Ctx, Pool};
use serde_json::{Map, Value};
use std::{sync::Arc, time::Instant};

/// The drafter's own state under fixed switches. Keeps its drafter alive.
pub struct DraftSession {
    drafter: Arc<Drafter>,
    switches: DraftSwitches,
    pool: Arc<Pool>,
    state: DraftState,
    notes: Vec<String>,
}

impl DraftSession {
    /// An empty state. Made by `Drafter::open`.
    pub(super) fn new(
        drafter: Arc<Drafter>,
        switches: DraftSwitches,
        pool: Arc<Pool>,
        batch: usize,
        notes: Vec<String>,
    ) -> Self {
        let state = DraftState::new(drafter.net(), batch);
        Self { drafter, switches, pool, state, notes }
    }

    /// All switches, resolved.
    pub fn switches(&self) -> Map<String, Value> {
        self.switches.to_map()
    }
    /// Threads it computes with.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }
    /// What was done otherwise than asked, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
    /// Instruction set it computes with.
    pub fn isa(&self) -> &'static str {
        self.switches.shared.isa.name()
    }
    /// Batch rows.
    pub fn batch(&self) -> usize {
        self.state.position.len()
    }
    /// Committed rows it has seen, per batch row.
    pub fn position(&self) -> Vec<usize> {
        self.state.position.clone()
    }

    /// Take in committed rows; the last `next` of a batch row is what its next proposal begins from. An MTP head forgets what it proposed.
    ///
    /// # Errors
    /// `Invalid` for features that are not what the taps give, rows or ids that do not fit, or a position beyond the target's context; `Memory`;
    /// `Cancelled`; `Io` if a weight file was cut or written to since it was loaded. After an error the session has the committed rows that it had.
    pub fn observe(&mut self, observation: Observation, control: &Control) -> Result<()> {
        let drafter = Arc::clone(&self.drafter);
        let net = drafter.net();
        let features = Features::new(observation, drafter.info(), self.batch(), self.act())?;
        let counts = features.counts();
        self.check_observation(&features, &counts)?;
        if self.state.is_empty() {
            self.state.prepare(net, self.act(), features.dtype);
        }
        let width = 2 * net.fc.weight.cols() + 4 * net.config.hidden + 3 * net.config.intermediate;
        let bytes = features.largest() * width * size_of::<f32>() + self.state.growth(0, &counts);
        memory::require("an observation", bytes)?;
        control.stage("observe", (features.chunks().count() * net.layers.len()) as u64);
        let pool = Arc::clone(&self.pool);
        let call = self.call(&drafter, &pool, control);
        let state = &mut self.state;
        let observe = || {
            match &net.kind {
                DrafterKind::Dflash(_) => dflash::observe(&call, state, &features)?,
                DrafterKind::Mtp => mtp::observe(&call, state, &features)?,
            }
            // They may be of a file too.
            features.check()
        };
        drafter.files().guard(observe).inspect_err(|_| state.discard())?;
        state.commit(net, &counts, features.last());
        Ok(())
    }

    fn check_observation(&self, features: &Features, counts: &[usize]) -> Result<()> {
        let context = self.drafter.target().net().config.max_positions;
        let ends = self.state.position.iter().zip(counts).map(|(p, n)| p + n);
        if let Some((b, end)) = ends.enumerate().find(|(_, end)| *end > context) {
            let message = format!("position {end} is beyond the context of {context}");
            return Err(Error::invalid(format!("/rows/{b}"), message));
        }
        match self.state.observed().filter(|first| *first != features.dtype) {
            Some(first) => Err(other_features("/features", features.dtype, first)),
            None => Ok(()),
        }
    }

    /// Greedy tokens after the last observed one, or after given ones.
    ///
    /// # Errors
    /// `State` before every batch row has a row; `Invalid` for a width below 2 or beyond a sliding window, or for `after` that does not fit;
    /// `Unsupported` for `after` with a drafter that fills whole blocks; `Memory`; `Cancelled`; `Io` as in `observe`. After an error an MTP head may have forgotten what it
    /// proposed.
    pub fn propose(&mut self, wish: &Wish, control: &Control) -> Result<Proposal> {
        let started = Instant::now();
        let drafter = Arc::clone(&self.drafter);
        let net = drafter.net();
        if let Some(b) = self.state.next.iter().position(Option::is_none) {
            let message = format!("batch row {b} has observed nothing yet; observe committed rows first");
            return Err(Error::new(Status::State, "/kind", message));
        }
        wish.check(drafter.info(), self.batch())?;
        let rows = self.batch() * (wish.width - 1);
        let logits = rows * net.config.vocab * (2 * size_of::<f32>() + self.act().size());
        let growth = self.state.growth(self.state.chain.drafted, &vec![wish.width; self.batch()]);
        memory::require(format!("a proposal of {rows} rows"), logits + growth)?;
        let steps = if matches!(net.kind, DrafterKind::Mtp) { wish.width - 1 } else { 1 };
        control.stage("propose", (steps * net.layers.len()) as u64);
        let pool = Arc::clone(&self.pool);
        let call = self.call(&drafter, &pool, control);
        let state = &mut self.state;
        let logits = drafter.files().guard(|| match &net.kind {
            DrafterKind::Dflash(d) => dflash::propose(&call, d, state, wish.width),
            DrafterKind::Mtp => Ok(by_batch_row(&mtp::propose(&call, state, wish.width, wish.after.as_deref())?)),
        })?;
        Ok(Proposal::new(self.switches.shared.isa, &logits, wish, started))
    }

    /// An independent copy. Keys and values are shared page by page until one side writes.
    pub fn fork(&self) -> Self {
        self.with_state(self.state.clone())
    }

    /// These batch rows, in this order, as a draft session of its own. Errors: `Invalid` for no rows, more than 64, or one that does not exist.
    pub fn fork_rows(&self, rows: &[usize]) -> Result<Self> {
        batch::check_rows(rows, self.batch())?;
        let rows: Vec<_> = rows.iter().map(|b| (&self.state, *b)).collect();
        Ok(self.with_state(DraftState::gather(&rows)))
    }

    /// A draft session whose batch rows are copies of those of this one and then of `others`, in order. They may have seen any number of rows, or none. What an
    /// MTP head proposed is not in it.
    /// Errors: `Invalid` at `/drafts/<index>` for one of another drafter, with other switches, or that saw features of another dtype, at `/drafts` for more
    /// than 64 rows.
    pub fn join(&self, others: &[&Self]) -> Result<Self> {
        let mut features = self.state.observed();
        for (i, other) in others.iter().enumerate() {
            let place = format!("/drafts/{i}");
            if !Arc::ptr_eq(&self.drafter, &other.drafter) {
                let [own, path] = [self, *other].map(|draft| &draft.drafter.info().path);
                let message =
                    format!("it was opened on another loaded drafter ({path}; the target on {own}); open both on one");
                return Err(Error::invalid(place, message));
            }
            batch::check_switches(&place, &self.switches(), &other.switches())?;
            match (features, other.state.observed()) {
                (Some(known), Some(seen)) if known != seen => return Err(other_features(place, seen, known)),
                (known, seen) => features = known.or(seen),
            }
        }
        let all = std::iter::once(self).chain(others.iter().copied());
        let rows: Vec<_> = all.flat_map(|draft| (0..draft.batch()).map(|b| (&draft.state, b))).collect();
        batch::check_batch("/drafts", rows.len())?;
        let mut state = DraftState::gather(&rows);
        state.chain.restart();
        Ok(self.with_state(state))
    }

    fn with_state(&self, state: DraftState) -> Self {
        Self {
            drafter: Arc::clone(&self.drafter),
            switches: self.switches,
            pool: Arc::clone(&self.pool),
            state,
            notes: self.notes.clone(),
        }
    }

    /// Keys and values of committed rows in every layer, `[batch, kv heads, longest position, head dim]` (shorter rows end in zeros). Positions that a
    /// sliding layer does not see any more hold anything. Errors: `Memory`.
    pub fn state(&self) -> Result<Vec<LayerState>> {
        let named = |(name, tensor): (&str, _)| NamedTensor { name: name.to_owned(), tensor };
        let layers = self.state.caches.iter().enumerate().map(|(layer, cache)| {
            let tensors = cache.tensors(&self.state.position)?.map(named).to_vec();
            Ok(LayerState { layer, kind: "attention", tensors })
        });
        layers.collect()
    }

    fn act(&self) -> Dtype {
        if self.switches.shared.f32_activations { Dtype::F32 } else { self.drafter.target().net().config.dtype }
    }

    fn call<'a>(&self, drafter: &'a Drafter, pool: &'a Pool, control: &'a Control) -> Call<'a> {
        Call {
            net: drafter.net(),
            target: drafter.target().net(),
            ctx: Ctx::new(pool, self.switches.shared.isa, self.act(), control),
            switches: self.switches,
        }
    }
}

fn other_features(place: impl Into<String>, seen: Dtype, first: Dtype) -> Error {
    let message = format!(
        "{} where the features of the first observation were {}; take all from sessions with the same activations",
        seen.name(),
        first.name()
    );
    Error::invalid(place, message)
}
