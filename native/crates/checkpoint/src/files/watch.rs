//! Which addresses are those of mapped files, in a form that a signal handler can ask: atomics alone, no lock to wait for, nothing that is ever freed.

use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
};

/// Room for one map. The list only grows, to as many as there were maps at once.
struct Slot {
    /// Odd while the range changes. A reader that sees it odd, or two values of it, passes by: the map that it asks for is in use and does not change.
    version: AtomicUsize,
    start: AtomicUsize,
    /// 0 while the slot is free.
    len: AtomicUsize,
    spoiled: AtomicBool,
    next: OnceLock<&'static Slot>,
}

static FIRST: Slot = Slot::new();
/// Held by whoever takes a slot or gives one back. No page of a map is touched under it, so no fault waits for it.
static CHANGES: Mutex<()> = Mutex::new(());

impl Slot {
    const fn new() -> Self {
        Self {
            version: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            spoiled: AtomicBool::new(false),
            next: OnceLock::new(),
        }
    }

    fn set(&self, start: usize, len: usize, _changes: &MutexGuard<'_, ()>) {
        self.version.fetch_add(1, SeqCst);
        self.start.store(start, SeqCst);
        self.len.store(len, SeqCst);
        self.spoiled.store(false, SeqCst);
        self.version.fetch_add(1, SeqCst);
    }

    /// The range, if it did not change while it was read.
    #[cfg(any(unix, test))]
    fn range(&self) -> Option<(usize, usize)> {
        let version = self.version.load(SeqCst);
        let range = (self.start.load(SeqCst), self.len.load(SeqCst));
        (version % 2 == 0 && self.version.load(SeqCst) == version).then_some(range)
    }
}

fn slots() -> impl Iterator<Item = &'static Slot> {
    std::iter::successors(Some(&FIRST), |slot| slot.next.get().copied())
}

fn changes() -> MutexGuard<'static, ()> {
    CHANGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The entry of a map, for as long as it stands.
pub(crate) struct Watch(&'static Slot);

impl Watch {
    /// From now on faults in these addresses count to this map.
    pub(crate) fn new(start: usize, len: usize) -> Self {
        let changes = changes();
        let free = slots().find(|slot| slot.len.load(SeqCst) == 0);
        let slot = free.unwrap_or_else(|| {
            let slot: &'static Slot = Box::leak(Box::new(Slot::new()));
            // Under the lock the last slot stays the last.
            slots().last().unwrap_or(&FIRST).next.get_or_init(|| slot)
        });
        slot.set(start, len, &changes);
        Self(slot)
    }

    /// What was read of the map may be of two contents.
    pub(crate) fn spoil(&self) {
        self.0.spoiled.store(true, SeqCst);
    }

    /// Whether anybody said so, a fault included.
    pub(crate) fn is_spoiled(&self) -> bool {
        self.0.spoiled.load(SeqCst)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.set(0, 0, &changes());
    }
}

/// Spoils the map that has `address` and gives its start and length; `None` if it is in no map. Signal handlers may call it.
#[cfg(any(unix, test))]
pub(crate) fn spoil_at(address: usize) -> Option<(usize, usize)> {
    slots().find_map(|slot| {
        let (start, len) = slot.range().filter(|(start, len)| address.wrapping_sub(*start) < *len)?;
        slot.spoiled.store(true, SeqCst);
        Some((start, len))
    })
}

#[cfg(test)]
mod tests;
