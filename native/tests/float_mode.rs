//! Jobs calculate in IEEE mode whatever mode the host's threads are in: a new thread would inherit that of its maker.
#![cfg(target_arch = "x86_64")]

use moire::ffi;
use std::{arch::asm, ptr};

const REQUEST: &[u8] = br#"{"kind":"selfTest","schemaVersion":1,"what":"kernels"}"#;

fn mxcsr() -> u32 {
    let mut mode = 0u32;
    // SAFETY: stores this thread's mode in a local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack)) };
    mode
}

fn set_mxcsr(mode: u32) {
    // SAFETY: changes the mode of this test's own thread, and back before it ends.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, readonly)) };
}

fn self_test() -> String {
    let (mut job, mut need, mut text) = (0u64, 0u64, vec![0u8; 65536]);
    let err = ptr::null_mut();
    // SAFETY: every pointer is to a live local of the size that is said.
    unsafe {
        assert_eq!(ffi::moire_job_start(0, REQUEST.as_ptr(), REQUEST.len() as u64, &mut job, err), 0);
        assert_eq!(ffi::moire_job_wait(job, 60_000, err), 0);
        assert_eq!(ffi::moire_job_result(job, text.as_mut_ptr(), text.len() as u64, &mut need, err), 0);
        assert_eq!(ffi::moire_job_free(job, err), 0);
    }
    text.truncate(need as usize);
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn a_job_of_a_host_that_rounds_down_and_flushes_denormals_calculates_right() {
    for wrong in [0x3f80u32, 0x9fc0] {
        let outcome = std::thread::spawn(move || {
            set_mxcsr(wrong);
            let text = self_test();
            // The host's own mode is left alone.
            let after = mxcsr() & !0x3f;
            set_mxcsr(0x1f80);
            (text, after)
        });
        let (text, after) = outcome.join().expect("no panic");
        assert!(text.contains(r#""passed":true"#), "{text}");
        assert_eq!(after, wrong & !0x3f);
    }
}
