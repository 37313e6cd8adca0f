//! The one place that maps files.
#![allow(unsafe_code)]

use memmap2::Mmap;
use moire_base::{Bytes, Error, Result, Status, memory};
use std::{fs::File, io::ErrorKind, path::Path};

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
    let map = unsafe { Mmap::map(&file) }.map_err(|e| match e.kind() {
        ErrorKind::OutOfMemory => no_room(path, kind.len()),
        _ => io(e),
    })?;
    Ok(Bytes::from_owner(map))
}

/// A map takes addresses, not memory; what refuses them is a limit of the process or a system that counts them as memory.
fn no_room(path: &Path, bytes: u64) -> Error {
    let free = memory::available().map_or("unknown".to_owned(), memory::size);
    let message = format!(
        "cannot be mapped: it needs {} of address space and the system refused it ({free} of memory is free); raise the limit of this process (ulimit -v) or free memory",
        memory::size(bytes)
    );
    Error::new(Status::Memory, path.display().to_string(), message)
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;
    use std::process::Command;

    const LARGE: u64 = 1 << 30;

    #[test]
    fn a_file_without_room_for_it_names_what_it_needs() {
        let folder = std::env::temp_dir().join(format!("moire-map-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("large.safetensors");
        File::create(&path).and_then(|file| file.set_len(LARGE)).expect("a sparse file");
        // The limit is the process's, so another one has it.
        let within =
            "ulimit -v 600000 && exec \"$0\" --exact files::map::tests::maps_what_it_is_given --ignored --nocapture";
        let test = std::env::current_exe().expect("this test");
        let child = Command::new("sh").args(["-c", within]).arg(test).env("MOIRE_TEST_FILE", &path).output();
        std::fs::remove_dir_all(&folder).expect("removed");
        let said = String::from_utf8_lossy(&child.expect("sh").stdout).into_owned();
        assert!(said.contains("needs 1.1 GB of address space") && said.contains("large.safetensors"), "{said}");
    }

    #[test]
    #[ignore = "the child of the test above"]
    fn maps_what_it_is_given() {
        let Some(path) = std::env::var_os("MOIRE_TEST_FILE") else { return };
        match map_file(Path::new(&path)) {
            Ok(_) => println!("mapped"),
            Err(error) => println!("{:?} {}: {}", error.status, error.place, error.message),
        }
    }
}
