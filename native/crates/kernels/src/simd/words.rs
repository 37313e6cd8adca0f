//! Integer lanes of the `exact` matmul for many rows: lane = output.

use super::Lanes;

/// A vector of 32-bit integers, one per output. All operations are exact, so every instruction set gives the same integers.
pub trait Words: Copy {
    /// Outputs of a vector, a multiple of four.
    const OUTPUTS: usize;
    /// The fp32 lanes that run beside it.
    type Floats: Lanes;
    /// Zero in every lane.
    fn zero() -> Self;
    /// Turns little-endian words: `to[word][v]` holds that word of every output. Output i's words begin at byte `i · stride`. `to` holds a multiple of
    /// eight words.
    ///
    /// # Panics
    /// If they do not lie in `from`.
    fn turn<const V: usize>(from: &[u8], stride: usize, to: &mut [[Self; V]], v: usize);
    /// Bits of `mask` only.
    fn and(self, mask: u32) -> Self;
    /// Bits of both.
    fn or(self, other: Self) -> Self;
    /// Shifted right by a constant below 32, zeros in.
    fn shr(self, bits: u32) -> Self;
    /// Both 16-bit halves shifted right by a constant below 16, zeros in.
    fn shr_halves(self, bits: u32) -> Self;
    /// Shifted left by a constant below 32.
    fn shl(self, bits: u32) -> Self;
    /// `self + low(codes) · low(x) + high(codes) · high(x)` over signed 16-bit halves.
    fn add_products(self, codes: Self, x: i32) -> Self;
    /// `total = fma(bias, sum, fma(scale · sx, float(self), total))`, lane by lane.
    fn combine(self, scale: &[f32], bias: &[f32], sx: f32, sum: f32, total: &mut [f32]);
}
