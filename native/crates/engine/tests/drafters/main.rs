//! Drafters: DFlash and the MTP head against mlx-vlm's goldens, and byte for byte against themselves, however their rows come in.

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod dflash;
mod join;
mod mtp;
mod pair;
mod quantised;
mod refusals;
