//! Time of every step but matmuls and softmax attention, the best and the median of many calls in microseconds, at decode (1 row) and prefill (512 rows), for the shapes of Qwen 3 0.6B
//! and of a Qwen 3.5 of that size. `cargo run --release -p moire-kernels --example steps -- [threads] [filter]`

use moire_base::{Bytes, Control, Dtype, Matrix, Vector};
use moire_kernels::{
    Aligned, Columns, Ctx, Isa, Pool, Weights,
    conv::{ConvKernel, conv},
    delta::{self, DeltaForm, DeltaInputs, DeltaShape, DeltaStates},
    elementwise,
    embed::embed,
    norm::{self, DeltaRole},
    topk::top_k,
};
use std::time::{Duration, Instant};

const HIDDEN: usize = 1024;
const FF: usize = 3072;
const VOCAB: usize = 151_936;
const SHAPE: DeltaShape = DeltaShape { key_heads: 16, value_heads: 16, key_dim: 128, value_dim: 128 };
const CHANNELS: usize = 6144;
const TAPS: usize = 4;
/// Layers whose states take turns, so that no cache holds them all.
const LAYERS: usize = 18;

fn main() {
    let mut args = std::env::args().skip(1);
    let threads = args.next().and_then(|a| a.parse().ok()).unwrap_or(2);
    let filter = args.next().unwrap_or_default();
    let pool = Pool::new(threads).expect("threads");
    let control = Control::default();
    let ctx = Ctx::new(&pool, Isa::detect(), Dtype::Bf16, &control);
    println!("{threads} threads, {}, bf16 activations; best and median us", ctx.isa.name());
    for rows in [1, 512] {
        steps(&Timer { rows, filter: &filter }, &ctx);
    }
}

struct Timer<'a> {
    rows: usize,
    filter: &'a str,
}

impl Timer<'_> {
    /// Runs a step for a while, its argument counting up, and prints its median.
    fn time(&self, name: &str, mut step: impl FnMut(usize)) {
        if !name.contains(self.filter) {
            return;
        }
        let (start, mut times) = (Instant::now(), Vec::new());
        while times.len() < 5 || (start.elapsed() < Duration::from_millis(300) && times.len() < 20_000) {
            let one = Instant::now();
            step(times.len());
            times.push(one.elapsed());
        }
        times.sort_unstable();
        let [best, median] = [times[0], times[times.len() / 2]].map(|t| t.as_secs_f64() * 1e6);
        println!("{name:24} {:4} rows {best:10.1} {median:10.1}", self.rows);
    }
}

/// Numbers in [-size, size), exact in bf16.
fn values(n: usize, size: f32) -> Vec<f32> {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Dtype::Bf16.round((seed >> 8) as f32 / (1 << 23) as f32 * size - size)
    };
    (0..n).map(|_| next()).collect()
}

fn weights(n: usize) -> Weights {
    Weights { values: values(n, 1.0), dtype: Dtype::Bf16 }
}

fn steps(timer: &Timer, ctx: &Ctx) {
    plain(timer, ctx);
    normed(timer, ctx);
    gated_delta(timer, ctx);
    ends(timer, ctx);
}

fn plain(timer: &Timer, ctx: &Ctx) {
    let rows = timer.rows;
    let (a, b) = (values(rows * CHANNELS, 4.0), values(rows * CHANNELS, 4.0));
    let mut out = vec![0.0; rows * CHANNELS];
    let (hidden, ff) = (rows * HIDDEN, rows * FF);
    timer.time("add", |_| elementwise::add(ctx, &a[..hidden], &b[..hidden], &mut out[..hidden]));
    timer.time("swiglu", |_| elementwise::swiglu(ctx, &a[..ff], &b[..ff], &mut out[..ff]));
    timer.time("silu of channels", |_| elementwise::silu(ctx, &a, &mut out));
}

fn normed(timer: &Timer, ctx: &Ctx) {
    let rows = timer.rows;
    let heads = rows * SHAPE.value_heads * SHAPE.value_dim;
    let (x, z, mut out) = (values(heads, 2.0), values(heads, 2.0), vec![0.0; heads]);
    let (wide, head) = (weights(HIDDEN), weights(SHAPE.key_dim));
    timer.time("rms norm", |_| {
        norm::rms_norm(ctx, &x[..rows * HIDDEN], &wide, 1e-6, &mut out[..rows * HIDDEN]);
    });
    timer.time("head norm", |_| {
        norm::rms_norm(ctx, &x, &head, 1e-6, &mut out);
    });
    let heads = Columns::whole(&x, SHAPE.value_heads * SHAPE.value_dim);
    timer.time("delta q norm", |_| norm::delta_qk_norm(ctx, heads, SHAPE.key_dim, DeltaRole::Query, &mut out));
    timer.time("gated norm", |_| norm::gated_norm(ctx, &x, &z, &head, 1e-6, &mut out));
}

fn gated_delta(timer: &Timer, ctx: &Ctx) {
    let rows = timer.rows;
    let stored = ctx.act.narrow(&values(CHANNELS * TAPS, 0.5));
    let kernel = ConvKernel::new(&Vector { dtype: ctx.act, data: Bytes::from(stored) }, CHANNELS);
    let (x, mut out) = (values((TAPS - 1 + rows) * CHANNELS, 1.0), vec![0.0; rows * CHANNELS]);
    let (state, x) = x.split_at((TAPS - 1) * CHANNELS);
    timer.time("conv", |_| conv(ctx, &kernel, state, x, &mut out));
    let gates = rows * SHAPE.value_heads;
    let (a, mut beta) = (values(gates, 2.0), vec![0.0; gates]);
    let (mut log_decay, mut decay) = (beta.clone(), beta.clone());
    let per_head = weights(SHAPE.value_heads);
    timer.time("beta", |_| delta::beta(ctx, &a, &mut beta));
    timer.time("decay", |_| delta::decay(ctx, &a, &per_head, &per_head, &mut log_decay, &mut decay));
    delta::beta(ctx, &a, &mut beta);
    delta::decay(ctx, &a, &per_head, &per_head, &mut log_decay, &mut decay);
    let width = rows * SHAPE.key_heads * SHAPE.key_dim;
    let (q, k, v) = (values(width, 0.08), values(width, 0.08), values(width, 1.0));
    let inputs = DeltaInputs {
        q: &q,
        k: &k,
        v: Columns::whole(&v, SHAPE.value_heads * SHAPE.value_dim),
        beta: &beta,
        decay: &decay,
        log_decay: &log_decay,
    };
    let one = SHAPE.value_heads * SHAPE.value_dim * SHAPE.key_dim;
    let state = || {
        let mut state = Aligned::new(one);
        state.copy_from_slice(&values(one, 0.1));
        state
    };
    let mut states: Vec<[Aligned; 2]> = (0..LAYERS).map(|_| [state(), state()]).collect();
    for form in [DeltaForm::Recurrent, DeltaForm::Chunked] {
        timer.time(&format!("delta {}", form.name()), |i| {
            let [before, after] = &mut states[i % LAYERS];
            let pair = DeltaStates { before, after };
            delta::gated_delta(ctx, form, SHAPE, &inputs, pair, &mut out[..width]).expect("not cancelled");
            std::mem::swap(before, after);
        });
    }
}

fn ends(timer: &Timer, ctx: &Ctx) {
    let data = Bytes::from(ctx.act.narrow(&values(HIDDEN * 1000, 1.0)));
    let table = Matrix::Float { rows: 1000, cols: HIDDEN, dtype: ctx.act, data };
    let ids: Vec<u32> = (0..timer.rows as u32).map(|i| i * 7 % 1000).collect();
    let mut out = vec![0.0; timer.rows * HIDDEN];
    timer.time("embed", |_| embed(ctx, &table, &ids, &mut out).expect("known ids"));
    let logits = values(VOCAB, 10.0);
    if timer.rows == 1 {
        timer.time("top 10 of the vocabulary", |_| assert_eq!(top_k(ctx.isa, &logits, 10).len(), 10));
    }
}
