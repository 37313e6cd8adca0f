//! Golden data: the checkpoints and reference tensors under test/fixtures/goldens, and the sample model.
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod blocks;
pub mod rows;
pub mod run;

use moire_base::Control;
use moire_engine::{Model, Tensor};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

pub fn goldens() -> PathBuf {
    repository().join("test/fixtures/goldens")
}

pub fn load(path: &Path) -> Arc<Model> {
    Model::load(path, false, &Control::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub fn sample() -> Arc<Model> {
    load(&repository().join("samples/target-4bit"))
}

/// Every case with its own reference values. `qwen35-small-wrapper`, `-hf-layout` and `-mixed-sharded` repeat the values of others.
pub const CASES: &[&str] = &[
    "llama-tiny-4bit",
    "llama-tiny-bf16",
    "qwen3-tiny-4bit",
    "qwen35-mini-b2g128",
    "qwen35-mini-b2g32",
    "qwen35-mini-b2g64",
    "qwen35-mini-b3g128",
    "qwen35-mini-b3g32",
    "qwen35-mini-b3g64",
    "qwen35-mini-b4g128",
    "qwen35-mini-b4g32",
    "qwen35-mini-b4g64",
    "qwen35-mini-b5g128",
    "qwen35-mini-b5g32",
    "qwen35-mini-b5g64",
    "qwen35-mini-b6g128",
    "qwen35-mini-b6g32",
    "qwen35-mini-b6g64",
    "qwen35-mini-b8g128",
    "qwen35-mini-b8g32",
    "qwen35-mini-b8g64",
    "qwen35-mini-f32",
    "qwen35-small-bf16",
    "qwen35-tiny-4bit",
    "qwen35-tiny-bf16",
    "qwen35-tiny-mixed",
];

/// One case: its checkpoint, its json and its reference tensors.
pub struct Golden {
    pub name: String,
    pub model: Arc<Model>,
    pub json: Value,
    pub tensors: BTreeMap<String, Tensor>,
}

impl Golden {
    pub fn open(name: &str) -> Self {
        Self::open_ref(name, name)
    }

    /// The model of a case with the reference file `ref/<reference>`.
    pub fn open_ref(name: &str, reference: &str) -> Self {
        let json = std::fs::read(goldens().join(format!("ref/{reference}.json"))).unwrap();
        Self {
            name: name.into(),
            model: load(&goldens().join("models").join(name)),
            json: serde_json::from_slice(&json).unwrap(),
            tensors: file(&format!("ref/{reference}.safetensors")),
        }
    }

    /// The names to aim at: `acc32.` for quantised checkpoints, the plain ones for float.
    pub fn prefix(&self) -> &'static str {
        if self.model.info().quantisation.is_some() { "acc32." } else { "" }
    }

    pub fn ids(&self, pointer: &str) -> Vec<u32> {
        let list = self.json.pointer(pointer).and_then(Value::as_array);
        list.map(|l| l.iter().map(|v| u32::try_from(v.as_u64().unwrap()).unwrap()).collect()).unwrap_or_default()
    }

    /// Ids that were fed one by one for `<prefix>decode.logits`.
    pub fn decode_ids(&self, prefix: &str) -> Vec<u32> {
        let mut ids = self.ids(&format!("/{prefix}decode/ids"));
        ids.pop();
        ids
    }

    pub fn number(&self, pointer: &str) -> Option<f64> {
        self.json.pointer(pointer).and_then(Value::as_f64)
    }

    /// Layers of the model.
    pub fn layers(&self) -> usize {
        self.model.info().layers.len()
    }
}

pub fn file(path: &str) -> BTreeMap<String, Tensor> {
    let file = moire_engine::tensors(&goldens().join(path)).unwrap();
    file.tensors.into_iter().map(|t| (t.name, t.tensor)).collect()
}

pub fn f32s(t: &Tensor) -> Vec<f32> {
    t.dtype.widen(&t.data)
}

/// How far `ours` is from `reference`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Distance {
    pub max_abs: f64,
    /// rms of the difference over rms of the reference.
    pub rms: f64,
}

pub fn distance(ours: &Tensor, reference: &Tensor) -> Distance {
    let (a, b) = (f32s(ours), f32s(reference));
    assert_eq!(a.len(), b.len(), "{} against {}", ours.describe(), reference.describe());
    let mut d = Distance::default();
    let (mut square, mut reference_square) = (0.0, 0.0);
    for (x, y) in a.iter().zip(&b) {
        let e = f64::from(*x) - f64::from(*y);
        assert!(e.is_finite(), "{x} against {y}");
        d.max_abs = d.max_abs.max(e.abs());
        square += e * e;
        reference_square += f64::from(*y).powi(2);
    }
    d.rms = if square == 0.0 { 0.0 } else { (square / reference_square).sqrt() };
    d
}

/// `[heads, rows, dim]` to `[rows, heads, dim]`, the order of taps.
pub fn rows_first(t: &Tensor) -> Tensor {
    let [heads, rows, dim] = t.shape[..] else { panic!("{}", t.describe()) };
    let size = t.dtype.size() * dim;
    let head = |i: usize| (i % heads * rows + i / heads) * size;
    let data: Vec<u8> = (0..heads * rows).flat_map(|i| t.data[head(i)..head(i) + size].to_vec()).collect();
    Tensor::new(t.dtype, vec![rows, heads, dim], data.into()).unwrap()
}

pub fn same_bytes(a: &Tensor, b: &Tensor) -> bool {
    a.dtype == b.dtype && a.shape == b.shape && a.data[..] == b.data[..]
}
