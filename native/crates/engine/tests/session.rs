//! What a session and a model say of themselves, and how they refuse what cannot be.

mod common;

use common::{goldens, load, repository, run, same_bytes, sample};
use moire_base::{Control, Status};
use moire_engine::{Capture, CaptureMode, LogitRows, Model, Session};
use serde_json::{Value, json};
use std::sync::Arc;

fn tiny() -> Arc<Model> {
    load(&goldens().join("models/qwen35-tiny-4bit"))
}

fn refused(session: &mut Session, ids: &[Vec<u32>]) -> moire_base::Error {
    let before = (session.position(), run::caches(session));
    let error = session.prefill(ids, &run::with(&[]), &Control::default()).unwrap_err();
    let after = (session.position(), run::caches(session));
    assert_eq!(before.0, after.0);
    assert!(before.1.iter().all(|(name, t)| same_bytes(t, &after.1[name])));
    error
}

#[test]
fn model_info_describes_the_sample() {
    let model = sample();
    let info = serde_json::to_value(model.info()).unwrap();
    assert_eq!(info["architecture"], "qwen3_5");
    assert_eq!(info["layers"][3], json!({"index": 3, "kind": "attention"}));
    assert_eq!((&info["hidden"], &info["kvHeads"], &info["context"]), (&json!(192), &json!(2), &json!(2048)));
    assert_eq!(info["parameters"], 4_753_120);
    assert_eq!(info["quantisation"], json!({"bits": 4, "group": 64, "mixed": false}));
    assert_eq!((&info["dtype"], &info["tied"], &info["tokenizer"]), (&json!("bf16"), &json!(true), &json!(true)));
    assert!(info["fingerprint"].as_str().unwrap().starts_with("headers:"));
    assert!(
        info["taps"]
            .as_array()
            .unwrap()
            .iter()
            .any(|t| t["name"] == "attention_gated" && t["kinds"] == json!(["attention"]))
    );
}

#[test]
fn every_described_tap_is_made_in_that_order_and_no_other() {
    for name in ["qwen35-tiny-4bit", "llama-tiny-bf16", "qwen3-tiny-4bit"] {
        let model = load(&goldens().join("models").join(name));
        let info = model.info();
        let last = info.layers.len() as i64;
        let mut want = vec![(-1, "embedding")];
        for layer in &info.layers {
            let of_layer = info.taps.iter().filter(|t| t.kinds.contains(&layer.kind));
            want.extend(of_layer.map(|t| (layer.index as i64, t.name)));
        }
        want.extend([(last, "final_norm"), (last, "logits")]);
        let mut session = run::open(&model, &json!({}), 1);
        let step = run::prefill(&mut session, &[1, 2, 3], &run::all());
        let made: Vec<(i64, &str)> = step.taps.iter().map(|t| (t.layer, t.tap)).collect();
        assert_eq!(made, want, "{name}");
        assert!(step.taps.iter().all(|t| t.tensor.shape[0] == 3));
    }
}

#[test]
fn a_step_names_rows_logits_and_kernels() {
    let mut session = run::open(&tiny(), &json!({"matmul": "auto", "isa": "scalar"}), 1);
    let last = Capture { taps: vec![], mode: CaptureMode::Bytes, logits: LogitRows::Last, top: 3 };
    let step = session.prefill(&[vec![5; 24]], &last, &Control::default()).unwrap();
    assert_eq!((step.rows, step.batch, &step.position, &step.logit_rows), (24, 1, &vec![24], &vec![23]));
    assert_eq!(run::logits(&step).shape, [1, 512]);
    assert_eq!((step.top.len(), step.top[0].len(), step.non_finite), (1, 3, 0));
    assert!(step.top[0][0].logit >= step.top[0][1].logit);
    let kernel = |layer: i64, op: &str| step.kernels.iter().find(|k| k.layer == layer && k.op == op).unwrap();
    assert!(kernel(0, "in_proj_qkv").kernel.starts_with("qmm.b4g64"), "{:?}", kernel(0, "in_proj_qkv"));
    assert!(kernel(8, "logits").kernel.starts_with("qmv.b4g64"), "one row of logits is one row for the switch");
    assert_eq!((kernel(0, "in_proj_qkv").rows, kernel(8, "logits").rows), (24, 1));
    assert!(kernel(3, "attention_core").kernel.starts_with("attention.batched"));
    assert_eq!(kernel(3, "q_rope").kernel, "rope.row");
    let none = Capture { logits: LogitRows::None, ..last };
    let step = session.decode(&[1], &none, &Control::default()).unwrap();
    assert!(step.logits.is_none() && step.logit_rows.is_empty() && step.top.is_empty());
}

#[test]
fn kernels_are_merged_over_batch_rows() {
    let mut session = run::open(&tiny(), &json!({}), 4);
    let step = run::prefill(&mut session, &[1, 2, 3], &run::with(&[]));
    let cores: Vec<usize> = step.kernels.iter().filter(|k| k.op == "attention_core").map(|k| k.rows).collect();
    assert_eq!(cores, [12, 12], "one entry a layer, rows of all batch rows");
    assert_eq!(step.logit_rows, (0..12).collect::<Vec<_>>());
}

#[test]
fn wrong_ids_are_refused_with_their_place() {
    let mut session = run::open(&tiny(), &json!({}), 1);
    let e = refused(&mut session, &[vec![1, 2, 512]]);
    assert_eq!((e.status, e.place.as_str()), (Status::Invalid, "/ids/2"));
    assert!(e.message.contains("512") && e.message.contains("vocabulary"), "{e}");
    assert!(refused(&mut session, &[vec![]]).message.contains("at least one"));
    assert!(refused(&mut session, &[]).message.contains("0 rows of ids"));
    let mut two = run::open(&tiny(), &json!({}), 2);
    assert_eq!(refused(&mut two, &[vec![1, 2], vec![1, 9999]]).place, "/ids/1/1");
    assert_eq!(refused(&mut two, &[vec![1, 2], vec![1]]).place, "/ids/1");
    assert_eq!(two.decode(&[1, 600], &run::with(&[]), &Control::default()).unwrap_err().place, "/ids/1");
}

#[test]
fn a_call_beyond_the_context_names_both_numbers() {
    let mut session = run::open(&sample(), &json!({}), 1);
    let e = refused(&mut session, &[vec![1; 2049]]);
    assert!(e.message.contains("2049") && e.message.contains("2048"), "{e}");
}

#[test]
fn a_cancelled_forward_leaves_the_session_as_it_was() {
    let mut session = run::open(&sample(), &json!({}), 1);
    run::prefill(&mut session, &[1, 2, 3], &run::with(&[]));
    let before = run::caches(&session);
    let control = Control::default();
    control.cancel();
    let e = session.verify(&[vec![4, 5, 6]], &run::with(&[]), &control).unwrap_err();
    assert_eq!((e.status, session.position()), (Status::Cancelled, vec![3]));
    assert!(run::caches(&session).iter().all(|(name, t)| same_bytes(t, &before[name])));
}

#[test]
fn a_forward_cancelled_in_the_middle_leaves_no_trace() {
    let model = sample();
    let mut session = run::open(&model, &json!({"threads": 1}), 1);
    run::prefill(&mut session, &[1, 2, 3], &run::with(&[]));
    let mut twin = session.fork();
    let mut cancelled = 0;
    for micros in [200, 1000, 3000, 8000] {
        let control = Control::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_micros(micros));
                control.cancel();
            });
            let run = session.fork().prefill(&[vec![7; 1500]], &run::with(&[]), &control);
            cancelled += usize::from(run.is_err());
            let e = session.prefill(&[vec![7; 1500]], &run::with(&[]), &control).unwrap_err();
            assert_eq!(e.status, Status::Cancelled);
        });
    }
    assert!(cancelled > 0, "no run was interrupted while it ran");
    let steps = [&mut session, &mut twin].map(|s| run::verify(s, &[4, 5], &run::all()));
    assert!(steps[0].taps.iter().zip(&steps[1].taps).all(|(a, b)| same_bytes(&a.tensor, &b.tensor)));
}

#[test]
fn bad_taps_layers_switches_and_batches_are_refused() {
    let model = tiny();
    let mut session = run::open(&model, &json!({}), 1);
    let capture = Capture { taps: vec!["4.q_ropes".into()], mode: CaptureMode::Bytes, logits: LogitRows::None, top: 0 };
    let e = session.prefill(&[vec![1]], &capture, &Control::default()).unwrap_err();
    assert_eq!(e.place, "/taps/0");
    assert_eq!(session.position(), [0]);
    assert!(session.state(Some(8)).unwrap_err().message.contains("no layer 8"));
    let open = |switches: Value, batch| model.open(switches.as_object().unwrap(), batch).err().unwrap();
    assert_eq!(open(json!({"matmull": "qmv"}), 1).place, "/switches/matmull");
    assert_eq!(open(json!({}), 0).place, "/batch");
}

#[test]
fn state_tensors_have_their_names_shapes_and_dtypes() {
    let mut session = run::open(&tiny(), &json!({}), 2);
    run::prefill(&mut session, &[1, 2, 3, 4, 5], &run::with(&[]));
    let describe = |layer: usize| {
        let state = session.state(Some(layer)).unwrap().remove(0);
        state.tensors.iter().map(|t| format!("{} {}", t.name, t.tensor.describe())).collect::<Vec<_>>()
    };
    assert_eq!(describe(0), ["conv_state bf16 [2, 3, 256]", "recurrent_state f32 [2, 4, 32, 32]"]);
    assert_eq!(describe(3), ["k bf16 [2, 2, 5, 32]", "v bf16 [2, 2, 5, 32]"]);
    assert_eq!(session.state(None).unwrap().len(), 8);
}

#[test]
fn text_goes_in_and_out_and_its_absence_is_explained() {
    let model = sample();
    let ids = model.tokenize("const x = 1;", true).unwrap();
    assert_eq!(model.detokenize(&ids, false, &[]).unwrap().text, "const x = 1;");
    let chat = model.chat(&json!([{"role": "user", "content": "hi"}]), true, &serde_json::Map::new()).unwrap();
    assert_eq!(chat.text, "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
    assert_eq!(chat.ids[0], 4089);
    let e = tiny().tokenize("x", true).unwrap_err();
    assert!(e.status == Status::Unsupported && e.message.contains("token ids"), "{e}");
}

#[test]
fn inspect_agrees_with_load_and_lists_tensors() {
    let path = repository().join("samples/target-4bit");
    let found = moire_engine::inspect(&path).unwrap();
    assert_eq!(serde_json::to_value(&found.model).unwrap(), serde_json::to_value(load(&path).info()).unwrap());
    let table = found.tensors.iter().find(|t| t.name.ends_with("embed_tokens.weight")).unwrap();
    assert_eq!((table.dtype.as_str(), &table.shape), ("u32", &vec![4096, 24]));
}

#[test]
fn one_long_verify_and_many_small_ones_are_one_history() {
    let model = sample();
    let switches = json!({"matmul": "exact", "attention": "exact"});
    let mut whole = run::open(&model, &switches, 1);
    let ids: Vec<u32> = (0..300).map(|i| i * 13 % 4096).collect();
    run::prefill(&mut whole, &ids, &run::with(&[]));
    let mut parts = run::open(&model, &switches, 1);
    for chunk in ids.chunks(37) {
        run::prefill(&mut parts, chunk, &run::with(&[]));
    }
    let (a, b) = (run::caches(&whole), run::caches(&parts));
    assert!(a.iter().all(|(name, t)| same_bytes(t, &b[name])), "caches that grew in steps hold the same bytes");
}
