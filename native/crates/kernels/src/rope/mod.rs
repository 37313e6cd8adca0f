//! Rotary positions: frequencies per variant (model-spec 1.8), angles once per call, the rotation per layer.

mod frequencies;

use crate::{
    Ctx,
    ctx::expect_len,
    math::sin_cos,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::{Dtype, Error, Result};

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
    /// cos and sin of positions `start .. start + rows`. Make it once a call and use it in every layer.
    pub fn angles(&self, form: RopeForm, start: usize, rows: usize) -> Angles {
        let frequencies = self.inverse_frequencies(start + rows);
        let half = frequencies.len();
        let (mut sin, mut cos) = (Vec::with_capacity(rows * half), Vec::with_capacity(rows * half));
        for row in 0..rows {
            for (i, f) in frequencies.iter().enumerate() {
                let (s, c) = match form {
                    RopeForm::Block if row > 0 => turn((sin[i], cos[i]), self.angle(row, *f)),
                    _ => sin_cos(self.angle(start + row, *f)),
                };
                sin.push(s);
                cos.push(c);
            }
        }
        Angles { rows, cos, sin, rope: *self, magnitude: self.magnitude() }
    }

    /// fp32 product of position (divided by `Linear`'s factor) and frequency.
    fn angle(&self, position: usize, frequency: f32) -> f32 {
        let scale = if let RopeScaling::Linear { factor } = self.scaling { (1.0 / factor) as f32 } else { 1.0 };
        position as f32 * scale * frequency
    }
}

/// (sin, cos) of base + step, each product and sum rounded.
fn turn((sin, cos): (f32, f32), step: f32) -> (f32, f32) {
    let (s, c) = sin_cos(step);
    (sin * c + cos * s, cos * c - sin * s)
}

/// Rotates `x[rows, heads, head_dim]` in fp32 (`x·cos - y·sin` as two products and a difference), one rounding. YaRN's magnitude, when not 1, multiplies in the
/// activation dtype first, with a rounding of its own.
pub fn rotate(ctx: &Ctx, angles: &Angles, x: &[f32], heads: usize, head_dim: usize, out: &mut [f32]) {
    let width = heads * head_dim;
    assert!(angles.rope.dims <= head_dim, "{} rotated dims in a head of {head_dim}", angles.rope.dims);
    expect_len("x", x.len(), angles.rows * width);
    expect_len("out", out.len(), x.len());
    ctx.pool.slabs(out, width.max(1), (1 << 14) / width.max(1), |first, out| {
        out.copy_from_slice(&x[first * width..][..out.len()]);
        dispatch(ctx.isa, Rotate { angles, first, width, head_dim, act: ctx.act, out });
    });
}

/// In place, rows from `first` on.
struct Rotate<'a> {
    angles: &'a Angles,
    first: usize,
    width: usize,
    head_dim: usize,
    act: Dtype,
    out: &'a mut [f32],
}

impl Kernel for Rotate<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Angles { cos, sin, rope, magnitude, .. } = self.angles;
        let half = rope.dims / 2;
        for (row, out) in self.out.chunks_exact_mut(self.width).enumerate() {
            let at = (self.first + row) * half;
            let (cos, sin) = (&cos[at..at + half], &sin[at..at + half]);
            for head in out.chunks_exact_mut(self.head_dim) {
                let head = &mut head[..2 * half];
                scale::<L>(*magnitude, self.act, head);
                if rope.traditional {
                    neighbours(cos, sin, self.act, head);
                } else {
                    halves::<L>(cos, sin, self.act, head);
                }
            }
        }
    }
}

#[inline(always)]
fn scale<L: Lanes>(magnitude: f32, act: Dtype, x: &mut [f32]) {
    if magnitude != 1.0 {
        let factor = L::splat(act.round(magnitude));
        for x in x.chunks_mut(LANES) {
            (L::load_part(x) * factor).round_to(act).store_part(x);
        }
    }
}

/// Pairs (i, i + half).
#[inline(always)]
fn halves<L: Lanes>(cos: &[f32], sin: &[f32], act: Dtype, head: &mut [f32]) {
    let (first, second) = head.split_at_mut(cos.len());
    let angles = cos.chunks(LANES).zip(sin.chunks(LANES));
    for ((cos, sin), (a, b)) in angles.zip(first.chunks_mut(LANES).zip(second.chunks_mut(LANES))) {
        let (c, s) = (L::load_part(cos), L::load_part(sin));
        let (x, y) = (L::load_part(a), L::load_part(b));
        (x * c - y * s).round_to(act).store_part(a);
        (x * s + y * c).round_to(act).store_part(b);
    }
}

/// Pairs (2i, 2i + 1), one at a time.
#[inline(always)]
fn neighbours(cos: &[f32], sin: &[f32], act: Dtype, head: &mut [f32]) {
    for ((c, s), pair) in cos.iter().zip(sin).zip(head.chunks_exact_mut(2)) {
        let (x, y) = (pair[0], pair[1]);
        pair[0] = crate::simd::Real::round_to(x * c - y * s, act);
        pair[1] = crate::simd::Real::round_to(x * s + y * c, act);
    }
}
