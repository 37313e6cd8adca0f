//! One walk: prefill, then its blocks in forks that are rewound or in the session itself, compared with the chain.

use crate::axes::{Run, Walk};
use crate::chain::Chain;
use crate::common::{blocks::row, run};
use moire_base::Control;
use moire_engine::{Capture, Model, Session, Step, Tensor};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

/// Tokens that all rows of a batch run first, and how many each keeps: so the rows stand at unequal positions.
const LEAD: usize = 5;
/// Of the row that is compared.
const LEAD_KEPT: usize = 3;

/// Rows of a block that a rewind keeps.
fn kept(width: usize) -> usize {
    width.div_ceil(2)
}

/// Numbers of tokens at which the state is compared.
pub(crate) fn state_places(walk: &Walk) -> BTreeSet<usize> {
    let places = |(at, block): (usize, crate::axes::Block)| [at, at + kept(block.width), at + block.width];
    walk.placed().into_iter().flat_map(places).chain([walk.prompt]).collect()
}

/// Ids all over the vocabulary; `row` 0 are those of the chain.
pub(crate) fn ids(model: &Model, count: usize, row: usize) -> Vec<u32> {
    let (vocab, row) = (model.info().vocab as u64, row as u64);
    (0..count as u64).map(|i| ((i * 7919 + row * 104_729 + i * i * 31) % vocab) as u32).collect()
}

struct Comparison<'a> {
    run: &'a Run,
    chain: &'a Chain,
    capture: Capture,
    /// Ids of every batch row, the compared row at index `own`.
    ids: Vec<Vec<u32>>,
    own: usize,
}

/// Walks; the error says where the first byte differs.
pub(crate) fn walk(model: &Arc<Model>, switches: &Value, walk: &Walk, chain: &Chain) -> Result<(), String> {
    let run = &walk.run;
    let mut switches = switches.clone();
    (switches["isa"], switches["threads"]) = (json!(run.isa), json!(run.threads));
    let mut session = run::open(model, &switches, run.batch);
    let own = run.batch / 2;
    let count = chain.steps.len() + LEAD;
    let ids = (0..run.batch).map(|b| ids(model, count, (b + run.batch - own) % run.batch)).collect();
    let capture = if run.capture { run::all() } else { run::with(&[]) };
    let comparison = Comparison { run, chain, capture, ids, own };
    comparison.prefill(&mut session, walk.prompt)?;
    for (at, block) in walk.placed() {
        let width = block.width;
        if block.forked {
            let mut fork = session.fork();
            comparison.verify(&mut fork, at, width).map_err(|e| format!("width {width}, forked: {e}"))?;
            let rewound = comparison.rewind(&mut fork, at, width);
            rewound.map_err(|e| format!("width {width}, forked, {} rows kept: {e}", kept(width)))?;
        } else {
            comparison.verify(&mut session, at, width).map_err(|e| format!("width {width}, not forked: {e}"))?;
        }
    }
    Ok(())
}

impl Comparison<'_> {
    /// The tokens of every batch row at the positions `at..at + count` of the compared row.
    fn tokens(&self, at: usize, count: usize) -> Vec<Vec<u32>> {
        self.ids.iter().map(|row| row[at..at + count].to_vec()).collect()
    }

    fn prefill(&self, session: &mut Session, prompt: usize) -> Result<(), String> {
        let mut at = self.lead(session)?;
        while at < prompt {
            let count = self.run.part.unwrap_or(prompt).min(prompt - at);
            let step = session.prefill(&self.tokens(at, count), &self.capture, &Control::default());
            self.rows(&step.map_err(|e| e.to_string())?, at, count).map_err(|e| format!("prefill: {e}"))?;
            at += count;
        }
        self.state(session, at).map_err(|e| format!("prefill: {e}"))
    }

    /// Brings the rows of a batch to unequal positions; some stand before the compared row, some after.
    fn lead(&self, session: &mut Session) -> Result<usize, String> {
        if self.run.batch == 1 {
            return Ok(0);
        }
        let step = session.verify(&self.tokens(0, LEAD), &self.capture, &Control::default());
        self.rows(&step.map_err(|e| e.to_string())?, 0, LEAD).map_err(|e| format!("lead: {e}"))?;
        let kept = |b: usize| if b == self.own { LEAD_KEPT } else { [LEAD, 1, 2, 4][b] };
        let counts: Vec<usize> = (0..self.run.batch).map(kept).collect();
        session.rewind(&counts).map_err(|e| e.to_string())?;
        Ok(LEAD_KEPT)
    }

    fn verify(&self, session: &mut Session, at: usize, width: usize) -> Result<(), String> {
        let (tokens, control) = (self.tokens(at, width), Control::default());
        let step = session.verify(&tokens, &self.capture, &control).map_err(|e| e.to_string())?;
        self.rows(&step, at, width)?;
        self.state(session, at + width)
    }

    fn rewind(&self, session: &mut Session, at: usize, width: usize) -> Result<(), String> {
        session.rewind(&vec![kept(width); self.run.batch]).map_err(|e| e.to_string())?;
        self.state(session, at + kept(width))
    }

    /// Compares the rows of a step that belong to the compared batch row.
    fn rows(&self, step: &Step, at: usize, width: usize) -> Result<(), String> {
        let logits = step.logits.as_ref().ok_or("no logits")?;
        for r in 0..width {
            let (reference, mine) = (&self.chain.steps[at + r], self.own * width + r);
            if self.run.capture && step.taps.len() != reference.taps.len() {
                return Err(format!("{} taps, {} in the chain", step.taps.len(), reference.taps.len()));
            }
            for (tap, want) in step.taps.iter().zip(&reference.taps) {
                let place = || format!("position {}, layer {} {}", at + r, tap.layer, tap.tap);
                same(row(&tap.tensor, mine), row(&want.tensor, 0), place)?;
            }
            let want = reference.logits.as_ref().ok_or("no logits in the chain")?;
            same(row(logits, mine), row(want, 0), || format!("position {}, logits", at + r))?;
        }
        Ok(())
    }

    /// Compares the state of the compared batch row at `len` tokens.
    fn state(&self, session: &Session, len: usize) -> Result<(), String> {
        let whole = run::caches(session);
        for (name, want) in &self.chain.states[&len] {
            let have = whole.get(name).ok_or_else(|| format!("no state {name}"))?;
            let sequence = name.ends_with(".k") || name.ends_with(".v");
            let mine = if sequence { keys(have, self.own, len) } else { row(have, self.own).to_vec() };
            same(&mine, row(want, 0), || format!("state {name} at {len} tokens"))?;
        }
        Ok(())
    }
}

/// Keys or values of one batch row: the first `len` positions of every head of `[batch, heads, longest, dim]`.
fn keys(t: &Tensor, b: usize, len: usize) -> Vec<u8> {
    let (longest, size) = (t.shape[2], t.shape[3] * t.dtype.size());
    row(t, b).chunks_exact(longest * size).flat_map(|head| head[..len * size].to_vec()).collect()
}

fn same(have: &[u8], want: &[u8], place: impl Fn() -> String) -> Result<(), String> {
    if have == want {
        return Ok(());
    }
    let differ = have.iter().zip(want).position(|(a, b)| a != b);
    Err(match differ {
        Some(at) => format!("{}: byte {at} is {:#04x}, in the chain {:#04x}", place(), have[at], want[at]),
        None => format!("{}: {} bytes, in the chain {}", place(), have.len(), want.len()),
    })
}
