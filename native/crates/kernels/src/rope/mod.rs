//! Rotary positions: frequencies per variant (model-spec 1.8), angles once per call, the rotation per layer.

use crate::Ctx;
use moire_base::{Error, Result};

/// The switch `rope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RopeForm {
    /// Each row has its own angle: `cos(fp32(position · frequency))`.
    Row,
    /// One base angle a call; following rows by angle addition. A block of one row equals `Row` to the byte.
    Block,
}

impl RopeForm {
    /// `row` or `block`.
    ///
    /// # Errors
    /// `Invalid` at place `rope`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "row" => Ok(Self::Row),
            "block" => Ok(Self::Block),
            _ => Err(Error::invalid("rope", format!("unknown form \"{name}\"; use row or block"))),
        }
    }
}

/// `rope_scaling` of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum RopeScaling {
    Default,
    Linear { factor: f64 },
    Dynamic { factor: f64, max_position: f64 },
    Llama3 { factor: f64, low_freq_factor: f64, high_freq_factor: f64, original_max_position: f64 },
    Yarn { factor: f64, original_max_position: f64, beta_fast: f64, beta_slow: f64, mscale: f64, mscale_all_dim: f64 },
}

/// What a model rotates and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// Rotated dims of each head, even; the rest pass through.
    pub dims: usize,
    /// `rope_theta`.
    pub base: f64,
    /// Pairs (2i, 2i+1) instead of (i, i + dims/2).
    pub traditional: bool,
    /// Frequency variant.
    pub scaling: RopeScaling,
}

/// cos and sin for the rows of one call, and the pairing they belong to.
#[derive(Clone, Debug)]
pub struct Angles {
    /// Rows.
    pub rows: usize,
    /// `[rows, dims / 2]`.
    pub cos: Vec<f32>,
    /// `[rows, dims / 2]`.
    pub sin: Vec<f32>,
    rope: Rope,
    magnitude: f32,
}

impl Rope {
    /// `[dims / 2]` frequencies in radians a position. `end` is the call's end position (position of its last row + 1); only `Dynamic` looks at it.
    pub fn inverse_frequencies(&self, end: usize) -> Vec<f32> {
        let _ = end;
        todo!()
    }

    /// YaRN's factor on the rotated part of q and k; 1 for the others.
    pub fn magnitude(&self) -> f32 {
        todo!()
    }

    /// cos and sin of positions `start .. start + rows`. Make it once a call and use it in every layer.
    pub fn angles(&self, form: RopeForm, start: usize, rows: usize) -> Angles {
        let _ = (form, start, rows);
        todo!()
    }
}

/// Rotates `x[rows, heads, head_dim]` in fp32, one rounding (two more when YaRN's magnitude is not 1: it multiplies in the activation dtype first).
pub fn rotate(ctx: &Ctx, angles: &Angles, x: &[f32], heads: usize, head_dim: usize, out: &mut [f32]) {
    let _ = (ctx, angles, x, heads, head_dim, out, angles.magnitude, angles.rope);
    todo!()
}
