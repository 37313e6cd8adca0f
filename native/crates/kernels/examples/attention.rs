//! Speed of attention against the machine: `cargo run --release -p moire-kernels --example attention`.
//!
//! Prefill: share of the fp32 multiply-add peak spent in the score and value products of the keys that are seen. Decode: bytes of keys and values read a second,
//! beside a plain read of as many bytes. Shapes: 16 query heads, 8 key/value heads of 128, bf16.

use moire_base::{Control, Dtype};
use moire_kernels::{
    Ctx, Isa, Pool,
    attention::{AttentionForm, AttentionSpec, KvPage, KvShape, KvView, Mask, PAGE, attention},
    rope::{Rope, RopeForm, RopeScaling},
    simd::{Kernel, LANES, Lanes, dispatch},
};
use std::{hint::black_box, sync::Arc, time::Instant};

const HEADS: usize = 16;
const SHAPE: KvShape = KvShape { kv_heads: 8, head_dim: 128, keys: Dtype::Bf16, values: Dtype::Bf16 };
const FORMS: [AttentionForm; 3] = [AttentionForm::Exact, AttentionForm::Batched, AttentionForm::PerPosition];

fn main() {
    let control = Control::default();
    for threads in [1, 2] {
        let pool = Pool::new(threads).expect("a pool");
        let ctx = Ctx::new(&pool, Isa::detect(), Dtype::Bf16, &control);
        let peak = best(5, || pool.map(threads, |_| dispatch(ctx.isa, Peak)));
        let peak = (threads * Peak::OPERATIONS) as f64 / peak;
        println!("{threads} threads, {}: fp32 peak {:.1} GFLOP/s", ctx.isa.name(), peak / 1e9);
        for rows in [16, 512] {
            prefill(&ctx, rows, peak);
        }
        for len in [1024, 8192] {
            decode(&ctx, len);
        }
    }
    pages();
    angles();
}

/// Filling a page, and sharing all pages of 28 layers at 8192 positions, as a fork does.
fn pages() {
    let numbers = values(PAGE * SHAPE.kv_heads * SHAPE.head_dim);
    let mut page = KvPage::new(SHAPE).expect("a page");
    let write = best(15, || page.write(0..PAGE, &numbers, &numbers));
    println!("write of {PAGE} positions into a page of {} bytes: {:.3} ms", SHAPE.page_bytes(), write * 1e3);
    let copy = best(15, || page.copy().expect("a page"));
    println!("copy of a page: {:.3} ms", copy * 1e3);
    let page = Arc::new(page);
    let layers: Vec<Vec<Arc<KvPage>>> = vec![vec![page; 8192 / PAGE]; 28];
    println!("fork of 28 layers at 8192 positions: {:.3} ms", best(15, || layers.clone()) * 1e3);
}

/// Least seconds of some runs.
fn best<T>(runs: usize, mut f: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        black_box(f());
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}

/// Twelve chains of multiply-adds in registers.
struct Peak;

impl Peak {
    const STEPS: usize = 4_000_000;
    const OPERATIONS: usize = Self::STEPS * 12 * LANES * 2;
}

impl Kernel for Peak {
    type Out = f32;
    #[inline(always)]
    fn run<L: Lanes>(self) -> f32 {
        let mut acc = [L::splat(black_box(0.5)); 12];
        let (a, b) = (L::splat(black_box(0.999)), L::splat(black_box(0.001)));
        for _ in 0..Self::STEPS {
            for acc in &mut acc {
                *acc = acc.fma(a, b);
            }
        }
        acc.into_iter().fold(L::splat(0.0), |sum, acc| sum + acc).sum()
    }
}

/// Numbers without meaning, exact in bf16.
fn values(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 % 101) as f32 - 50.0) / 64.0).collect()
}

fn cache(len: usize) -> Vec<Arc<KvPage>> {
    let numbers = values(PAGE * SHAPE.kv_heads * SHAPE.head_dim);
    let page = |_| {
        let mut page = KvPage::new(SHAPE).expect("a page");
        page.write(0..PAGE, &numbers, &numbers);
        Arc::new(page)
    };
    (0..len.div_ceil(PAGE)).map(page).collect()
}

fn time(ctx: &Ctx, form: AttentionForm, rows: usize, pages: &[Arc<KvPage>], len: usize) -> f64 {
    let spec = AttentionSpec { heads: HEADS, mask: Mask::CAUSAL, scale: 0.088 };
    let q = values(rows * HEADS * SHAPE.head_dim);
    let mut out = vec![0.0; q.len()];
    let view = KvView { shape: SHAPE, pages, len };
    best(15, || attention(ctx, form, spec, &q, &view, &mut out).expect("no cancel"))
}

fn prefill(ctx: &Ctx, rows: usize, peak: f64) {
    let pages = cache(rows);
    for form in FORMS {
        let seconds = time(ctx, form, rows, &pages, rows);
        let operations = 2 * 2 * HEADS * SHAPE.head_dim * rows * (rows + 1) / 2;
        let share = operations as f64 / seconds / peak * 100.0;
        println!("  prefill {rows} {:12} {:8.3} ms, {share:.0}% of the peak", form.name(), seconds * 1e3);
    }
}

fn decode(ctx: &Ctx, len: usize) {
    let pages = cache(len);
    let bytes = len.div_ceil(PAGE) * SHAPE.page_bytes();
    let words: Vec<u64> = vec![1; bytes / 8];
    let read = best(15, || {
        let parts = ctx.pool.split(words.len(), 1, 1);
        ctx.pool.map(parts.len(), |i| words[parts[i].clone()].iter().fold(0u64, |sum, word| sum ^ word))
    });
    println!("  plain read of {:.1} MB: {:.1} GB/s", bytes as f64 / 1e6, bytes as f64 / read / 1e9);
    for form in FORMS {
        let seconds = time(ctx, form, 1, &pages, len);
        println!(
            "  decode at {len} {:12} {:8.3} ms, {:.1} GB/s",
            form.name(),
            seconds * 1e3,
            bytes as f64 / seconds / 1e9
        );
    }
}

fn angles() {
    let rope = Rope { dims: 128, base: 1e6, traditional: false, scaling: RopeScaling::Default };
    for (form, name) in [(RopeForm::Row, "row"), (RopeForm::Block, "block")] {
        let seconds = best(15, || rope.angles(form, 1000, 512));
        println!("angles of 512 rows, {name}: {:.3} ms", seconds * 1e3);
    }
}
