//! A panic in the engine becomes an error with its place. Nothing is printed.

use moire_base::{Error, Status};
use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    sync::{Mutex, Once, PoisonError},
};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Where the last panic came from. One for all threads: a panic of a pool thread is resumed on the thread that waits for it.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Threads whose names start so belong to the engine.
pub const THREAD_PREFIX: &str = "moire";

/// Run `body`; a panic in it is an `Internal` error. Used in two places: the entry of an exported function and the start of a job.
pub fn contain<T>(body: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| if ours() { remember(info) } else { previous(info) }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let outcome = panic::catch_unwind(AssertUnwindSafe(body));
    DEPTH.set(DEPTH.get() - 1);
    outcome.unwrap_or_else(|payload| Err(as_error(payload.as_ref())))
}

/// Panics outside the engine (a test that fails) keep their own hook.
fn ours() -> bool {
    DEPTH.get() > 0 || std::thread::current().name().is_some_and(|n| n.starts_with(THREAD_PREFIX))
}

fn remember(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
    *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
}

fn as_error(payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
    let place = std::mem::take(&mut *PLACE.lock().unwrap_or_else(PoisonError::into_inner));
    Error::new(Status::Internal, place, format!("the engine ran into a bug of its own: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_place() {
        let e = contain::<()>(|| panic!("row {}", 7)).expect_err("panicked");
        assert_eq!(e.status, Status::Internal);
        assert!(e.place.contains("panics.rs:"), "{}", e.place);
        assert!(e.message.ends_with("row 7"));
        assert_eq!(contain(|| Ok(5)), Ok(5));
    }
}
