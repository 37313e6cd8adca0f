//! The gated delta rule: both forms against f64, split calls, threads and instruction sets; the gates.

mod common;

use common::{Rng, all_ctx, bits, ctx, relative};
use moire_base::Dtype;
use moire_kernels::{
    Columns, Ctx, Weights,
    delta::{DeltaForm, DeltaInputs, DeltaShape, DeltaStates, beta, decay, gated_delta},
};
use proptest::prelude::*;

/// Inputs of one sequence, as a model makes them: unit keys, decays in (0, 1].
#[derive(Clone, Debug)]
struct Case {
    shape: DeltaShape,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    beta: Vec<f32>,
    decay: Vec<f32>,
    log_decay: Vec<f32>,
    state: Vec<f32>,
}

impl Case {
    fn new(seed: u64, shape: DeltaShape, rows: usize) -> Self {
        let mut rng = Rng(seed);
        let DeltaShape { key_heads, value_heads, key_dim, value_dim } = shape;
        let mut unit = |scale: f32| {
            let mut x = rng.values(rows * key_heads * key_dim, 1.0, Dtype::F32);
            for head in x.chunks_mut(key_dim) {
                let norm = head.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6) / scale;
                head.iter_mut().for_each(|v| *v /= norm);
            }
            x
        };
        let (q, k) = (unit((key_dim as f32).powf(-0.5)), unit(1.0));
        let v = rng.values(rows * value_heads * value_dim, 1.0, Dtype::Bf16);
        let beta = (0..rows * value_heads).map(|_| rng.unit() * 0.5 + 0.5).collect();
        let log_decay: Vec<f32> = (0..rows * value_heads).map(|_| -0.3 * (rng.unit() + 1.0)).collect();
        let decay = log_decay.iter().map(|l| l.exp()).collect();
        let state = rng.values(value_heads * value_dim * key_dim, 0.3, Dtype::F32);
        Self { shape, q, k, v, beta, decay, log_decay, state }
    }

    fn rows(&self) -> usize {
        self.beta.len() / self.shape.value_heads
    }

    /// Tokens `from..to`, state going on.
    fn part(&self, ctx: &Ctx, form: DeltaForm, from: usize, to: usize, state: &mut [f32]) -> Vec<f32> {
        let s = self.shape;
        let (heads, keys, values) = (s.value_heads, s.key_heads * s.key_dim, s.value_heads * s.value_dim);
        let inputs = DeltaInputs {
            q: &self.q[from * keys..to * keys],
            k: &self.k[from * keys..to * keys],
            v: Columns::whole(&self.v[from * values..to * values], values),
            beta: &self.beta[from * heads..to * heads],
            decay: &self.decay[from * heads..to * heads],
            log_decay: &self.log_decay[from * heads..to * heads],
        };
        let mut out = vec![f32::NAN; (to - from) * values];
        let before = state.to_vec();
        state.fill(f32::NAN);
        gated_delta(ctx, form, s, &inputs, DeltaStates { before: &before, after: state }, &mut out).unwrap();
        out
    }

    fn run(&self, ctx: &Ctx, form: DeltaForm) -> (Vec<f32>, Vec<f32>) {
        let mut state = self.state.clone();
        let out = self.part(ctx, form, 0, self.rows(), &mut state);
        (out, state)
    }

    fn reference(&self) -> (Vec<f64>, Vec<f64>) {
        let DeltaShape { key_heads, value_heads, key_dim: dk, value_dim: dv } = self.shape;
        let mut state: Vec<f64> = self.state.iter().map(|v| f64::from(*v)).collect();
        let mut out = Vec::new();
        for t in 0..self.rows() {
            for h in 0..value_heads {
                let at = t * value_heads + h;
                let key = (t * key_heads + h / (value_heads / key_heads)) * dk;
                for d in 0..dv {
                    let s = &mut state[(h * dv + d) * dk..][..dk];
                    s.iter_mut().for_each(|s| *s *= f64::from(self.log_decay[at]).exp());
                    let dot = |s: &[f64], x: &[f32]| s.iter().zip(x).map(|(s, x)| s * f64::from(*x)).sum::<f64>();
                    let write = (f64::from(self.v[at * dv + d]) - dot(s, &self.k[key..])) * f64::from(self.beta[at]);
                    s.iter_mut().zip(&self.k[key..]).for_each(|(s, k)| *s += write * f64::from(*k));
                    out.push(dot(s, &self.q[key..]));
                }
            }
        }
        (out, state)
    }
}

const SHAPE: DeltaShape = DeltaShape { key_heads: 2, value_heads: 4, key_dim: 32, value_dim: 32 };
const FORMS: [DeltaForm; 2] = [DeltaForm::Recurrent, DeltaForm::Chunked];

fn both(pair: &(Vec<f32>, Vec<f32>)) -> (Vec<u32>, Vec<u32>) {
    (bits(&pair.0), bits(&pair.1))
}

#[test]
fn forms_differ_in_bytes_and_agree_in_value() {
    let case = Case::new(1, SHAPE, 130);
    let [a, b] = FORMS.map(|f| case.run(&ctx(Dtype::F32), f));
    assert!(bits(&a.0) != bits(&b.0) && bits(&a.1) != bits(&b.1));
    let wide = |v: &[f32]| v.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
    assert!(relative(&b.0, &wide(&a.0)) < 2e-5 && relative(&b.1, &wide(&a.1)) < 2e-5);
}

#[test]
fn one_row_of_chunked_is_recurrent() {
    let case = Case::new(2, SHAPE, 1);
    let [a, b] = FORMS.map(|f| both(&case.run(&ctx(Dtype::Bf16), f)));
    assert_eq!(a, b);
}

#[test]
fn chunks_restart_at_each_call() {
    let case = Case::new(3, SHAPE, 128);
    let ctx = ctx(Dtype::F32);
    let whole = case.run(&ctx, DeltaForm::Chunked);
    let split = |at: usize| {
        let mut state = case.state.clone();
        let mut out = case.part(&ctx, DeltaForm::Chunked, 0, at, &mut state);
        out.extend(case.part(&ctx, DeltaForm::Chunked, at, 128, &mut state));
        (out, state)
    };
    assert_eq!(both(&whole), both(&split(64)));
    assert_ne!(both(&whole), both(&split(50)));
}

#[test]
fn full_decay_forgets_without_nan() {
    let mut case = Case::new(4, SHAPE, 10);
    case.log_decay.iter_mut().skip(12).take(4).for_each(|l| *l = -128.0);
    case.decay.iter_mut().skip(12).take(4).for_each(|d| *d = 0.0);
    for form in FORMS {
        assert!(relative(&case.run(&ctx(Dtype::F32), form).0, &case.reference().0) < 2e-5, "{form:?}");
    }
}

#[test]
fn gates_follow_their_formulas() {
    let mut rng = Rng(5);
    for heads in [3, 8, 16, 21] {
        let n = 6 * heads;
        let a = rng.values(n, 12.0, Dtype::F32);
        let dt_bias = Weights { values: rng.values(heads, 1.0, Dtype::F32), dtype: Dtype::F32 };
        let a_log = Weights { values: rng.values(heads, 1.0, Dtype::F32), dtype: Dtype::F32 };
        let run = |ctx: &Ctx| {
            let [mut log, mut g, mut b] = [0, 1, 2].map(|_| vec![f32::NAN; n]);
            decay(ctx, &a, &dt_bias, &a_log, &mut log, &mut g);
            beta(ctx, &a, &mut b);
            [log, g, b]
        };
        let [log, g, b] = run(&ctx(Dtype::F32));
        for i in 0..n {
            let x = f64::from(a[i]) + f64::from(dt_bias.values[i % heads]);
            let want = -f64::from(a_log.values[i % heads]).exp() * x.exp().ln_1p();
            let bounded = want.max(-128.0);
            assert!((f64::from(log[i]) - bounded).abs() < 1e-6 * bounded.abs() + 1e-9, "{i}");
            assert!((f64::from(g[i]) - want.exp()).abs() < 2e-6, "{i}");
            assert!((f64::from(b[i]) - 1.0 / (1.0 + (-f64::from(a[i])).exp())).abs() < 2e-7, "{i}");
        }
        for ctx in all_ctx(Dtype::F32) {
            assert!(run(&ctx).map(|v| bits(&v)) == [&log, &g, &b].map(|v| bits(v)), "{}", ctx.isa.name());
        }
        let (mut one_log, mut one_g) = (vec![0.0; heads], vec![0.0; heads]);
        decay(&ctx(Dtype::F32), &a[5 * heads..], &dt_bias, &a_log, &mut one_log, &mut one_g);
        assert_eq!((bits(&one_log), bits(&one_g)), (bits(&log[5 * heads..]), bits(&g[5 * heads..])));
    }
}

#[test]
fn softplus_rounds_in_the_promoted_dtype() {
    let zero = |dtype| Weights { values: vec![0.0], dtype };
    let log = |act, bias| {
        let (mut log, mut g) = ([0.0], [0.0]);
        decay(&ctx(act), &[0.5], &zero(bias), &zero(Dtype::F32), &mut log, &mut g);
        -log[0]
    };
    let exact = 0.5f64.exp().ln_1p();
    assert!((f64::from(log(Dtype::Bf16, Dtype::F32)) - exact).abs() < 1e-7);
    let rounded = log(Dtype::Bf16, Dtype::Bf16);
    assert_eq!(rounded, Dtype::Bf16.round(rounded));
    assert!((f64::from(rounded) - exact).abs() < 0.01);
}

#[test]
fn an_infinite_decay_is_bounded_and_nan_stays() {
    let weights = |v: f32| Weights { values: vec![v], dtype: Dtype::F32 };
    let of = |a: f32| {
        let (mut log, mut g) = ([0.0], [0.0]);
        decay(&ctx(Dtype::F32), &[a], &weights(0.0), &weights(3.0), &mut log, &mut g);
        (log[0], g[0])
    };
    assert_eq!(of(1e30), (-128.0, 0.0));
    assert!(of(f32::NAN).0.is_nan() && of(f32::NAN).1.is_nan());
}

fn cases() -> impl Strategy<Value = (Case, Dtype)> {
    let shape =
        (1usize..3, 1usize..4, prop::sample::select(vec![5, 8, 12, 32, 96]), prop::sample::select(vec![4, 8, 20, 80]));
    let act = prop::sample::select(common::FLOATS.to_vec());
    (any::<u64>(), shape, 1usize..150, act).prop_map(|(seed, (key_heads, groups, key_dim, value_dim), rows, act)| {
        let shape = DeltaShape { key_heads, value_heads: key_heads * groups, key_dim, value_dim };
        (Case::new(seed, shape, rows), act)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn threads_and_isa_never_change_a_byte((case, act) in cases()) {
        for form in FORMS {
            let want = both(&case.run(&ctx(act), form));
            for ctx in all_ctx(act) {
                prop_assert!(both(&case.run(&ctx, form)) == want, "{:?} {}", form, ctx.isa.name());
            }
        }
    }

    /// However the tokens are split into calls.
    #[test]
    fn recurrent_is_independent_of_splits((case, act) in cases()) {
        let ctx = ctx(act);
        let mut state = case.state.clone();
        let parts: Vec<f32> =
            (0..case.rows()).flat_map(|t| case.part(&ctx, DeltaForm::Recurrent, t, t + 1, &mut state)).collect();
        prop_assert!(both(&case.run(&ctx, DeltaForm::Recurrent)) == (bits(&parts), bits(&state)));
    }

    #[test]
    fn both_forms_are_near_f64((case, _) in cases()) {
        let want = case.reference();
        for form in FORMS {
            let got = case.run(&ctx(Dtype::F32), form);
            let errors = (relative(&got.0, &want.0), relative(&got.1, &want.1));
            prop_assert!(errors.0 < 2e-5 && errors.1 < 2e-5, "{:?}: {:e} {:e}", form, errors.0, errors.1);
        }
    }
}
