//! Which safetensors files make a model: the index if there is one, else `model*.safetensors`, else every `*.safetensors` (model-spec 5.3).

use super::{Tensor, TensorFile, WeightFiles, is_missing, json, read_bounded};
use moire_base::{Error, Result, Status};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

const INDEX: &str = "model.safetensors.index.json";
/// Generous: the index of a 400 B mixture model is below 20 MB.
const MAX_INDEX: u64 = 256 << 20;
/// Most shards that one model may have.
const MAX_SHARDS: usize = 4096;

/// The weight files of a model.
pub(crate) struct Shards {
    /// Sorted by file name.
    pub files: Vec<(String, TensorFile)>,
    pub warnings: Vec<String>,
}

impl Shards {
    /// Opens all weight files of `folder`.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let index = folder.join(INDEX);
        if is_missing(&index) {
            let files = open_all(folder, &weight_files(folder)?)?;
            unique_names(&files)?;
            return Ok(Self { files, warnings: Vec::new() });
        }
        let map = read_index(&index)?;
        let names: BTreeSet<String> = map.values().cloned().collect();
        let files = open_all(folder, &names)?;
        unique_names(&files)?;
        let warnings = check_index(&map, &files)?;
        Ok(Self { files, warnings })
    }

    /// Every tensor of every file.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.files.iter().flat_map(|(_, f)| &f.tensors)
    }

    /// All files, to be looked at while they are in use.
    pub(crate) fn watched(&self) -> WeightFiles {
        WeightFiles::new(self.files.iter().map(|(_, f)| f))
    }
}

fn open_all(folder: &Path, names: &BTreeSet<String>) -> Result<Vec<(String, TensorFile)>> {
    names.iter().map(|name| Ok((name.clone(), TensorFile::open(&folder.join(name))?))).collect()
}

/// Without an index: `model*.safetensors`, else any `*.safetensors`.
fn weight_files(folder: &Path) -> Result<BTreeSet<String>> {
    let io = |e: std::io::Error| Error::new(Status::Io, folder.display().to_string(), format!("cannot be listed: {e}"));
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path: PathBuf = entry.map_err(io)?.path();
        let name =
            path.file_name().and_then(|n| n.to_str()).filter(|n| n.ends_with(".safetensors") && !n.starts_with('.'));
        all.extend(name.map(str::to_owned));
    }
    let model: BTreeSet<String> = all.iter().filter(|n| n.starts_with("model")).cloned().collect();
    let chosen = if model.is_empty() { all } else { model };
    if chosen.is_empty() {
        return Err(Error::new(
            Status::Io,
            folder.display().to_string(),
            "holds no weights: there is no *.safetensors file. Give the folder of an MLX or Hugging Face checkpoint",
        ));
    }
    bounded(chosen.len())?;
    Ok(chosen)
}

fn bounded(shards: usize) -> Result<()> {
    if shards <= MAX_SHARDS {
        Ok(())
    } else {
        Err(Error::format(INDEX, format!("names {shards} files, more than {MAX_SHARDS}")))
    }
}

fn read_index(path: &Path) -> Result<BTreeMap<String, String>> {
    let value = json::parse(&read_bounded(path, MAX_INDEX)?, INDEX)?;
    let map = value.get("weight_map").unwrap_or(&Value::Null);
    let mut out = BTreeMap::new();
    for (tensor, file) in json::Object::new(map, "model.safetensors.index.json/weight_map")?.entries() {
        let Some(file) = file.as_str() else {
            return Err(Error::format(
                INDEX,
                format!("weight_map/{tensor} must be a file name, found {}", json::kind(file)),
            ));
        };
        check_shard_name(path, tensor, file)?;
        out.insert(tensor.clone(), file.to_owned());
    }
    if out.is_empty() {
        return Err(Error::format(
            INDEX,
            "weight_map is empty; fetch the index again, or remove it to load model*.safetensors",
        ));
    }
    bounded(out.values().collect::<BTreeSet<_>>().len())?;
    Ok(out)
}

/// A shard is a plain file name in the same folder. Anything else could reach outside it.
fn check_shard_name(index: &Path, tensor: &str, file: &str) -> Result<()> {
    let plain = file.ends_with(".safetensors") && !file.contains(['/', '\\', ':', '\0']) && !file.starts_with('.');
    if !plain {
        return Err(Error::format(
            INDEX,
            format!(
                "weight_map sends {tensor} to \"{file}\"; only plain *.safetensors names inside the model folder are opened"
            ),
        ));
    }
    if is_missing(&index.with_file_name(file)) {
        return Err(Error::new(
            Status::Io,
            INDEX,
            format!("names the shard {file}, which is not in the folder; the download is incomplete, fetch it"),
        ));
    }
    Ok(())
}

/// The same tensor in two files: no reader could say which one counts.
fn unique_names(files: &[(String, TensorFile)]) -> Result<()> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (file, tensors) in files {
        for t in &tensors.tensors {
            if let Some(other) = seen.insert(&t.name, file) {
                return Err(Error::format(
                    format!("{file}: {}", t.name),
                    format!("this tensor is stored in {other} too; remove the file that does not belong to the model"),
                ));
            }
        }
    }
    Ok(())
}

/// Every mapped tensor must be in its file. Tensors that the index leaves out are read all the same, with a warning.
fn check_index(map: &BTreeMap<String, String>, files: &[(String, TensorFile)]) -> Result<Vec<String>> {
    let found: BTreeMap<&str, &str> =
        files.iter().flat_map(|(file, f)| f.tensors.iter().map(move |t| (t.name.as_str(), file.as_str()))).collect();
    for (tensor, file) in map {
        match found.get(tensor.as_str()) {
            Some(at) if at == file => {}
            Some(at) => {
                return Err(Error::format(
                    INDEX,
                    format!(
                        "sends {tensor} to {file}, but it is stored in {at}; index and shards do not belong together"
                    ),
                ));
            }
            None => {
                return Err(Error::format(
                    INDEX,
                    format!(
                        "sends {tensor} to {file}, which does not hold it; index and shards do not belong together"
                    ),
                ));
            }
        }
    }
    let extra: Vec<&str> = found.keys().copied().filter(|t| !map.contains_key(*t)).collect();
    let warn = |t: &&str| {
        format!("{} tensors are not named in {INDEX}, for example {t}; they were read all the same", extra.len())
    };
    Ok(extra.first().map(warn).into_iter().collect())
}
