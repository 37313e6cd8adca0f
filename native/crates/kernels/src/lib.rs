//! All arithmetic of the engine: pure functions over slices, and the thread pool they run on.
//!
//! * Activations are `&[f32]`, row-major, holding values already rounded to `Ctx::act`. A kernel rounds its outputs where model-spec section 1.4
//!   (column mlx-lm) rounds.
//! * Work is split over outputs, rows or heads, never over a sum, so the number of threads never changes a byte.
//! * Every kernel is written once over [`simd`]'s eight fp32 lanes and compiled per instruction set; fused multiply-adds are explicit. So every
//!   instruction set gives the same bytes, in every family.
//! * NaN results are stored as the one quiet NaN `0x7fc00000` (in bf16 and f16 its truncation), since hardware disagrees on sign and payload.
//! * Slice lengths are checked at each kernel's edge; a wrong one is a bug of the caller and panics with the name of the slice.
#![deny(unsafe_code)]

mod aligned;
pub mod attention;
pub mod conv;
pub mod convert;
mod ctx;
pub mod delta;
pub mod diff;
pub mod disjoint;
pub mod elementwise;
pub mod embed;
mod isa;
pub mod math;
pub mod matmul;
pub mod measure;
pub mod norm;
mod pool;
pub mod rope;
pub mod simd;
pub mod stats;
pub mod topk;
pub mod trials;
mod view;

pub use aligned::Aligned;
pub use ctx::{Ctx, Weights, promote};
pub use isa::Isa;
pub use pool::Pool;
pub use view::Columns;
