//! Memory asked for before it is taken, so that a need which the machine cannot meet is an error and not the end of the process.
//!
//! An allocator that promises more than there is (as Linux does) gives no error by itself: the process is ended later, on first use. So large needs are compared with
//! what is free: on Linux with `MemAvailable` and with the limits of the control groups that the process is in. Elsewhere the allocator's own word counts.

mod linux;

use crate::{Error, Result, Status};
use std::fmt::Display;

/// Needs below this are not compared with what is free: looking costs more than they do.
const LARGE: u64 = 16 << 20;

/// Bytes that this process can still take, as far as the system tells.
pub fn available() -> Option<u64> {
    if cfg!(target_os = "linux") { linux::available() } else { None }
}

/// Nothing if `bytes` for `what` are free now.
///
/// # Errors
/// `Memory`, naming what it was for, how much is needed and how much is free.
pub fn require(what: impl Display, bytes: usize) -> Result<()> {
    match available_for(bytes as u64) {
        Some(free) if free < bytes as u64 => Err(refused(what, bytes, Some(free))),
        _ => Ok(()),
    }
}

/// `bytes` bytes of `fill`.
///
/// # Errors
/// As [`require`], also when the allocator refuses.
pub fn filled(what: impl Display, bytes: usize, fill: u8) -> Result<Vec<u8>> {
    let mut out = reserved(what, bytes)?;
    out.resize(bytes, fill);
    Ok(out)
}

/// A copy of `from`.
///
/// # Errors
/// As [`require`], also when the allocator refuses.
pub fn copied(what: impl Display, from: &[u8]) -> Result<Vec<u8>> {
    let mut out = reserved(what, from.len())?;
    out.extend_from_slice(from);
    Ok(out)
}

/// An empty vector with room for exactly `count` elements.
///
/// # Errors
/// As [`require`], also when the allocator refuses.
pub fn reserved<T>(what: impl Display, count: usize) -> Result<Vec<T>> {
    let bytes = count.saturating_mul(size_of::<T>());
    require(&what, bytes)?;
    let mut out = Vec::new();
    out.try_reserve_exact(count).map_err(|_| refused(what, bytes, available()))?;
    Ok(out)
}

fn available_for(bytes: u64) -> Option<u64> {
    (bytes >= LARGE).then(available).flatten()
}

fn refused(what: impl Display, bytes: usize, free: Option<u64>) -> Error {
    let free = free.map_or("the system refused it".to_owned(), |free| format!("{} is free", size(free)));
    let message = format!("{what} needs {} of memory and {free}; ask for less, or free memory", size(bytes as u64));
    Error::new(Status::Memory, "memory", message)
}

/// "1.5 GB", decimal.
pub fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_given() {
        assert_eq!(filled("a test", 3, 7).unwrap(), [7; 3]);
        assert_eq!(copied("a test", &[1, 2]).unwrap(), [1, 2]);
        assert!(reserved::<u64>("a test", 5).unwrap().capacity() >= 5);
        require("a test", LARGE as usize).unwrap();
    }

    #[test]
    fn what_does_not_fit_is_refused_with_all_three_numbers() {
        for bytes in [1 << 50, usize::MAX] {
            let e = filled("a test", bytes, 0).unwrap_err();
            assert_eq!(e.status, Status::Memory);
            assert!(e.message.starts_with("a test needs ") && e.message.contains("TB of memory"), "{e}");
            #[cfg(target_os = "linux")]
            assert!(e.message.contains("B is free"), "{e}");
        }
        assert!(reserved::<u64>("a test", usize::MAX).is_err());
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!(
            [0, 999, 1_000, 1_500_000, 2_000_000_000].map(size),
            ["0 bytes", "999 bytes", "1.0 kB", "1.5 MB", "2.0 GB"]
        );
    }
}
