//! The one place that maps files.
#![allow(unsafe_code)]

use super::{
    stamp::{self, Stamp},
    watch::Watch,
};
use memmap2::{Mmap, MmapOptions};
use moire_base::{Bytes, Error, Owner, Result, Status, memory};
use std::{fs::File, io::ErrorKind, path::Path};

/// A file in memory for as long as anything reads it.
///
/// Others can write to it, and the bytes change; they can cut it short, and a page that is gone gives SIGBUS. The handler of faults puts zeros in its place and
/// marks the map; `check` tells. Tools that replace a file by renaming a new one over it are safe: the map and the open file keep the old one.
struct MappedFile {
    /// Before the map, for fields are dropped in this order: addresses that were given back are nobody's.
    watch: Watch,
    map: Mmap,
    file: File,
    stamp: Stamp,
    place: String,
}

impl Owner for MappedFile {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn check(&self) -> Result<()> {
        let now = Stamp::of(&self.file).map_err(|e| unreadable(&self.place, &e))?;
        // Once changed it stays so: a session may carry what was computed meanwhile.
        if now != self.stamp {
            self.watch.spoil();
        }
        if !self.watch.is_spoiled() {
            return Ok(());
        }
        Err(Error::new(Status::Io, &self.place, stamp::what_happened(self.stamp, now)))
    }
}

/// Maps a regular file, read only. The bytes know whether the file has changed since: [`Bytes::check`].
pub(crate) fn map_file(path: &Path) -> Result<Bytes> {
    let place = path.display().to_string();
    // Checked before opening: opening a pipe would wait for a writer, and a device has no end.
    if !std::fs::metadata(path).map_err(|e| unreadable(&place, &e))?.is_file() {
        return Err(Error::new(Status::Io, place, "is not a regular file; give a file on disk"));
    }
    let file = File::open(path).map_err(|e| unreadable(&place, &e))?;
    let stamp = Stamp::settled(&file).map_err(|e| unreadable(&place, &e))?;
    if stamp.len == 0 {
        return Ok(Bytes::from(Vec::new()));
    }
    #[cfg(unix)]
    super::fault::install();
    let len = usize::try_from(stamp.len).unwrap_or(usize::MAX);
    // SAFETY: the map is read only. What others do to the file shows in it, as said above, and ends no process.
    let map = unsafe { MmapOptions::new().len(len).map(&file) }.map_err(|e| match e.kind() {
        ErrorKind::OutOfMemory => no_room(path, stamp.len),
        _ => unreadable(&place, &e),
    })?;
    let watch = Watch::new(map.as_ptr() as usize, map.len());
    Ok(Bytes::from_owner(MappedFile { watch, map, file, stamp, place }))
}

fn unreadable(place: &str, why: &std::io::Error) -> Error {
    Error::new(Status::Io, place, format!("cannot be read: {why}"))
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
