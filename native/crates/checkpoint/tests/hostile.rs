//! Damaged bytes of a valid model: an error or a model, never a panic, never a tensor outside the file.

mod common;

use common::{golden, inspect, open};
use moire_base::Control;
use moire_checkpoint::{DrafterCheckpoint, ModelConfig, TensorFile, Tokenizer};
use proptest::{collection::vec, prelude::*};
use std::path::Path;

/// One way to damage a file.
#[derive(Clone, Debug)]
enum Damage {
    Cut(usize),
    Flip(usize, u8),
    Insert(usize, u8),
    Digit(usize, u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>().prop_map(|i| i.index(1 << 20));
    prop_oneof![
        at.clone().prop_map(Damage::Cut),
        (at.clone(), any::<u8>()).prop_map(|(i, b)| Damage::Flip(i, b)),
        (at.clone(), any::<u8>()).prop_map(|(i, b)| Damage::Insert(i, b)),
        (at, b'0'..=b'9').prop_map(|(i, b)| Damage::Digit(i, b)),
    ]
}

/// Positions are taken within the first `within` bytes, where the structure is.
fn apply(bytes: &mut Vec<u8>, damages: &[Damage], within: usize) {
    for d in damages {
        let span = bytes.len().min(within).max(1);
        match *d {
            Damage::Cut(i) => bytes.truncate(i % span),
            Damage::Flip(i, b) if !bytes.is_empty() => bytes[i % span] ^= b,
            Damage::Insert(i, b) => bytes.insert((i % span).min(bytes.len()), b),
            Damage::Digit(i, b) if !bytes.is_empty() => bytes[i % span] = b,
            Damage::Flip(..) | Damage::Digit(..) => {}
        }
    }
}

fn damaged(source: &Path, damages: &[Damage], within: usize) -> Vec<u8> {
    let mut bytes = std::fs::read(source).expect("read");
    apply(&mut bytes, damages, within);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn weights(damages in vec(damage(), 1..4), anywhere: bool) {
        let base = golden("malformed/legal-base");
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::copy(base.join("config.json"), dir.path().join("config.json")).expect("copied");
        let path = dir.path().join("model.safetensors");
        let within = if anywhere { usize::MAX } else { 7100 };
        std::fs::write(&path, damaged(&base.join("model.safetensors"), &damages, within)).expect("written");
        if let Ok(file) = TensorFile::open(&path) {
            let data: usize = file.tensors.iter().map(|t| t.data.len()).sum();
            prop_assert_eq!(data + file.buffer, file.bytes.len());
        }
        prop_assert_eq!(open(dir.path()).is_ok(), inspect(dir.path()).is_ok());
    }

    #[test]
    fn config(damages in vec(damage(), 1..4)) {
        let bytes = damaged(&golden("malformed/legal-base/config.json"), &damages, usize::MAX);
        if let Ok(config) = ModelConfig::parse(&bytes) {
            prop_assert!(config.parameters() > 0);
        }
    }

    #[test]
    fn tokenizer(damages in vec(damage(), 1..4), anywhere: bool) {
        let within = if anywhere { usize::MAX } else { 1500 };
        let bytes = damaged(&golden("malformed/legal-tokenizer/tokenizer.json"), &damages, within);
        if let Ok(t) = Tokenizer::from_bytes(&bytes) {
            let ids = t.encode("Hello <|im_end|> \u{1f600}", true).unwrap_or_default();
            prop_assert!(t.decode(&ids, false).is_ok());
        }
    }

    #[test]
    fn drafters(damages in vec(damage(), 1..4), of_config: bool, anywhere: bool, mtp: bool) {
        let base = golden("drafters").join(if mtp { "mtp-tiny" } else { "dflash-tiny-sliding" });
        let target = std::fs::read(golden("models/qwen35-tiny-bf16/config.json")).expect("read");
        let target = ModelConfig::parse(&target).expect("parses");
        let dir = tempfile::tempdir().expect("a temporary folder");
        for name in ["config.json", "model.safetensors"] {
            let within = if anywhere { usize::MAX } else { 2000 };
            let damages = if of_config == (name == "config.json") { &damages[..] } else { &[] };
            std::fs::write(dir.path().join(name), damaged(&base.join(name), damages, within)).expect("written");
        }
        if let Ok(found) = DrafterCheckpoint::open(dir.path(), &target, &Control::default()) {
            prop_assert_eq!(found.config.decoder.hidden, target.hidden);
            prop_assert_eq!(found.weights.layers.len(), found.config.decoder.layers.len());
        }
    }

    #[test]
    fn index(damages in vec(damage(), 1..4)) {
        let base = golden("malformed/legal-sharded");
        let dir = tempfile::tempdir().expect("a temporary folder");
        for entry in std::fs::read_dir(&base).expect("there") {
            let path = entry.expect("an entry").path();
            std::fs::copy(&path, dir.path().join(path.file_name().expect("a name"))).expect("copied");
        }
        let name = "model.safetensors.index.json";
        std::fs::write(dir.path().join(name), damaged(&base.join(name), &damages, usize::MAX)).expect("written");
        let _ = open(dir.path());
    }
}
