//! A model folder, opened.

use crate::{
    build::{self, Norms, Source},
    chat::ChatTemplate,
    companions::Companions,
    config::{self, ModelConfig, Parsed, Quantisation},
    files::{Tensor, WeightFiles, folder::Shards, is_missing, read_bounded},
    names, scan,
    tokenizer::Tokenizer,
    weights::Weights,
};
use moire_base::{Control, Error, Matrix, Result, Status, Vector};
use std::{
    collections::{BTreeMap, HashSet},
    io::ErrorKind,
    path::{Path, PathBuf},
};

const MAX_CONFIG: u64 = 16 << 20;

/// What `Checkpoint::open` does beside mapping the files.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Read every weight: look for NaN and Inf, and fingerprint all bytes. Off: the fingerprint covers config and headers.
    pub scan: bool,
    /// Load tokenizer and chat template.
    pub tokenizer: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { scan: true, tokenizer: true }
    }
}

/// A model folder whose weights are mapped and checked.
#[derive(Debug)]
pub struct Checkpoint {
    /// Facts.
    pub config: ModelConfig,
    /// Weights, in the mapped files.
    pub weights: Weights,
    /// `tokenizer.json`, if the folder has one.
    pub tokenizer: Option<Tokenizer>,
    /// The chat template, if the folder has one that compiles.
    pub chat: Option<ChatTemplate>,
    /// Sizes, fingerprint, warnings and the list of tensors.
    pub summary: Summary,
    /// What has to stay as it is while the weights are in use.
    pub files: WeightFiles,
}

/// What is known of a folder without running its model.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The folder as it was given.
    pub path: PathBuf,
    /// `blake3:…` over config and all weight bytes, or `headers:blake3:…` over config and headers.
    pub fingerprint: String,
    /// Oddities that do not keep the model from running, one sentence each.
    pub warnings: Vec<String>,
    /// Every tensor of every file, also those the text model does not use.
    pub tensors: Vec<Tensor>,
    /// Logical weights of the text model, a tied head counted once.
    pub parameters: u64,
    /// Bytes of the tensors that the text model uses, as stored.
    pub weight_bytes: u64,
}

/// What `inspect` finds: headers and config only.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Facts.
    pub config: ModelConfig,
    /// Sizes, fingerprint over the headers, warnings, tensors.
    pub summary: Summary,
    /// The folder has a `tokenizer.json`.
    pub tokenizer: bool,
    /// The folder has a chat template.
    pub chat_template: bool,
}

impl Checkpoint {
    /// Opens the model folder `path`.
    ///
    /// # Errors
    /// `Io` for a missing or unreadable file, `Format` for a malformed one, `Unsupported` for a model that the engine does not run, `Cancelled` through
    /// `control`. The place names the file, key or tensor.
    pub fn open(path: &Path, options: &OpenOptions, control: &Control) -> Result<Self> {
        let opened = Opened::new(path, Norms::ByLayout, control)?;
        let (tokenizer, chat, mut warnings) =
            if options.tokenizer { opened.companions.load(opened.config.vocab)? } else { (None, None, Vec::new()) };
        let mut summary = opened.summary;
        summary.warnings.append(&mut warnings);
        if opened.config.architecture == config::Architecture::Qwen35 {
            summary.warnings.extend(norm_warning(opened.weights.shifted_norms()));
        }
        if options.scan {
            let used: HashSet<&str> = opened.used.iter().map(String::as_str).collect();
            let (fingerprint, findings) = scan::scan(&opened.config_bytes, &opened.shards.files, &used, control)?;
            summary.fingerprint = fingerprint;
            summary.warnings.extend(findings);
        }
        let files = opened.shards.watched();
        files.check()?;
        Ok(Self { config: opened.config, weights: opened.weights, tokenizer, chat, summary, files })
    }

    /// Reads config and headers of the model folder `path` and checks them against each other. No page of a weight is read.
    ///
    /// # Errors
    /// As `open`.
    pub fn inspect(path: &Path, control: &Control) -> Result<Inspection> {
        let opened = Opened::new(path, Norms::Untouched, control)?;
        opened.shards.watched().check()?;
        let (tokenizer, chat_template) = (opened.companions.has_tokenizer(), opened.companions.has_chat_template());
        Ok(Inspection { config: opened.config, summary: opened.summary, tokenizer, chat_template })
    }
}

/// Config and weights, before anything reads them through.
struct Opened {
    config: ModelConfig,
    config_bytes: Vec<u8>,
    weights: Weights,
    shards: Shards,
    companions: Companions,
    /// Names of the tensors in use.
    used: HashSet<String>,
    summary: Summary,
}

impl Opened {
    fn new(path: &Path, norms: Norms, control: &Control) -> Result<Self> {
        control.stage("read config", 0);
        check_folder(path)?;
        let config_bytes = read_config(path)?;
        let Parsed { mut config, tied, quantisation, text } = config::parse(&config_bytes)?;
        control.stage("map weights", 0);
        let shards = Shards::open(path)?;
        control.check()?;
        let mut source = Source::new(shards.tensors(), names::TEXT, config.architecture, &quantisation, norms)?;
        config.tied = tied.unwrap_or_else(|| !source.has("lm_head.weight"));
        let weights = build::build(&mut source, &config)?;
        let mut warnings = shards.warnings.clone();
        warnings.extend(left_over_warning(&source));
        let used: HashSet<String> = source.used_names().into_iter().map(str::to_owned).collect();
        config.dtype = weights.embedding.dtype();
        config.quantisation = quantisation_of(weights.matrices());
        let companions = Companions::read(path)?;
        let eos = companions.eos(&text, config.vocab)?;
        config.eos = eos.ids;
        warnings.extend(eos.warnings);
        let summary = Summary {
            path: path.to_owned(),
            fingerprint: scan::header_fingerprint(&config_bytes, &shards.files),
            warnings,
            parameters: config.parameters(),
            weight_bytes: shards.tensors().filter(|t| used.contains(&t.name)).map(|t| t.data.len() as u64).sum(),
            tensors: shards.tensors().cloned().collect(),
        };
        Ok(Self { config, config_bytes, weights, shards, companions, used, summary })
    }
}

pub(crate) fn check_folder(path: &Path) -> Result<()> {
    let refuse = |message: String| Err(Error::new(Status::Io, path.display().to_string(), message));
    match std::fs::metadata(path) {
        Ok(facts) if facts.is_dir() => return Ok(()),
        Ok(_) => {}
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return refuse("there is no such folder; give the folder of an MLX or Hugging Face checkpoint".to_owned());
        }
        Err(e) => return refuse(format!("cannot be opened: {e}")),
    }
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    refuse(match path.extension().and_then(|e| e.to_str()) {
        Some("safetensors" | "json") => format!("is a file of a model; give its folder, {}", parent.display()),
        Some("gguf") => "is a GGUF file; this engine reads MLX folders (config.json and *.safetensors)".to_owned(),
        _ => "is a file; give the folder of an MLX or Hugging Face checkpoint".to_owned(),
    })
}

/// The bytes of `config.json` in a folder.
pub(crate) fn read_config(path: &Path) -> Result<Vec<u8>> {
    let file = path.join("config.json");
    if is_missing(&file) {
        return Err(Error::new(
            Status::Io,
            path.display().to_string(),
            "holds no config.json; give the folder of an MLX or Hugging Face checkpoint",
        ));
    }
    read_bounded(&file, MAX_CONFIG)
}

fn left_over_warning(source: &Source<'_>) -> Option<String> {
    let names: Vec<&str> = source.left_over().map(|(_, t)| t.name.as_str()).collect();
    let first = names.first()?;
    Some(format!("{} tensors are not used by the text model, for example {first}", names.len()))
}

/// The geometry that holds the most weights, and whether any matrix differs from it.
pub(crate) fn quantisation_of<'a>(matrices: impl Iterator<Item = &'a Matrix>) -> Option<Quantisation> {
    let mut sizes: BTreeMap<Option<(u32, usize)>, u64> = BTreeMap::new();
    for m in matrices {
        let geometry = match m {
            Matrix::Affine { bits, group, .. } => Some((*bits, *group)),
            Matrix::Float { .. } => None,
        };
        *sizes.entry(geometry).or_default() += m.rows() as u64 * m.cols() as u64;
    }
    let (bits, group) = sizes.iter().filter_map(|(g, n)| Some((n, (*g)?))).max()?.1;
    Some(Quantisation { bits, group, mixed: sizes.len() > 1 })
}

/// Converters of a certain age added 1 to the Qwen 3.5 norms twice, or not at all (model-spec 1.3). The mean tells: a right file has means around 1.
pub(crate) fn norm_warning<'a>(norms: impl Iterator<Item = &'a Vector>) -> Option<String> {
    let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
    let mut means: Vec<f32> = norms.map(|v| mean(&v.to_f32())).collect();
    means.sort_by(f32::total_cmp);
    let (median, least) = (means[means.len() / 2], means[0]);
    let what = if median.abs() < 0.3 {
        "around 0: the file may lack the 1 that MLX files have added to them"
    } else if least > 1.7 {
        "all above 1.7: 1 may have been added to them twice"
    } else {
        return None;
    };
    Some(format!(
        "the mean norm weights are {what}; convert the model again with a current mlx-lm if its answers look wrong"
    ))
}
