//! The one place that maps files.
#![allow(unsafe_code)]

use memmap2::Mmap;
use moire_base::{Bytes, Error, Result, Status};
use std::{fs::File, path::Path};

/// Maps a regular file, read only.
///
/// A mapped file must not be cut short while it is in use: touching a page that is gone ends the process (SIGBUS), and no check made here can prevent it.
/// Bytes that another program rewrites in place change under the model. Tools that replace a file by renaming a new one over it are safe: the map keeps
/// the old one.
pub(crate) fn map_file(path: &Path) -> Result<Bytes> {
    let place = || path.display().to_string();
    let io = |e: std::io::Error| Error::new(Status::Io, place(), format!("cannot be read: {e}"));
    let kind = std::fs::metadata(path).map_err(io)?;
    // Checked before opening: opening a pipe would wait for a writer, and a device has no end.
    if !kind.is_file() {
        return Err(Error::new(Status::Io, place(), "is not a regular file; give a file on disk"));
    }
    let file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.len() == 0 {
        return Ok(Bytes::from(Vec::new()));
    }
    // SAFETY: the map is private to this process and read only. That the file keeps its length is the caller's duty, as said above.
    let map = unsafe { Mmap::map(&file) }.map_err(io)?;
    Ok(Bytes::from_owner(map))
}
