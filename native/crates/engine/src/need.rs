//! How much memory a call takes, asked for before it starts: a prompt or a capture that does not fit is refused while nothing has changed.

use crate::{CaptureMode, net::Net, taps::TapFilter};
use moire_base::{Dtype, Result, memory};
use moire_checkpoint::ModelConfig;
use std::fmt;

/// A call whose memory is to be estimated. Small buffers are left out, and activations count as the checkpoint's dtype says.
pub struct Need<'a> {
    /// The model.
    pub net: &'a Net,
    /// Taps that are recorded.
    pub filter: &'a TapFilter,
    /// What of them is kept.
    pub mode: CaptureMode,
    /// Activation dtype.
    pub act: Dtype,
    /// Rows computed.
    pub rows: usize,
    /// Rows of logits.
    pub logit_rows: usize,
    /// Bytes by which the KV caches grow.
    pub growth: usize,
}

impl Need<'_> {
    /// Nothing if the call fits in what is free now.
    ///
    /// # Errors
    /// `Memory`, with the parts of the need.
    pub fn require(&self) -> Result<()> {
        memory::require(self, self.growth + self.activations() + self.logits() + self.taps())
    }

    /// Values that a layer holds at one time, fp32: the residual stream, the norms, and the widest of its mixer and MLP three times.
    fn activations(&self) -> usize {
        let c = &self.net.config;
        let widest = widths(c).into_iter().max().unwrap_or(0).max(c.intermediate);
        self.rows * (4 * c.hidden + 3 * widest) * size_of::<f32>()
    }

    /// As computed in fp32 and as handed out.
    fn logits(&self) -> usize {
        self.logit_rows * self.net.config.vocab * (size_of::<f32>() + self.act.size())
    }

    /// Bytes of the taps that are kept; hashes and facts are small.
    pub fn taps(&self) -> usize {
        if self.mode != CaptureMode::Bytes {
            return 0;
        }
        let c = &self.net.config;
        self.filter
            .kept(c)
            .map(|tap| match tap {
                "logits" => self.logit_rows * c.vocab * self.act.size(),
                "decay" => self.rows * width(c, tap) * size_of::<f32>(),
                _ => self.rows * width(c, tap) * self.act.size(),
            })
            .sum()
    }
}

impl fmt::Display for Need<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("KV cache", self.growth),
            ("activations", self.activations()),
            ("logits", self.logits()),
            ("taps", self.taps()),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(name, bytes)| format!("{name} {}", memory::size(bytes as u64)))
            .collect();
        write!(f, "a call of {} rows ({})", self.rows, parts.join(", "))
    }
}

/// Widths of the outputs of the mixers: queries with their gates, and what enters the convolution.
fn widths(c: &ModelConfig) -> [usize; 2] {
    [width(c, "q_proj"), width(c, "in_proj_qkv")]
}

/// Elements of one row of a tap.
fn width(c: &ModelConfig, tap: &str) -> usize {
    let delta = c.delta.as_ref();
    let value = delta.map_or(0, |d| d.value_heads * d.value_dim);
    match tap {
        "q_proj" => c.heads * c.head_dim * if c.attention_output_gate { 2 } else { 1 },
        "q_norm" | "q_rope" | "attention_core" | "attention_gated" => c.heads * c.head_dim,
        "k_proj" | "v_proj" | "k_norm" | "k_rope" => c.kv_heads * c.head_dim,
        "in_proj_qkv" | "conv" | "conv_out" => delta.map_or(0, |d| d.channels()),
        "in_proj_z" | "delta_v" | "delta_core" | "delta_gated" => value,
        "in_proj_b" | "in_proj_a" | "beta" | "decay" => delta.map_or(0, |d| d.value_heads),
        "delta_q" | "delta_k" => delta.map_or(0, |d| d.key_heads * d.key_dim),
        "mlp_gate" | "mlp_up" | "mlp_act" => c.intermediate,
        "logits" => c.vocab,
        _ => c.hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capture, LogitRows, Model};
    use moire_base::Control;
    use std::path::Path;

    /// The widths are those of the taps that a forward makes.
    #[test]
    fn taps_take_what_was_estimated() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/fixtures/goldens/models");
        for name in ["qwen35-tiny-4bit", "qwen3-tiny-4bit", "llama-tiny-bf16"] {
            let model = Model::load(&models.join(name), false, &Control::default()).unwrap();
            let mut session = model.open(&serde_json::Map::new(), 1).unwrap();
            let capture = Capture { taps: vec!["*".into()], mode: CaptureMode::Bytes, logits: LogitRows::All, top: 0 };
            let step = session.prefill(&[vec![1, 2, 3]], &capture, &Control::default()).unwrap();
            let bytes: usize = step.taps.iter().map(|t| t.tensor.data.len()).sum();
            let net = model.net();
            let filter = TapFilter::parse(&capture.taps, net.layers.len()).unwrap();
            let need = Need {
                net,
                filter: &filter,
                mode: CaptureMode::Bytes,
                act: net.config.dtype,
                rows: 3,
                logit_rows: 3,
                growth: 0,
            };
            assert_eq!(need.taps(), bytes, "{name}");
            assert_eq!(need.logits() % step.logits.unwrap().data.len(), 0, "{name}");
        }
    }
}
