//! Weight files that others write to while they are mapped.
#![cfg(all(unix, not(miri)))]

use moire_base::{Control, Error, Status};
use moire_checkpoint::{Checkpoint, OpenOptions, TensorFile};
use std::{
    fs::{self, File, FileTimes},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// The sample model, copied.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/target-4bit");
    for entry in fs::read_dir(sample).expect("the sample") {
        let from = entry.expect("listed").path();
        fs::copy(&from, dir.path().join(from.file_name().expect("a name"))).expect("copied");
    }
    let weights = dir.path().join("model.safetensors");
    (dir, weights)
}

fn writing(path: &Path) -> File {
    File::options().write(true).open(path).expect("opens")
}

fn refused(file: &TensorFile) -> Error {
    let error = file.bytes.check().expect_err("has changed");
    assert_eq!(error.status, Status::Io);
    assert!(error.place.ends_with("model.safetensors") && error.message.contains("load the model again"), "{error}");
    error
}

#[test]
fn a_cut_file_reads_as_zeros_and_says_so() {
    let (_dir, path) = folder();
    let file = TensorFile::open(&path).expect("opens");
    let len = file.bytes.len();
    assert!(file.bytes.check().is_ok());
    writing(&path).set_len(100).expect("cut");
    assert_eq!(file.bytes.last(), Some(&0));
    assert!(file.bytes.iter().all(|b| *b == 0), "the whole map, also where the file still has bytes");
    let message = refused(&file).message;
    assert!(message.contains(&format!("had {len} bytes when it was loaded and has 100 now")), "{message}");
    assert!(file.tensors[0].data.check().is_err());
}

#[test]
fn a_file_that_is_whole_again_does_not_make_the_map_whole() {
    let (_dir, path) = folder();
    let modified = fs::metadata(&path).and_then(|m| m.modified()).expect("a time");
    let content = fs::read(&path).expect("read");
    let file = TensorFile::open(&path).expect("opens");
    writing(&path).set_len(0).expect("cut");
    assert_eq!(file.bytes[content.len() / 2], 0);
    let mut again = writing(&path);
    again.write_all(&content).expect("written");
    again.set_times(FileTimes::new().set_modified(modified)).expect("dated back");
    assert!(refused(&file).message.contains("could not be read through"));
    assert!(TensorFile::open(&path).expect("opens").bytes.check().is_ok());
}

#[test]
fn bytes_written_in_place_are_noticed() {
    for wait in [0, 50] {
        let (_dir, path) = folder();
        let file = TensorFile::open(&path).expect("opens");
        std::thread::sleep(Duration::from_millis(wait));
        let mut writer = writing(&path);
        writer.seek(SeekFrom::End(-1)).expect("there");
        writer.write_all(&[1]).expect("written");
        assert!(refused(&file).message.contains("still has"));
    }
}

#[test]
fn a_file_that_grows_is_noticed() {
    let (_dir, path) = folder();
    let file = TensorFile::open(&path).expect("opens");
    writing(&path).set_len(10_000_000).expect("longer");
    assert!(refused(&file).message.contains("and has 10000000 now"));
}

#[test]
fn a_file_that_was_replaced_or_removed_stays_what_it_was() {
    let (dir, path) = folder();
    let file = TensorFile::open(&path).expect("opens");
    let content = fs::read(&path).expect("read");
    let new = dir.path().join("new");
    fs::write(&new, b"other").expect("written");
    fs::rename(&new, &path).expect("renamed");
    assert!(file.bytes.check().is_ok());
    fs::remove_file(&path).expect("removed");
    assert!(file.bytes.check().is_ok() && file.bytes[..] == content[..]);
}

/// The weights are cut at every moment of a load, and written anew.
#[test]
fn a_load_of_a_file_that_comes_and_goes_ends_with_an_error_or_with_the_model() {
    let (dir, path) = folder();
    let content = fs::read(&path).expect("read");
    let whole = Checkpoint::open(dir.path(), &OpenOptions::default(), &Control::default()).expect("opens");
    let mut failed = 0;
    for turn in 0..40 {
        let loaded = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(900 * turn));
                writing(&path).set_len(5000).expect("cut");
            });
            Checkpoint::open(dir.path(), &OpenOptions::default(), &Control::default())
        });
        match loaded {
            Ok(loaded) => assert_eq!(loaded.summary.fingerprint, whole.summary.fingerprint),
            Err(_) => failed += 1,
        }
        fs::write(&path, &content).expect("written");
    }
    assert!(failed > 0, "cut too late every time");
}
