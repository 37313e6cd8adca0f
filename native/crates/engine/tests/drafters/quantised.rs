//! A quantised DFlash drafter, beside a target of another family: made of the layers of a 4-bit Qwen 3 and a float `fc`.

use crate::{
    common::{distance, file, goldens, load as load_model, same_bytes},
    pair::{load, logits, noise, observe, open, propose, rows, tokens, wish},
};
use moire_base::Dtype;
use moire_engine::Tensor;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

/// A safetensors file: the length of the header, the header, the data.
fn write(path: &Path, tensors: &BTreeMap<String, Tensor>) {
    let mut header = Map::new();
    let mut data = Vec::new();
    for (name, t) in tensors {
        let from = data.len();
        data.extend_from_slice(&t.data);
        let dtype = t.dtype.name().to_uppercase();
        header.insert(name.clone(), json!({"dtype": dtype, "shape": t.shape, "data_offsets": [from, data.len()]}));
    }
    let header = serde_json::to_vec(&header).unwrap();
    fs::write(path, [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()).unwrap();
}

fn made(model: &Path, hidden: usize) -> std::path::PathBuf {
    let float = |shape: Vec<usize>, value: &dyn Fn(usize) -> f32| {
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        Tensor::new(Dtype::Bf16, shape, Dtype::Bf16.narrow(&values).into()).unwrap()
    };
    let wave = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 400.0;
    let own = |name: &str| name.starts_with("layers.") || name == "norm.weight";
    let mut tensors: BTreeMap<String, Tensor> = file("models/qwen3-tiny-4bit/model.safetensors")
        .into_iter()
        .filter_map(|(name, t)| Some((name.strip_prefix("model.").filter(|n| own(n))?.to_owned(), t)))
        .collect();
    tensors.insert("fc.weight".into(), float(vec![hidden, 2 * hidden], &wave));
    tensors.insert("hidden_norm.weight".into(), float(vec![hidden], &|_| 1.0));
    let to = std::env::temp_dir().join(format!("moire-quantised-{}", std::process::id()));
    fs::create_dir_all(&to).unwrap();
    write(&to.join("model.safetensors"), &tensors);
    let mut config: Value = serde_json::from_slice(&fs::read(model.join("config.json")).unwrap()).unwrap();
    config["architectures"] = json!(["DFlashDraftModel"]);
    config["dflash_config"] = json!({"mask_token_id": 3, "target_layer_ids": [2, 0]});
    fs::write(to.join("config.json"), config.to_string()).unwrap();
    to
}

#[test]
fn a_quantised_drafter_beside_a_qwen_3_target() {
    let model = goldens().join("models/qwen3-tiny-4bit");
    let target = load_model(&model);
    let hidden = target.info().hidden;
    let folder = made(&model, hidden);
    let drafter = load(&folder, &target);
    let info = drafter.info();
    assert_eq!(info.taps, ["2.layer_output", "0.layer_output"]);
    assert!(info.quantisation.as_ref().is_some_and(|q| (q.bits, q.group, q.mixed) == (4, 64, true)));
    let given: Vec<Arc<Tensor>> = noise(2, 30, hidden, Dtype::Bf16);
    let proposed = |switches: Value, batch: usize| {
        let mut draft = open(&drafter, &switches, batch);
        observe(&mut draft, &given, &vec![[0, 30]; batch], &vec![tokens(30); batch]);
        logits(&propose(&mut draft, &wish(6))).clone()
    };
    let f32 = |matmul: &str| json!({"matmul": matmul, "attention": "exact", "activations": "f32"});
    let [qmv, exact, qmm] = ["qmv", "exact", "qmm"].map(|matmul| proposed(f32(matmul), 1));
    for (name, other) in [("exact", &exact), ("qmm", &qmm)] {
        let d = distance(other, &qmv);
        assert!(d.rms > 0.0 && d.rms < 5e-4, "{name}: {d:?}");
    }
    let pair = proposed(f32("exact"), 2);
    assert!(same_bytes(&rows(&pair, 0, 5), &exact) && same_bytes(&rows(&pair, 5, 10), &exact));
    fs::remove_dir_all(folder).unwrap();
}
