//! The one global table: integer handles from a counter, never reused, that know their kind. Freeing twice is an error, never a crash.

use crate::{
    ffi::give_back_memory,
    job::Job,
    session::{DraftSlot, SessionSlot},
};
use moire_base::{Error, Result, Status};
use moire_engine::{Drafter, Model, Tensor};
use std::{
    collections::HashMap,
    sync::{
        Arc, LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

/// What a handle may stand for. The table holds one reference; calls and jobs in flight hold others.
#[derive(Clone)]
pub enum Object {
    /// Weights, shared by sessions.
    Model(Arc<Model>),
    /// State of a run.
    Session(Arc<SessionSlot>),
    /// Weights of a drafter and the model that it drafts for.
    Drafter(Arc<Drafter>),
    /// What a drafter has seen.
    Draft(Arc<DraftSlot>),
    /// Values.
    Tensor(Arc<Tensor>),
    /// Work.
    Job(Arc<Job>),
}

impl Object {
    fn kind(&self) -> &'static str {
        match self {
            Self::Model(_) => Model::NAME,
            Self::Session(_) => SessionSlot::NAME,
            Self::Drafter(_) => Drafter::NAME,
            Self::Draft(_) => DraftSlot::NAME,
            Self::Tensor(_) => Tensor::NAME,
            Self::Job(_) => Job::NAME,
        }
    }
}

/// A kind of handle.
pub trait Kind: Sized {
    /// Its name in messages.
    const NAME: &'static str;
    /// The object, if it is of this kind.
    fn pick(object: &Object) -> Option<Arc<Self>>;
}

macro_rules! kinds {
    ($($type:ty => $variant:ident, $name:literal;)*) => {$(
        impl Kind for $type {
            const NAME: &'static str = $name;
            fn pick(object: &Object) -> Option<Arc<Self>> {
                match object {
                    Object::$variant(it) => Some(Arc::clone(it)),
                    _ => None,
                }
            }
        }
    )*};
}
kinds! {
    Model => Model, "model";
    SessionSlot => Session, "session";
    Drafter => Drafter, "drafter";
    DraftSlot => Draft, "draft";
    Tensor => Tensor, "tensor";
    Job => Job, "job";
}

/// Handles and what they stand for.
pub struct Table {
    next: AtomicU64,
    objects: RwLock<HashMap<u64, Object>>,
}

/// All handles of this library.
pub static HANDLES: LazyLock<Table> = LazyLock::new(Table::new);

impl Table {
    fn new() -> Self {
        Self { next: AtomicU64::new(1), objects: RwLock::default() }
    }

    /// A new handle for `object`. At a million a second the counter reaches 2^53 after 285 years.
    pub fn insert(&self, object: Object) -> u64 {
        let handle = self.next.fetch_add(1, Ordering::Relaxed);
        self.write().insert(handle, object);
        handle
    }

    /// What `handle` stands for. Errors: `Handle` at `place` if it is 0, stale or of another kind.
    pub fn get<T: Kind>(&self, handle: u64, place: &str) -> Result<Arc<T>> {
        let objects = self.read();
        let object = objects.get(&handle).ok_or_else(|| unknown(handle, place))?;
        T::pick(object).ok_or_else(|| wrong_kind(handle, place, object, T::NAME))
    }

    /// Forget a job's handle and give the job back.
    pub fn take_job(&self, handle: u64) -> Result<Arc<Job>> {
        let mut objects = self.write();
        let object = objects.get(&handle).ok_or_else(|| unknown(handle, "job"))?;
        let job = Job::pick(object).ok_or_else(|| wrong_kind(handle, "job", object, Job::NAME))?;
        objects.remove(&handle);
        Ok(job)
    }

    /// Free anything but a job.
    pub fn free(&self, handle: u64) -> Result<()> {
        let mut objects = self.write();
        let object = objects.get(&handle).ok_or_else(|| unknown(handle, "handle"))?;
        if matches!(object, Object::Job(_)) {
            return Err(wrong_kind(
                handle,
                "handle",
                object,
                "model, session, drafter, draft or tensor; free a job with moire_job_free",
            ));
        }
        let object = objects.remove(&handle);
        // Dropping may unmap a checkpoint: not while others wait for the table.
        drop(objects);
        let was_large =
            matches!(object, Some(Object::Model(_) | Object::Session(_) | Object::Drafter(_) | Object::Draft(_)));
        drop(object);
        if was_large {
            give_back_memory();
        }
        Ok(())
    }

    /// Free handles that nobody can know of.
    pub fn discard(&self, handles: &[u64]) {
        let mut objects = self.write();
        let dropped: Vec<_> = handles.iter().filter_map(|h| objects.remove(h)).collect();
        drop(objects);
        drop(dropped);
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<u64, Object>> {
        self.objects.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn write(&self) -> RwLockWriteGuard<'_, HashMap<u64, Object>> {
        self.objects.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(handle: u64, place: &str) -> Error {
    let message = match handle {
        0 => "the handle is 0, which stands for nothing".to_owned(),
        _ => format!("handle {handle} is not known: it was freed, or never given out"),
    };
    Error::new(Status::Handle, place, message)
}

fn wrong_kind(handle: u64, place: &str, object: &Object, wanted: &str) -> Error {
    let message = format!("handle {handle} is a {}; this call takes a {wanted}", object.kind());
    Error::new(Status::Handle, place, message)
}

/// Handles made by a job whose result is not complete yet; freed if the job fails before [`Made::keep`].
#[derive(Default)]
pub struct Made(Vec<u64>);

impl Made {
    /// Register `object` and remember its handle.
    pub fn add(&mut self, object: Object) -> u64 {
        let handle = HANDLES.insert(object);
        self.0.push(handle);
        handle
    }
    /// The job is done: the handles belong to its result.
    pub fn keep(mut self) -> Vec<u64> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        HANDLES.discard(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moire_base::Dtype;

    fn tensor() -> Object {
        Object::Tensor(Arc::new(Tensor::new(Dtype::U8, vec![3], vec![1, 2, 3].into()).expect("fits")))
    }

    #[test]
    fn handles_are_never_reused_and_know_their_kind() {
        let table = Table::new();
        let first = table.insert(tensor());
        assert!(table.get::<Tensor>(first, "tensor").is_ok());
        let wrong = table.get::<Job>(first, "job").err().expect("a tensor is no job");
        assert_eq!((wrong.status, wrong.place.as_str()), (Status::Handle, "job"));
        assert!(wrong.message.contains("is a tensor"));
        table.free(first).expect("known");
        assert_eq!(table.free(first).expect_err("freed").status, Status::Handle);
        assert!(table.insert(tensor()) > first);
    }

    #[test]
    fn a_freed_tensor_lives_as_long_as_somebody_reads_it() {
        let table = Table::new();
        let handle = table.insert(tensor());
        let held = table.get::<Tensor>(handle, "tensor").expect("known");
        table.free(handle).expect("known");
        assert_eq!(&held.data[..], [1, 2, 3]);
    }

    #[test]
    fn handles_of_a_failed_job_are_freed() {
        let mut made = Made::default();
        let lost = made.add(tensor());
        drop(made);
        assert!(HANDLES.get::<Tensor>(lost, "tensor").is_err());
        let mut made = Made::default();
        let kept = made.add(tensor());
        assert_eq!(made.keep(), [kept]);
        HANDLES.free(kept).expect("kept");
    }

    #[test]
    fn many_threads_insert_read_and_free() {
        let table = Table::new();
        let rounds = if cfg!(miri) { 20 } else { 2000 };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..rounds {
                        let handle = table.insert(tensor());
                        assert!(table.get::<Tensor>(handle, "tensor").is_ok());
                        // Another thread may not free what only this one knows.
                        table.free(handle).expect("ours");
                        assert!(table.free(handle).is_err());
                    }
                });
            }
        });
        assert!(table.read().is_empty());
        assert_eq!(table.next.load(Ordering::Relaxed), 4 * rounds + 1);
    }

    #[test]
    fn of_many_threads_that_free_one_handle_one_succeeds() {
        let table = Table::new();
        for _ in 0..if cfg!(miri) { 5 } else { 200 } {
            let handle = table.insert(tensor());
            let freed = std::thread::scope(|scope| {
                let all: Vec<_> = (0..4).map(|_| scope.spawn(|| table.free(handle).is_ok())).collect();
                all.into_iter().map(|t| t.join().expect("no panic")).filter(|ok| *ok).count()
            });
            assert_eq!(freed, 1);
        }
    }
}
