//! The taps of a forward: which there are, in the order in which it makes them, and which of them a capture asks for.

use crate::{Digest, TapInfo};
use moire_base::{Error, Result};
use moire_checkpoint::ModelConfig;

const MODEL: &[&str] = &["model"];
const ATTENTION: &[&str] = &["attention"];
const DELTA: &[&str] = &["gated_delta"];
const LAYER: &[&str] = &["attention", "gated_delta"];

const fn tap(name: &'static str, kinds: &'static [&'static str], describes: &'static str) -> TapInfo {
    TapInfo { name, kinds, describes }
}

/// Every tap, in data order. Shapes: H hidden, I MLP width, nh / nkv heads of hd, Hk / Hv linear heads of Dk / Dv, C conv channels, V vocabulary.
pub const TAPS: &[TapInfo] = &[
    tap("embedding", MODEL, "rows of the embedding table [rows, H]"),
    tap("layer_input", LAYER, "residual stream entering the layer [rows, H]"),
    tap("input_norm", LAYER, "RMS norm before the mixer [rows, H]"),
    tap(
        "q_proj",
        ATTENTION,
        "query projection, with the output gate after each head's query where the model has one [rows, nh·hd or nh·2hd]",
    ),
    tap("k_proj", ATTENTION, "key projection [rows, nkv·hd]"),
    tap("v_proj", ATTENTION, "value projection [rows, nkv·hd]"),
    tap("q_norm", ATTENTION, "queries after their RMS norm per head [rows, nh, hd]"),
    tap("k_norm", ATTENTION, "keys after their RMS norm per head [rows, nkv, hd]"),
    tap("q_rope", ATTENTION, "queries after rotation [rows, nh, hd]"),
    tap("k_rope", ATTENTION, "keys after rotation, as the cache keeps them [rows, nkv, hd]"),
    tap("attention_core", ATTENTION, "softmax(q·kᵀ)·v [rows, nh·hd]"),
    tap("attention_gated", ATTENTION, "attention core times sigmoid of the output gate [rows, nh·hd]"),
    tap("o_proj", ATTENTION, "output projection [rows, H]"),
    tap("in_proj_qkv", DELTA, "joint projection of q, k, v before the convolution [rows, C]"),
    tap("in_proj_z", DELTA, "output gate before silu [rows, Hv·Dv]"),
    tap("in_proj_b", DELTA, "write strength before sigmoid [rows, Hv]"),
    tap("in_proj_a", DELTA, "decay input [rows, Hv]"),
    tap("conv", DELTA, "causal convolution over four rows, before silu [rows, C]"),
    tap("conv_out", DELTA, "silu of the convolution [rows, C]"),
    tap("delta_q", DELTA, "normalised and scaled queries [rows, Hk, Dk]"),
    tap("delta_k", DELTA, "normalised keys [rows, Hk, Dk]"),
    tap("delta_v", DELTA, "values [rows, Hv, Dv]"),
    tap("beta", DELTA, "write strength [rows, Hv]"),
    tap("decay", DELTA, "decay of the state, fp32 [rows, Hv]"),
    tap("delta_core", DELTA, "what the recurrence reads out [rows, Hv, Dv]"),
    tap("delta_gated", DELTA, "read-out after its RMS norm, times silu of the gate [rows, Hv·Dv]"),
    tap("out_proj", DELTA, "output projection [rows, H]"),
    tap("mixer_residual", LAYER, "layer input plus mixer output [rows, H]"),
    tap("post_norm", LAYER, "RMS norm before the MLP [rows, H]"),
    tap("mlp_gate", LAYER, "gate projection [rows, I]"),
    tap("mlp_up", LAYER, "up projection [rows, I]"),
    tap("mlp_act", LAYER, "silu(gate)·up [rows, I]"),
    tap("mlp_down", LAYER, "down projection [rows, H]"),
    tap("layer_output", LAYER, "residual stream leaving the layer [rows, H]"),
    tap("final_norm", MODEL, "RMS norm after the last layer [rows, H]"),
    tap("logits", MODEL, "output head [logit rows, V]"),
];

/// The taps that a model of this config makes.
pub fn of(config: &ModelConfig) -> Vec<TapInfo> {
    let has = |kind: &str| kind == "model" || config.layers.iter().any(|l| l.name() == kind);
    let made = |tap: &&TapInfo| match tap.name {
        "q_norm" | "k_norm" => config.qk_norm,
        "attention_gated" => config.attention_output_gate,
        _ => true,
    };
    TAPS.iter().filter(|t| t.kinds.iter().any(|k| has(k))).filter(made).copied().collect()
}

/// Which taps a capture asks for.
pub struct TapFilter(Vec<Pattern>);

struct Pattern {
    /// `None`: any.
    layer: Option<i64>,
    /// `None`: any.
    tap: Option<&'static str>,
}

impl TapFilter {
    /// No tap at all.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// From the patterns of a request: `tap`, `layer.tap`, each part maybe `*`, or `*` for all.
    /// Errors: `Invalid` at `/taps/<index>` for a layer or tap that does not exist.
    pub fn parse(patterns: &[String], layers: usize) -> Result<Self> {
        let parse = |(i, text): (usize, &String)| parse_pattern(text, layers, &format!("/taps/{i}"));
        patterns.iter().enumerate().map(parse).collect::<Result<_>>().map(Self)
    }

    /// Names of the taps that are kept, one for every layer that makes it.
    pub fn kept<'a>(&'a self, config: &'a ModelConfig) -> impl Iterator<Item = &'static str> + 'a {
        let last = config.layers.len() as i64;
        of(config).into_iter().flat_map(move |tap| {
            let places = match tap.name {
                "embedding" => -1..0,
                "final_norm" | "logits" => last..last + 1,
                _ => 0..last,
            };
            let made = move |layer: i64| {
                usize::try_from(layer)
                    .ok()
                    .and_then(|i| config.layers.get(i))
                    .is_none_or(|kind| tap.kinds.contains(&kind.name()))
            };
            places.filter(move |layer| made(*layer) && self.wants(*layer, tap.name)).map(move |_| tap.name)
        })
    }

    /// Whether this tap of this layer is wanted.
    pub fn wants(&self, layer: i64, tap: &str) -> bool {
        self.0.iter().any(|p| p.layer.is_none_or(|l| l == layer) && p.tap.is_none_or(|t| t == tap))
    }
}

fn parse_pattern(text: &str, layers: usize, place: &str) -> Result<Pattern> {
    let (layer, tap) = text.split_once('.').unwrap_or(("*", text));
    let known_layer = |number: i64| (-1..=layers as i64).contains(&number);
    let layer = match layer {
        "*" => None,
        number => Some(number.parse().ok().filter(|n| known_layer(*n)).ok_or_else(|| {
            let message = format!("\"{text}\": no layer {number}; layers are -1 to {layers} (-1 before the first, {layers} after the last)");
            Error::invalid(place, message)
        })?),
    };
    let tap = match tap {
        "*" => None,
        name => Some(TAPS.iter().find(|t| t.name == name).map(|t| t.name).ok_or_else(|| {
            let names: Vec<&str> = TAPS.iter().map(|t| t.name).collect();
            Error::invalid(place, format!("\"{text}\": no tap {name}; taps are {}", names.join(", ")))
        })?),
    };
    Ok(Pattern { layer, tap })
}

/// The hash of a tap's bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..size_of::<Digest>()]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(patterns: &[&str]) -> Result<TapFilter> {
        TapFilter::parse(&patterns.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>(), 8)
    }

    #[test]
    fn patterns_select_layers_and_taps() {
        let f = filter(&["3.q_rope", "logits", "*.layer_output"]).unwrap();
        assert!(f.wants(3, "q_rope") && !f.wants(2, "q_rope"));
        assert!(f.wants(8, "logits") && f.wants(0, "layer_output") && !f.wants(0, "layer_input"));
        let all = filter(&["*"]).unwrap();
        assert!(all.wants(-1, "embedding") && all.wants(7, "beta"));
        assert!(filter(&["2.*"]).unwrap().wants(2, "conv") && !filter(&[]).unwrap().wants(0, "conv"));
    }

    #[test]
    fn unknown_layers_and_taps_are_named() {
        let e = filter(&["logits", "9.q_rope"]).err().unwrap();
        assert_eq!(e.place, "/taps/1");
        assert!(e.message.contains("no layer 9"), "{e}");
        let e = filter(&["q_ropes"]).err().unwrap();
        assert!(e.message.contains("no tap q_ropes") && e.message.contains("q_rope,"), "{e}");
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = TAPS.iter().map(|t| t.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TAPS.len());
    }
}
