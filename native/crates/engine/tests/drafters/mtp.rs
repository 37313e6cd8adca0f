//! The MTP head against the goldens, in each of the places and layouts that it is found in.

use crate::{
    common::{distance, goldens, load as load_model, run, same_bytes},
    pair::{after_prompt, features, folder, load, logits, observe, open, pair, positions, propose, rows, taps, wish},
};
use moire_engine::{Capture, LogitRows, Tensor, Wish};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, sync::Arc};

const CASE: &str = "qwen35-tiny-bf16";
/// The largest noise floor of bf16 with float weights (goldens/TOLERANCES.md), times 4 and times 5 for what is cached.
const FLOOR: f64 = 0.00541;

fn after(id: u32) -> Wish {
    Wish { after: Some(vec![id]), ..wish(2) }
}

#[test]
fn prefill_and_four_drafts_are_those_of_mlx_vlm() {
    let (golden, drafter) = pair("mtp", CASE, "mtp-tiny");
    let given = Arc::new(golden.tensors["target.final_norm"].clone());
    let reference = &golden.tensors["mtp.draft.logits"];
    let ids = golden.ids("/draft_ids");
    for matmul in ["qmv", "exact"] {
        let attention = if matmul == "exact" { "exact" } else { "per_position" };
        let mut draft = open(&drafter, &json!({"matmul": matmul, "attention": attention}), 1);
        observe(&mut draft, &[Arc::clone(&given)], &[[0, 24]], &[golden.ids("/prefill_tokens")]);
        let near = |ours: &Tensor, theirs: &Tensor, floors: f64, what: &str| {
            let d = distance(ours, theirs);
            assert!(d.rms <= floors * FLOOR, "{matmul} {what}: {d:?}");
        };
        let first = propose(&mut draft, &wish(2));
        near(logits(&first), &rows(&golden.tensors["mtp.prefill.logits"], 23, 24), 4.0, "first draft");
        // Each step fed with the token of the reference.
        for (j, id) in ids[..4].iter().enumerate() {
            near(
                logits(&propose(&mut draft, &after(*id))),
                &rows(reference, j, j + 1),
                4.0,
                &format!("draft {}", j + 1),
            );
        }
        for tensor in &draft.state().unwrap()[0].tensors {
            let theirs = positions(&golden.tensors[&format!("mtp.cache.{}", tensor.name)], 0, 24);
            near(&tensor.tensor, &theirs, 5.0, &tensor.name);
        }
        // From the last committed row again, fed with its own tokens: the entries drafted before count for nothing.
        let whole = propose(&mut draft, &wish(6));
        assert_eq!(whole.ids[0], ids, "{matmul}");
        assert!(same_bytes(&rows(logits(&whole), 0, 1), logits(&first)));
        near(&rows(logits(&whole), 1, 5), reference, 4.0, "fed back");
    }
}

#[test]
fn going_on_after_its_own_tokens_is_going_on() {
    let (golden, drafter) = pair("mtp", CASE, "mtp-tiny");
    let (_, mut draft, _) = after_prompt(&golden, &drafter, &json!({}), &json!({}));
    let mut twin = draft.fork();
    let whole = propose(&mut draft, &wish(5));
    let mut step = propose(&mut twin, &wish(2));
    for j in 0..4 {
        assert!(same_bytes(logits(&step), &rows(logits(&whole), j, j + 1)), "draft {j}");
        step = propose(&mut twin, &after(step.ids[0][0]));
    }
}

/// A round drops what was drafted and appends the pairs of the kept rows: as a head that drafted nothing.
#[test]
fn a_round_leaves_the_state_of_never_having_drafted() {
    let (golden, drafter) = pair("mtp", CASE, "mtp-tiny");
    let (mut session, mut draft, anchor) = after_prompt(&golden, &drafter, &json!({}), &json!({}));
    let mut quiet = draft.fork();
    for kept in [1, 3, 2] {
        let drafts = propose(&mut draft, &wish(4)).ids.remove(0);
        propose(&mut draft, &after(drafts[2]));
        let step = run::verify(&mut session, &[vec![anchor], drafts].concat(), &run::with(&taps(&drafter)));
        session.rewind(&[kept]).unwrap();
        let next: Vec<u32> = step.top[..kept].iter().map(|t| t[0].id).collect();
        for draft in [&mut draft, &mut quiet] {
            observe(draft, &features(&step, &drafter), &[[0, kept]], std::slice::from_ref(&next));
        }
        let [a, b] = [&mut draft, &mut quiet].map(|d| propose(d, &wish(4)));
        assert!(same_bytes(logits(&a), logits(&b)), "{kept} kept");
    }
}

/// The feature of the head has all rows of a forward, however many of them get logits.
#[test]
fn the_final_norm_has_every_row() {
    let (golden, drafter) = pair("mtp", CASE, "mtp-tiny");
    let taps = [LogitRows::None, LogitRows::Last, LogitRows::All].map(|logits| {
        let mut session = run::open(&golden.model, &json!({}), 1);
        let step =
            run::prefill(&mut session, &golden.ids("/prompt"), &Capture { logits, ..run::with(&taps(&drafter)) });
        features(&step, &drafter).remove(0)
    });
    assert_eq!(taps[0].shape, [24, 128]);
    assert!(same_bytes(&taps[0], &taps[1]) && same_bytes(&taps[0], &taps[2]));
    let d = distance(&taps[0], &golden.tensors["target.final_norm"]);
    assert!(d.rms <= 4.0 * FLOOR, "{d:?}");
}

/// A folder with these files: name and source.
fn made(name: &str, files: &[(&str, PathBuf)]) -> PathBuf {
    let to = std::env::temp_dir().join(format!("moire-mtp-{name}-{}", std::process::id()));
    fs::create_dir_all(&to).unwrap();
    for (name, from) in files {
        fs::copy(from, to.join(name)).unwrap();
    }
    to
}

#[test]
fn every_place_and_layout_is_the_same_head() {
    let target = load_model(&goldens().join("models").join(CASE));
    let given: Vec<Arc<Tensor>> = crate::pair::noise(1, 9, 128, moire_base::Dtype::Bf16);
    let proposed = |path: &PathBuf| {
        let drafter = load(path, &target);
        assert_eq!(drafter.info().warnings, Vec::<String>::new());
        let mut draft = open(&drafter, &json!({}), 1);
        observe(&mut draft, &given, &[[0, 9]], &[crate::pair::tokens(9)]);
        logits(&propose(&mut draft, &wish(4))).clone()
    };
    let plain = proposed(&folder("mtp-tiny"));
    let head = folder("mtp-tiny");
    let raw = head.join("mtp-hf-layout.safetensors");
    let hf_model = goldens().join("models/qwen35-small-hf-layout");
    let folders = [
        // The head alone, as it was in the original file.
        made("raw", &[("config.json", head.join("config.json")), ("model.safetensors", raw.clone())]),
        // Beside a model in HF layout. Only the layout of that model is looked at.
        made(
            "hf",
            &[
                ("config.json", goldens().join("models").join(CASE).join("config.json")),
                ("model-1.safetensors", raw),
                ("model-2.safetensors", hf_model.join("model.safetensors")),
            ],
        ),
    ];
    for path in &folders {
        assert!(same_bytes(&proposed(path), &plain), "{}", path.display());
        fs::remove_dir_all(path).unwrap();
    }
}

/// The head of the sample in its model folder, whose norms are stored ready to multiply with.
#[test]
fn the_head_of_a_model_folder_is_found() {
    let model = crate::common::sample();
    let drafter = load(&crate::common::repository().join("samples/target-4bit"), &model);
    let info = serde_json::to_value(drafter.info()).unwrap();
    assert_eq!(info["taps"], json!(["8.final_norm"]));
    assert_eq!((&info["blockSize"], &info["maskId"]), (&Value::Null, &Value::Null));
    assert_eq!(info["warnings"], json!([]));
}
