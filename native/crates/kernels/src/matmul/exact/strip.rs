//! Neighbouring outputs of quantised weights, and their scales turned so that an output is a lane.
#![allow(clippy::needless_range_loop)] // For the reason given in `few`.

use crate::{
    matmul::affine::Affine,
    simd::{LANES, Lanes, SLACK, prefetch},
};
use moire_base::Dtype;
use std::borrow::Cow;

/// Groups whose scales are turned together.
pub const TURN: usize = LANES;
/// Bytes of a line of memory.
const LINE: usize = 64;

/// The bytes of `outputs` outputs, from the first one's on; more may follow. In place, or a copy with zeros behind it at the end of the matrix.
pub struct Strip<'a> {
    pub codes: Cow<'a, [u8]>,
    scales: Cow<'a, [u8]>,
    biases: Cow<'a, [u8]>,
}

impl<'a> Strip<'a> {
    /// Outputs `n .. n + outputs`; those beyond the matrix have zero scales.
    pub fn new(w: &Affine<'a>, n: usize, outputs: usize) -> Self {
        let codes = outputs * w.row_bytes() + SLACK;
        let floats = (outputs * w.groups + TURN) * w.dtype.size();
        let at = n * w.groups * w.dtype.size();
        let [scales, biases] = [w.scales, w.biases].map(|f| at_least(&f[at..], floats));
        Self { codes: at_least(w.stream(n, 0), codes), scales, biases }
    }

    /// Scales and biases of the groups from `first` on, to `[group, outputs]` each. Asks for those of the next strip.
    #[inline(always)]
    pub fn turn<L: Lanes>(&self, w: &Affine, first: usize, outputs: usize, scales: &mut [f32], biases: &mut [f32]) {
        turn::<L>(w, &self.scales, first, outputs, scales);
        turn::<L>(w, &self.biases, first, outputs, biases);
    }
}

#[inline(always)]
fn turn<L: Lanes>(w: &Affine, from: &[u8], first: usize, outputs: usize, to: &mut [f32]) {
    let (size, stride) = (w.dtype.size(), w.groups * w.dtype.size());
    ask(from, outputs * (stride + first * size), outputs * TURN * size);
    for n in (0..outputs).step_by(LANES) {
        let from = &from[n * stride + first * size..];
        // A constant dtype a branch, so that it is chosen once and not for every row.
        match w.dtype {
            Dtype::Bf16 => columns::<L>(Dtype::Bf16, from, stride, &mut to[n..], outputs),
            Dtype::F16 => columns::<L>(Dtype::F16, from, stride, &mut to[n..], outputs),
            _ => columns::<L>(Dtype::F32, from, stride, &mut to[n..], outputs),
        }
    }
}

/// Asks for the codes that group `g` of the next strip will take, in the order in which they lie.
#[inline(always)]
pub fn read_ahead(codes: &[u8], w: &Affine, g: usize, outputs: usize) {
    let bytes = outputs * w.group_bytes();
    ask(codes, outputs * w.row_bytes() + g * bytes, bytes);
}

/// Asks for the lines of `bytes` bytes from `at` on.
#[inline(always)]
fn ask(from: &[u8], at: usize, bytes: usize) {
    for line in (0..bytes).step_by(LINE) {
        prefetch(from, at + line);
    }
}

fn at_least(bytes: &[u8], len: usize) -> Cow<'_, [u8]> {
    if bytes.len() >= len {
        return Cow::Borrowed(bytes);
    }
    let mut padded = vec![0; len];
    padded[..bytes.len()].copy_from_slice(bytes);
    Cow::Owned(padded)
}

/// Eight groups of eight outputs.
#[inline(always)]
fn columns<L: Lanes>(dtype: Dtype, from: &[u8], stride: usize, to: &mut [f32], to_stride: usize) {
    let columns = L::turn(dtype, from, stride);
    for g in 0..TURN {
        columns[g].store(&mut to[g * to_stride..]);
    }
}
