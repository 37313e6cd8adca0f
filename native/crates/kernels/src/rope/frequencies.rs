//! Frequency tables in f64, rounded to fp32 once.

use super::{Rope, RopeScaling};
use crate::math::wide::{ln, pow};
use std::f64::consts::TAU;

impl Rope {
    /// `[dims / 2]` frequencies in radians a position. `end` is the call's end position (position of its last row + 1); only `Dynamic` looks at it.
    pub fn inverse_frequencies(&self, end: usize) -> Vec<f32> {
        let dims = self.dims as f64;
        let base = match self.scaling {
            RopeScaling::Dynamic { factor, max_position } => {
                let n = max_position.max(end as f64);
                self.base * pow(factor * n / max_position - (factor - 1.0), dims / (dims - 2.0))
            }
            _ => self.base,
        };
        let period = |i: usize| pow(base, 2.0 * i as f64 / dims);
        (0..self.dims / 2).map(|i| self.scale(i, 1.0 / period(i)) as f32).collect()
    }

    /// YaRN's factor on the rotated part of q and k; 1 for the others.
    pub fn magnitude(&self) -> f32 {
        let RopeScaling::Yarn { factor, mscale, mscale_all_dim, .. } = self.scaling else {
            return 1.0;
        };
        let of = |weight: f64| if factor <= 1.0 { 1.0 } else { 0.1 * weight * ln(factor) + 1.0 };
        (of(mscale) / of(mscale_all_dim)) as f32
    }

    /// Frequency i after `llama3` or `yarn`.
    fn scale(&self, i: usize, f: f64) -> f64 {
        match self.scaling {
            RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_max_position } => {
                let turns = original_max_position * f / TAU;
                if turns > high_freq_factor {
                    f
                } else if turns < low_freq_factor {
                    f / factor
                } else {
                    let smooth = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor);
                    (1.0 - smooth) * f / factor + smooth * f
                }
            }
            RopeScaling::Yarn { factor, .. } => {
                let keep = 1.0 - self.yarn_ramp(i);
                f * keep + f / factor * (1.0 - keep)
            }
            _ => f,
        }
    }

    /// 0 where a frequency stays, 1 where it is divided by the factor.
    fn yarn_ramp(&self, i: usize) -> f64 {
        let RopeScaling::Yarn { original_max_position, beta_fast, beta_slow, .. } = self.scaling else {
            return 0.0;
        };
        let dims = self.dims as f64;
        let dim_of = |turns: f64| dims * ln(original_max_position / (turns * TAU)) / (2.0 * ln(self.base));
        let low = dim_of(beta_fast).floor().max(0.0);
        let high = dim_of(beta_slow).ceil().min(dims - 1.0);
        let high = if low == high { high + 0.001 } else { high };
        ((i as f64 - low) / (high - low)).clamp(0.0, 1.0)
    }
}
