//! Result documents. Each names the handles it made; `made` frees them if the job does not come to its end.

use crate::{
    handle::{Made, Object},
    session::{DraftSlot, SessionSlot},
};
use moire_base::{Error, Result, Status};
use moire_engine::{
    Diff, DraftSession, Drafter, DrafterInfo, LayerState, Model, ModelInfo, Proposal, Session, StoredAs, Tensor,
    TensorFile, TopLogit,
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A tensor and its handle.
#[derive(Serialize)]
pub struct TensorRef {
    handle: u64,
    dtype: &'static str,
    shape: Vec<usize>,
}

#[derive(Serialize)]
struct NamedRef {
    name: String,
    #[serde(flatten)]
    tensor: TensorRef,
}

/// A handle for `tensor`.
pub fn tensor_ref(tensor: Tensor, made: &mut Made) -> TensorRef {
    let (dtype, shape) = (tensor.dtype.name(), tensor.shape.clone());
    TensorRef { handle: made.add(Object::Tensor(Arc::new(tensor))), dtype, shape }
}

/// Any document as UTF-8 JSON.
pub fn document(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::new(Status::Internal, "result", e.to_string()))
}

/// Result of `load`.
pub fn model(model: Arc<Model>, made: &mut Made) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Loaded<'a> {
        handle: u64,
        model: &'a ModelInfo,
    }
    let handle = made.add(Object::Model(Arc::clone(&model)));
    document(&Loaded { handle, model: model.info() })
}

/// A session or a draft session that was opened.
#[derive(Serialize)]
struct Opened {
    handle: u64,
    switches: Map<String, Value>,
    threads: usize,
    isa: &'static str,
    batch: usize,
    notes: Vec<String>,
}

/// A copy of one.
#[derive(Serialize)]
struct Forked {
    handle: u64,
    position: Vec<usize>,
}

/// Result of `open`.
pub fn session(session: Session, made: &mut Made) -> Result<Vec<u8>> {
    let (switches, threads, notes) = (session.switches().clone(), session.threads(), session.notes().to_vec());
    let (isa, batch) = (session.isa(), session.batch());
    let handle = made.add(Object::Session(Arc::new(SessionSlot::new(session))));
    document(&Opened { handle, switches, threads, isa, batch, notes })
}

/// Result of `fork` and `join`.
pub fn fork(session: Session, made: &mut Made) -> Result<Vec<u8>> {
    let position = session.position();
    let handle = made.add(Object::Session(Arc::new(SessionSlot::new(session))));
    document(&Forked { handle, position })
}

/// Result of `loadDrafter`.
pub fn drafter(drafter: Arc<Drafter>, made: &mut Made) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Loaded<'a> {
        handle: u64,
        drafter: &'a DrafterInfo,
    }
    let handle = made.add(Object::Drafter(Arc::clone(&drafter)));
    document(&Loaded { handle, drafter: drafter.info() })
}

/// Result of `openDraft`.
pub fn draft(session: DraftSession, made: &mut Made) -> Result<Vec<u8>> {
    let (switches, threads, notes) = (session.switches(), session.threads(), session.notes().to_vec());
    let (isa, batch) = (session.isa(), session.batch());
    let handle = made.add(Object::Draft(Arc::new(DraftSlot::new(session))));
    document(&Opened { handle, switches, threads, isa, batch, notes })
}

/// Result of `observe`.
pub fn observed(session: &DraftSession, elapsed: Duration) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Observed {
        position: Vec<usize>,
        ms: f64,
    }
    document(&Observed { position: session.position(), ms: elapsed.as_secs_f64() * 1e3 })
}

/// Result of `propose`.
pub fn proposal(proposal: Proposal, made: &mut Made) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Proposed {
        ids: Vec<Vec<u32>>,
        logits: Option<TensorRef>,
        top: Vec<Vec<TopLogit>>,
        ms: f64,
    }
    let Proposal { ids, logits, top, elapsed } = proposal;
    let logits = logits.map(|t| tensor_ref(t, made));
    document(&Proposed { ids, logits, top, ms: elapsed.as_secs_f64() * 1e3 })
}

/// Result of `forkDraft` and `joinDraft`.
pub fn fork_draft(session: DraftSession, made: &mut Made) -> Result<Vec<u8>> {
    let position = session.position();
    let handle = made.add(Object::Draft(Arc::new(DraftSlot::new(session))));
    document(&Forked { handle, position })
}

/// Result of `state`.
pub fn state(position: Vec<usize>, layers: Vec<LayerState>, made: &mut Made) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Layer {
        layer: usize,
        kind: &'static str,
        tensors: Vec<NamedRef>,
    }
    #[derive(Serialize)]
    struct StateDocument {
        position: Vec<usize>,
        layers: Vec<Layer>,
    }
    let layers = layers.into_iter().map(|l| Layer { layer: l.layer, kind: l.kind, tensors: named(l.tensors, made) });
    let layers = layers.collect();
    document(&StateDocument { position, layers })
}

/// Result of `tensors`.
pub fn file(file: TensorFile, made: &mut Made) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct FileDocument {
        metadata: BTreeMap<String, String>,
        tensors: Vec<StoredRef>,
    }
    #[derive(Serialize)]
    struct StoredRef {
        #[serde(flatten)]
        named: NamedRef,
        #[serde(skip_serializing_if = "Option::is_none")]
        stored: Option<StoredAs>,
    }
    let tensors = file.tensors.into_iter().map(|t| {
        let named = NamedRef { name: t.name, tensor: tensor_ref(t.tensor, made) };
        StoredRef { named, stored: t.stored }
    });
    let tensors = tensors.collect();
    document(&FileDocument { metadata: file.metadata, tensors })
}

fn named(tensors: Vec<moire_engine::NamedTensor>, made: &mut Made) -> Vec<NamedRef> {
    tensors.into_iter().map(|t| NamedRef { name: t.name, tensor: tensor_ref(t.tensor, made) }).collect()
}

/// Result of `diff`. `brief` leaves out pairs that are equal and finite throughout, and numbers the others.
pub fn diffs(pairs: &[Diff], brief: bool) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Diffs<T> {
        pairs: T,
    }
    #[derive(Serialize)]
    struct Numbered<'a> {
        index: usize,
        #[serde(flatten)]
        diff: &'a Diff,
    }
    if !brief {
        return document(&Diffs { pairs });
    }
    let told = pairs.iter().enumerate().filter(|(_, diff)| !diff.is_plain());
    document(&Diffs { pairs: told.map(|(index, diff)| Numbered { index, diff }).collect::<Vec<_>>() })
}

/// Result of `tokenize`.
pub fn ids(ids: Vec<u32>) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct IdsDocument {
        ids: Vec<u32>,
    }
    document(&IdsDocument { ids })
}
