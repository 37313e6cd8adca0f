//! What looks at other positions: attention, the delta rule, convolution.

use super::{Trial, data::values};
use crate::{
    Columns,
    attention::{AttentionForm, AttentionSpec, KvPage, KvShape, KvView, Mask, PAGE, attention},
    conv::{ConvKernel, conv},
    delta::{DeltaForm, DeltaInputs, DeltaShape, DeltaStates, gated_delta},
};
use moire_base::{Dtype, Result, Vector};
use std::sync::Arc;

pub fn trials() -> Vec<Trial> {
    let attention = [AttentionForm::PerPosition, AttentionForm::Batched, AttentionForm::Exact];
    let delta = [DeltaForm::Recurrent, DeltaForm::Chunked];
    let mut all: Vec<Trial> = attention.into_iter().flat_map(|form| [1, 5].map(|rows| over_keys(form, rows))).collect();
    all.extend(delta.into_iter().flat_map(|form| [1, CHUNK + 3].map(|rows| over_tokens(form, rows))));
    all.push(Trial::new("conv", "4 taps", |ctx| {
        let (channels, rows) = (43, 5);
        let stored = Vector { dtype: Dtype::Bf16, data: Dtype::Bf16.narrow(&values(channels * 4, 1, 1.0)).into() };
        let mut out = vec![0.0; rows * channels];
        let rows = values((rows + 3) * channels, 2, 1.0);
        let (state, x) = rows.split_at(3 * channels);
        conv(ctx, &ConvKernel::new(&stored, channels), state, x, &mut out);
        Ok(out)
    }));
    all
}

const HEADS: usize = 4;
/// Over two pages, the second one partly filled.
const KEYS: usize = PAGE + 21;

fn over_keys(form: AttentionForm, rows: usize) -> Trial {
    Trial::new("attention", format!("{}, {rows} rows", form.name()), move |ctx| {
        let shape = KvShape { kv_heads: 2, head_dim: 36, keys: ctx.act, values: ctx.act };
        let spec = AttentionSpec { heads: HEADS, mask: Mask::CAUSAL, scale: 1.0 / 6.0 };
        let pages = pages(shape)?;
        let q = values(rows * HEADS * shape.head_dim, 3, 2.0);
        let mut out = vec![0.0; q.len()];
        attention(ctx, form, spec, &q, &KvView { shape, pages: &pages, len: KEYS }, &mut out)?;
        Ok(out)
    })
}

fn pages(shape: KvShape) -> Result<Vec<Arc<KvPage>>> {
    let row = shape.kv_heads * shape.head_dim;
    let (k, v) = (values(KEYS * row, 4, 2.0), values(KEYS * row, 5, 1.0));
    let sides = k.chunks(PAGE * row).zip(v.chunks(PAGE * row));
    sides
        .map(|(k, v)| {
            let mut page = KvPage::new(shape)?;
            page.write(0..k.len() / row, k, v);
            Ok(Arc::new(page))
        })
        .collect()
}

/// Tokens of a chunk of the chunked form.
const CHUNK: usize = 64;

fn over_tokens(form: DeltaForm, rows: usize) -> Trial {
    let shape = DeltaShape { key_heads: 1, value_heads: 2, key_dim: 24, value_dim: 20 };
    Trial::new("delta", format!("{}, {rows} rows", form.name()), move |ctx| {
        let (keys, heads) = (rows * shape.key_heads * shape.key_dim, rows * shape.value_heads);
        let log_decay: Vec<f32> = values(heads, 6, 0.5).iter().map(|x| -x.abs()).collect();
        let v = values(heads * shape.value_dim, 9, 1.0);
        let inputs = DeltaInputs {
            q: &values(keys, 7, 0.2),
            k: &values(keys, 8, 0.2),
            v: Columns::whole(&v, shape.value_heads * shape.value_dim),
            beta: &values(heads, 10, 1.0).iter().map(|x| x.abs()).collect::<Vec<_>>(),
            decay: &log_decay.iter().map(|x| crate::math::exp(*x)).collect::<Vec<_>>(),
            log_decay: &log_decay,
        };
        let before = values(shape.value_heads * shape.value_dim * shape.key_dim, 11, 1.0);
        let (mut after, mut out) = (vec![0.0; before.len()], vec![0.0; heads * shape.value_dim]);
        let states = DeltaStates { before: &before, after: &mut after };
        gated_delta(ctx, form, shape, &inputs, states, &mut out)?;
        out.extend(after);
        Ok(out)
    })
}
