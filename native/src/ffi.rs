//! Every exported function, and the only place with raw pointers. No logic: an entry wrapper, arguments in, results out.
//! `include/moire.h` is the manual; each function keeps what it says there.
//!
//! Structs are read and written as bytes, so a caller's buffer needs no alignment.

use crate::{
    abi, build_info,
    handle::{HANDLES, Object},
    job::Job,
    panics,
    request::{MAX_BYTES, Request},
    work, workers,
};
use moire_base::{Error, Result, Status};
use moire_engine::Tensor;
use std::{ffi::c_char, ptr, slice, sync::Arc, time::Duration};

/// Major in the upper, minor in the lower 16 bits.
const ABI_VERSION: u32 = 0x0001_0003;

/// Runs the body of an export; its error goes to `err` and its status is returned. Panics end here.
fn entry(err: *mut u8, body: impl FnOnce() -> Result<()>) -> i32 {
    let outcome = panics::contain(body);
    if !err.is_null() {
        // SAFETY: not null, so a moire_error whose struct_size bytes the caller lends for this call.
        unsafe {
            abi::error(struct_size(err), outcome.as_ref().err(), |bytes| copy_out(err, bytes));
        }
    }
    outcome.map_or_else(|e| e.status as i32, |()| 0)
}

/// # Safety
/// `at` points to a struct that begins with its u32 size.
unsafe fn struct_size(at: *const u8) -> u32 {
    // SAFETY: as above; the field may be unaligned.
    unsafe { ptr::read_unaligned(at.cast::<u32>()) }
}

/// # Safety
/// `at` has room for `bytes`.
unsafe fn copy_out(at: *mut u8, bytes: &[u8]) {
    // SAFETY: as above; `bytes` is memory of the engine, so the two do not overlap.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) }
}

/// # Safety
/// `to` is null or has room for a u64.
unsafe fn put(to: *mut u64, value: u64, place: &str) -> Result<()> {
    non_null(to, place)?;
    // SAFETY: not null, so as above; may be unaligned.
    unsafe { ptr::write_unaligned(to, value) }
    Ok(())
}

fn non_null<T>(pointer: *const T, place: &str) -> Result<()> {
    if pointer.is_null() { Err(Error::invalid(place, format!("{place} is NULL"))) } else { Ok(()) }
}

/// The caller's `len` bytes, empty for NULL with length 0. Errors: `Invalid` for NULL with a length, or more than `most`.
///
/// # Safety
/// `bytes` is null or has `len` readable bytes for `'a`.
unsafe fn input<'a>(bytes: *const u8, len: u64, most: u64, place: &str) -> Result<&'a [u8]> {
    if len > most {
        return Err(Error::invalid("len", format!("{len} bytes; at most {most} are taken")));
    }
    if len == 0 {
        return Ok(&[]);
    }
    non_null(bytes, place)?;
    // SAFETY: not null, `len` bytes by contract and not above `most`, which is below isize::MAX.
    Ok(unsafe { slice::from_raw_parts(bytes, len as usize) })
}

/// A whole document by cap/need.
///
/// # Safety
/// `buf` is null or has `cap` writable bytes, `need` is null or has room for a u64.
unsafe fn output(document: &[u8], buf: *mut u8, cap: u64, need: *mut u64) -> Result<()> {
    let len = document.len() as u64;
    // SAFETY: by contract.
    unsafe { put(need, len, "need")? };
    if cap < len {
        return Err(Error::new(Status::Buffer, "cap", format!("the buffer has {cap} bytes, {len} are needed")));
    }
    non_null(buf, "buf")?;
    // SAFETY: not null, and `cap` is enough.
    unsafe { copy_out(buf, document) };
    Ok(())
}

/// See `moire.h`.
#[unsafe(no_mangle)]
pub extern "C" fn moire_abi_version() -> u32 {
    ABI_VERSION
}

/// See `moire.h`.
#[unsafe(no_mangle)]
pub extern "C" fn moire_status_name(status: i32) -> *const c_char {
    abi::status_name(status).as_ptr()
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_build_info(buf: *mut u8, cap: u64, need: *mut u64, err: *mut u8) -> i32 {
    // SAFETY: by contract.
    entry(err, || unsafe { output(&build_info::build_info()?, buf, cap, need) })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_job_start(target: u64, json: *const u8, len: u64, job: *mut u64, err: *mut u8) -> i32 {
    entry(err, || {
        // SAFETY: by contract.
        let json = unsafe {
            put(job, 0, "job")?;
            input(json, len, MAX_BYTES, "json")?
        };
        let started = Arc::new(Job::new(work::prepare(target, Request::parse(json)?)?));
        workers::submit(Arc::clone(&started))?;
        // SAFETY: by contract.
        unsafe { put(job, HANDLES.insert(Object::Job(started)), "job") }
    })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_job_poll(job: u64, progress: *mut u8, err: *mut u8) -> i32 {
    entry(err, || {
        let job = HANDLES.get::<Job>(job, "job")?;
        if !progress.is_null() {
            // SAFETY: not null, so a moire_progress whose struct_size bytes the caller lends.
            unsafe {
                abi::progress(struct_size(progress), job.state(), job.progress(), |b| copy_out(progress, b))?;
            }
        }
        job.check()
    })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_job_wait(job: u64, timeout_ms: u32, err: *mut u8) -> i32 {
    entry(err, || HANDLES.get::<Job>(job, "job")?.wait(Duration::from_millis(timeout_ms.into())))
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_job_cancel(job: u64, err: *mut u8) -> i32 {
    entry(err, || {
        HANDLES.get::<Job>(job, "job")?.cancel();
        Ok(())
    })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_job_result(job: u64, buf: *mut u8, cap: u64, need: *mut u64, err: *mut u8) -> i32 {
    // SAFETY: by contract.
    entry(err, || HANDLES.get::<Job>(job, "job")?.result(|document| unsafe { output(document, buf, cap, need) }))
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_job_free(job: u64, err: *mut u8) -> i32 {
    entry(err, || {
        HANDLES.take_job(job)?.abandon();
        Ok(())
    })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_tensor_info(tensor: u64, desc: *mut u8, err: *mut u8) -> i32 {
    entry(err, || {
        let tensor = HANDLES.get::<Tensor>(tensor, "tensor")?;
        non_null(desc, "desc")?;
        // SAFETY: not null, so a moire_tensor_desc whose struct_size bytes the caller lends.
        unsafe { abi::desc(struct_size(desc), &tensor, |bytes| copy_out(desc, bytes)) }
    })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_tensor_read(
    tensor: u64,
    offset: u64,
    dst: *mut u8,
    cap: u64,
    written: *mut u64,
    err: *mut u8,
) -> i32 {
    entry(err, || {
        let tensor = HANDLES.get::<Tensor>(tensor, "tensor")?;
        let rest = usize::try_from(offset).ok().and_then(|o| tensor.data.get(o..)).ok_or_else(|| {
            Error::invalid("offset", format!("offset {offset} is beyond the {} bytes of the tensor", tensor.data.len()))
        })?;
        let part = &rest[..rest.len().min(usize::try_from(cap).unwrap_or(usize::MAX))];
        if !part.is_empty() {
            non_null(dst, "dst")?;
        }
        // SAFETY: by contract; `dst` is not null where there is something to copy, and `part` is not longer than `cap`.
        unsafe {
            put(written, 0, "written")?;
            if !part.is_empty() {
                copy_out(dst, part);
            }
            // After the copy: a tensor of a file has what the file has, which others can write to.
            tensor.data.check()?;
            put(written, part.len() as u64, "written")
        }
    })
}

/// See `moire.h`.
///
/// # Safety
/// Every pointer is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_tensor_import(
    desc: *const u8,
    bytes: *const u8,
    len: u64,
    tensor: *mut u64,
    err: *mut u8,
) -> i32 {
    entry(err, || {
        // SAFETY: by contract; a desc that is not null lends struct_size bytes.
        let (desc, bytes) = unsafe {
            put(tensor, 0, "tensor")?;
            non_null(desc, "desc")?;
            let size = (struct_size(desc) as usize).min(abi::DESC_SIZE);
            (slice::from_raw_parts(desc, size), input(bytes, len, isize::MAX as u64, "bytes")?)
        };
        let imported = abi::import(desc, bytes)?;
        // SAFETY: by contract.
        unsafe { put(tensor, HANDLES.insert(Object::Tensor(Arc::new(imported))), "tensor") }
    })
}

/// See `moire.h`.
///
/// # Safety
/// `err` is NULL or valid as `moire.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn moire_handle_free(handle: u64, err: *mut u8) -> i32 {
    entry(err, || HANDLES.free(handle))
}

/// Gives freed memory back to the system: the allocator of glibc keeps what was freed between blocks that live on, which after a long prefill is more than a small
/// model's KV. Takes milliseconds.
pub fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: a function of the C library without preconditions; it may be called from any thread.
        unsafe { malloc_trim(0) };
    }
}
