//! Batch rows of sessions and draft sessions: how many there may be, which of them a fork takes, and what can be joined.

use moire_base::{Error, Result};
use serde_json::{Map, Value};

/// Most rows of a session.
const MAX_BATCH: usize = 64;

/// Errors: `Invalid` at `place` for a batch outside 1..=64.
pub fn check_batch(place: &str, batch: usize) -> Result<()> {
    if (1..=MAX_BATCH).contains(&batch) {
        return Ok(());
    }
    Err(Error::invalid(place, format!("{batch} rows; use 1 to {MAX_BATCH}")))
}

/// Which of `batch` rows a fork takes. Errors: `Invalid` for none, for more than 64, and for a row that does not exist.
pub fn check_rows(rows: &[usize], batch: usize) -> Result<()> {
    check_batch("/rows", rows.len())?;
    match rows.iter().position(|row| *row >= batch) {
        Some(i) => {
            let message = format!("no batch row {}; there are {batch}, numbered from 0", rows[i]);
            Err(Error::invalid(format!("/rows/{i}"), message))
        }
        None => Ok(()),
    }
}

/// Resolved switches of the target of a join and of another. Errors: `Invalid` at `place` with the first that they have otherwise.
pub fn check_switches(place: &str, target: &Map<String, Value>, other: &Map<String, Value>) -> Result<()> {
    match target.iter().find(|(name, value)| other.get(*name) != Some(value)) {
        Some((name, value)) => {
            let other = other.get(name).unwrap_or_default();
            let message = format!("its switch {name} is {other}, that of the target {value}; open both with the same");
            Err(Error::invalid(place, message))
        }
        None => Ok(()),
    }
}
