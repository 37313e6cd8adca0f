//! Checkpoints that hold the values of another one in another layout give its bytes.

mod common;

use common::{Golden, goldens, load, run, same_bytes};
use serde_json::json;

fn assert_same_run(name: &str, other: &str) {
    let golden = Golden::open(other);
    let model = load(&goldens().join("models").join(name));
    let mut sessions = [&golden.model, &model].map(|m| run::open(m, &json!({"matmul": "qmv"}), 1));
    let steps = sessions.each_mut().map(|s| run::prefill(s, &golden.ids("/prompt"), &run::all()));
    assert_eq!(steps[0].taps.len(), steps[1].taps.len());
    for (a, b) in steps[0].taps.iter().zip(&steps[1].taps) {
        assert_eq!((a.layer, a.tap), (b.layer, b.tap));
        assert!(same_bytes(&a.tensor, &b.tensor), "{name}: layer {} {}", a.layer, a.tap);
    }
    let [a, b] = sessions.each_ref().map(run::caches);
    assert!(a.iter().all(|(name, t)| same_bytes(t, &b[name])));
}

#[test]
fn shards_equal_one_file() {
    assert_same_run("qwen35-tiny-mixed-sharded", "qwen35-tiny-mixed");
}

#[test]
fn vision_and_mtp_tensors_change_nothing() {
    assert_same_run("qwen35-small-wrapper", "qwen35-small-bf16");
}

#[test]
fn the_hugging_face_layout_gives_the_same_values() {
    assert_same_run("qwen35-small-hf-layout", "qwen35-small-bf16");
}
