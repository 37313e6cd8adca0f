//! A session, of a model or of a drafter, as the handle table holds it: one job at a time.

use moire_base::{Error, Result, Status};
use moire_engine::{DraftSession, Session};
use std::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};

/// A session and whether a job has it.
pub struct Slot<S> {
    busy: AtomicBool,
    session: Mutex<S>,
}

/// A session of a model.
pub type SessionSlot = Slot<Session>;
/// A draft session.
pub type DraftSlot = Slot<DraftSession>;

impl<S> Slot<S> {
    /// A session that is free for a job.
    pub fn new(session: S) -> Self {
        Self { busy: AtomicBool::new(false), session: Mutex::new(session) }
    }

    /// Take the session for one job, which names it at `place`. Errors: `Busy` while another job has it.
    pub fn claim(self: &Arc<Self>, place: &str) -> Result<Claim<S>> {
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err(Error::new(
                Status::Busy,
                place,
                "the session already runs a job; wait for it, cancel it, or fork the session before",
            ));
        }
        Ok(Claim { slot: Arc::clone(self), place: place.to_owned() })
    }
}

/// The right to use a session, given back on drop.
pub struct Claim<S> {
    slot: Arc<Slot<S>>,
    place: String,
}

impl<S> Claim<S> {
    /// The session, to use. Errors: `State` after a job that panicked in the middle of a change.
    pub fn session(&self) -> Result<MutexGuard<'_, S>> {
        self.slot.session.lock().map_err(|_| {
            let message = "a job on this session ended in a bug of the engine; its state is lost, open a new session";
            Error::new(Status::State, &self.place, message)
        })
    }

    /// Whether it is for this session.
    pub fn is_of(&self, slot: &Arc<Slot<S>>) -> bool {
        Arc::ptr_eq(&self.slot, slot)
    }
}

impl<S> Drop for Claim<S> {
    fn drop(&mut self) {
        self.slot.busy.store(false, Ordering::Release);
    }
}
