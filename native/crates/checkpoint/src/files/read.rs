//! Reading small files whole, with a limit.

use moire_base::{Error, Result, Status};
use std::{fs::File, io::Read, path::Path};

/// Whether there is nothing at `path` (a dangling link counts as nothing). What cannot be looked at (no permission, a loop of links) is there: reading it says why not.
pub(crate) fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

/// The whole file, refused above `limit` bytes.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let place = || path.display().to_string();
    let io = |e: std::io::Error| Error::new(Status::Io, place(), format!("cannot be read: {e}"));
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(Error::new(Status::Io, place(), "is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(limit + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > limit {
        return Err(Error::format(
            place(),
            format!("is larger than {limit} bytes, which no such file is; is it the right file?"),
        ));
    }
    Ok(bytes)
}
