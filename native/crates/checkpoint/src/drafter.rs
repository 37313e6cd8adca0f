//! A drafter's folder, opened beside its target.

use crate::{
    build::{self, Norms, Source},
    checkpoint::{Summary, check_folder, norm_warning, quantisation_of, read_config},
    config::{Architecture, DrafterConfig, DrafterFolder, DrafterKind, ModelConfig, ParsedDrafter, parse_drafter},
    files::{Tensor, TensorFile, WeightFiles, folder::Shards},
    names, scan,
    weights::DrafterWeights,
};
use moire_base::{Control, Error, Result};
use std::{collections::HashSet, path::Path};

/// A drafter whose weights are mapped, read through and checked against its target.
#[derive(Debug)]
pub struct DrafterCheckpoint {
    /// Facts.
    pub config: DrafterConfig,
    /// Weights, in the mapped files.
    pub weights: DrafterWeights,
    /// Sizes, fingerprint, warnings. `tensors` are those of the drafter.
    pub summary: Summary,
    /// What has to stay as it is while the weights are in use.
    pub files: WeightFiles,
}

impl DrafterCheckpoint {
    /// Opens the drafter in `path` for the model `target`: a DFlash folder, an MTP folder, or a Qwen 3.5 model folder with `mtp.*` tensors (model-spec 2.1,
    /// 3.1, 3.2). The fingerprint covers config, headers and the drafter's own weights.
    ///
    /// # Errors
    /// `Io` for a missing or unreadable file, `Format` for a malformed one or one that does not fit the target, `Unsupported` for a drafter of a family
    /// that the engine does not run, `Cancelled` through `control`. The place names the file, key or tensor.
    pub fn open(path: &Path, target: &ModelConfig, control: &Control) -> Result<Self> {
        control.stage("read config", 0);
        check_folder(path)?;
        let config_bytes = read_config(path)?;
        let ParsedDrafter { mut config, quantisation, folder } = parse_drafter(&config_bytes, target)?;
        control.stage("map weights", 0);
        let shards = Shards::open(path)?;
        control.check()?;
        let norms = norms(&shards, folder)?;
        let mut source = Source::new(shards.tensors(), folder.naming(), Architecture::Qwen3, &quantisation, norms)?;
        if source.is_empty() {
            let message = "holds no MTP head: there are no mtp.* tensors in it (many converters leave them out); give the folder of a DFlash drafter or of an MTP head";
            return Err(Error::format(path.display().to_string(), message));
        }
        let weights = build::drafter(&mut source, &config)?;
        config.decoder.dtype = weights.fc.weight.dtype();
        config.decoder.quantisation = quantisation_of(weights.matrices());
        let files = own_files(&shards, &source.used_names());
        let (fingerprint, findings) = scan::scan(&config_bytes, &files, &source.used_names(), control)?;
        let mut warnings = shards.warnings.clone();
        if config.kind == DrafterKind::Mtp {
            warnings.extend(norm_warning(weights.norms()));
        }
        warnings.extend(findings);
        let watched = WeightFiles::new(files.iter().map(|(_, f)| f));
        watched.check()?;
        let tensors: Vec<Tensor> = files.into_iter().flat_map(|(_, f)| f.tensors).collect();
        let summary = Summary {
            path: path.to_owned(),
            fingerprint,
            warnings,
            parameters: parameters(&weights),
            weight_bytes: tensors.iter().map(|t| t.data.len() as u64).sum(),
            tensors,
        };
        Ok(Self { config, weights, summary, files: watched })
    }
}

/// Whether the seven kinds of norm lack their 1. In a model folder they follow the layout of the model; a head by itself keeps `mtp.` in its names until it
/// is converted (model-spec 2.2).
fn norms(shards: &Shards, folder: DrafterFolder) -> Result<Norms> {
    let shifted = match folder {
        DrafterFolder::Dflash => false,
        DrafterFolder::Model => build::has_hf_text_model(shards.tensors())?,
        DrafterFolder::Mtp => {
            let raw = shards.tensors().filter(|t| names::after_mtp(&t.name).is_some()).count();
            let plain = shards.tensors().find(|t| names::after_mtp(&t.name).is_none());
            if let Some(t) = plain.filter(|_| raw > 0) {
                let message = "has no mtp. before its name, others have; two layouts are mixed, convert the head again";
                return Err(Error::format(format!("{}: {}", t.file, t.name), message));
            }
            raw > 0
        }
    };
    Ok(if shifted { Norms::Shifted } else { Norms::Untouched })
}

/// The files with the drafter's tensors alone.
fn own_files(shards: &Shards, used: &HashSet<&str>) -> Vec<(String, TensorFile)> {
    let own = |f: &TensorFile| f.tensors.iter().filter(|t| used.contains(t.name.as_str())).cloned().collect();
    let files = shards.files.iter().map(|(name, f)| (name.clone(), TensorFile { tensors: own(f), ..f.clone() }));
    files.filter(|(_, f)| !f.tensors.is_empty()).collect()
}

fn parameters(weights: &DrafterWeights) -> u64 {
    let matrices: usize = weights.matrices().map(|m| m.rows() * m.cols()).sum();
    (matrices + weights.norms().map(moire_base::Vector::len).sum::<usize>()) as u64
}
