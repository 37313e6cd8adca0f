//! One call: where it runs, where its rows stand, and the ops that every layer shares.

use super::{Recorder, Rows};
use crate::switches::{Switches, rope_name};
use moire_base::{Linear, Matrix, Result};
use moire_kernels::{
    Ctx, Weights,
    attention::AttentionForm,
    elementwise, embed,
    matmul::{self, Product},
    norm, promote,
    rope::{self, Angles, Rope, RopeForm},
};
use std::ops::Range;

/// Which forward path a call takes; it chooses the attention form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The batched causal forward over a prompt.
    Prefill,
    /// One row.
    Decode,
    /// A block that may be rewound.
    Verify,
}

/// One call over `batch` rows of `width` positions, or of different numbers of them. `ctx.act` is the dtype of the embedding; later dtypes follow by
/// MLX's promotion.
pub struct Pass<'a> {
    /// Threads, instruction set, dtype, cancel.
    pub ctx: Ctx<'a>,
    /// The session's choices.
    pub switches: Switches,
    /// Attention form of this path.
    pub attention: AttentionForm,
    /// Position of the first row, per batch row.
    pub start: Vec<usize>,
    /// Positions of the call, of the longest batch row.
    pub width: usize,
    /// Rotation angles, per batch row.
    pub angles: Vec<Angles>,
    /// Taps and kernels.
    pub recorder: Recorder,
}

impl<'a> Pass<'a> {
    /// A call that starts at `start[batch row]`.
    pub fn new(
        ctx: Ctx<'a>,
        switches: Switches,
        path: Path,
        rope: &Rope,
        start: &[usize],
        width: usize,
        recorder: Recorder,
    ) -> Self {
        let attention = if path == Path::Prefill { switches.prefill_attention } else { switches.attention };
        let uniform = vec![width; start.len()];
        Self { attention, ..Self::ragged(ctx, switches, rope, start, &uniform, recorder) }
    }

    /// A call of `widths[batch row]` positions that starts at `start[batch row]`, in the order of the switch `attention`.
    pub fn ragged(
        ctx: Ctx<'a>,
        switches: Switches,
        rope: &Rope,
        start: &[usize],
        widths: &[usize],
        recorder: Recorder,
    ) -> Self {
        let angles = start.iter().zip(widths).map(|(s, width)| rope.angles(switches.rope, *s, *width)).collect();
        let width = widths.iter().copied().max().unwrap_or(0);
        Self { ctx, switches, attention: switches.attention, start: start.to_vec(), width, angles, recorder }
    }

    /// Of each batch row its rows in the activations of the call.
    pub fn rows(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let rows = self.angles.iter().map(|a| {
            end += a.rows;
            end - a.rows..end
        });
        rows.collect()
    }

    /// Batch rows.
    pub fn batch(&self) -> usize {
        self.start.len()
    }

    /// Go on to a layer. Errors: `Cancelled`.
    pub fn enter(&mut self, layer: usize) -> Result<()> {
        self.recorder.layer = layer as i64;
        self.ctx.control.advance(1);
        self.ctx.control.check()
    }

    /// Record `rows` as `[rows, width]`.
    pub fn tap(&mut self, name: &'static str, rows: &Rows) {
        self.recorder.tap(name, rows, &[rows.width]);
    }

    /// Record `rows` as `[rows, heads, width / heads]`.
    pub fn tap_heads(&mut self, name: &'static str, rows: &Rows, heads: usize) {
        self.recorder.tap(name, rows, &[heads, rows.width / heads]);
    }

    /// Rows of the embedding table.
    pub fn embed(&mut self, table: &Matrix, ids: &[u32]) -> Result<Rows> {
        let mut out = Rows::zeros(ids.len(), table.cols(), self.ctx.act);
        embed::embed(&self.ctx, table, ids, &mut out.values)?;
        self.tap("embedding", &out);
        Ok(out)
    }

    /// `x · Wᵀ (+ bias)` in the family that the switch chooses for this number of rows.
    pub fn linear(&mut self, op: &'static str, linear: &Linear, x: &Rows) -> Result<Rows> {
        let [y] = self.linears([(op, linear)], x)?;
        Ok(y)
    }

    /// As [`linear`](Self::linear), several layers that read the same rows.
    pub fn linears<const N: usize>(&mut self, layers: [(&'static str, &Linear); N], x: &Rows) -> Result<[Rows; N]> {
        let rows = x.rows();
        let family = self.switches.matmul.choose(rows);
        let mut ys =
            layers.map(|(_, linear)| Rows::zeros(rows, linear.weight.rows(), promote(x.dtype, linear.weight.dtype())));
        let mut free = ys.iter_mut();
        let products = layers.map(|(_, linear)| {
            let y = free.next().expect("as many as layers");
            Product { linear, act: y.dtype, y: &mut y.values }
        });
        let kernels = matmul::matmuls(&self.ctx, family, &x.values, rows, products)?;
        for (((op, _), kernel), y) in layers.into_iter().zip(kernels).zip(&ys) {
            self.recorder.kernel(op, kernel, rows);
            self.tap(op, y);
        }
        Ok(ys)
    }

    /// RMS norm over whole rows.
    pub fn norm(&mut self, name: &'static str, x: &Rows, weight: &Weights, eps: f32) -> Rows {
        let y = self.rms_norm(x, weight, eps);
        self.tap(name, &y);
        y
    }

    /// RMS norm over every head of every row.
    pub fn head_norm(&mut self, name: &'static str, x: &Rows, weight: &Weights, eps: f32) -> Rows {
        let y = self.rms_norm(x, weight, eps);
        self.tap_heads(name, &y, x.width / weight.values.len());
        y
    }

    fn rms_norm(&self, x: &Rows, weight: &Weights, eps: f32) -> Rows {
        let mut y = Rows::like(x);
        y.dtype = norm::rms_norm(&self.ctx.with_act(x.dtype), &x.values, weight, eps, &mut y.values);
        y
    }

    /// A residual.
    pub fn add(&mut self, name: &'static str, a: &Rows, b: &Rows) -> Rows {
        let mut y = Rows::like(a);
        y.dtype = promote(a.dtype, b.dtype);
        elementwise::add(&self.ctx.with_act(y.dtype), &a.values, &b.values, &mut y.values);
        self.tap(name, &y);
        y
    }

    /// Rotate every head of every row by the angle of its position.
    pub fn rotate(&mut self, name: &'static str, x: &Rows, heads: usize) -> Rows {
        let mut y = Rows::like(x);
        let ctx = self.ctx.with_act(x.dtype);
        for (angles, rows) in self.angles.iter().zip(self.rows()) {
            let part = rows.start * x.width..rows.end * x.width;
            rope::rotate(&ctx, angles, &x.values[part.clone()], heads, x.width / heads, &mut y.values[part]);
        }
        // One row has nothing to add angles to: both forms are the same there, and it is named for what ran.
        let form = if self.width == 1 { RopeForm::Row } else { self.switches.rope };
        self.recorder.kernel(name, format!("rope.{}", rope_name(form)), x.rows());
        self.tap_heads(name, &y, heads);
        y
    }
}
