//! Faults in mapped files. A page of a file that was cut, or that the disk does not give, is SIGBUS for the thread that touches it, and by default the end of
//! the process. Here it is the end of that map: it reads as zeros from then on, and its file says so when it is checked.
#![allow(unsafe_code)]

use super::watch;
use libc::{c_int, c_void, siginfo_t};
use std::{
    mem, ptr,
    sync::{Once, OnceLock},
};

/// Who had the signal before. It gets whatever is not ours.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// A handler that asked for `SA_SIGINFO`.
type Informed = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
/// One that did not.
type Plain = extern "C" fn(c_int);

/// Installs the handler, the first time. It is never taken back: others may have put theirs over it.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `sigaction` is plain data for which zeros are valid, and a call with a true signal and such structs does not fail. The handler does what
        // handlers may, atomics and system calls, and finds in PREVIOUS whom to pass on to.
        unsafe {
            let mut ours: libc::sigaction = mem::zeroed();
            libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut ours);
            PREVIOUS.get_or_init(|| ours);
            // The mask stays that of the previous handler. On the thread's own stack if it has no other: the frames are small.
            ours.sa_sigaction = on_fault as Informed as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGBUS, &raw const ours, ptr::null_mut());
        }
    });
}

extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system hands a valid siginfo to a handler with SA_SIGINFO; an address that it does not have is checked against the maps like any.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // What a process sent (kill) has other codes, and no address.
    let is_fault = (1..0x100).contains(&code);
    if is_fault && watch::spoil_at(address).is_some_and(blank) {
        return;
    }
    pass_on(signal, info, context, is_fault);
}

/// Puts zeros over a whole map. Page by page would be a fault and a piece of address space each, millions in a large file, for results that do not count.
fn blank((start, len): (usize, usize)) -> bool {
    let zeros = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED;
    // SAFETY: the range is a map of ours, and stays one: a thread that holds it has just touched it. The new pages can be read like the old ones and are given
    // back with them; the system exchanges them in one step. Neither memory nor errno is touched where it succeeds.
    let at = unsafe { libc::mmap(start as *mut c_void, len, libc::PROT_READ, zeros, -1, 0) };
    at as usize == start
}

/// As if we were not here.
fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void, is_fault: bool) {
    let (action, flags) = PREVIOUS.get().map_or((libc::SIG_DFL, 0), |p| (p.sa_sigaction, p.sa_flags));
    match action {
        libc::SIG_IGN if !is_fault => {}
        // The system ends a process that ignores a fault of its own.
        libc::SIG_DFL | libc::SIG_IGN => default(signal, is_fault),
        handler if flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: what stands here with this flag is such a function, by sigaction(2).
            let handler = unsafe { mem::transmute::<usize, Informed>(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: and without it such a one.
            let handler = unsafe { mem::transmute::<usize, Plain>(handler) };
            handler(signal);
        }
    }
}

/// The instruction runs again when the handler returns, and then ends the process where it stands; a signal that was sent has to be sent once more.
fn default(signal: c_int, is_fault: bool) {
    // SAFETY: both may be called in a handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if !is_fault {
            libc::raise(signal);
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests;
