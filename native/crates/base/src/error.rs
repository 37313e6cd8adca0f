//! One error for the whole engine: what happened (`message`), where (`place`), and a status that the C ABI hands on.

use std::fmt;

/// Status codes of `include/moire.h`. Appended only, never renumbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// Fine.
    Ok = 0,
    /// A bug in the engine (a caught panic).
    Internal = -1,
    /// An argument or a request field is wrong.
    Invalid = -2,
    /// A handle is 0, stale, freed or of another kind.
    Handle = -3,
    /// The job was cancelled.
    Cancelled = -4,
    /// A wait ended before the job did.
    Timeout = -5,
    /// The target already runs a job.
    Busy = -6,
    /// The caller's buffer is too small; `need` holds the size.
    Buffer = -7,
    /// Version of a struct or a request that this build does not know.
    Version = -8,
    /// The operating system refused a file.
    Io = -9,
    /// A file is malformed.
    Format = -10,
    /// Well-formed, but not supported by this engine.
    Unsupported = -11,
    /// Not enough memory.
    Memory = -12,
    /// Not possible in the state the target is in (rewind without a verify, ...).
    State = -13,
}

/// An error with its place: a file, a tensor, a JSON pointer, a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which status the C ABI returns.
    pub status: Status,
    /// Where: file name, tensor name, JSON pointer or setting.
    pub place: String,
    /// What happened and what to do, one or two sentences.
    pub message: String,
}

/// Result of everything fallible in the engine.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of `status` at `place`.
    pub fn new(status: Status, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status, place: place.into(), message: message.into() }
    }
    /// A wrong argument or request field.
    pub fn invalid(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Status::Invalid, place, message)
    }
    /// A malformed file.
    pub fn format(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Status::Format, place, message)
    }
    /// A well-formed thing that the engine does not support.
    pub fn unsupported(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Status::Unsupported, place, message)
    }
    /// The job was cancelled.
    pub fn cancelled() -> Self {
        Self::new(Status::Cancelled, "", "cancelled")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.place, self.message) }
    }
}

impl std::error::Error for Error {}
