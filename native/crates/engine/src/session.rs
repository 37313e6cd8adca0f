//! A session: the state of one or several rows, and the forwards that move it.

use crate::{
    Capture, LayerState, LogitRows, Model, Rewound, Step, Tensor, TopLogit, batch,
    forward::{self, Pass, Path, Recorder, Rows},
    need::Need,
    state::State,
    switches::Switches,
    taps::TapFilter,
};
use moire_base::{Control, Dtype, Error, Result, Status};
use moire_kernels::{Ctx, Isa, Pool, topk};
use serde_json::{Map, Value};
use std::{sync::Arc, time::Instant};

/// What a run carries from token to token, under fixed switches. Keeps its model alive.
pub struct Session {
    model: Arc<Model>,
    switches: Switches,
    pool: Arc<Pool>,
    state: State,
    notes: Vec<String>,
}

impl Session {
    /// An empty state. Made by `Model::open`.
    pub(crate) fn new(
        model: Arc<Model>,
        switches: Switches,
        pool: Arc<Pool>,
        batch: usize,
        notes: Vec<String>,
    ) -> Self {
        let act = act_dtype(&model, switches);
        let state = State::new(model.net(), batch, act);
        Self { model, switches, pool, state, notes }
    }

    /// The model it runs.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// All switches, resolved.
    pub fn switches(&self) -> Map<String, Value> {
        self.switches.to_map()
    }
    /// Threads it computes with: as many as the switch says, or one fewer by default while other work runs.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }
    /// What was done otherwise than asked, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
    /// Instruction set it computes with.
    pub fn isa(&self) -> &'static str {
        self.switches.isa.name()
    }
    /// Batch rows.
    pub fn batch(&self) -> usize {
        self.state.position.len()
    }
    /// Tokens in the state, per batch row.
    pub fn position(&self) -> Vec<usize> {
        self.state.position.clone()
    }

    /// The batched causal forward over a prompt; `ids[batch row]`, all of one length.
    /// Errors: `Invalid` for ids that are missing, uneven, beyond the vocabulary or beyond the context, or a bad tap pattern; `Memory`; `Cancelled`;
    /// `Io` if a weight file was cut or written to since the model was loaded.
    /// After an error the session is as it was.
    pub fn prefill(&mut self, ids: &[Vec<u32>], capture: &Capture, control: &Control) -> Result<Step> {
        self.run(Path::Prefill, ids, capture, control)
    }

    /// One token per batch row. Errors as [`prefill`](Self::prefill).
    pub fn decode(&mut self, ids: &[u32], capture: &Capture, control: &Control) -> Result<Step> {
        let ids: Vec<Vec<u32>> = ids.iter().map(|id| vec![*id]).collect();
        self.run(Path::Decode, &ids, capture, control)
    }

    /// A block of W rows per batch row; keeps what a rewind needs. Errors as [`prefill`](Self::prefill).
    pub fn verify(&mut self, ids: &[Vec<u32>], capture: &Capture, control: &Control) -> Result<Step> {
        self.run(Path::Verify, ids, capture, control)
    }

    fn run(&mut self, path: Path, ids: &[Vec<u32>], capture: &Capture, control: &Control) -> Result<Step> {
        let started = Instant::now();
        let model = Arc::clone(&self.model);
        let net = model.net();
        let width = self.check_ids(path, ids)?;
        let filter = TapFilter::parse(&capture.taps, net.layers.len())?;
        let logit_rows = logit_rows(capture.logits, self.batch(), width);
        let act = act_dtype(&model, self.switches);
        let (rows, growth) = (self.batch() * width, self.state.growth(width));
        let need = Need { net, filter: &filter, mode: capture.mode, act, rows, logit_rows: logit_rows.len(), growth };
        need.require()?;
        let room = need.taps();
        control.stage(stage(path), net.layers.len() as u64 + 1);
        let pool = Arc::clone(&self.pool);
        let ctx = Ctx::new(&pool, self.switches.isa, act, control);
        let recorder = Recorder::new(filter, capture.mode, self.switches.isa, room);
        let start = &self.state.position;
        let mut pass = Pass::new(ctx, self.switches, path, &net.rope, start, width, recorder);
        let ids = ids.concat();
        let forward = || {
            let hidden = forward::hidden(&mut pass, net, &mut self.state, &ids)?;
            forward_logits(&mut pass, &model, &hidden, &logit_rows)
        };
        let logits = model.files().guard(forward).inspect_err(|_| self.state.discard())?;
        self.state.commit(width, path == Path::Verify);
        let times = pass.recorder.times();
        let (taps, kernels) = pass.recorder.finish();
        Ok(Step {
            rows: ids.len(),
            batch: self.batch(),
            position: self.position(),
            top: logits.as_ref().map(|l| top(self.switches.isa, l, capture.top)).unwrap_or_default(),
            non_finite: logits.as_ref().map_or(0, |l| l.values.iter().filter(|v| !v.is_finite()).count()),
            logits: logits.map(|l| Tensor::from_f32(l.dtype, vec![l.rows(), l.width], &l.values)),
            logit_rows,
            taps: taps.tensors,
            hashes: taps.hashes,
            stats: taps.stats,
            kernels,
            times,
            elapsed: started.elapsed(),
        })
    }

    /// Positions of the call, if `ids` can be run from here.
    fn check_ids(&self, path: Path, ids: &[Vec<u32>]) -> Result<usize> {
        let config = &self.model.net().config;
        let batch = self.batch();
        if ids.len() != batch {
            let message = format!("{} rows of ids for a session with batch {batch}", ids.len());
            return Err(Error::invalid("/ids", message));
        }
        let width = ids.first().map_or(0, Vec::len);
        if width == 0 {
            return Err(Error::invalid("/ids", "no token ids; a call needs at least one per batch row"));
        }
        for (b, row) in ids.iter().enumerate() {
            let place = |i: usize| match (path, batch) {
                (Path::Decode, _) => format!("/ids/{b}"),
                (_, 1) => format!("/ids/{i}"),
                _ => format!("/ids/{b}/{i}"),
            };
            if row.len() != width {
                let message = format!("{} ids where row 0 has {width}; rows of a batch have one length", row.len());
                return Err(Error::invalid(format!("/ids/{b}"), message));
            }
            if let Some(i) = row.iter().position(|id| *id as usize >= config.vocab) {
                let message = format!("token id {} is beyond the vocabulary of {}", row[i], config.vocab);
                return Err(Error::invalid(place(i), message));
            }
            let end = self.state.position[b] + width;
            if end > config.max_positions {
                let message = format!("position {end} is beyond the context of {}", config.max_positions);
                return Err(Error::invalid("/ids", message));
            }
        }
        Ok(width)
    }

    /// Keep the first n rows of the last verify, per batch row, 1 <= n <= W. Keys and values are cut; gated delta layers are computed again
    /// from the state before the block over exactly the kept rows, token by token as decode does. A batch row that keeps all rows is left alone.
    /// Errors: `State` unless the last forward was a verify that was not rewound yet; `Invalid` for a wrong count.
    pub fn rewind(&mut self, kept_rows: &[usize]) -> Result<Rewound> {
        let Some(width) = self.state.verified else {
            let message = "nothing to rewind: the last forward was not a verify, or it was rewound already";
            return Err(Error::new(Status::State, "/kind", message));
        };
        if kept_rows.len() != self.batch() {
            let message = format!("{} counts for a session with batch {}", kept_rows.len(), self.batch());
            return Err(Error::invalid("/keptRows", message));
        }
        if let Some(b) = kept_rows.iter().position(|n| !(1..=width).contains(n)) {
            let message = format!("cannot keep {} rows of a block of {width}; use 1 to {width}", kept_rows[b]);
            return Err(Error::invalid(format!("/keptRows/{b}"), message));
        }
        let control = Control::default();
        let ctx = Ctx::new(&self.pool, self.switches.isa, act_dtype(&self.model, self.switches), &control);
        let layers = self.state.rewind(self.model.net(), &ctx, width, kept_rows)?;
        let dropped = kept_rows.iter().map(|n| width - n).collect();
        Ok(Rewound { asked: kept_rows.to_vec(), dropped, position: self.position(), layers })
    }

    /// An independent copy, what a rewind needs included. Keys and values are shared page by page until one side writes.
    pub fn fork(&self) -> Self {
        self.with_state(self.state.clone())
    }

    /// These batch rows, in this order, as a session of its own. It has nothing to rewind.
    /// Errors: `Invalid` for no rows, more than 64, or one that does not exist; `Memory`.
    pub fn fork_rows(&self, rows: &[usize]) -> Result<Self> {
        batch::check_rows(rows, self.batch())?;
        let rows: Vec<_> = rows.iter().map(|b| (&self.state, *b)).collect();
        Ok(self.with_state(State::gather(&rows)?))
    }

    /// A session whose batch rows are copies of those of this one and then of `others`, in order. It has nothing to rewind, also right after a verify.
    /// Errors: `Invalid` at `/sessions/<index>` for a session of another model or with other switches, at `/sessions` for more than 64 rows; `Memory`.
    pub fn join(&self, others: &[&Self]) -> Result<Self> {
        for (i, other) in others.iter().enumerate() {
            let place = format!("/sessions/{i}");
            if !Arc::ptr_eq(&self.model, &other.model) {
                let [own, path] = [self, *other].map(|session| &session.model.info().path);
                let message =
                    format!("it was opened on another loaded model ({path}; the target on {own}); open both on one");
                return Err(Error::invalid(place, message));
            }
            batch::check_switches(&place, &self.switches(), &other.switches())?;
        }
        let all = std::iter::once(self).chain(others.iter().copied());
        let rows: Vec<_> = all.flat_map(|session| (0..session.batch()).map(|b| (&session.state, b))).collect();
        batch::check_batch("/sessions", rows.len())?;
        Ok(self.with_state(State::gather(&rows)?))
    }

    fn with_state(&self, state: State) -> Self {
        Self {
            model: Arc::clone(&self.model),
            switches: self.switches,
            pool: Arc::clone(&self.pool),
            state,
            notes: self.notes.clone(),
        }
    }

    /// State tensors of one layer or of all. Errors: `Invalid` for a layer that does not exist; `Memory`.
    pub fn state(&self, layer: Option<usize>) -> Result<Vec<LayerState>> {
        let net = self.model.net();
        let layers = net.layers.len();
        match layer {
            Some(layer) if layer >= layers => {
                let message = format!("no layer {layer}; the model has {layers}, numbered from 0");
                Err(Error::invalid("/layer", message))
            }
            Some(layer) => Ok(vec![self.state.tensors(net, layer)?]),
            None => (0..layers).map(|layer| self.state.tensors(net, layer)).collect(),
        }
    }
}

fn act_dtype(model: &Model, switches: Switches) -> Dtype {
    if switches.f32_activations { Dtype::F32 } else { model.net().config.dtype }
}

fn stage(path: Path) -> &'static str {
    match path {
        Path::Prefill => "prefill",
        Path::Decode => "decode",
        Path::Verify => "verify",
    }
}

fn logit_rows(wanted: LogitRows, batch: usize, width: usize) -> Vec<usize> {
    match wanted {
        LogitRows::None => Vec::new(),
        LogitRows::Last => (1..=batch).map(|b| b * width - 1).collect(),
        LogitRows::All => (0..batch * width).collect(),
    }
}

fn forward_logits(pass: &mut Pass, model: &Model, hidden: &Rows, rows: &[usize]) -> Result<Option<Rows>> {
    if rows.is_empty() {
        return Ok(None);
    }
    forward::logits(pass, model.net(), hidden, rows).map(Some)
}

/// The `count` best of each row.
pub(crate) fn top(isa: Isa, logits: &Rows, count: usize) -> Vec<Vec<TopLogit>> {
    let best = |row: &[f32]| {
        let named = |c: topk::Candidate| TopLogit { id: c.id, logit: f64::from(c.logit) };
        topk::top_k(isa, row, count).into_iter().map(named).collect()
    };
    logits.values.chunks_exact(logits.width).map(best).collect()
}
