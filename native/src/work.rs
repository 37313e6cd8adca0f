//! From a request to the work of its job: handles are looked up when the job starts, so that freeing them later does no harm.

use crate::{
    ffi::give_back_memory,
    handle::{HANDLES, Kind, Made},
    job::Work,
    join, measure,
    request::{
        self, Chat, Detokenize, Diff, Forward, Logits, Observe, Open, Propose, Request, SelfTest, Tokenize, What,
    },
    result::{self, document},
    self_test,
    session::{Claim, Slot},
    step,
};
use moire_base::{Control, Error, Result};
use moire_engine::{
    Capture, CaptureMode, DraftSession, Drafter, LogitRows, Model, Observation, Pair, Session, Step, Wanted, Wish,
};
use std::{path::PathBuf, sync::Arc, time::Instant};

/// Rows of a forward that take long beside giving memory back, and leave enough of it.
const WIDE: usize = 64;

/// The work of `request` on `target`. Errors: `Handle` for a target or a tensor that is not what the kind asks, `Busy` for a session at work.
pub fn prepare(target: u64, request: Request) -> Result<Work> {
    match request {
        Request::Inspect(r) => {
            untargeted(target, move |_, _| document(&moire_engine::inspect(&PathBuf::from(r.path))?))
        }
        Request::Load(r) => untargeted(target, move |control, made| {
            let model = Model::load(&PathBuf::from(r.path), r.scan, control)?;
            result::model(model, made)
        }),
        Request::Tensors(r) => {
            untargeted(target, move |_, made| result::file(moire_engine::tensors(&PathBuf::from(r.path))?, made))
        }
        Request::Diff(r) => no_target(target).and_then(|()| diff(r)),
        Request::SelfTest(r) => no_target(target).map(|()| self_test_work(r)),
        Request::Measure(r) => no_target(target).and_then(|()| measure::work(r)),
        Request::Open(r) => on_model(target, move |model, made| open(&model, &r, made)),
        Request::Tokenize(Tokenize { text, special }) => {
            on_model(target, move |model, _| result::ids(model.tokenize(&text, special)?))
        }
        Request::Detokenize(Detokenize { ids, skip_special, more }) => on_model(target, move |model, _| {
            for list in std::iter::once(&ids).chain(&more) {
                in_vocabulary(list, model.info().vocab)?;
            }
            document(&model.detokenize(&ids, skip_special, &more)?)
        }),
        Request::Chat(Chat { messages, add_generation_prompt, variables }) => on_model(target, move |model, _| {
            document(&model.chat(&messages.into(), add_generation_prompt, &variables)?)
        }),
        Request::Prefill(r) => {
            forward(target, r, LogitRows::Last, |s, ids, capture, control| s.prefill(&ids, capture, control))
        }
        Request::Decode(r) => forward(target, r, LogitRows::Last, |s, ids, capture, control| {
            s.decode(&one_per_row(ids)?, capture, control)
        }),
        Request::Verify(r) => {
            forward(target, r, LogitRows::All, |s, ids, capture, control| s.verify(&ids, capture, control))
        }
        Request::Rewind(r) => on_session(target, move |session, _, _| document(&session.rewind(&r.kept_rows)?)),
        Request::Fork(r) => on_session(target, move |session, _, made| {
            let copy = r.rows.map_or_else(|| Ok(session.fork()), |rows| session.fork_rows(&rows))?;
            result::fork(copy, made)
        }),
        Request::Join(r) => join::work(target, &r.sessions, "sessions", |first: &Session, others, made| {
            result::fork(first.join(others)?, made)
        }),
        Request::LoadDrafter(r) => {
            let model = target_of::<Model>(target)?;
            Ok(Box::new(move |control, made| {
                result::drafter(Drafter::load(&PathBuf::from(r.path), &model, control)?, made)
            }))
        }
        Request::OpenDraft(r) => {
            let drafter = target_of::<Drafter>(target)?;
            Ok(Box::new(move |_, made| result::draft(drafter.open(&r.switches, r.batch)?, made)))
        }
        Request::Observe(r) => observe(target, r),
        Request::Propose(Propose { width, logits, top, after }) => {
            let wish = Wish { width, logits, top, after };
            on_slot(target, move |draft: &mut DraftSession, control, made| {
                result::proposal(draft.propose(&wish, control)?, made)
            })
        }
        Request::ForkDraft(r) => on_slot(target, move |draft: &mut DraftSession, _, made| {
            let copy = r.rows.map_or_else(|| Ok(draft.fork()), |rows| draft.fork_rows(&rows))?;
            result::fork_draft(copy, made)
        }),
        Request::JoinDraft(r) => join::work(target, &r.drafts, "drafts", |first: &DraftSession, others, made| {
            result::fork_draft(first.join(others)?, made)
        }),
        Request::State(r) => {
            on_session(target, move |session, _, made| result::state(session.position(), session.state(r.layer)?, made))
        }
    }
}

fn no_target(target: u64) -> Result<()> {
    if target == 0 {
        return Ok(());
    }
    Err(Error::invalid("target", format!("target is {target}; this kind of job takes none, pass 0")))
}

fn untargeted(target: u64, body: impl FnOnce(&Control, &mut Made) -> Result<Vec<u8>> + Send + 'static) -> Result<Work> {
    no_target(target)?;
    Ok(Box::new(body))
}

fn on_model(target: u64, body: impl FnOnce(Arc<Model>, &mut Made) -> Result<Vec<u8>> + Send + 'static) -> Result<Work> {
    let model = target_of::<Model>(target)?;
    Ok(Box::new(move |_, made| body(model, made)))
}

fn on_session(
    target: u64,
    body: impl FnOnce(&mut Session, &Control, &mut Made) -> Result<Vec<u8>> + Send + 'static,
) -> Result<Work> {
    on_slot(target, body)
}

/// On a session or a draft session, one job at a time.
fn on_slot<S: Send + 'static>(
    target: u64,
    body: impl FnOnce(&mut S, &Control, &mut Made) -> Result<Vec<u8>> + Send + 'static,
) -> Result<Work>
where
    Slot<S>: Kind,
{
    let claim: Claim<S> = target_of::<Slot<S>>(target)?.claim("target")?;
    Ok(Box::new(move |control, made| body(&mut *claim.session()?, control, made)))
}

fn target_of<T: Kind>(target: u64) -> Result<Arc<T>> {
    HANDLES.get(target, "target")
}

fn open(model: &Arc<Model>, request: &Open, made: &mut Made) -> Result<Vec<u8>> {
    result::session(model.open(&request.switches, request.batch)?, made)
}

fn forward(
    target: u64,
    request: Forward,
    default: LogitRows,
    run: impl FnOnce(&mut Session, Vec<Vec<u32>>, &Capture, &Control) -> Result<Step> + Send + 'static,
) -> Result<Work> {
    let logits = match request.logits {
        None => default,
        Some(Logits::Last) => LogitRows::Last,
        Some(Logits::All) => LogitRows::All,
        Some(Logits::None) => LogitRows::None,
    };
    let mode = match request.capture {
        request::Capture::Bytes => CaptureMode::Bytes,
        request::Capture::Hash => CaptureMode::Hash,
        request::Capture::Stats => CaptureMode::Stats,
    };
    let capture = Capture { taps: request.taps, mode, logits, top: request.top };
    on_session(target, move |session, control, made| {
        let is_wide = request.ids.rows.iter().map(Vec::len).sum::<usize>() >= WIDE;
        let step = run(session, request.ids.rows, &capture, control);
        if is_wide {
            give_back_memory();
        }
        step::step(step?, session, made)
    })
}

fn observe(target: u64, request: Observe) -> Result<Work> {
    let mut features = Vec::with_capacity(request.features.len());
    for (i, handle) in request.features.iter().enumerate() {
        features.push(HANDLES.get(*handle, &format!("/features/{i}"))?);
    }
    let observation = Observation { features, rows: request.rows, next: request.next };
    on_slot(target, move |draft: &mut DraftSession, control, _| {
        let started = Instant::now();
        draft.observe(observation, control)?;
        result::observed(draft, started.elapsed())
    })
}

fn in_vocabulary(ids: &[u32], vocab: usize) -> Result<()> {
    match ids.iter().position(|id| *id as usize >= vocab) {
        Some(i) => {
            Err(Error::invalid(format!("/ids/{i}"), format!("id {} is beyond the vocabulary of {vocab}", ids[i])))
        }
        None => Ok(()),
    }
}

/// decode takes one id per batch row, as one list or as lists of one.
fn one_per_row(rows: Vec<Vec<u32>>) -> Result<Vec<u32>> {
    let mut rows = rows;
    if rows.len() == 1 {
        return Ok(rows.remove(0));
    }
    match rows.iter().position(|row| row.len() != 1) {
        Some(i) => Err(Error::invalid(format!("/ids/{i}"), "decode takes one id per batch row")),
        None => Ok(rows.concat()),
    }
}

fn diff(request: Diff) -> Result<Work> {
    let range = |rows: Option<[usize; 2]>| rows.map(|[from, to]| from..to);
    let mut pairs = Vec::with_capacity(request.pairs.len());
    for (i, pair) in request.pairs.iter().enumerate() {
        pairs.push(Pair {
            a: HANDLES.get(pair.a, &format!("/pairs/{i}/a"))?,
            b: HANDLES.get(pair.b, &format!("/pairs/{i}/b"))?,
            a_rows: range(pair.a_rows),
            b_rows: range(pair.b_rows),
        });
    }
    let wanted = Wanted { tile: request.tile, rows: request.rows };
    Ok(Box::new(move |control, _| result::diffs(&moire_engine::compare(&pairs, wanted, control)?, request.brief)))
}

fn self_test_work(request: SelfTest) -> Work {
    assert!(request.what != What::StartPanic, "selfTest startPanic was asked for");
    Box::new(move |control, _| document(&self_test::run(request.what, request.ms, control)?))
}
