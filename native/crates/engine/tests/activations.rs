//! Activations in the checkpoint's dtype against mlx-lm: `acc32.*` for quantised checkpoints, the plain names for float ones.
//! Where rounding points agree, what is left is which last bits flip; the noise floors say how much that is.

mod common;

use common::{CASES, Golden, distance, run, same_bytes};
use moire_engine::{Session, Tensor};
use serde_json::{Value, json};

/// Largest measured noise floor of each kind (goldens/TOLERANCES.md): mlx-lm against itself with every linear product summed in float64.
struct Floor {
    rms: f64,
    max_abs: f64,
}

fn floor(golden: &Golden) -> Floor {
    let info = golden.model.info();
    match (info.dtype.as_str(), info.quantisation.is_some()) {
        ("f32", _) => Floor { rms: 5.4e-7, max_abs: 1.44e-5 },
        ("f16", _) => Floor { rms: 0.00123, max_abs: 0.0176 },
        (_, true) => Floor { rms: 0.00743, max_abs: 0.125 },
        (_, false) => Floor { rms: 0.00541, max_abs: 0.0625 },
    }
}

/// How many floors a family may stand from mlx-lm, and how much farther than mlx-lm from transformers in fp32.
struct Family {
    matmul: &'static str,
    attention: &'static str,
    /// Logits and residual stream.
    floors: f64,
    /// K, V, conv and recurrent state. No floor was measured for them; the recurrent state adds up what every token brought.
    state_floors: f64,
    /// Of mlx-lm's own distance to transformers, rms.
    hf_rms: f64,
    /// The same for the largest difference, one value of some thousand.
    hf_max: f64,
}

/// The floor is one sample and varies linear products only: 4 times the largest of its kind, as TOLERANCES.md advises.
const QMV: Family =
    Family { matmul: "qmv", attention: "per_position", floors: 4.0, state_floors: 5.0, hf_rms: 1.15, hf_max: 2.0 };
/// Activations as 16-bit integers add 2^-16 of each group's largest value, far below a bf16 step.
const EXACT: Family = Family { matmul: "exact", attention: "exact", ..QMV };
/// `qmm` rounds every dequantised weight to the activation dtype, twice, as acc32 does not: an error of the size of that of the activations
/// themselves. Measured: 8.5 floors for logits, 11 for states, 1.73 and 2.8 of the distance to transformers.
const QMM: Family =
    Family { matmul: "qmm", attention: "batched", floors: 10.0, state_floors: 14.0, hf_rms: 2.0, hf_max: 3.5 };

/// The floors are of 24 rows. Over 130 differences that a state carried on add up (measured 1.03 of the budget for logits, 1.3 for states) ...
const LONG: f64 = 1.5;
/// ... and the largest of five times as many values lies farther out.
const LONG_MAX: f64 = 3.0;

struct Check<'a> {
    golden: &'a Golden,
    family: &'a Family,
    run: &'a str,
}

impl Check<'_> {
    fn reference(&self, name: &str) -> Option<&Tensor> {
        self.golden.tensors.get(&format!("{}{}.{name}", self.golden.prefix(), self.run))
    }

    fn lengthen(&self, rms: f64, max_abs: f64) -> (f64, f64) {
        if self.run == "long" { (LONG * rms, LONG_MAX * max_abs) } else { (rms, max_abs) }
    }

    /// Logits or a residual stream: near mlx-lm, and no farther from transformers in fp32 than it by more than the stated factor.
    fn values(&self, name: &str, ours: &Tensor) -> usize {
        let Some(reference) = self.reference(name) else { return 0 };
        let (d, floor, f) = (distance(ours, reference), floor(self.golden), self.family);
        let what = format!("{} {} {} {name}", self.golden.name, f.matmul, self.run);
        let (rms, max_abs) = self.lengthen(f.floors * floor.rms, f.floors * floor.max_abs);
        assert!(d.rms <= rms && d.max_abs <= max_abs, "{what}: {d:?} of {rms}, {max_abs}");
        assert_eq!(ours.dtype, reference.dtype, "{what}");
        if let Some(hf) = self.golden.tensors.get(&format!("hf_fp32.{}.{name}", self.run)) {
            let (ours, theirs) = (distance(ours, hf), distance(reference, hf));
            let near = ours.rms <= f.hf_rms * theirs.rms && ours.max_abs <= f.hf_max * theirs.max_abs;
            assert!(near, "{what} to transformers: {ours:?}, mlx-lm {theirs:?}");
        }
        1
    }

    fn states(&self, session: &Session) -> usize {
        let found = run::caches(session).into_iter().filter_map(|(name, ours)| {
            let reference = self.reference(&format!("cache.{name}"))?;
            let allowed = self.lengthen(self.family.state_floors * floor(self.golden).rms, 0.0).0;
            let d = distance(&ours, reference);
            let what = format!("{} {} {} cache.{name}", self.golden.name, self.family.matmul, self.run);
            assert!(d.rms <= allowed, "{what}: {d:?} of {allowed}");
            assert_eq!((ours.dtype, &ours.shape), (reference.dtype, &reference.shape), "{what}");
            Some(())
        });
        found.count()
    }
}

fn switches(family: &Family) -> Value {
    json!({"matmul": family.matmul, "attention": family.attention, "prefillAttention": family.attention})
}

/// Prefill of 24 and teacher-forced decode. Returns how many tensors were compared.
fn check_short(golden: &Golden, family: &Family) -> usize {
    let mut session = run::open(&golden.model, &switches(family), 1);
    let step = run::prefill(&mut session, &golden.ids("/prompt"), &run::with(&["layer_output"]));
    let check = Check { golden, family, run: "prefill" };
    let mut compared = check.values("logits", run::logits(&step));
    compared += step.taps.iter().map(|t| check.values(&format!("layer.{}", t.layer), &t.tensor)).sum::<usize>();
    compared += check.states(&session);
    let check = Check { run: "decode", ..check };
    let logits = run::decode_logits(&mut session, &golden.decode_ids(golden.prefix()));
    compared + check.values("logits", &logits) + check.states(&session)
}

/// The 130 ids in one call. The same in calls of 64, 64 and 2 gives the same bytes where no kernel looks beyond its row.
fn check_long(golden: &Golden, family: &Family) -> usize {
    let ids = golden.ids("/long_prompt");
    if ids.is_empty() {
        return 0;
    }
    let mut whole = run::open(&golden.model, &switches(family), 1);
    let step = run::prefill(&mut whole, &ids, &run::with(&["layer_output"]));
    let check = Check { golden, family, run: "long" };
    let mut compared = check.values("logits", run::logits(&step)) + check.states(&whole);
    compared += step.taps.iter().map(|t| check.values(&format!("layer.{}", t.layer), &t.tensor)).sum::<usize>();
    if family.attention != "batched" {
        let mut split = run::open(&golden.model, &switches(family), 1);
        for part in [&ids[..64], &ids[64..128], &ids[128..]] {
            run::prefill(&mut split, part, &run::with(&[]));
        }
        let (a, b) = (run::caches(&whole), run::caches(&split));
        assert!(a.iter().all(|(name, t)| same_bytes(t, &b[name])), "{}: split prefill", golden.name);
    }
    compared
}

fn check_all(family: &Family) {
    let compared: usize = CASES
        .iter()
        .map(|name| {
            let golden = Golden::open(name);
            let short = check_short(&golden, family);
            assert!(short >= 5, "{name}: only {short} tensors have a reference");
            short + check_long(&golden, family)
        })
        .sum();
    assert!(compared > 250, "{compared} tensors compared");
}

#[test]
fn qmv_stays_within_the_noise_of_mlx_lm() {
    check_all(&QMV);
}

#[test]
fn exact_stays_within_the_noise_of_mlx_lm() {
    check_all(&EXACT);
}

#[test]
fn qmm_stays_within_its_own_budget() {
    check_all(&QMM);
}
