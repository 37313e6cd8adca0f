//! The C ABI of the built-in engine, `include/moire.h`: control is JSON, data is bytes, every piece of work is a job.
//! A request goes `ffi` -> `request` (read and checked) -> `job` (own thread) -> `work` (calls the engine) -> result document.
#![deny(unsafe_code)]

mod abi;
mod build_info;
#[allow(unsafe_code)]
pub mod ffi;
mod handle;
mod ids;
mod job;
mod join;
mod measure;
mod panics;
mod request;
mod result;
mod self_test;
mod session;
mod step;
mod work;
mod workers;
