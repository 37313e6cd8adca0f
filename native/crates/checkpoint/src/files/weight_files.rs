//! The files under a model or a drafter, which have to stay as they are while it is in use.

use super::TensorFile;
use moire_base::{Bytes, Result};

/// Mapped files whose changes are noticed.
#[derive(Clone, Debug)]
pub struct WeightFiles(Vec<Bytes>);

impl WeightFiles {
    pub(crate) fn new<'a>(files: impl Iterator<Item = &'a TensorFile>) -> Self {
        Self(files.map(|file| file.bytes.clone()).collect())
    }

    /// These and `others`.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.0.extend_from_slice(&others.0);
        self
    }

    /// Whether all are as they were when they were mapped.
    ///
    /// # Errors
    /// `Io` with the file that was cut or written to since.
    pub fn check(&self) -> Result<()> {
        self.0.iter().try_for_each(Bytes::check)
    }

    /// What `body` makes of the files, if they are as they were before it and after it.
    ///
    /// # Errors
    /// Those of `check` and of `body`.
    pub fn guard<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check()?;
        let made = body()?;
        self.check()?;
        Ok(made)
    }
}
