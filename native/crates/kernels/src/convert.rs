//! Whole buffers between fp32 and the float dtypes.

use crate::{
    Isa,
    ctx::expect_len,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::Dtype;

/// `values` rounded to nearest even in a float dtype, little-endian, behind what `out` holds. NaN becomes the one quiet NaN.
///
/// # Panics
/// If `dtype` is no float of at most 32 bits.
pub fn narrow(isa: Isa, dtype: Dtype, values: &[f32], out: &mut Vec<u8>) {
    assert!(dtype.is_float(), "{} is no float dtype", dtype.name());
    let start = out.len();
    out.resize(start + values.len() * dtype.size(), 0);
    dispatch(isa, Narrow { dtype, values, out: &mut out[start..] });
}

/// Little-endian elements of a float dtype as fp32, exact.
///
/// # Panics
/// If the lengths do not agree, or `dtype` is no float of at most 32 bits.
pub fn widen(isa: Isa, dtype: Dtype, bytes: &[u8], out: &mut [f32]) {
    assert!(dtype.is_float(), "{} is no float dtype", dtype.name());
    expect_len("bytes", bytes.len(), out.len() * dtype.size());
    dispatch(isa, Widen { dtype, bytes, out });
}

struct Narrow<'a> {
    dtype: Dtype,
    values: &'a [f32],
    out: &'a mut [u8],
}

impl Kernel for Narrow<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        match self.dtype {
            Dtype::Bf16 => self.to::<L>(Dtype::Bf16),
            Dtype::F16 => self.to::<L>(Dtype::F16),
            _ => self.to::<L>(Dtype::F32),
        }
    }
}

impl Narrow<'_> {
    /// `dtype` again as a constant.
    #[inline(always)]
    fn to<L: Lanes>(self, dtype: Dtype) {
        let (values, rest) = self.values.as_chunks::<LANES>();
        let (out, out_rest) = self.out.split_at_mut(values.len() * LANES * dtype.size());
        for (values, out) in values.iter().zip(out.chunks_exact_mut(LANES * dtype.size())) {
            L::load(values).store_as(dtype, out);
        }
        let mut last = [0; LANES * 4];
        L::load_part(rest).store_as(dtype, &mut last);
        out_rest.copy_from_slice(&last[..out_rest.len()]);
    }
}

struct Widen<'a> {
    dtype: Dtype,
    bytes: &'a [u8],
    out: &'a mut [f32],
}

impl Kernel for Widen<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        match self.dtype {
            Dtype::Bf16 => self.from::<L>(Dtype::Bf16),
            Dtype::F16 => self.from::<L>(Dtype::F16),
            _ => self.from::<L>(Dtype::F32),
        }
    }
}

impl Widen<'_> {
    /// `dtype` again as a constant.
    #[inline(always)]
    fn from<L: Lanes>(self, dtype: Dtype) {
        let whole = self.out.len() / LANES * LANES;
        let (out, rest) = self.out.split_at_mut(whole);
        let (bytes, bytes_rest) = self.bytes.split_at(whole * dtype.size());
        for (bytes, out) in bytes.chunks_exact(LANES * dtype.size()).zip(out.chunks_exact_mut(LANES)) {
            L::load_as(dtype, bytes).store(out);
        }
        for (i, out) in rest.iter_mut().enumerate() {
            *out = dtype.load(bytes_rest, i);
        }
    }
}
