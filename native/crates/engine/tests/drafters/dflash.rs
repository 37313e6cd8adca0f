//! DFlash against the goldens. Rule `mlx_vlm`: bidirectional in the block. Rule `latest`: sliding layers causal in the block, each row with its own window.

use crate::{
    common::{Golden, distance, run},
    pair::{
        DFLASH, after_prompt, features, folder, logits, noise, observe, open, pair, positions, propose, rows, taps,
        tokens, wish,
    },
};
use moire_base::{Control, Dtype};
use moire_engine::{Drafter, Tensor};
use serde_json::{Value, json};
use std::sync::Arc;

const CASES: [&str; 2] = ["qwen35-tiny-bf16", "qwen35-tiny-4bit"];

/// The largest noise floor of bf16 (goldens/TOLERANCES.md) for targets with float and with 4-bit weights, times 4 and times 5 for what is cached.
fn budget(golden: &Golden, cached: bool) -> f64 {
    let floor = if golden.model.info().quantisation.is_some() { 0.00743 } else { 0.00541 };
    floor * if cached { 5.0 } else { 4.0 }
}

fn families() -> [Value; 2] {
    ["qmv", "exact"].map(|matmul| {
        let attention = if matmul == "exact" { "exact" } else { "per_position" };
        json!({"matmul": matmul, "attention": attention})
    })
}

/// Each rule with the switch that asks for it, as far as it says the same about this drafter.
fn rules(name: &str) -> &'static [(&'static str, &'static str)] {
    if name == "dflash-tiny-full" {
        &[("mlx_vlm", "auto"), ("mlx_vlm", "false")]
    } else {
        &[("latest", "auto"), ("latest", "true")]
    }
}

fn with(switches: &Value, name: &str, value: &str) -> Value {
    let mut switches = switches.clone();
    switches[name] = json!(value);
    switches
}

/// The golden features, one tensor a target layer.
fn golden_features(golden: &Golden, drafter: &Drafter, name: &str) -> Vec<Arc<Tensor>> {
    let whole = &golden.tensors[&format!("{name}.features")];
    let (hidden, count) = (drafter.info().hidden, drafter.info().taps.len());
    let size = hidden * whole.dtype.size();
    let one = |i: usize| {
        let data: Vec<u8> = whole.data.chunks_exact(size).skip(i).step_by(count).flatten().copied().collect();
        Arc::new(Tensor::new(whole.dtype, vec![whole.rows(), hidden], data.into()).unwrap())
    };
    (0..count).map(one).collect()
}

#[test]
fn features_are_those_of_mlx_vlm() {
    for (case, name) in CASES.iter().flat_map(|case| DFLASH.map(|name| (*case, name))) {
        let (golden, drafter) = pair("dflash", case, name);
        if !golden.tensors.contains_key(&format!("{name}.features")) {
            continue;
        }
        for switches in families() {
            let mut session = run::open(&golden.model, &switches, 1);
            let step = run::prefill(&mut session, &golden.ids("/prompt"), &run::with(&taps(&drafter)));
            for (ours, theirs) in features(&step, &drafter).iter().zip(golden_features(&golden, &drafter, name)) {
                let d = distance(ours, &theirs);
                assert!(d.rms <= budget(&golden, false), "{case} {name} {switches}: {d:?}");
            }
        }
    }
}

#[test]
fn draft_logits_and_context_are_those_of_the_reference() {
    let mut compared = 0;
    for (case, name) in CASES.iter().flat_map(|case| DFLASH.map(|name| (*case, name))) {
        let (golden, drafter) = pair("dflash", case, name);
        for ((rule, causal), width) in rules(name).iter().flat_map(|rule| [4, 8].map(|width| (*rule, width))) {
            let key = format!("{name}.{rule}.block{width}");
            let Some(reference) = golden.tensors.get(&format!("{key}.logits")) else { continue };
            let anchor = golden.json["draft"][&key]["anchor"].as_u64().unwrap() as u32;
            let given = golden_features(&golden, &drafter, name);
            for switches in families() {
                let mut draft = open(&drafter, &with(&switches, "slidingCausal", causal), 1);
                observe(&mut draft, &given, &[[0, 24]], &[[&tokens(23)[..], &[anchor]].concat()]);
                let proposal = propose(&mut draft, &wish(width));
                let d = distance(logits(&proposal), reference);
                assert!(d.rms <= budget(&golden, false), "{case} {key} {switches}: {d:?}");
                check_ids(
                    &golden,
                    &key,
                    &proposal.ids[0],
                    &proposal.top.iter().map(|t| t[0].logit - t[1].logit).collect::<Vec<_>>(),
                );
                check_context(&golden, &format!("{name}.{rule}"), &draft.state().unwrap());
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 20);
}

fn check_ids(golden: &Golden, key: &str, ours: &[u32], margins: &[f64]) {
    let theirs = golden.ids(&format!("/draft/{key}/draft_ids"));
    for ((ours, theirs), margin) in ours.iter().zip(theirs).zip(margins) {
        assert!(*ours == theirs || *margin < 0.25, "{key}: {ours} for {theirs} by {margin}");
    }
}

/// Keys and values of the context rows that the rule keeps: all, or in sliding layers of mlx-vlm the newest.
fn check_context(golden: &Golden, rule: &str, layers: &[moire_engine::LayerState]) {
    for (layer, tensor) in layers.iter().flat_map(|l| l.tensors.iter().map(move |t| (l.layer, t))) {
        let theirs = &golden.tensors[&format!("{rule}.context.{layer}.{}", tensor.name)];
        let kept = theirs.shape[2];
        let d = distance(&positions(&tensor.tensor, 24 - kept, 24), theirs);
        assert!(d.rms <= budget(golden, true), "{rule} {layer}.{}: {d:?}", tensor.name);
    }
}

/// Where only the kept context differs between the rules, keys and values do not.
#[test]
fn context_rows_of_mlx_vlm_are_the_newest_ones() {
    let (golden, drafter) = pair("dflash", CASES[0], DFLASH[1]);
    let mut draft = open(&drafter, &json!({"slidingCausal": "false"}), 1);
    observe(&mut draft, &golden_features(&golden, &drafter, DFLASH[1]), &[[0, 24]], &[tokens(24)]);
    check_context(&golden, "dflash-tiny-sliding.mlx_vlm", &draft.state().unwrap());
}

/// Prompt, verify, rewind, observe: the logits of the first four rounds.
#[test]
fn rounds_go_on_as_in_the_reference() {
    let mut compared = 0;
    for (case, name) in CASES.iter().flat_map(|case| DFLASH.map(|name| (*case, name))) {
        let (golden, drafter) = pair("dflash", case, name);
        for ((rule, causal), width) in rules(name).iter().flat_map(|rule| [4, 8].map(|width| (*rule, width))) {
            let key = format!("{name}.{rule}.rounds{width}");
            let Some(rounds) = golden.json["runs"][&key]["rounds"].as_array() else { continue };
            let own = json!({"slidingCausal": causal});
            let (mut session, mut draft, anchor) = after_prompt(&golden, &drafter, &json!({}), &own);
            assert_eq!(u64::from(anchor), rounds[0]["anchor"], "{key}");
            for (i, round) in rounds.iter().take(4).enumerate() {
                let proposal = propose(&mut draft, &wish(width));
                let d = distance(logits(&proposal), &golden.tensors[&format!("{key}.round{i}.draft_logits")]);
                assert!(d.rms <= budget(&golden, false), "{key} round {i}: {d:?}");
                let list = |name: &str| -> Vec<u32> {
                    round[name].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect()
                };
                let block = [vec![round["anchor"].as_u64().unwrap() as u32], list("drafts")].concat();
                let kept = round["kept_rows"].as_u64().unwrap() as usize;
                let step = run::verify(&mut session, &block, &run::with(&taps(&drafter)));
                session.rewind(&[kept]).unwrap();
                observe(&mut draft, &features(&step, &drafter), &[[0, kept]], &[list("emitted")]);
                assert_eq!(draft.position(), session.position());
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 40);
}

/// A folder of the sliding drafter whose config is changed.
fn changed(name: &str, change: impl Fn(&mut Value)) -> std::path::PathBuf {
    let to = std::env::temp_dir().join(format!("moire-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&to).unwrap();
    std::fs::copy(folder(DFLASH[1]).join("model.safetensors"), to.join("model.safetensors")).unwrap();
    let mut config: Value =
        serde_json::from_slice(&std::fs::read(folder(DFLASH[1]).join("config.json")).unwrap()).unwrap();
    change(&mut config);
    std::fs::write(to.join("config.json"), config.to_string()).unwrap();
    to
}

/// The logits at width 8 of a changed drafter after 40 rows.
fn proposed(name: &str, change: impl Fn(&mut Value), switches: &Value) -> Vec<u8> {
    let target = crate::common::load(&crate::common::goldens().join("models").join(CASES[0]));
    let to = changed(name, change);
    let drafter = crate::pair::load(&to, &target);
    let mut draft = open(&drafter, switches, 1);
    observe(&mut draft, &noise(3, 40, 128, Dtype::Bf16), &[[0, 40]], &[tokens(40)]);
    let logits = logits(&propose(&mut draft, &wish(8))).data.to_vec();
    std::fs::remove_dir_all(to).unwrap();
    logits
}

#[test]
fn a_wide_window_that_is_open_in_the_block_is_full_attention() {
    let exact = json!({"matmul": "exact", "attention": "exact"});
    let full = proposed("full", |c| c["layer_types"] = Value::Null, &exact);
    let window = |w: usize| move |c: &mut Value| c["sliding_window"] = json!(w);
    let open_block = with(&exact, "slidingCausal", "false");
    assert!(proposed("wide", window(4000), &open_block) == full);
    assert!(proposed("narrow", window(16), &open_block) != full);
    assert!(proposed("causal", window(4000), &exact) != full);
    // What the file says is what auto means, in every layer; the switch is about sliding layers.
    let says = |causal: bool| move |c: &mut Value| (c["sliding_window"], c["is_causal"]) = (json!(4000), json!(causal));
    assert!(proposed("says-open", says(false), &exact) == full);
    assert!(proposed("says-causal", says(true), &exact) != proposed("causal-2", window(4000), &exact));
}

#[test]
fn scales_and_softcap_change_the_logits_and_not_their_order() {
    let f32 = json!({"activations": "f32"});
    let widen = |bytes: Vec<u8>| Dtype::F32.widen(&bytes);
    let plain = widen(proposed("plain", |_| {}, &f32));
    let scaled = widen(proposed("scaled", |c| c["dflash_config"]["output_multiplier"] = json!(0.5), &f32));
    assert!(plain.iter().zip(&scaled).all(|(a, b)| a * 0.5 == *b));
    let capped = widen(proposed("capped", |c| c["final_logit_softcapping"] = json!(3.0), &f32));
    let tanh = |x: f32| 3.0 * (f64::from(x) / 3.0).tanh();
    assert!(plain.iter().zip(&capped).all(|(a, b)| (tanh(*a) - f64::from(*b)).abs() < 1e-6));
    let louder = widen(proposed("louder", |c| c["input_embedding_scale"] = json!(2.0), &f32));
    assert!(plain != louder);
}

/// The head of one row is the head of many: `logits: false` changes nothing but the tensor.
#[test]
fn what_is_not_asked_for_is_left_out() {
    let (golden, drafter) = pair("dflash", CASES[0], DFLASH[0]);
    let (_, mut draft, _) = after_prompt(&golden, &drafter, &json!({}), &json!({}));
    let asked = propose(&mut draft, &wish(4));
    let bare = draft.propose(&moire_engine::Wish { logits: false, top: 0, ..wish(4) }, &Control::default()).unwrap();
    assert!(bare.logits.is_none() && bare.top.iter().all(Vec::is_empty));
    assert_eq!(asked.ids, bare.ids);
    assert_eq!(logits(&asked).shape, [3, 512]);
    let first = rows(logits(&asked), 0, 1);
    let best = crate::common::f32s(&first)
        .into_iter()
        .enumerate()
        .fold((0, f32::MIN), |m, (i, x)| if x > m.1 { (i, x) } else { m });
    assert_eq!(best.0 as u32, asked.ids[0][0]);
}
