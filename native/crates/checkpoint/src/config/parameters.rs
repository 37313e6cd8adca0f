//! Parameter counts from the config alone.

use super::{Delta, LayerKind, ModelConfig};

impl ModelConfig {
    /// Text parameters: every logical weight, a tied head counted once (the totals of model-spec 1.1).
    pub fn parameters(&self) -> u64 {
        let [hidden, vocab] = [self.hidden, self.vocab].map(|n| n as u64);
        let layers: u64 = self.layers.iter().map(|kind| self.layer_parameters(*kind)).sum();
        vocab * hidden * if self.tied { 1 } else { 2 } + hidden + layers
    }

    fn layer_parameters(&self, kind: LayerKind) -> u64 {
        let [h, i] = [self.hidden, self.intermediate].map(|n| n as u64);
        let mlp = 3 * h * i + if self.mlp_bias { 2 * i + h } else { 0 };
        let mixer = match (kind, &self.delta) {
            (LayerKind::GatedDelta, Some(d)) => delta_parameters(d, h),
            _ => self.attention_parameters(),
        };
        2 * h + mlp + mixer
    }

    fn attention_parameters(&self) -> u64 {
        let [h, hd] = [self.hidden, self.head_dim].map(|n| n as u64);
        let q = self.query_rows() as u64;
        let [kv, o] = [self.kv_heads, self.heads].map(|n| n as u64 * hd);
        let bias = if self.attention_bias { q + 2 * kv + h } else { 0 };
        h * (q + 2 * kv + o) + bias + if self.qk_norm { 2 * hd } else { 0 }
    }

    /// Rows of q_proj: queries, and their gates where the model has them.
    pub fn query_rows(&self) -> usize {
        self.heads * self.head_dim * if self.attention_output_gate { 2 } else { 1 }
    }
}

fn delta_parameters(d: &Delta, hidden: u64) -> u64 {
    let [c, v, hv, dv, k] =
        [d.channels(), d.value_width(), d.value_heads, d.value_dim, d.conv_kernel].map(|n| n as u64);
    hidden * (c + 2 * v + 2 * hv) + c * k + 2 * hv + dv
}
