//! Comparing two byte ranges element by element: what differs, by how much, and what is no number.
//!
//! Plain loops over fixed blocks, compiled per instruction set by [`dispatch`]: integer counts may be added in any order, and the fp64 sums run over
//! fixed lanes, so every instruction set gives the same bytes. A caller that cuts a range at multiples of [`CHUNK`] and adds the chunks in order
//! gets the same sums on any number of threads.

mod block;
mod element;

use crate::{
    Isa,
    simd::{Kernel, Lanes, dispatch},
};
use block::BLOCK;
use element::Element;
use half::{bf16, f16};
use moire_base::Dtype;

pub use element::MAX_DISTANCE;

/// Bytes of a side that are compared in one call at most: both sides stay in the second-level cache between the two passes over a chunk.
pub const CHUNK: usize = 128 << 10;

/// How two chunks differ. Counts are of elements unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chunk {
    /// Bytes that differ.
    pub differing_bytes: u64,
    /// Elements with a differing byte.
    pub differing_elements: u64,
    /// Largest distance in representable values (integers: largest difference), at most [`MAX_DISTANCE`].
    pub max_ulp: u64,
    /// NaN and infinities in a.
    pub non_finite_a: u64,
    /// The same in b.
    pub non_finite_b: u64,
    /// Elements that are not finite on both sides; the sums leave them out.
    pub excluded: u64,
    /// Largest |a - b|.
    pub max_abs: f64,
    /// Σ (a - b)².
    pub square_difference: f64,
    /// Σ a². `None` where no sums were wanted; then the two above are 0.
    pub square_a: Option<f64>,
}

impl Chunk {
    /// Takes another one up, all but `square_a`, of which a caller knows what its absence means.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.differing_bytes += other.differing_bytes;
        self.differing_elements += other.differing_elements;
        self.max_ulp = self.max_ulp.max(other.max_ulp);
        self.non_finite_a += other.non_finite_a;
        self.non_finite_b += other.non_finite_b;
        self.excluded += other.excluded;
        self.max_abs = self.max_abs.max(other.max_abs);
        self.square_difference += other.square_difference;
    }
}

/// When the fp64 sums and the largest |a - b| are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// Never: counts and distances alone.
    Never,
    /// For chunks that differ.
    Differing,
    /// Always.
    Always,
}

/// Compares two chunks of little-endian elements.
///
/// # Panics
/// If the sides have different lengths, more than [`CHUNK`] bytes, or no whole number of elements.
pub fn compare(isa: Isa, dtype: Dtype, a: &[u8], b: &[u8], sums: Sums) -> Chunk {
    crate::ctx::expect_len("b", b.len(), a.len());
    assert!(a.len() <= CHUNK && a.len().is_multiple_of(dtype.size()), "{} bytes are no chunk", a.len());
    dispatch(isa, Compare { dtype, a, b, sums })
}

/// The distance of two elements in representable values, at most [`MAX_DISTANCE`]: what [`Chunk::max_ulp`] is the largest of.
///
/// # Panics
/// If a side is not one element of `dtype`.
pub fn distance(dtype: Dtype, a: &[u8], b: &[u8]) -> u64 {
    compare(Isa::Scalar, dtype, a, b, Sums::Never).max_ulp
}

/// One element of `dtype` as a number; integers above 2^53 lose low bits.
///
/// # Panics
/// If `bytes` is not one element.
pub fn value(dtype: Dtype, bytes: &[u8]) -> f64 {
    crate::ctx::expect_len("an element", bytes.len(), dtype.size());
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(word);
    match dtype {
        Dtype::F32 => f64::from(f32::from_bits(word as u32)),
        Dtype::F16 => f16::from_bits(word as u16).to_f64(),
        Dtype::Bf16 => bf16::from_bits(word as u16).to_f64(),
        Dtype::F64 => f64::from_bits(word),
        Dtype::U8 | Dtype::Bool | Dtype::U16 | Dtype::U32 | Dtype::U64 => word as f64,
        Dtype::I8 => f64::from(word as i8),
        Dtype::I16 => f64::from(word as i16),
        Dtype::I32 => f64::from(word as i32),
        Dtype::I64 => word as i64 as f64,
    }
}

struct Compare<'a> {
    dtype: Dtype,
    a: &'a [u8],
    b: &'a [u8],
    sums: Sums,
}

impl Kernel for Compare<'_> {
    type Out = Chunk;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Chunk {
        match self.dtype {
            Dtype::F32 => self.elements::<f32, L>(),
            Dtype::F16 => self.elements::<f16, L>(),
            Dtype::Bf16 => self.elements::<bf16, L>(),
            Dtype::F64 => self.elements::<f64, L>(),
            Dtype::U8 | Dtype::Bool => self.elements::<u8, L>(),
            Dtype::I8 => self.elements::<i8, L>(),
            Dtype::U16 => self.elements::<u16, L>(),
            Dtype::I16 => self.elements::<i16, L>(),
            Dtype::U32 => self.elements::<u32, L>(),
            Dtype::I32 => self.elements::<i32, L>(),
            Dtype::U64 => self.elements::<u64, L>(),
            Dtype::I64 => self.elements::<i64, L>(),
        }
    }
}

impl Compare<'_> {
    #[inline(always)]
    fn elements<E: Element, L: Lanes>(self) -> Chunk {
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<BLOCK>(), self.b.as_chunks::<BLOCK>());
        let (a_last, b_last) = (filled(a_rest), filled(b_rest));
        let last = (!a_rest.is_empty()).then_some((&a_last, &b_last));
        let mut chunk = Chunk::default();
        for (a, b) in a.iter().zip(b).chain(last) {
            chunk.add(&block::compare::<E>(a, b));
        }
        let wanted = match self.sums {
            Sums::Never => false,
            Sums::Differing => chunk.differing_elements > 0,
            Sums::Always => true,
        };
        if wanted {
            let mut sums = block::Sums::<L::Wide>::new();
            let all_finite = chunk.excluded == 0;
            // A loop, no closure: only what is inlined whole is compiled for the instruction set.
            for (a, b) in a.iter().zip(b).chain(last) {
                if all_finite {
                    sums.add::<E, false>(a, b);
                } else {
                    sums.add::<E, true>(a, b);
                }
            }
            let square_a;
            (chunk.max_abs, chunk.square_difference, square_a) = sums.finish();
            chunk.square_a = Some(square_a);
        }
        chunk
    }
}

/// A block that begins with `rest`; the zeros behind it are equal on both sides and add nothing.
#[inline(always)]
fn filled(rest: &[u8]) -> [u8; BLOCK] {
    let mut full = [0; BLOCK];
    full[..rest.len()].copy_from_slice(rest);
    full
}
