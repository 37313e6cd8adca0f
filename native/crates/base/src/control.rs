//! Cancel and progress of one job. The engine asks `check` between ops and between row blocks of a matmul.

use crate::{Error, Result};
use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Shared by the thread that works and the threads that poll or cancel.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    stage: Mutex<String>,
}

impl Control {
    /// Ask the work to stop. Idempotent, any thread.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
    /// `Err(cancelled)` once somebody asked.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }
    /// A new stage with `total` steps (0 = unknown); `done` starts at 0.
    pub fn stage(&self, name: &str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        *self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = name.to_owned();
    }
    /// `n` more steps are done.
    pub fn advance(&self, n: u64) {
        self.done.fetch_add(n, Ordering::Relaxed);
    }
    /// (done, total, stage).
    pub fn progress(&self) -> (u64, u64, String) {
        let stage = self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed), stage)
    }
}
