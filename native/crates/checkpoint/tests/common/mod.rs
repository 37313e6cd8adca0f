//! Fixtures of the repository, and ways to open them.
#![allow(dead_code)] // each test program uses a part of it

use moire_base::{Control, Matrix, Result};
use moire_checkpoint::{Checkpoint, Inspection, Mixer, OpenOptions};
use std::path::{Path, PathBuf};

/// `test/fixtures/goldens/<part>`.
pub fn golden(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/fixtures/goldens").join(part)
}

pub fn open(folder: &Path) -> Result<Checkpoint> {
    Checkpoint::open(folder, &OpenOptions::default(), &Control::default())
}

pub fn inspect(folder: &Path) -> Result<Inspection> {
    Checkpoint::inspect(folder, &Control::default())
}

pub fn json(path: &Path) -> serde_json::Value {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A folder with this config.json and a copy of the weights of `weights`.
pub fn folder_with_config(config: &serde_json::Value, weights: &Path) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("config.json"), config.to_string()).expect("written");
    std::fs::copy(weights.join("model.safetensors"), dir.path().join("model.safetensors")).expect("copied");
    dir
}

/// The bytes of every weight in a fixed order.
pub fn weight_bytes(model: &Checkpoint) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for m in model.weights.matrices() {
        match m {
            Matrix::Float { data, .. } => all.push(data.to_vec()),
            Matrix::Affine { codes, scales, biases, .. } => all.extend([codes, scales, biases].map(|b| b.to_vec())),
        }
    }
    for l in &model.weights.layers {
        all.extend([&l.input_norm, &l.post_norm].map(|v| v.data.to_vec()));
        match &l.mixer {
            Mixer::Attention(a) => all.extend([&a.q_norm, &a.k_norm].into_iter().flatten().map(|v| v.data.to_vec())),
            Mixer::GatedDelta(d) => all.extend([&d.conv, &d.dt_bias, &d.a_log, &d.norm].map(|v| v.data.to_vec())),
        }
    }
    all.push(model.weights.final_norm.data.to_vec());
    all
}
