//! A session, of a model or of a drafter, as the handle table holds it: one job at a time.

use moire_base::{Error, Result, Status};
use moire_engine::{DraftSession, Session};
use std::sync::{
    Arc, Mutex,
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

    /// Take the session for one job. Errors: `Busy` while another job has it.
    pub fn claim(self: &Arc<Self>) -> Result<Claim<S>> {
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err(Error::new(
                Status::Busy,
                "target",
                "the session already runs a job; wait for it, cancel it, or fork the session before",
            ));
        }
        Ok(Claim(Arc::clone(self)))
    }
}

/// The right to use a session, given back on drop.
pub struct Claim<S>(Arc<Slot<S>>);

impl<S> Claim<S> {
    /// Use the session. Errors: `State` after a job that panicked in the middle of a change.
    pub fn with<T>(&self, body: impl FnOnce(&mut S) -> Result<T>) -> Result<T> {
        let mut session = self.0.session.lock().map_err(|_| {
            let message = "a job on this session ended in a bug of the engine; its state is lost, open a new session";
            Error::new(Status::State, "target", message)
        })?;
        body(&mut session)
    }
}

impl<S> Drop for Claim<S> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}
