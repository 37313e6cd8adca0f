//! Embedding rows.

use crate::Ctx;
use moire_base::{Matrix, Result};

/// `out[ids.len(), hidden]`: rows of the table. Float rows are rounded to `ctx.act`; quantised ones are dequantised in it, product and sum each rounded
/// (model-spec 4.4).
///
/// # Errors
/// `Invalid` for an id outside the table, naming it.
pub fn embed(ctx: &Ctx, table: &Matrix, ids: &[u32], out: &mut [f32]) -> Result<()> {
    let _ = (ctx, table, ids, out);
    todo!()
}
