//! Persistent worker threads. Parts are fixed by the caller and results come back in part order, so scheduling never changes a byte.

mod team;

use moire_base::{Error, Result, Status};
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};
use team::Team;

/// The threads kernels run on: the caller's and `threads - 1` workers that sleep while idle. May be shared by several callers at once.
pub struct Pool {
    threads: usize,
    team: Option<Team>,
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
        let workers = threads - 1;
        let refused = |e| Error::new(Status::Memory, "threads", format!("cannot start {workers} worker threads: {e}"));
        let team = (workers > 0).then(|| Team::new(workers)).transpose().map_err(refused)?;
        Ok(Self { threads, team })
    }

    /// Threads, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// `f(0), f(1), ... f(parts - 1)` in any order on all threads. A panic in a part goes on in the caller.
    pub fn run(&self, parts: usize, f: impl Fn(usize) + Sync) {
        match &self.team {
            Some(team) if parts > 1 => team.run(parts, &f),
            _ => (0..parts).for_each(f),
        }
    }

    /// As [`run`](Self::run); the results in part order.
    pub fn map<T: Send>(&self, parts: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let slots: Vec<Mutex<Option<T>>> = (0..parts).map(|_| Mutex::new(None)).collect();
        self.run(parts, |part| *slots[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(f(part)));
        slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// `f` of every item, each on any thread, all done when it returns. A panic in an item goes on in the caller.
    pub fn each<T: Send>(&self, items: Vec<T>, f: impl Fn(T) + Sync) {
        if self.team.is_none() || items.len() < 2 {
            return items.into_iter().for_each(f);
        }
        let slots: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.run(slots.len(), |i| {
            let item = slots[i].lock().unwrap_or_else(PoisonError::into_inner).take();
            item.into_iter().for_each(&f);
        });
    }

    /// `0..n` cut into at most `threads` contiguous ranges of whole `unit`s (the last may be short), each of at least `least` items where possible.
    pub fn split(&self, n: usize, unit: usize, least: usize) -> Vec<Range<usize>> {
        cut(n, unit, self.threads.min(n.div_ceil(least.max(1))))
    }

    /// As [`split`](Self::split), but into more ranges than threads where `least` allows it, so that a slow thread leaves work to the others.
    pub fn chunks(&self, n: usize, unit: usize, least: usize) -> Vec<Range<usize>> {
        let most = if self.threads == 1 { 1 } else { 4 * self.threads };
        cut(n, unit, most.min(n.div_ceil(least.max(1))))
    }

    /// Cuts `out` into one contiguous slab of whole `unit`s a thread, at least `least` units each, and calls `f(first unit, slab)` on all threads.
    pub fn slabs(&self, out: &mut [f32], unit: usize, least: usize, f: impl Fn(usize, &mut [f32]) + Sync) {
        let ranges = self.split(out.len().div_ceil(unit), 1, least);
        if ranges.len() < 2 {
            return f(0, out);
        }
        let mut slabs = Vec::with_capacity(ranges.len());
        let mut rest = out;
        for range in ranges {
            let (slab, after) = rest.split_at_mut((range.len() * unit).min(rest.len()));
            rest = after;
            slabs.push((range.start, slab));
        }
        self.each(slabs, |(first, slab)| f(first, slab));
    }
}

/// `0..n` in at most `parts` ranges of whole `unit`s.
fn cut(n: usize, unit: usize, parts: usize) -> Vec<Range<usize>> {
    let units = n.div_ceil(unit);
    let parts = parts.clamp(1, units.max(1));
    (0..parts).map(|p| (units * p / parts * unit).min(n)..(units * (p + 1) / parts * unit).min(n)).collect()
}
