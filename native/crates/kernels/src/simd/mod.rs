//! Eight fp32 lanes, once in portable Rust and once per instruction set.

mod fpenv;

pub use fpenv::use_ieee_arithmetic;
