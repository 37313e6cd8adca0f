//! The attention forms: against f64, their one-row forms, and over rows, threads and instruction sets.

mod common;

use common::{Rng, all_ctx, bits, ctx, relative};
use moire_base::Dtype;
use moire_kernels::{
    Ctx,
    attention::{AttentionForm, AttentionSpec, KvView, Mask, attention},
};
use proptest::prelude::*;

const FORMS: [AttentionForm; 3] = [AttentionForm::PerPosition, AttentionForm::Batched, AttentionForm::Exact];

/// One sequence: a cache of `len` positions and a call of `rows` rows at its end.
#[derive(Clone, Debug)]
struct Case {
    heads: usize,
    kv_heads: usize,
    width: usize,
    capacity: usize,
    len: usize,
    rows: usize,
    mask: Mask,
    q: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl Case {
    fn new(seed: u64, (kv_heads, groups, width): (usize, usize, usize), past: usize, rows: usize, mask: Mask) -> Self {
        let mut rng = Rng(seed);
        let (heads, len, capacity) = (kv_heads * groups, past + rows, past + rows + 3);
        let mut cache = |size| {
            let mut all = rng.values(kv_heads * capacity * width, size, Dtype::Bf16);
            for head in all.chunks_mut(capacity * width) {
                head[len * width..].fill(f32::NAN);
            }
            all
        };
        let (keys, values) = (cache(1.5), cache(1.0));
        let q = rng.values(rows * heads * width, 1.5, Dtype::Bf16);
        Self { heads, kv_heads, width, capacity, len, rows, mask, q, keys, values }
    }

    fn view(&self, len: usize) -> KvView<'_> {
        let Self { keys, values, kv_heads, capacity, width, .. } = self;
        KvView { keys, values, kv_heads: *kv_heads, capacity: *capacity, len, head_dim: *width }
    }

    fn spec(&self) -> AttentionSpec {
        AttentionSpec { heads: self.heads, mask: self.mask, scale: 1.0 / (self.width as f32).sqrt() }
    }

    fn run(&self, ctx: &Ctx, form: AttentionForm) -> Vec<f32> {
        let mut out = vec![f32::NAN; self.q.len()];
        attention(ctx, form, self.spec(), &self.q, &self.view(self.len), &mut out).unwrap();
        out
    }

    /// Row by row, each with the cache as long as its own position.
    fn run_chain(&self, ctx: &Ctx, form: AttentionForm) -> Vec<f32> {
        let mut out = vec![f32::NAN; self.q.len()];
        let line = self.heads * self.width;
        for (row, (q, out)) in self.q.chunks(line).zip(out.chunks_mut(line)).enumerate() {
            let view = self.view(self.len - self.rows + row + 1);
            attention(ctx, form, self.spec(), q, &view, out).unwrap();
        }
        out
    }

    fn reference(&self) -> Vec<f64> {
        let dims = 0..self.rows * self.heads;
        dims.flat_map(|i| self.reference_row(i / self.heads, i % self.heads)).collect()
    }

    fn reference_row(&self, row: usize, head: usize) -> Vec<f64> {
        let w = self.width;
        let base = head / (self.heads / self.kv_heads) * self.capacity;
        let q = &self.q[(row * self.heads + head) * w..][..w];
        let at = |data: &[f32], key: usize, d: usize| f64::from(data[(base + key) * w + d]);
        let keys: Vec<usize> = self.mask.visible(self.len - self.rows + row, self.len).collect();
        let score = |key: usize| (0..w).map(|d| f64::from(q[d]) * at(&self.keys, key, d)).sum::<f64>();
        let scores: Vec<f64> = keys.iter().map(|k| score(*k) * f64::from(self.spec().scale)).collect();
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let p: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
        let sum: f64 = p.iter().sum();
        (0..w).map(|d| keys.iter().zip(&p).map(|(k, p)| p * at(&self.values, *k, d)).sum::<f64>() / sum).collect()
    }
}

#[test]
fn names_and_one_row_fall_back() {
    let ctx = ctx(Dtype::Bf16);
    let name = |rows: usize, form| {
        let case = Case::new(1, (1, 2, 32), 9, rows, Mask::CAUSAL);
        let mut out = vec![0.0; case.q.len()];
        let id = attention(&ctx, form, case.spec(), &case.q, &case.view(case.len), &mut out).unwrap();
        id.split('.').nth(1).unwrap().to_owned()
    };
    assert_eq!(FORMS.map(|f| name(2, f)), ["per_position", "batched", "exact"]);
    assert_eq!(FORMS.map(|f| name(1, f)), ["per_position", "per_position", "exact"]);
}

#[test]
fn forms_have_different_orders() {
    let case = Case::new(2, (2, 2, 64), 100, 20, Mask::CAUSAL);
    let [a, b, c] = FORMS.map(|f| bits(&case.run(&ctx(Dtype::F32), f)));
    assert!(a != b && b != c && a != c);
}

#[test]
fn wide_heads_and_long_caches() {
    for (seed, past, rows) in [(3, 0, 70), (4, 700, 5), (5, 1023, 1)] {
        let case = Case::new(seed, (1, 4, 256), past, rows, Mask::CAUSAL);
        let want = case.reference();
        for form in FORMS {
            let error = relative(&case.run(&ctx(Dtype::F32), form), &want);
            assert!(error < 2e-6, "{form:?}: {error:e}");
        }
    }
}

#[test]
fn nan_in_a_key_reaches_the_rows_that_see_it() {
    let mut case = Case::new(6, (1, 1, 16), 10, 6, Mask::CAUSAL);
    case.keys[12 * 16] = f32::NAN;
    for form in FORMS {
        let want = bits(&case.run(&ctx(Dtype::Bf16), form));
        let out = case.run(&ctx(Dtype::Bf16), form);
        assert!(out[..2 * 16].iter().all(|v| v.is_finite()), "{form:?}");
        assert!(out[2 * 16..].iter().all(|v| v.to_bits() == 0x7fc0_0000), "{form:?}");
        assert!(all_ctx(Dtype::Bf16).iter().all(|ctx| bits(&case.run(ctx, form)) == want), "{form:?}");
    }
}

fn masks() -> impl Strategy<Value = Mask> {
    (any::<bool>(), prop::option::of(1usize..80)).prop_map(|(causal, window)| Mask { causal, window })
}

fn cases() -> impl Strategy<Value = (Case, Dtype)> {
    let heads = (1usize..3, 1usize..4, prop::sample::select(vec![4, 16, 20, 64, 72]));
    let act = prop::sample::select(common::FLOATS.to_vec());
    (any::<u64>(), heads, 0usize..150, 1usize..40, masks(), act)
        .prop_map(|(seed, heads, past, rows, mask, act)| (Case::new(seed, heads, past, rows, mask), act))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn threads_and_isa_never_change_a_byte((case, act) in cases()) {
        for form in FORMS {
            let want = bits(&case.run(&ctx(act), form));
            for ctx in all_ctx(act) {
                prop_assert!(bits(&case.run(&ctx, form)) == want, "{:?} {}", form, ctx.isa.name());
            }
        }
    }

    /// A block equals the chain of single rows, to the byte.
    #[test]
    fn per_position_and_exact_are_independent_of_rows((mut case, act) in cases()) {
        case.mask.causal = true;
        for form in [AttentionForm::PerPosition, AttentionForm::Exact] {
            prop_assert!(bits(&case.run(&ctx(act), form)) == bits(&case.run_chain(&ctx(act), form)), "{:?}", form);
        }
    }

    #[test]
    fn every_form_is_near_f64((case, _) in cases()) {
        let want = case.reference();
        for form in FORMS {
            let error = relative(&case.run(&ctx(Dtype::F32), form), &want);
            prop_assert!(error < 2e-6, "{:?}: {:e}", form, error);
        }
    }
}
