//! The rows of a call as the kernels of its weights read them: made once for all layers that take the same.

use super::{
    MatmulKernel,
    exact::{Integers, quantise},
    qmv::GroupSums,
};
use crate::{Ctx, simd::dispatch};
use moire_base::{Linear, Matrix};

/// What weights of one format need besides the rows.
pub enum Input {
    /// Nothing.
    Rows,
    /// `Σ x` of every group.
    Sums(Vec<f32>),
    Exact(Vec<Integers>, Fallback),
}

/// Rows that are not finite, one after another, for `qmv`.
pub struct Fallback {
    pub rows: Vec<usize>,
    pub x: Vec<f32>,
    pub sums: Vec<f32>,
}

/// Bits and group of quantised weights; `None` for float ones.
type Format = Option<(usize, usize)>;

fn format(linear: &Linear) -> Format {
    match linear.weight {
        Matrix::Affine { bits, group, .. } => Some((bits as usize, group)),
        Matrix::Float { .. } => None,
    }
}

/// One input for each format among the layers.
pub struct Inputs(Vec<(Format, Input)>);

impl Inputs {
    /// Of `x[rows, cols]`.
    pub fn new<'a>(
        ctx: &Ctx,
        kernel: MatmulKernel,
        linears: impl Iterator<Item = &'a Linear>,
        x: &[f32],
        cols: usize,
    ) -> Self {
        let mut inputs: Vec<(Format, Input)> = Vec::new();
        for format in linears.map(format) {
            if inputs.iter().all(|(made, _)| *made != format) {
                inputs.push((format, Input::new(ctx, kernel, format, x, cols)));
            }
        }
        Self(inputs)
    }

    /// What `linear`, one of the layers, reads.
    pub fn of(&self, linear: &Linear) -> &Input {
        let wanted = format(linear);
        &self.0.iter().find(|(format, _)| *format == wanted).expect("one of the layers").1
    }
}

impl Input {
    fn new(ctx: &Ctx, kernel: MatmulKernel, format: Format, x: &[f32], cols: usize) -> Self {
        match (format, kernel) {
            (None, _) | (_, MatmulKernel::Qmm) => Self::Rows,
            (Some((_, group)), MatmulKernel::Qmv) => Self::Sums(dispatch(ctx.isa, GroupSums { x, group })),
            (Some((bits, group)), MatmulKernel::Exact) => {
                let integers = quantise(ctx, x, cols, group, bits);
                let rows: Vec<usize> = integers.iter().flat_map(|block| &block.non_finite).copied().collect();
                let x: Vec<f32> = rows.iter().flat_map(|r| &x[r * cols..(r + 1) * cols]).copied().collect();
                let sums = dispatch(ctx.isa, GroupSums { x: &x, group });
                Self::Exact(integers, Fallback { rows, x, sums })
            }
        }
    }
}
