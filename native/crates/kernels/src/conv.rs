//! Causal depthwise convolution of the gated delta net.

use crate::{
    Ctx,
    ctx::expect_len,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::{Dtype, Vector};

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

/// `out[rows, channels]` from `x[taps - 1 + rows, channels]`, whose first rows are the conv state, oldest first: taps j = 0, 1, ... as fp32 fused multiply-adds
/// from zero, one rounding. The last `taps - 1` rows of `x` are the next state. `silu` follows as its own step.
pub fn conv(ctx: &Ctx, kernel: &ConvKernel, x: &[f32], out: &mut [f32]) {
    let channels = kernel.channels;
    assert!(out.len() % channels == 0, "out has {} elements, rows of {channels}", out.len());
    expect_len("x", x.len(), out.len() + (kernel.taps - 1) * channels);
    ctx.pool.slabs(out, channels, (1 << 14) / channels, |first, out| {
        dispatch(ctx.isa, Rows { kernel, act: ctx.act, x: &x[first * channels..], out });
    });
}

struct Rows<'a> {
    kernel: &'a ConvKernel,
    act: Dtype,
    x: &'a [f32],
    out: &'a mut [f32],
}

impl Kernel for Rows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let channels = self.kernel.channels;
        for (row, out) in self.out.chunks_exact_mut(channels).enumerate() {
            for (i, out) in out.chunks_mut(LANES).enumerate() {
                let mut acc = L::splat(0.0);
                for tap in 0..self.kernel.taps {
                    let (at, width) = (tap * channels + i * LANES, out.len());
                    let x = L::load_part(&self.x[row * channels + at..][..width]);
                    acc = x.fma(L::load_part(&self.kernel.values[at..at + width]), acc);
                }
                acc.round_to(self.act).store_part(out);
            }
        }
    }
}
