//! `y = x · Wᵀ (+ bias)`, in families whose reduction orders differ on purpose: that is what users compare.
//!
//! | family | quantised weights | float weights |
//! |---|---|---|
//! | `qmv` | per group `scale·Σqx + bias·Σx`, fp32 lanes, one rounding | `gemv`: fp32 dot in 32 fixed lanes |
//! | `qmm` | weights dequantised to the activation dtype (product and sum each rounded), tiles shared by all rows, K in blocks of 128 | `gemm`: the same tiles and order |
//! | `exact` | int16 activations, int32 sums, groups combined in fp32 in one order | fp32 dot in 16 fixed lanes |
//!
//! In all of them a row's result depends on that row alone.

mod affine;
mod dense;
mod driver;
mod exact;
mod input;
mod qmv;
mod tiled;

use crate::{Ctx, ctx::expect_len};
use driver::{Block, Work, run};
use input::Inputs;
use moire_base::{Dtype, Error, Linear, Result};

pub(crate) use affine::{Affine, with_bits};

/// The switch `matmul`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum MatmulFamily {
    Auto,
    Qmv,
    Qmm,
    Exact,
}

/// One reduction order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum MatmulKernel {
    Qmv,
    Qmm,
    Exact,
}

/// Rows x batch from which `auto` takes `qmm`, as MLX does on CUDA.
pub const AUTO_QMM_ROWS: usize = 8;

impl MatmulFamily {
    /// The kernel for a call of `rows` rows (rows x batch).
    pub fn choose(self, rows: usize) -> MatmulKernel {
        match self {
            Self::Auto if rows < AUTO_QMM_ROWS => MatmulKernel::Qmv,
            Self::Auto | Self::Qmm => MatmulKernel::Qmm,
            Self::Qmv => MatmulKernel::Qmv,
            Self::Exact => MatmulKernel::Exact,
        }
    }

    /// `auto`, `qmv`, `qmm` or `exact`.
    ///
    /// # Errors
    /// `Invalid` at place `matmul`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "qmv" => Ok(Self::Qmv),
            "qmm" => Ok(Self::Qmm),
            "exact" => Ok(Self::Exact),
            _ => Err(Error::invalid("matmul", format!("unknown family \"{name}\"; use auto, qmv, qmm or exact"))),
        }
    }
}

/// A layer, and where its outputs go.
pub struct Product<'a> {
    /// Weights `[out, in]`, and a bias.
    pub linear: &'a Linear,
    /// What outputs are rounded to.
    pub act: Dtype,
    /// `[rows, out]`.
    pub y: &'a mut [f32],
}

/// `y[rows, out] = x[rows, in] · Wᵀ`, plus the layer's bias if it has one. Returns the kernel that ran, for example `qmv.b4g64.avx2` or `gemm.bf16.scalar`.
///
/// One rounding to `ctx.act`; a bias adds before it for float weights (one rounding in all) and after it for quantised ones (a second rounding), as in MLX.
///
/// # Errors
/// `Cancelled`, checked between blocks of outputs; `y` is then unspecified.
pub fn matmul(
    ctx: &Ctx,
    kernel: MatmulKernel,
    linear: &Linear,
    x: &[f32],
    rows: usize,
    y: &mut [f32],
) -> Result<String> {
    let [name] = matmuls(ctx, kernel, x, rows, [Product { linear, act: ctx.act, y }])?;
    Ok(name)
}

/// As [`matmul`], several layers over the same rows: the rows are prepared once, and threads wait for each other once. Each output has the bytes that it has alone.
///
/// # Errors
/// `Cancelled`, as [`matmul`].
pub fn matmuls<const N: usize>(
    ctx: &Ctx,
    kernel: MatmulKernel,
    x: &[f32],
    rows: usize,
    products: [Product; N],
) -> Result<[String; N]> {
    for Product { linear, y, .. } in &products {
        expect_len("x", x.len(), rows * linear.weight.cols());
        expect_len("y", y.len(), rows * linear.weight.rows());
    }
    let cols = products.first().map_or(0, |product| product.linear.weight.cols());
    let inputs = Inputs::new(ctx, kernel, products.iter().map(|product| product.linear), x, cols);
    let works = products
        .each_ref()
        .map(|Product { linear, act, .. }| Work::new(ctx.with_act(*act), kernel, linear, (x, rows), inputs.of(linear)));
    run(ctx, &works, products.map(|product| product.y))?;
    Ok(works.map(|work| work.name()))
}
