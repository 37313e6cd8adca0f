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
                    let bytes = self.cols * dtype.size();
                    widen::<L>(&data[id * bytes..(id + 1) * bytes], dtype, self.act, out);
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

/// A row of floats, rounded.
#[inline(always)]
fn widen<L: Lanes>(row: &[u8], dtype: Dtype, act: Dtype, out: &mut [f32]) {
    for (row, out) in row.chunks(LANES * dtype.size()).zip(out.chunks_mut(LANES)) {
        let mut full = [0; LANES * size_of::<f32>()];
        full[..row.len()].copy_from_slice(row);
        L::load_as(dtype, if out.len() == LANES { row } else { &full }).round_to(act).store_part(out);
    }
}
