//! Causal depthwise convolution of the gated delta net.

use crate::{
    Ctx,
    ctx::expect_len,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::{Dtype, Vector};

/// Elements of the output worth a thread.
const LEAST: usize = 1 << 14;

/// A conv kernel `[channels, taps]` turned to `[taps, channels]`, widened.
#[derive(Clone, Debug)]
pub struct ConvKernel {
    /// Channels.
    pub channels: usize,
    /// Taps; Qwen 3.5 has 4.
    pub taps: usize,
    values: Vec<f32>,
}

impl ConvKernel {
    /// From the stored `[channels, taps]` (MLX's `[C, taps, 1]`).
    pub fn new(stored: &Vector, channels: usize) -> Self {
        let flat = stored.to_f32();
        assert!(
            channels > 0 && flat.len() % channels == 0,
            "conv kernel of {} elements for {channels} channels",
            flat.len()
        );
        let taps = flat.len() / channels;
        let values = (0..taps * channels).map(|i| flat[i % channels * taps + i / channels]).collect();
        Self { channels, taps, values }
    }
}

/// `out[rows, channels]` from the conv state `[taps - 1, channels]`, oldest row first, and `x[rows, channels]` after it: taps j = 0, 1, ... as fp32 fused
/// multiply-adds from zero, one rounding. The last `taps - 1` rows of both are the next state. `silu` follows as its own step.
pub fn conv(ctx: &Ctx, kernel: &ConvKernel, state: &[f32], x: &[f32], out: &mut [f32]) {
    let channels = kernel.channels;
    assert!(out.len() % channels == 0, "out has {} elements, rows of {channels}", out.len());
    expect_len("state", state.len(), (kernel.taps - 1) * channels);
    expect_len("x", x.len(), out.len());
    ctx.pool.slabs(out, channels, LEAST / channels, |first, out| {
        dispatch(ctx.isa, Rows { kernel, act: ctx.act, state, x, first, out });
    });
}

struct Rows<'a> {
    kernel: &'a ConvKernel,
    act: Dtype,
    state: &'a [f32],
    x: &'a [f32],
    /// Row of `x` that `out` starts at.
    first: usize,
    out: &'a mut [f32],
}

impl Kernel for Rows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let channels = self.kernel.channels;
        let out = std::mem::take(&mut self.out);
        let weights: Vec<&[f32]> = self.kernel.values.chunks_exact(channels).collect();
        let mut lines = weights.clone();
        for (row, out) in out.chunks_exact_mut(channels).enumerate() {
            for (tap, line) in lines.iter_mut().enumerate() {
                *line = self.line(self.first + row + tap);
            }
            // Of a known number the loop over taps is unrolled.
            match (<&[&[f32]; 4]>::try_from(&lines[..]), <&[&[f32]; 4]>::try_from(&weights[..]), self.act) {
                (Ok(lines), Ok(weights), Dtype::Bf16) => convolve::<L>(lines, weights, Dtype::Bf16, out),
                (Ok(lines), Ok(weights), act) => convolve::<L>(lines, weights, act, out),
                _ => convolve::<L>(&lines, &weights, self.act, out),
            }
        }
    }
}

impl<'a> Rows<'a> {
    /// Row `at` of state and `x`, one after the other.
    #[inline(always)]
    fn line(&self, at: usize) -> &'a [f32] {
        let (channels, old) = (self.kernel.channels, self.kernel.taps - 1);
        let (rows, at) = if at < old { (self.state, at) } else { (self.x, at - old) };
        &rows[at * channels..(at + 1) * channels]
    }
}

/// One row of the output from a row per tap.
#[inline(always)]
fn convolve<L: Lanes>(lines: &[&[f32]], weights: &[&[f32]], act: Dtype, out: &mut [f32]) {
    for (i, out) in out.chunks_mut(LANES).enumerate() {
        let part = i * LANES..i * LANES + out.len();
        let mut acc = L::splat(0.0);
        for (line, weights) in lines.iter().zip(weights) {
            acc = L::load_part(&line[part.clone()]).fma(L::load_part(&weights[part.clone()]), acc);
        }
        acc.round_to(act).store_part(out);
    }
}
