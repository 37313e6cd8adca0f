//! Short ways to run a session in tests.

use moire_base::Control;
use moire_engine::{Capture, CaptureMode, LogitRows, Model, Session, Step, Tensor};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

pub fn open(model: &Arc<Model>, switches: &Value, batch: usize) -> Session {
    model.open(switches.as_object().unwrap(), batch).unwrap_or_else(|e| panic!("{switches}: {e}"))
}

/// Everything: all taps, all logits.
pub fn all() -> Capture {
    Capture { taps: vec!["*".into()], mode: CaptureMode::Bytes, logits: LogitRows::All, top: 2 }
}

/// All logits and the taps named.
pub fn with(taps: &[&str]) -> Capture {
    Capture {
        taps: taps.iter().map(|t| (*t).to_owned()).collect(),
        mode: CaptureMode::Bytes,
        logits: LogitRows::All,
        top: 2,
    }
}

pub fn prefill(session: &mut Session, ids: &[u32], capture: &Capture) -> Step {
    let ids = vec![ids.to_vec(); session.batch()];
    session.prefill(&ids, capture, &Control::default()).unwrap()
}

pub fn decode(session: &mut Session, id: u32, capture: &Capture) -> Step {
    let ids = vec![id; session.batch()];
    session.decode(&ids, capture, &Control::default()).unwrap()
}

pub fn verify(session: &mut Session, ids: &[u32], capture: &Capture) -> Step {
    let ids = vec![ids.to_vec(); session.batch()];
    session.verify(&ids, capture, &Control::default()).unwrap()
}

pub fn logits(step: &Step) -> &Tensor {
    step.logits.as_ref().unwrap()
}

/// All state tensors, named as the goldens name them: `0.conv`, `0.rec`, `3.k`, `3.v`.
pub fn caches(session: &Session) -> BTreeMap<String, Tensor> {
    let short = |name: &str| match name {
        "conv_state" => "conv".to_owned(),
        "recurrent_state" => "rec".to_owned(),
        name => name.to_owned(),
    };
    let layers = session.state(None).unwrap().into_iter();
    layers
        .flat_map(|l| l.tensors.into_iter().map(move |t| (format!("{}.{}", l.layer, short(&t.name)), t.tensor)))
        .collect()
}

/// Logits of single-token steps, one row a step.
pub fn decode_logits(session: &mut Session, ids: &[u32]) -> Tensor {
    let steps: Vec<Step> = ids.iter().map(|id| decode(session, *id, &with(&[]))).collect();
    let first = logits(&steps[0]);
    let data: Vec<u8> = steps.iter().flat_map(|s| logits(s).data.to_vec()).collect();
    Tensor::new(first.dtype, vec![ids.len(), first.shape[1]], data.into()).unwrap()
}
