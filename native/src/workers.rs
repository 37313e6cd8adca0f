//! Threads of the engine that run jobs: made on demand, kept a while for the next job, with a stack and a float mode of their own.

use crate::{job::Job, panics::THREAD_PREFIX};
use moire_base::{Error, Result, Status};
use moire_kernels::simd::use_ieee_arithmetic;
use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Address space, not memory: pages come as they are touched.
const STACK: usize = 16 << 20;
const MOST: usize = 64;
const KEEP: Duration = Duration::from_secs(20);

struct Pool {
    inner: Mutex<Inner>,
    work: Condvar,
}

struct Inner {
    queue: VecDeque<Arc<Job>>,
    threads: usize,
    idle: usize,
}

static POOL: Pool =
    Pool { inner: Mutex::new(Inner { queue: VecDeque::new(), threads: 0, idle: 0 }), work: Condvar::new() };

/// Run `job` as soon as a thread is free; up to 64 run side by side. Errors: `Memory` if the system gives no thread at all.
pub fn submit(job: Arc<Job>) -> Result<()> {
    let mut inner = POOL.lock();
    inner.queue.push_back(job);
    if inner.queue.len() <= inner.idle || inner.threads == MOST {
        drop(inner);
        POOL.work.notify_one();
        return Ok(());
    }
    let name = format!("{THREAD_PREFIX}-job");
    match thread::Builder::new().name(name).stack_size(STACK).spawn(|| POOL.serve()) {
        Ok(_) => inner.threads += 1,
        Err(e) if inner.threads == 0 => {
            inner.queue.pop_back();
            return Err(Error::new(Status::Memory, "thread", format!("the system gave no thread for the job: {e}")));
        }
        // A running thread takes it when it is through.
        Err(_) => {}
    }
    Ok(())
}

impl Pool {
    fn serve(&self) {
        while let Some(job) = self.next() {
            // Anew for each job: the thread that spawned this one may have had any mode.
            use_ieee_arithmetic();
            job.run();
        }
    }

    fn next(&self) -> Option<Arc<Job>> {
        let mut inner = self.lock();
        loop {
            if let Some(job) = inner.queue.pop_front() {
                return Some(job);
            }
            inner.idle += 1;
            let (guard, waited) = self.work.wait_timeout(inner, KEEP).unwrap_or_else(PoisonError::into_inner);
            inner = guard;
            inner.idle -= 1;
            if waited.timed_out() && inner.queue.is_empty() {
                inner.threads -= 1;
                return None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
