//! Matmul calls: the outputs of all layers cut into threads and blocks.

use super::{
    MatmulKernel,
    affine::Affine,
    dense::Dense,
    exact::{Integers, Tiles},
    input::{Fallback, Input},
    qmv::Qmv,
    tiled::{Source, Tiled},
};
use crate::{
    Ctx,
    ctx::expect_len,
    disjoint::{Window, windows},
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::{Dtype, Linear, Matrix, Result};
use std::ops::Range;

/// Outputs of a block are a multiple of this, which every tile divides.
const BLOCK: usize = 64;
/// Multiply-adds between two looks at the cancel flag.
const BLOCK_WORK: usize = 1 << 22;
/// Multiply-adds worth a thread.
const LEAST_WORK: usize = 1 << 17;

/// Some outputs of all rows, and the window they go to.
pub struct Block<'a, 'w> {
    pub rows: usize,
    pub outputs: Range<usize>,
    pub window: &'a mut Window<'w>,
}

impl Block<'_, '_> {
    #[inline(always)]
    pub fn put(&mut self, row: usize, n: usize, value: f32) {
        let first = self.window.columns().start;
        self.window.row(row)[n - first] = value;
    }
}

/// All outputs of all layers, rounded, with their biases, in one region of the pool: each has its own `y`.
pub fn run<const N: usize>(ctx: &Ctx, works: &[Work; N], ys: [&mut [f32]; N]) -> Result<()> {
    let parts =
        works.iter().zip(ys).flat_map(|(work, y)| work.windows(y).into_iter().map(move |window| (work, window)));
    ctx.pool.each(parts.collect(), |(work, window)| work.part(window));
    ctx.control.check()
}

/// What a kernel needs besides the block.
enum Plan<'a> {
    Qmv(Affine<'a>, &'a [f32]),
    Tiled(Source<'a>),
    Exact(Affine<'a>, &'a [Integers], &'a Fallback),
    Gemv(&'a [u8], Dtype),
    ExactFloat(&'a [u8], Dtype),
}

/// A prepared layer.
pub struct Work<'a> {
    ctx: Ctx<'a>,
    plan: Plan<'a>,
    format: String,
    bias: Option<Vec<f32>>,
    x: &'a [f32],
    rows: usize,
    shape: (usize, usize),
}

impl<'a> Work<'a> {
    /// `linear` of `x[rows, in]`, of which `input` was made.
    pub fn new(
        ctx: Ctx<'a>,
        kernel: MatmulKernel,
        linear: &'a Linear,
        (x, rows): (&'a [f32], usize),
        input: &'a Input,
    ) -> Self {
        let weight = &linear.weight;
        let shape = (weight.rows(), weight.cols());
        let (plan, format) = match weight {
            Matrix::Float { data, dtype, .. } => {
                expect_len("weight", data.len(), shape.0 * shape.1 * dtype.size());
                (float_plan(kernel, data, *dtype), dtype.name().to_owned())
            }
            Matrix::Affine { bits, group, .. } => {
                let weights = Affine::new(weight).expect("an affine matrix");
                let plan = match input {
                    Input::Rows => Plan::Tiled(Source::Affine(weights, ctx.act)),
                    Input::Sums(sums) => Plan::Qmv(weights, sums),
                    Input::Exact(integers, fallback) => Plan::Exact(weights, integers, fallback),
                };
                (plan, format!("b{bits}g{group}"))
            }
        };
        let bias = linear.bias.as_ref().map(|bias| bias.to_f32());
        if let Some(bias) = &bias {
            expect_len("bias", bias.len(), shape.0);
        }
        Self { ctx, plan, format, bias, x, rows, shape }
    }

    /// Kernel, weight format and instruction set: `qmv.b4g64.avx2`.
    pub fn name(&self) -> String {
        let lanes = self.ctx.isa.of_lanes();
        let (kernel, isa) = match self.plan {
            Plan::Qmv(..) => ("qmv", lanes),
            Plan::Tiled(Source::Affine(..)) => ("qmm", lanes),
            Plan::Tiled(Source::Float(..)) => ("gemm", lanes),
            Plan::Exact(..) => ("exact", self.ctx.isa),
            Plan::ExactFloat(..) => ("exact", lanes),
            Plan::Gemv(..) => ("gemv", lanes),
        };
        format!("{kernel}.{}.{}", self.format, isa.name())
    }

    /// Its outputs, a window a part.
    fn windows<'y>(&self, y: &'y mut [f32]) -> Vec<Window<'y>> {
        let (outputs, cols) = self.shape;
        let least = LEAST_WORK / (cols * self.rows).max(1);
        windows(y, outputs, &self.ctx.pool.chunks(outputs, BLOCK, least))
    }

    /// The outputs of one window, block by block: what is written is rounded while it is near.
    fn part(&self, mut window: Window) {
        let part = window.columns();
        let block = (BLOCK_WORK / (self.shape.1 * self.rows).max(1)).next_multiple_of(BLOCK).max(BLOCK);
        let twice = matches!(self.plan, Plan::Qmv(..) | Plan::Exact(..) | Plan::Tiled(Source::Affine(..)));
        for start in part.clone().step_by(block) {
            if self.ctx.control.is_cancelled() {
                return;
            }
            let outputs = start..(start + block).min(part.end);
            self.block(Block { rows: self.rows, outputs: outputs.clone(), window: &mut window });
            let bias = self.bias.as_ref().map(|b| &b[outputs.clone()]);
            dispatch(self.ctx.isa, Finish { window: &mut window, outputs, bias, twice, act: self.ctx.act });
        }
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

    fn exact(&self, weights: Affine, integers: &[Integers], fallback: &Fallback, block: Block) {
        let Block { outputs, window, .. } = block;
        Tiles { weights, rows: integers, outputs: outputs.clone(), window }.run(self.ctx.isa);
        if fallback.rows.is_empty() {
            return;
        }
        let (rows, first) = (fallback.rows.len(), window.columns().start);
        let mut values = vec![0.0; rows * outputs.len()];
        let mut side = windows(&mut values, outputs.len(), &[0..outputs.len()]);
        // The same kernel sees the weights from its first output on, so that a window of these outputs alone can hold the result.
        let weights = weights.skip(outputs.start);
        let block = Block { rows, outputs: 0..outputs.len(), window: &mut side[0] };
        dispatch(self.ctx.isa, Qmv { weights, x: &fallback.x, sums: &fallback.sums, block });
        drop(side);
        for (row, values) in fallback.rows.iter().zip(values.chunks_exact(outputs.len())) {
            window.row(*row)[outputs.start - first..][..outputs.len()].copy_from_slice(values);
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

/// The rounding, and the bias before it or (`twice`) after it with a rounding of its own.
struct Finish<'a, 'w> {
    window: &'a mut Window<'w>,
    outputs: Range<usize>,
    bias: Option<&'a [f32]>,
    twice: bool,
    act: Dtype,
}

impl Kernel for Finish<'_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let first = self.outputs.start - self.window.columns().start;
        for row in 0..self.window.rows() {
            let out = &mut self.window.row(row)[first..][..self.outputs.len()];
            for (i, out) in out.chunks_mut(LANES).enumerate() {
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
