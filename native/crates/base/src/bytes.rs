//! Shared bytes: a range of something that stays alive (a mapped file, a buffer).

use std::{fmt, ops::Deref, sync::Arc};

/// A cheap clone of a byte range. The owner (a memory map, a `Vec<u8>`) lives as long as any range of it. No alignment is promised.
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    start: usize,
    end: usize,
}

impl Bytes {
    /// All bytes of `owner`.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let end = owner.as_ref().len();
        Self { owner: Arc::new(owner), start: 0, end }
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
        &(*self.owner).as_ref()[self.start..self.end]
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
