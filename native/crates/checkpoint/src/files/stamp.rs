//! What tells that somebody wrote to an open file: its length and the time of the last write.

use std::{
    fs::File,
    io,
    thread::sleep,
    time::{Duration, SystemTime},
};

/// File times advance in steps of the system's clock, ten milliseconds at most on the systems that we know.
const STEP: Duration = Duration::from_millis(20);

/// Another one after every write. A file that another takes the name of keeps its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Bytes.
    pub len: u64,
    /// `None` where the file system has no times; then the length has to do.
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Of the file now. One system call.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let facts = file.metadata()?;
        Ok(Self { len: facts.len(), modified: facts.modified().ok() })
    }

    /// As `of`, old enough that a write after it has another time. Waits for a file that was written to a moment ago.
    pub(crate) fn settled(file: &File) -> io::Result<Self> {
        let stamp = Self::of(file)?;
        let age = stamp.modified.and_then(|at| SystemTime::now().duration_since(at).ok());
        let Some(rest) = age.and_then(|age| STEP.checked_sub(age)) else { return Ok(stamp) };
        sleep(rest);
        Self::of(file)
    }
}

/// The message about a file that was `then` and is `now`.
pub(crate) fn what_happened(then: Stamp, now: Stamp) -> String {
    let was = then.len;
    let change = if now.len != was {
        format!(
            "was cut or written to while it was in use: it had {was} bytes when it was loaded and has {} now",
            now.len
        )
    } else if now != then {
        format!("was written to while it was in use: it still has {was} bytes, but was modified after it was loaded")
    } else {
        "could not be read through: it was cut for a while, or written to, or the disk failed".to_owned()
    };
    format!("{change}. Results would be of no one model; let the writer finish and load the model again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_was_and_what_is() {
        let then = Stamp { len: 4096, modified: Some(SystemTime::UNIX_EPOCH) };
        let now = Stamp { modified: Some(SystemTime::UNIX_EPOCH + STEP), ..then };
        assert!(
            what_happened(then, Stamp { len: 12, ..now }).contains("had 4096 bytes when it was loaded and has 12 now")
        );
        assert!(what_happened(then, now).contains("still has 4096 bytes"));
        assert!(what_happened(then, then).contains("could not be read through"));
        // moire_error has room for 383 bytes.
        assert!(what_happened(Stamp { len: u64::MAX, ..then }, Stamp { len: u64::MAX - 1, ..then }).len() < 384);
    }
}
