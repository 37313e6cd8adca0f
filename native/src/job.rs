//! A job: queued, running, then done, failed or cancelled. Its result stays until it is freed.

use crate::{
    handle::{HANDLES, Made},
    panics,
};
use moire_base::{Control, Error, Result, Status};
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What a job does: it registers the handles it makes and gives the result document.
pub type Work = Box<dyn FnOnce(&Control, &mut Made) -> Result<Vec<u8>> + Send>;

/// A piece of work with its state. Shared by its worker and by every call that names its handle.
pub struct Job {
    control: Control,
    inner: Mutex<Inner>,
    ended: Condvar,
}

struct Inner {
    phase: Phase,
    /// Its handle is gone: nobody can read the result any more.
    freed: bool,
}

enum Phase {
    Queued(Work),
    Running,
    Done { document: Vec<u8>, made: Vec<u64>, read: bool },
    Failed(Error),
}

impl Job {
    /// A job that waits for a worker.
    pub fn new(work: Work) -> Self {
        Self {
            control: Control::default(),
            inner: Mutex::new(Inner { phase: Phase::Queued(work), freed: false }),
            ended: Condvar::new(),
        }
    }

    /// Run to the end on this thread, unless it was cancelled while it waited.
    pub fn run(&self) {
        let work = {
            let mut inner = self.lock();
            match std::mem::replace(&mut inner.phase, Phase::Running) {
                Phase::Queued(work) => work,
                other => {
                    inner.phase = other;
                    return;
                }
            }
        };
        let outcome = panics::contain(|| {
            let mut made = Made::default();
            let document = work(&self.control, &mut made)?;
            Ok((document, made.keep()))
        });
        self.finish(outcome);
    }

    fn finish(&self, outcome: Result<(Vec<u8>, Vec<u64>)>) {
        let mut inner = self.lock();
        let freed = inner.freed;
        inner.phase = match outcome {
            Ok((_, made)) if freed => {
                HANDLES.discard(&made);
                Phase::Failed(Error::cancelled())
            }
            Ok((document, made)) => Phase::Done { document, made, read: false },
            Err(e) => Phase::Failed(e),
        };
        drop(inner);
        self.ended.notify_all();
    }

    /// Ask it to stop. A job that no worker has begun ends at once.
    pub fn cancel(&self) {
        self.control.cancel();
        let mut inner = self.lock();
        if matches!(inner.phase, Phase::Queued(_)) {
            let queued = std::mem::replace(&mut inner.phase, Phase::Failed(Error::cancelled()));
            drop(inner);
            // Gives its session back before anybody hears that the job has ended.
            drop(queued);
            self.ended.notify_all();
        }
    }

    /// Its handle is gone: stop it, and free what an unread result names.
    pub fn abandon(&self) {
        self.cancel();
        let mut inner = self.lock();
        inner.freed = true;
        if let Phase::Done { made, read: false, .. } = &mut inner.phase {
            HANDLES.discard(&std::mem::take(made));
        }
    }

    /// `MOIRE_JOB_*`.
    pub fn state(&self) -> i32 {
        match &self.lock().phase {
            Phase::Queued(_) => 0,
            Phase::Running => 1,
            Phase::Done { .. } => 2,
            Phase::Failed(e) if e.status == Status::Cancelled => 4,
            Phase::Failed(_) => 3,
        }
    }

    /// (done, total, stage).
    pub fn progress(&self) -> (u64, u64, String) {
        self.control.progress()
    }

    /// Its own error, if it has failed or was cancelled.
    pub fn check(&self) -> Result<()> {
        match &self.lock().phase {
            Phase::Failed(e) => Err(e.clone()),
            _ => Ok(()),
        }
    }

    /// Wait until it has ended, then as [`Job::check`]. Errors: `Timeout`.
    pub fn wait(&self, timeout: Duration) -> Result<()> {
        let deadline = Instant::now() + timeout;
        let mut inner = self.lock();
        while matches!(inner.phase, Phase::Queued(_) | Phase::Running) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let message = format!("the job has not ended after {} ms; it goes on", timeout.as_millis());
                return Err(Error::new(Status::Timeout, "timeout_ms", message));
            }
            inner = self.ended.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(inner);
        self.check()
    }

    /// Hand the result document to `read`; the handles in it belong to the caller once `read` says that it took it.
    /// Errors: `State` while it has not ended; its own error if it failed.
    pub fn result<T>(&self, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        match &mut self.lock().phase {
            Phase::Done { document, read: was_read, .. } => {
                let value = read(document)?;
                *was_read = true;
                Ok(value)
            }
            Phase::Failed(e) => Err(e.clone()),
            _ => Err(Error::new(Status::State, "job", "the job has not ended yet; wait for it first")),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Object;
    use moire_base::Dtype;
    use moire_engine::Tensor;
    use std::sync::{Arc, mpsc};

    fn makes_a_tensor(tell: mpsc::Sender<u64>) -> Work {
        Box::new(move |_, made| {
            let tensor = Tensor::new(Dtype::U8, vec![1], vec![9].into()).expect("fits");
            tell.send(made.add(Object::Tensor(Arc::new(tensor)))).expect("heard");
            Ok(b"{}".to_vec())
        })
    }

    fn alive(handle: u64) -> bool {
        HANDLES.get::<Tensor>(handle, "tensor").is_ok()
    }

    fn read(job: &Job) -> Result<Vec<u8>> {
        job.result(|document| Ok(document.to_vec()))
    }

    #[test]
    fn an_unread_result_is_freed_with_its_job_and_a_read_one_is_not() {
        for was_read in [false, true] {
            let (tell, heard) = mpsc::channel();
            let job = Job::new(makes_a_tensor(tell));
            assert_eq!(job.state(), 0);
            job.run();
            assert_eq!(job.state(), 2);
            let handle = heard.recv().expect("made");
            if was_read {
                assert_eq!(read(&job).expect("done"), b"{}");
                assert_eq!(read(&job).expect("again"), b"{}");
            }
            job.abandon();
            assert_eq!(alive(handle), was_read);
        }
    }

    #[test]
    fn a_result_that_did_not_fit_counts_as_unread() {
        let (tell, heard) = mpsc::channel();
        let job = Job::new(makes_a_tensor(tell));
        job.run();
        let refused: Result<()> = job.result(|_| Err(Error::new(Status::Buffer, "buf", "too small")));
        assert_eq!(refused.expect_err("too small").status, Status::Buffer);
        job.abandon();
        assert!(!alive(heard.recv().expect("made")));
    }

    #[test]
    fn freed_while_running_its_handles_go_when_it_ends() {
        let (begin, begun) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let (tell, heard) = mpsc::channel();
        let inner = makes_a_tensor(tell);
        let job = Arc::new(Job::new(Box::new(move |control, made| {
            begin.send(()).expect("heard");
            released.recv().expect("told");
            assert!(control.is_cancelled());
            inner(control, made)
        })));
        let worker = std::thread::spawn({
            let job = Arc::clone(&job);
            move || job.run()
        });
        begun.recv().expect("begun");
        assert_eq!(read(&job).expect_err("runs").status, Status::State);
        job.abandon();
        release.send(()).expect("heard");
        worker.join().expect("no panic");
        assert!(!alive(heard.recv().expect("made")));
        assert_eq!(job.state(), 4);
    }

    #[test]
    fn cancelled_in_the_queue_it_never_runs() {
        let job = Job::new(Box::new(|_, _| panic!("ran")));
        job.cancel();
        assert_eq!(job.wait(Duration::ZERO).expect_err("cancelled").status, Status::Cancelled);
        job.run();
        assert_eq!(job.state(), 4);
        job.cancel();
    }

    #[test]
    fn a_panic_fails_the_job_and_frees_its_handles() {
        let (tell, heard) = mpsc::channel();
        let inner = makes_a_tensor(tell);
        let job = Job::new(Box::new(move |control, made| {
            inner(control, made)?;
            panic!("half way")
        }));
        job.run();
        assert_eq!(job.check().expect_err("panicked").status, Status::Internal);
        assert_eq!(job.state(), 3);
        assert!(!alive(heard.recv().expect("made")));
    }

    #[test]
    fn wait_times_out_and_then_sees_the_end() {
        let job = Job::new(Box::new(|_, _| Ok(Vec::new())));
        assert_eq!(job.wait(Duration::from_millis(5)).expect_err("queued").status, Status::Timeout);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| job.wait(Duration::from_secs(60)));
            job.run();
            assert_eq!(waiting.join().expect("no panic"), Ok(()));
        });
    }
}
