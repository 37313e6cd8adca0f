//! Embedding rows.

use crate::{
    Ctx,
    ctx::expect_len,
    matmul::{Affine, with_bits},
    simd::{Kernel, LANES, Lanes, dispatch},
};
use moire_base::{Dtype, Error, Matrix, Result};

/// `out[ids.len(), hidden]`: rows of the table. Float rows are rounded to `ctx.act`; quantised ones are dequantised in it, product and sum each rounded
/// (model-spec 4.4).
///
/// # Errors
/// `Invalid` for an id outside the table, naming it.
pub fn embed(ctx: &Ctx, table: &Matrix, ids: &[u32], out: &mut [f32]) -> Result<()> {
    expect_len("out", out.len(), ids.len() * table.cols());
    if let Some(id) = ids.iter().find(|id| **id as usize >= table.rows()) {
        return Err(Error::invalid("ids", format!("token id {id} is outside the vocabulary of {}", table.rows())));
    }
    let source = match table {
        Matrix::Float { data, dtype, .. } => {
            expect_len("embedding", data.len(), table.rows() * table.cols() * dtype.size());
            Source::Float(data, *dtype)
        }
        Matrix::Affine { .. } => Source::Affine(Affine::new(table).expect("an affine matrix")),
    };
    ctx.pool.slabs(out, table.cols(), 64, |first, slab| {
        let ids = &ids[first..first + slab.len() / table.cols()];
        dispatch(ctx.isa, Rows { source, ids, act: ctx.act, cols: table.cols(), out: slab });
    });
    Ok(())
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Float(&'a [u8], Dtype),
    Affine(Affine<'a>),
}

struct Rows<'a> {
    source: Source<'a>,
    ids: &'a [u32],
    act: Dtype,
    cols: usize,
    out: &'a mut [f32],
}

impl Kernel for Rows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (id, out) in self.ids.iter().zip(self.out.chunks_exact_mut(self.cols)) {
            let id = *id as usize;
            match self.source {
                Source::Affine(w) => with_bits!(w.bits, dequantise::<L>(&w, id, self.act, out)),
                Source::Float(data, dtype) => {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = dtype.load(data, id * self.cols + i);
                    }
                    round::<L>(self.act, out);
                }
            }
        }
    }
}

#[inline(always)]
fn dequantise<L: Lanes, const BITS: usize>(w: &Affine, id: usize, act: Dtype, out: &mut [f32]) {
    for (g, out) in out.chunks_exact_mut(w.group).enumerate() {
        let group = w.dequantiser::<L>(id, g, act);
        for (i, out) in out.chunks_exact_mut(LANES).enumerate() {
            group.eight::<BITS>(i).store(out);
        }
    }
}

#[inline(always)]
fn round<L: Lanes>(act: Dtype, values: &mut [f32]) {
    for values in values.chunks_mut(LANES) {
        L::load_part(values).round_to(act).store_part(values);
    }
}
