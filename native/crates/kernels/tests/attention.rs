//! The attention forms: against f64, against plain loops to the byte, against their one-row forms, and over rows, threads and instruction sets.

#[path = "attention/case.rs"]
mod case;
mod common;
#[path = "attention/plain.rs"]
mod plain;

use case::{Case, FORMS};
use common::{all_ctx, bits, ctx, relative};
use moire_base::Dtype;
use moire_kernels::attention::{AttentionForm, Mask, attention};
use proptest::prelude::*;

#[test]
fn names_and_one_row_fall_back() {
    let ctx = ctx(Dtype::Bf16);
    let name = |rows: usize, form| {
        let case = Case::new(1, (1, 2, 32), 9, rows, Mask::CAUSAL, Dtype::Bf16);
        let mut out = vec![0.0; case.q.len()];
        let id = attention(&ctx, form, case.spec(), &case.q, &case.view(case.len()), &mut out).unwrap();
        id.split('.').nth(1).unwrap().to_owned()
    };
    assert_eq!(FORMS.map(|f| name(2, f)), ["per_position", "batched", "exact"]);
    assert_eq!(FORMS.map(|f| name(1, f)), ["per_position", "per_position", "exact"]);
}

#[test]
fn forms_have_different_orders() {
    let case = Case::new(2, (2, 2, 64), 100, 20, Mask::CAUSAL, Dtype::Bf16);
    let [a, b, c] = FORMS.map(|f| bits(&case.run(&ctx(Dtype::F32), f)));
    assert!(a != b && b != c && a != c);
}

#[test]
fn wide_heads_and_long_caches() {
    for (seed, past, rows) in [(3, 0, 70), (4, 700, 5), (5, 1023, 1)] {
        let case = Case::new(seed, (1, 4, 256), past, rows, Mask::CAUSAL, Dtype::Bf16);
        let want = case.reference();
        for form in FORMS {
            let error = relative(&case.run(&ctx(Dtype::F32), form), &want);
            assert!(error < 2e-6, "{form:?}: {error:e}");
        }
    }
}

#[test]
fn nan_in_a_key_reaches_the_rows_that_see_it() {
    let mut case = Case::new(6, (1, 1, 16), 10, 6, Mask::CAUSAL, Dtype::Bf16);
    case.set_key(12, 0, f32::NAN);
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

/// Sizes, lengths and dtypes around every boundary: registers of six lines and eight lanes, tiles of 32 and 64, pages of 64.
fn cases() -> impl Strategy<Value = (Case, Dtype)> {
    let heads = (1usize..3, prop::sample::select(vec![1, 2, 3, 4, 7, 8]));
    let width = prop::sample::select(vec![4, 16, 20, 64, 72, 80, 128, 256]);
    let dtypes = prop::sample::select(common::FLOATS.to_vec());
    (any::<u64>(), (heads, width), 0usize..150, 1usize..40, masks(), (dtypes.clone(), dtypes)).prop_map(
        |(seed, ((kv_heads, group), width), past, rows, mask, (act, cache))| {
            (Case::new(seed, (kv_heads, group, width), past, rows, mask, cache), act)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The definition of each order: plain loops over one row and head.
    #[test]
    fn every_form_is_its_plain_loops_to_the_byte((case, act) in cases()) {
        for form in FORMS {
            let want = bits(&plain::attention(&case, form, act));
            for ctx in all_ctx(act) {
                prop_assert!(bits(&case.run(&ctx, form)) == want, "{:?} {} {}", form, ctx.isa.name(), ctx.pool.threads());
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
