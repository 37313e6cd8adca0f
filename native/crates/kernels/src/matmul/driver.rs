//! One matmul call: what is prepared once, and its outputs cut into threads and blocks.

use super::{
    MatmulKernel,
    affine::Affine,
    dense::Dense,
    exact::Exact,
    integers::{Integers, Quantise},
    qmv::{GroupSums, Qmv},
    tiled::{Source, Tiled},
};
use crate::{
    Ctx,
    ctx::expect_len,
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::{Dtype, Matrix, Result, Vector};
use std::ops::Range;

/// Outputs between two looks at the cancel flag; a multiple of every tile.
const BLOCK: usize = 32;
/// Multiply-adds worth a thread.
const LEAST_WORK: usize = 1 << 17;

/// Some outputs of all rows, and where they go: `out[row * stride + n - outputs.start]`.
pub struct Block<'a> {
    pub rows: usize,
    pub outputs: Range<usize>,
    pub stride: usize,
    pub out: &'a mut [f32],
}

impl Block<'_> {
    #[inline(always)]
    pub fn put(&mut self, row: usize, n: usize, value: f32) {
        self.out[row * self.stride + n - self.outputs.start] = value;
    }
}

/// What a kernel needs besides the block.
enum Plan<'a> {
    Qmv(Affine<'a>, Vec<f32>),
    Tiled(Source<'a>),
    Exact(Affine<'a>, Integers, Fallback),
    Gemv(&'a [u8], Dtype),
    ExactFloat(&'a [u8], Dtype),
}

/// Rows that are not finite, one after another, for `qmv`.
struct Fallback {
    x: Vec<f32>,
    sums: Vec<f32>,
}

/// A prepared call.
pub struct Work<'a> {
    ctx: &'a Ctx<'a>,
    plan: Plan<'a>,
    format: String,
    x: &'a [f32],
    rows: usize,
    shape: (usize, usize),
}

impl<'a> Work<'a> {
    pub fn new(ctx: &'a Ctx<'a>, kernel: MatmulKernel, weight: &'a Matrix, x: &'a [f32], rows: usize) -> Self {
        let shape = (weight.rows(), weight.cols());
        let (plan, format) = match weight {
            Matrix::Float { data, dtype, .. } => {
                expect_len("weight", data.len(), shape.0 * shape.1 * dtype.size());
                (float_plan(kernel, data, *dtype), dtype.name().to_owned())
            }
            Matrix::Affine { bits, group, .. } => {
                let weights = Affine::new(weight).expect("an affine matrix");
                (affine_plan(ctx, kernel, weights, x), format!("b{bits}g{group}"))
            }
        };
        Self { ctx, plan, format, x, rows, shape }
    }

    /// Kernel and weight format: `qmv.b4g64`.
    pub fn name(&self) -> String {
        let kernel = match self.plan {
            Plan::Qmv(..) => "qmv",
            Plan::Tiled(Source::Affine(..)) => "qmm",
            Plan::Tiled(Source::Float(..)) => "gemm",
            Plan::Exact(..) | Plan::ExactFloat(..) => "exact",
            Plan::Gemv(..) => "gemv",
        };
        format!("{kernel}.{}", self.format)
    }

    /// All outputs, rounded, with the bias.
    pub fn run(&self, bias: Option<&Vector>, y: &mut [f32]) -> Result<()> {
        let (outputs, cols) = self.shape;
        let bias = bias.map(Vector::to_f32);
        if let Some(bias) = &bias {
            expect_len("bias", bias.len(), outputs);
        }
        let least = LEAST_WORK / (cols * self.rows).max(1);
        let parts = self.ctx.pool.split(outputs, BLOCK, least);
        let columns = self.ctx.pool.map(parts.len(), |i| self.columns(&parts[i], bias.as_deref()));
        self.ctx.control.check()?;
        for (part, columns) in parts.iter().zip(columns) {
            for (y, columns) in y.chunks_exact_mut(outputs).zip(columns.chunks_exact(part.len().max(1))) {
                y[part.clone()].copy_from_slice(columns);
            }
        }
        Ok(())
    }

    /// `[rows, part]` of one thread.
    fn columns(&self, part: &Range<usize>, bias: Option<&[f32]>) -> Vec<f32> {
        let stride = part.len();
        let mut out = vec![0.0; self.rows * stride];
        for start in part.clone().step_by(BLOCK) {
            if self.ctx.control.is_cancelled() {
                break;
            }
            let outputs = start..(start + BLOCK).min(part.end);
            self.block(Block { rows: self.rows, outputs, stride, out: &mut out[start - part.start..] });
        }
        let twice = matches!(self.plan, Plan::Qmv(..) | Plan::Exact(..) | Plan::Tiled(Source::Affine(..)));
        let bias = bias.map(|b| &b[part.clone()]);
        dispatch(self.ctx.isa, Finish { out: &mut out, stride, bias, twice, act: self.ctx.act });
        out
    }

    fn block(&self, block: Block) {
        let (isa, x, cols) = (self.ctx.isa, self.x, self.shape.1);
        match &self.plan {
            Plan::Qmv(weights, sums) => dispatch(isa, Qmv { weights: *weights, x, sums, block }),
            Plan::Tiled(source) => dispatch(isa, Tiled { source: *source, cols, x, block }),
            Plan::Gemv(data, dtype) => dispatch(isa, Dense::<4> { data, dtype: *dtype, cols, x, block }),
            Plan::ExactFloat(data, dtype) => dispatch(isa, Dense::<2> { data, dtype: *dtype, cols, x, block }),
            Plan::Exact(weights, integers, fallback) => self.exact(*weights, integers, fallback, block),
        }
    }

    fn exact(&self, weights: Affine, integers: &Integers, fallback: &Fallback, block: Block) {
        let Block { rows, outputs, stride, out } = block;
        let main = Block { rows, outputs: outputs.clone(), stride, out: &mut *out };
        dispatch(self.ctx.isa, Exact { weights, integers, block: main });
        let mut plain = vec![0.0; integers.non_finite.len() * BLOCK];
        let side = Block { rows: integers.non_finite.len(), outputs: outputs.clone(), stride: BLOCK, out: &mut plain };
        dispatch(self.ctx.isa, Qmv { weights, x: &fallback.x, sums: &fallback.sums, block: side });
        for (row, plain) in integers.non_finite.iter().zip(plain.chunks_exact(BLOCK)) {
            out[row * stride..row * stride + outputs.len()].copy_from_slice(&plain[..outputs.len()]);
        }
    }
}

fn float_plan(kernel: MatmulKernel, data: &[u8], dtype: Dtype) -> Plan<'_> {
    match kernel {
        MatmulKernel::Qmv => Plan::Gemv(data, dtype),
        MatmulKernel::Qmm => Plan::Tiled(Source::Float(data, dtype)),
        MatmulKernel::Exact => Plan::ExactFloat(data, dtype),
    }
}

fn affine_plan<'a>(ctx: &Ctx, kernel: MatmulKernel, weights: Affine<'a>, x: &[f32]) -> Plan<'a> {
    let (cols, group) = (weights.cols, weights.group);
    match kernel {
        MatmulKernel::Qmv => Plan::Qmv(weights, dispatch(ctx.isa, GroupSums { x, group })),
        MatmulKernel::Qmm => Plan::Tiled(Source::Affine(weights, ctx.act)),
        MatmulKernel::Exact => {
            let integers = dispatch(ctx.isa, Quantise { x, cols, group });
            let x: Vec<f32> = integers.non_finite.iter().flat_map(|r| &x[r * cols..(r + 1) * cols]).copied().collect();
            let sums = dispatch(ctx.isa, GroupSums { x: &x, group });
            Plan::Exact(weights, integers, Fallback { x, sums })
        }
    }
}

/// The rounding, and the bias before it or (`twice`) after it with a rounding of its own.
struct Finish<'a> {
    out: &'a mut [f32],
    stride: usize,
    bias: Option<&'a [f32]>,
    twice: bool,
    act: Dtype,
}

impl Kernel for Finish<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for row in self.out.chunks_mut(self.stride.max(1)) {
            for (i, out) in row.chunks_mut(LANES).enumerate() {
                let mut value = L::load_part(out);
                if let Some(bias) = self.bias {
                    let before = if self.twice { value.round_to(self.act) } else { value };
                    value = before + L::load_part(&bias[i * LANES..]);
                }
                value.round_to(self.act).store_part(out);
            }
        }
    }
}
