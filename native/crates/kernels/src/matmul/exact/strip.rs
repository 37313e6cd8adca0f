//! Neighbouring outputs of quantised weights, and their scales turned so that an output is a lane.
#![allow(clippy::needless_range_loop)] // For the reason given in `few`.

use crate::{
    matmul::affine::Affine,
    simd::{LANES, Lanes, SLACK, prefetch},
};
use moire_base::Dtype;

/// Groups whose scales are turned together.
pub const TURN: usize = LANES;
/// Bytes of a line of memory.
const LINE: usize = 64;

/// The bytes of some outputs, from the first one's on; more may follow.
#[derive(Clone, Copy)]
pub struct Strip<'a> {
    pub codes: &'a [u8],
    scales: &'a [u8],
    biases: &'a [u8],
}

/// Where strips of `outputs` outputs are read: in place, or at the end of the matrix from a copy with zeros behind it.
pub struct Strips<'a> {
    weights: Affine<'a>,
    outputs: usize,
    /// Up to this first output, a strip is read in place.
    in_place: usize,
    copy: [Vec<u8>; 3],
}

impl<'a> Strips<'a> {
    pub fn new(weights: Affine<'a>, outputs: usize) -> Self {
        let [codes, floats] = needed(&weights, outputs);
        let float_stride = weights.groups * weights.dtype.size();
        let room = |len: usize, need: usize, stride: usize| len.checked_sub(need).map(|rest| rest / stride + 1);
        let rows = room(weights.stream(0, 0).len(), codes, weights.row_bytes());
        let in_place = rows.zip(room(weights.scales.len(), floats, float_stride)).map_or(0, |(a, b)| a.min(b));
        Self { weights, outputs, in_place, copy: [const { Vec::new() }; 3] }
    }

    /// Outputs `n .. n + outputs`; those beyond the matrix have zero scales.
    #[inline(always)]
    pub fn at(&mut self, n: usize) -> Strip<'_> {
        if n < self.in_place { from_slices(&self.weights, n) } else { self.copied(n) }
    }

    #[cold]
    #[inline(never)]
    fn copied(&mut self, n: usize) -> Strip<'_> {
        let strip = from_slices(&self.weights, n);
        let [codes, floats] = needed(&self.weights, self.outputs);
        self.copy = [padded(strip.codes, codes), padded(strip.scales, floats), padded(strip.biases, floats)];
        let [codes, scales, biases] = &self.copy;
        Strip { codes, scales, biases }
    }
}

/// Bytes of codes, and of scales or biases, that are read of a strip.
fn needed(w: &Affine, outputs: usize) -> [usize; 2] {
    [outputs * w.row_bytes() + SLACK, (outputs * w.groups + TURN) * w.dtype.size()]
}

#[inline(always)]
fn from_slices<'a>(w: &Affine<'a>, n: usize) -> Strip<'a> {
    let at = n * w.groups * w.dtype.size();
    Strip { codes: w.stream(n, 0), scales: &w.scales[at..], biases: &w.biases[at..] }
}

fn padded(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut padded = vec![0; len];
    let given = bytes.len().min(len);
    padded[..given].copy_from_slice(&bytes[..given]);
    padded
}

impl Strip<'_> {
    /// Scales and biases of the groups from `first` on, to `[group, outputs]` each. Asks for those of the next strip.
    #[inline(always)]
    pub fn turn<L: Lanes>(&self, w: &Affine, first: usize, outputs: usize, scales: &mut [f32], biases: &mut [f32]) {
        // A constant dtype a branch: it is chosen once, and sizes are known.
        match w.dtype {
            Dtype::Bf16 => self.turn_as::<L>(Dtype::Bf16, w, first, outputs, scales, biases),
            Dtype::F16 => self.turn_as::<L>(Dtype::F16, w, first, outputs, scales, biases),
            _ => self.turn_as::<L>(Dtype::F32, w, first, outputs, scales, biases),
        }
    }

    #[inline(always)]
    fn turn_as<L: Lanes>(
        &self,
        dtype: Dtype,
        w: &Affine,
        first: usize,
        outputs: usize,
        scales: &mut [f32],
        biases: &mut [f32],
    ) {
        let (size, stride) = (dtype.size(), w.groups * dtype.size());
        for (from, to) in [(self.scales, scales), (self.biases, biases)] {
            ask(from, outputs * (stride + first * size), outputs * TURN * size);
            for n in (0..outputs).step_by(LANES) {
                let columns = L::turn(dtype, &from[n * stride + first * size..], stride);
                for g in 0..TURN {
                    columns[g].store(&mut to[g * outputs + n..]);
                }
            }
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
