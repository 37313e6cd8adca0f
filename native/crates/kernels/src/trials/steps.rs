//! What works on one row or one element.

use super::{Trial, data::values};
use crate::{
    Columns, Ctx, Weights, delta, elementwise,
    norm::{self, DeltaRole},
    rope::{Rope, RopeForm, RopeScaling, rotate},
};
use moire_base::Dtype;

/// Not a multiple of the lanes.
const WIDTH: usize = 77;
const ROWS: usize = 3;

/// A step over `rows · width` elements that fills as many.
fn step(
    kernel: &'static str,
    what: &str,
    len: usize,
    run: impl Fn(&Ctx, &[f32], &mut [f32]) + Send + Sync + 'static,
) -> Trial {
    Trial::new(kernel, what, move |ctx| {
        let mut out = vec![0.0; len];
        run(ctx, &values(len, 1, 6.0), &mut out);
        Ok(out)
    })
}

fn weights(len: usize, seed: u32) -> Weights {
    Weights { values: values(len, seed, 1.0), dtype: Dtype::Bf16 }
}

pub fn trials() -> Vec<Trial> {
    let mut all = norms();
    all.extend(elements());
    all.extend([RopeForm::Row, RopeForm::Block].into_iter().flat_map(|form| [false, true].map(|t| turned(form, t))));
    all.push(Trial::new("gates", "decay", |ctx| {
        let (heads, rows) = (5, ROWS);
        let (mut log, mut decay) = (vec![0.0; rows * heads], vec![0.0; rows * heads]);
        let a = values(rows * heads, 1, 4.0);
        delta::decay(ctx, &a, &weights(heads, 2), &weights(heads, 3), &mut log, &mut decay);
        Ok([log, decay].concat())
    }));
    all
}

fn norms() -> Vec<Trial> {
    let len = ROWS * WIDTH;
    let role = |what, role| {
        step("norm", what, len, move |ctx, x, out| norm::delta_qk_norm(ctx, Columns::whole(x, WIDTH), WIDTH, role, out))
    };
    vec![
        step("norm", "rms", len, |ctx, x, out| {
            norm::rms_norm(ctx, x, &weights(WIDTH, 2), 1e-6, out);
        }),
        role("query", DeltaRole::Query),
        role("key", DeltaRole::Key),
        step("norm", "gated", len, |ctx, x, out| {
            norm::gated_norm(ctx, x, &values(x.len(), 3, 5.0), &weights(WIDTH, 2), 1e-6, out);
        }),
    ]
}

fn elements() -> Vec<Trial> {
    let other = |x: &[f32]| values(x.len(), 4, 3.0);
    vec![
        step("elementwise", "add", WIDTH, move |ctx, x, out| elementwise::add(ctx, x, &other(x), out)),
        step("elementwise", "silu", WIDTH, elementwise::silu),
        step("elementwise", "swiglu", WIDTH, move |ctx, x, out| elementwise::swiglu(ctx, x, &other(x), out)),
        step("elementwise", "gate", WIDTH, move |ctx, x, out| elementwise::sigmoid_gate(ctx, x, &other(x), out)),
        step("elementwise", "scale", WIDTH, |ctx, x, out| {
            out.copy_from_slice(x);
            elementwise::scale(ctx, 0.3, out);
        }),
        step("elementwise", "softcap", WIDTH, |ctx, x, out| {
            out.copy_from_slice(x);
            elementwise::softcap(ctx, 2.5, out);
        }),
        step("gates", "beta", WIDTH, delta::beta),
    ]
}

fn turned(form: RopeForm, traditional: bool) -> Trial {
    let (heads, head_dim) = (2, 36);
    let rope = Rope { dims: 24, base: 1e4, traditional, scaling: RopeScaling::Default };
    let pairs = if traditional { "neighbours" } else { "halves" };
    step("rope", &format!("{form:?}, {pairs}"), ROWS * heads * head_dim, move |ctx, x, out| {
        rotate(ctx, &rope.angles(form, 1000, ROWS), x, heads, head_dim, out);
    })
}
