//! Causal depthwise convolution of the gated delta net.

use crate::Ctx;
use moire_base::Vector;

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
    let _ = (ctx, kernel, x, out, &kernel.values);
    todo!()
}
