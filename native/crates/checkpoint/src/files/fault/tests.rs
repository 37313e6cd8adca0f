//! Faults that are not ours. They end the process that has them, so a child has them.
use super::*;
use memmap2::Mmap;
use std::{fs::File, io::Write, os::unix::process::ExitStatusExt, process::Command};

/// How a child ends that installs the handler over `before` and then touches a page that is gone, of a map that nobody registered.
fn end_of(before: &str) -> std::process::ExitStatus {
    let child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "files::fault::tests::faults_outside_of_all_maps", "--ignored", "--nocapture"])
        .env("MOIRE_TEST_BEFORE", before)
        .output();
    child.expect("runs").status
}

#[test]
fn the_default_ends_the_process_with_the_signal() {
    assert_eq!(end_of("default").signal(), Some(libc::SIGBUS));
    assert_eq!(end_of("ignore").signal(), Some(libc::SIGBUS));
    assert_eq!(end_of("sent").signal(), Some(libc::SIGBUS));
}

#[test]
fn a_handler_that_was_there_before_gets_it() {
    assert_eq!(end_of("plain").code(), Some(41));
    assert_eq!(end_of("informed").code(), Some(42));
    assert_eq!(end_of("ignore sent").code(), Some(43));
}

extern "C" fn plain(signal: c_int) {
    // SAFETY: ends the process without more ado.
    unsafe { libc::_exit(if signal == libc::SIGBUS { 41 } else { 1 }) }
}

extern "C" fn informed(_: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: as in the handler under test.
    unsafe { libc::_exit(if (*info).si_addr().is_null() || context.is_null() { 1 } else { 42 }) }
}

#[test]
#[ignore = "the child of the tests above"]
fn faults_outside_of_all_maps() {
    let Ok(before) = std::env::var("MOIRE_TEST_BEFORE") else { return };
    let (handler, flags) = match before.as_str() {
        "plain" => (plain as Plain as usize, 0),
        "informed" => (informed as Informed as usize, libc::SA_SIGINFO),
        "ignore" | "ignore sent" => (libc::SIG_IGN, 0),
        _ => (libc::SIG_DFL, 0),
    };
    // SAFETY: plain data, and handlers that only leave.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler, flags);
        libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
    }
    install();
    if before.ends_with("sent") {
        // SAFETY: a signal to ourselves.
        unsafe { libc::raise(libc::SIGBUS) };
        std::process::exit(43);
    }
    let path = std::env::temp_dir().join(format!("moire-fault-{}", std::process::id()));
    let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path).expect("a file");
    file.write_all(&[7; 100]).expect("written");
    // SAFETY: what follows is what is tested.
    let map = unsafe { Mmap::map(&file) }.expect("mapped");
    std::fs::remove_file(&path).expect("removed");
    file.set_len(0).expect("cut");
    std::process::exit(i32::from(std::hint::black_box(&map)[50]));
}
