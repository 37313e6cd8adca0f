//! Persistent worker threads. Parts are fixed by the caller and results come back in part order, so scheduling never changes a byte.

use moire_base::{Error, Result, Status};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

/// Enough for the deepest kernel with its tiles on the stack.
const STACK_BYTES: usize = 4 << 20;

/// The threads kernels run on: the caller's and `threads - 1` workers that sleep while idle. May be shared by several callers at once.
pub struct Pool {
    threads: usize,
    workers: Option<ThreadPool>,
}

impl Pool {
    /// A pool of `threads` threads, the calling one included.
    ///
    /// # Errors
    /// `Invalid` outside 1..=256; `Memory` if the system refuses a thread.
    pub fn new(threads: usize) -> Result<Self> {
        if !(1..=256).contains(&threads) {
            return Err(Error::invalid("threads", format!("{threads} threads: use 1 to 256")));
        }
        let workers = (threads > 1).then(|| build(threads - 1)).transpose()?;
        Ok(Self { threads, workers })
    }

    /// Threads, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// `f(0), f(1), ... f(parts - 1)` in any order on all threads; the results in part order. A panic in a part goes on in the caller.
    pub fn map<T: Send>(&self, parts: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let Some(workers) = self.workers.as_ref().filter(|_| parts > 1) else {
            return (0..parts).map(f).collect();
        };
        let mut out: Vec<Option<T>> = (0..parts).map(|_| None).collect();
        workers.in_place_scope(|scope| {
            let mut slots = out.iter_mut().enumerate();
            let first = slots.next();
            let f = &f;
            for (part, slot) in slots {
                scope.spawn(move |_| *slot = Some(f(part)));
            }
            if let Some((part, slot)) = first {
                *slot = Some(f(part));
            }
        });
        out.into_iter().flatten().collect()
    }

    /// `f` of every item, each on any thread, all done when it returns. A panic in an item goes on in the caller.
    pub fn each<T: Send>(&self, items: Vec<T>, f: impl Fn(T) + Sync) {
        let slots: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.map(slots.len(), |i| {
            let item = slots[i].lock().unwrap_or_else(PoisonError::into_inner).take();
            item.into_iter().for_each(&f);
        });
    }

    /// `0..n` cut into at most `threads` contiguous ranges of whole `unit`s (the last may be short), each of at least `least` items where possible.
    pub fn split(&self, n: usize, unit: usize, least: usize) -> Vec<Range<usize>> {
        let units = n.div_ceil(unit);
        let parts = self.threads.min(n.div_ceil(least.max(1))).clamp(1, units.max(1));
        (0..parts).map(|p| (units * p / parts * unit).min(n)..(units * (p + 1) / parts * unit).min(n)).collect()
    }

    /// Cuts `out` into one contiguous slab of whole `unit`s a thread, at least `least` units each, and calls `f(first unit, slab)` on all threads.
    pub fn slabs(&self, out: &mut [f32], unit: usize, least: usize, f: impl Fn(usize, &mut [f32]) + Sync) {
        let ranges = self.split(out.len().div_ceil(unit), 1, least);
        let Some(workers) = self.workers.as_ref().filter(|_| ranges.len() > 1) else {
            return f(0, out);
        };
        let f = &f;
        workers.in_place_scope(|scope| {
            let (first, mut rest) = out.split_at_mut(ranges[0].len() * unit);
            for range in &ranges[1..] {
                let (slab, after) = rest.split_at_mut((range.len() * unit).min(rest.len()));
                rest = after;
                scope.spawn(move |_| f(range.start, slab));
            }
            f(0, first);
        });
    }
}

fn build(workers: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(workers)
        .stack_size(STACK_BYTES)
        .thread_name(|i| format!("moire-kernel-{}", i + 1))
        .start_handler(|_| crate::simd::use_ieee_arithmetic())
        .build()
        .map_err(|e| Error::new(Status::Memory, "threads", format!("cannot start {workers} worker threads: {e}")))
}
