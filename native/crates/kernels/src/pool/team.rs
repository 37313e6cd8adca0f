//! Fork and join over numbered parts, on threads that spin for a moment and then sleep. One of the files that may hold `unsafe`.
//!
//! A forward makes hundreds of calls of some ten microseconds. A worker that sleeps at once costs more to wake than such a call takes, and one that spins for
//! ever takes a core from the rest of the machine; so workers spin [`PATIENCE`] long and then sleep. A worker that comes late finds the call closed and is
//! not waited for: a descheduled thread holds nobody up.
#![allow(unsafe_code)]

use std::{
    any::Any,
    cell::UnsafeCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long a worker spins for the next call: longer than the steps between two matmuls of a decode.
const PATIENCE: Duration = Duration::from_micros(60);
/// Enough for the deepest kernel with its tiles on the stack.
const STACK_BYTES: usize = 4 << 20;
/// Set while workers may enter a call. The bits below count calls (from bit 32) and workers inside.
const OPEN: u64 = 1 << 63;
const ROUND: u64 = 1 << 32;

/// `run(0), ... run(parts - 1)`, borrowed from a caller that waits.
#[derive(Clone, Copy)]
struct Call {
    run: *const (dyn Fn(usize) + Sync),
    parts: usize,
}

struct Shared {
    state: AtomicU64,
    /// The next part to take.
    next: AtomicUsize,
    /// Written only while the state is closed and nobody is inside; read only from inside.
    call: UnsafeCell<Option<Call>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    asleep: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
    stop: AtomicBool,
    /// Whether every thread can have a core of its own; else nobody spins.
    spins: bool,
}

// SAFETY: `call` is only touched as its comment says, which the state orders; what it points to is `Sync` and outlives the call.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Worker threads of one pool.
pub struct Team {
    shared: Arc<Shared>,
    /// Held by the caller whose call is open.
    gate: Mutex<()>,
    workers: Vec<JoinHandle<()>>,
}

impl Team {
    /// Starts `workers` threads.
    ///
    /// # Errors
    /// What the system says when it refuses a thread.
    pub fn new(workers: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            state: AtomicU64::new(0),
            next: AtomicUsize::new(0),
            call: UnsafeCell::new(None),
            panic: Mutex::new(None),
            asleep: AtomicUsize::new(0),
            bed: Mutex::new(()),
            bell: Condvar::new(),
            stop: AtomicBool::new(false),
            spins: workers < thread::available_parallelism().map_or(1, usize::from),
        });
        let mut team = Self { shared, gate: Mutex::new(()), workers: Vec::with_capacity(workers) };
        for i in 1..=workers {
            let shared = Arc::clone(&team.shared);
            let named = thread::Builder::new().name(format!("moire-kernel-{i}")).stack_size(STACK_BYTES);
            team.workers.push(named.spawn(move || shared.work())?);
        }
        Ok(team)
    }

    /// `run(0), ... run(parts - 1)` on the caller and the workers; all done when it returns. While another caller has the workers, the caller is alone with it.
    /// A panic in a part goes on in the caller when the other parts are done.
    pub fn run(&self, parts: usize, run: &(dyn Fn(usize) + Sync)) {
        let Ok(gate) = self.gate.try_lock() else {
            return (0..parts).for_each(run);
        };
        let shared = &*self.shared;
        // SAFETY: only the lifetime goes. This function returns (or unwinds) after the state is closed and everybody has left.
        let run = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const (dyn Fn(usize) + Sync)>(run) };
        // SAFETY: the state is closed and nobody is inside, and the gate keeps other callers out.
        unsafe { *shared.call.get() = Some(Call { run, parts }) };
        shared.next.store(0, SeqCst);
        let round = (shared.state.load(SeqCst) + ROUND) & !OPEN;
        shared.state.store(OPEN | round, SeqCst);
        if shared.asleep.load(SeqCst) > 0 {
            drop(lock(&shared.bed));
            shared.bell.notify_all();
        }
        shared.take_parts();
        shared.close();
        if let Some(panic) = lock(&shared.panic).take() {
            drop(gate);
            resume_unwind(panic);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.stop.store(true, SeqCst);
        drop(lock(&self.shared.bed));
        self.shared.bell.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches every panic of a part; it has nothing else to say.
            let _ = worker.join();
        }
    }
}

impl Shared {
    /// A worker's life.
    fn work(&self) {
        crate::simd::use_ieee_arithmetic();
        let mut seen = 0;
        while let Some(state) = self.next_call(seen) {
            seen = round_of(state);
            if self.state.compare_exchange(state, state + 1, SeqCst, SeqCst).is_ok() || self.enter(seen) {
                self.take_parts();
                self.state.fetch_sub(1, SeqCst);
            }
        }
    }

    /// The state of an open call that this worker has not seen; `None` when the team ends.
    fn next_call(&self, seen: u64) -> Option<u64> {
        let fresh = || {
            let state = self.state.load(SeqCst);
            (state & OPEN != 0 && round_of(state) != seen).then_some(state)
        };
        let started = Instant::now();
        while self.spins && started.elapsed() < PATIENCE && !self.stop.load(SeqCst) {
            for _ in 0..32 {
                if let Some(state) = fresh() {
                    return Some(state);
                }
                std::hint::spin_loop();
            }
        }
        let mut bed = lock(&self.bed);
        self.asleep.fetch_add(1, SeqCst);
        let found = loop {
            if self.stop.load(SeqCst) {
                break None;
            }
            if let Some(state) = fresh() {
                break Some(state);
            }
            bed = self.bell.wait(bed).unwrap_or_else(PoisonError::into_inner);
        };
        self.asleep.fetch_sub(1, SeqCst);
        found
    }

    /// Into call `round`, unless it is closed by now.
    fn enter(&self, round: u64) -> bool {
        let open = |state: u64| (state & !(ROUND - 1) == OPEN | round).then_some(state + 1);
        self.state.fetch_update(SeqCst, SeqCst, open).is_ok()
    }

    /// Parts until none is left. Only from inside a call, or as its caller.
    fn take_parts(&self) {
        // SAFETY: the state is open or this thread is counted inside, so the call stands until it has left.
        let Some(Call { run, parts }) = (unsafe { *self.call.get() }) else { return };
        let done = catch_unwind(AssertUnwindSafe(|| {
            loop {
                let part = self.next.fetch_add(1, SeqCst);
                if part >= parts {
                    return;
                }
                // SAFETY: as above; the closure is `Sync`.
                unsafe { (*run)(part) };
            }
        }));
        if let Err(panic) = done {
            lock(&self.panic).get_or_insert(panic);
        }
    }

    /// Nobody enters any more; back when everybody has left.
    fn close(&self) {
        self.state.fetch_and(!OPEN, SeqCst);
        let mut spins = 0;
        while self.state.load(SeqCst) & (ROUND - 1) != 0 {
            spins += 1;
            if self.spins && spins < 20_000 { std::hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

fn round_of(state: u64) -> u64 {
    state & !OPEN & !(ROUND - 1)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
