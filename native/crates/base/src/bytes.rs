//! Shared bytes: a range of something that stays alive (a mapped file, a buffer).

use crate::Result;
use std::{fmt, ops::Deref, sync::Arc};

/// What bytes stand in: memory of this process, or a mapped file that others can write to.
pub trait Owner: Send + Sync {
    /// All of it, the same range every time.
    fn bytes(&self) -> &[u8];

    /// Whether they are what they were when they became bytes; what is memory of our own always is.
    ///
    /// # Errors
    /// `Io` for a file that was cut or written to since, also if it is as before by now.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

impl Owner for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A cheap clone of a byte range. The owner (a memory map, a `Vec<u8>`) lives as long as any range of it. No alignment is promised.
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn Owner>,
    start: usize,
    end: usize,
}

impl Bytes {
    /// All bytes of `owner`.
    pub fn from_owner(owner: impl Owner + 'static) -> Self {
        let end = owner.bytes().len();
        Self { owner: Arc::new(owner), start: 0, end }
    }

    /// Whether what was read of them so far was all of one content. Of a mapped file: one system call, below a microsecond.
    ///
    /// # Errors
    /// As [`Owner::check`].
    pub fn check(&self) -> Result<()> {
        self.owner.check()
    }

    /// A part of these bytes, `None` if it would reach outside.
    pub fn slice(&self, start: usize, end: usize) -> Option<Self> {
        let len = self.end - self.start;
        (start <= end && end <= len).then(|| Self {
            owner: Arc::clone(&self.owner),
            start: self.start + start,
            end: self.start + end,
        })
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.owner.bytes()[self.start..self.end]
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(v: Vec<u8>) -> Self {
        Self::from_owner(v)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.end - self.start)
    }
}
