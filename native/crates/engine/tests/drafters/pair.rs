//! A drafter beside its target, and short ways to use both.

use crate::common::{Golden, goldens, run};
use moire_base::{Bytes, Control, Dtype};
use moire_engine::{DraftSession, Drafter, Model, Observation, Proposal, Session, Step, Tensor, Wish};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub const DFLASH: [&str; 2] = ["dflash-tiny-full", "dflash-tiny-sliding"];

pub fn folder(name: &str) -> PathBuf {
    goldens().join("drafters").join(name)
}

pub fn load(path: &Path, target: &Arc<Model>) -> Arc<Drafter> {
    Drafter::load(path, target, &Control::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The drafter of this name beside the target of the case, whose reference is `ref/<kind>.<case>`.
pub fn pair(kind: &str, case: &str, name: &str) -> (Golden, Arc<Drafter>) {
    let golden = Golden::open_ref(case, &format!("{kind}.{case}"));
    let drafter = load(&folder(name), &golden.model);
    (golden, drafter)
}

pub fn open(drafter: &Arc<Drafter>, switches: &Value, batch: usize) -> DraftSession {
    drafter.open(switches.as_object().unwrap(), batch).unwrap_or_else(|e| panic!("{switches}: {e}"))
}

/// What a forward must record for this drafter.
pub fn taps(drafter: &Drafter) -> Vec<&str> {
    drafter.info().taps.iter().map(String::as_str).collect()
}

/// The features in a step, in the drafter's order.
pub fn features(step: &Step, drafter: &Drafter) -> Vec<Arc<Tensor>> {
    let named = |name: &String| step.taps.iter().find(|t| format!("{}.{}", t.layer, t.tap) == *name).unwrap();
    drafter.info().taps.iter().map(|name| Arc::new(named(name).tensor.clone())).collect()
}

pub fn observe(draft: &mut DraftSession, features: &[Arc<Tensor>], rows: &[[usize; 2]], next: &[Vec<u32>]) {
    let observation = Observation { features: features.to_vec(), rows: rows.to_vec(), next: next.to_vec() };
    draft.observe(observation, &Control::default()).unwrap();
}

pub fn wish(width: usize) -> Wish {
    Wish { width, logits: true, top: 2, after: None }
}

pub fn propose(draft: &mut DraftSession, wish: &Wish) -> Proposal {
    draft.propose(wish, &Control::default()).unwrap()
}

pub fn logits(proposal: &Proposal) -> &Tensor {
    proposal.logits.as_ref().unwrap()
}

/// The target and the drafter after the prompt and its first token.
pub fn after_prompt(
    golden: &Golden,
    drafter: &Arc<Drafter>,
    switches: &Value,
    own: &Value,
) -> (Session, DraftSession, u32) {
    let mut session = run::open(&golden.model, switches, 1);
    let ids = golden.ids("/prompt");
    let step = run::prefill(&mut session, &ids, &run::with(&taps(drafter)));
    let anchor = step.top.last().unwrap()[0].id;
    let mut draft = open(drafter, own, 1);
    observe(&mut draft, &features(&step, drafter), &[[0, ids.len()]], &[[&ids[1..], &[anchor]].concat()]);
    (session, draft, anchor)
}

/// Rows `from..to` of a tensor.
pub fn rows(t: &Tensor, from: usize, to: usize) -> Tensor {
    let size = t.row_len() * t.dtype.size();
    let shape = std::iter::once(to - from).chain(t.shape[1..].iter().copied()).collect();
    Tensor::new(t.dtype, shape, Bytes::from(t.data[from * size..to * size].to_vec())).unwrap()
}

/// Positions `from..to` of keys or values `[1, heads, positions, dim]`.
pub fn positions(t: &Tensor, from: usize, to: usize) -> Tensor {
    let [_, heads, all, dim] = t.shape[..] else { panic!("{}", t.describe()) };
    let size = dim * t.dtype.size();
    let head = |h: usize| t.data[(h * all + from) * size..(h * all + to) * size].to_vec();
    let data: Vec<u8> = (0..heads).flat_map(head).collect();
    Tensor::new(t.dtype, vec![1, heads, to - from, dim], data.into()).unwrap()
}

/// Features of nobody: `count` tensors `[rows, hidden]` of numbers around 0.
pub fn noise(count: usize, rows: usize, hidden: usize, dtype: Dtype) -> Vec<Arc<Tensor>> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut tensor = || {
        let values: Vec<f32> = (0..rows * hidden).map(|_| next()).collect();
        Arc::new(Tensor::new(dtype, vec![rows, hidden], dtype.narrow(&values).into()).unwrap())
    };
    (0..count).map(|_| tensor()).collect()
}

/// As many tokens, of the smallest vocabulary.
pub fn tokens(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| (i * 97 + 13) % 400).collect()
}
