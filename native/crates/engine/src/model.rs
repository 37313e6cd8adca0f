//! A loaded checkpoint.

use crate::{
    Chat, Inspection, LayerInfo, ModelInfo, Pieces, Quantisation, Session, Tensor, TensorRecord,
    batch::check_batch,
    net::Net,
    switches::{self, Switches},
    taps,
    text::Text,
    threads::Threads,
};
use moire_base::{Control, Dtype, Result};
use moire_checkpoint::{self as checkpoint, Checkpoint, ModelConfig, OpenOptions, Summary, WeightFiles};
use moire_kernels::Pool;
use serde::Serialize;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// A checkpoint ready to run. Shared by its sessions.
pub struct Model {
    net: Net,
    info: ModelInfo,
    text: Text,
    files: WeightFiles,
    /// One pool per thread count in use, shared by its sessions.
    pools: Mutex<HashMap<usize, Weak<Pool>>>,
}

impl Model {
    /// Open a folder. `scan` reads every weight: looks for NaN and infinities (as warnings) and fingerprints all bytes.
    /// Errors: `Io`, `Format`, `Unsupported`, `Cancelled`; the place names the file, key or tensor.
    pub fn load(path: &Path, scan: bool, control: &Control) -> Result<Arc<Self>> {
        let options = OpenOptions { scan, tokenizer: true };
        let Checkpoint { config, weights, tokenizer, chat, summary, files } =
            Checkpoint::open(path, &options, control)?;
        let info = describe(&config, &summary, tokenizer.is_some(), chat.is_some());
        let net = Net::new(config, weights);
        // Once more: the layers have copied small weights out of the files.
        files.check()?;
        Ok(Arc::new(Self { info, net, text: Text { tokenizer, chat }, files, pools: Mutex::default() }))
    }

    /// Facts, switches and taps.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Ids of `text`. `special` adds what the tokenizer puts around a text by itself. Errors: `Unsupported` without a tokenizer.
    pub fn tokenize(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        self.text.tokenize(text, special)
    }

    /// Text of `ids`. Errors: `Unsupported` without a tokenizer.
    pub fn detokenize(&self, ids: &[u32], skip_special: bool, more: &[Vec<u32>]) -> Result<Pieces> {
        self.text.detokenize(ids, skip_special, more)
    }

    /// A conversation (`[{role, content, ...}]`) through the chat template. Errors: `Unsupported` without a template; `Invalid` in its own words.
    pub fn chat(&self, messages: &Value, add_generation_prompt: bool, variables: &Map<String, Value>) -> Result<Chat> {
        self.text.chat(messages, add_generation_prompt, variables)
    }

    pub(crate) fn net(&self) -> &Net {
        &self.net
    }

    /// What has to stay as it is while the model runs.
    pub(crate) fn files(&self) -> &WeightFiles {
        &self.files
    }

    /// A fresh session of `batch` rows. A thread count outside 1..=256 is limited, with a note.
    /// Errors: `Invalid` for an unknown switch or value, naming what is allowed, and for a batch outside 1..=64.
    pub fn open(self: &Arc<Self>, switches: &Map<String, Value>, batch: usize) -> Result<Session> {
        check_batch("/batch", batch)?;
        let threads = Threads::parse(switches.get("threads"))?;
        let switches = Switches::parse(switches)?;
        let pool = self.pool(threads.now())?;
        Ok(Session::new(Arc::clone(self), switches, pool, batch, threads.note.into_iter().collect()))
    }

    /// Threads that its sessions share.
    pub(crate) fn pool(&self, threads: usize) -> Result<Arc<Pool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&threads).and_then(Weak::upgrade) {
            return Ok(pool);
        }
        let pool = Arc::new(Pool::new(threads)?);
        pools.insert(threads, Arc::downgrade(&pool));
        Ok(pool)
    }
}

/// Names of the model families that run.
pub fn architectures() -> Vec<&'static str> {
    checkpoint::Architecture::ALL.into_iter().map(checkpoint::Architecture::name).collect()
}

/// The model and the tensors of a folder, from config and headers alone: no weight is read. Errors as [`Model::load`].
pub fn inspect(path: &Path) -> Result<Inspection> {
    let found = Checkpoint::inspect(path, &Control::default())?;
    let record = |t: &checkpoint::Tensor| TensorRecord {
        name: t.name.clone(),
        file: t.file.clone(),
        dtype: t.dtype_name.clone(),
        shape: t.shape.clone(),
        bytes: t.data.len() as u64,
    };
    Ok(Inspection {
        model: describe(&found.config, &found.summary, found.tokenizer, found.chat_template),
        tensors: found.summary.tensors.iter().map(record).collect(),
    })
}

/// The tensors of one file, mapped.
pub struct TensorFile {
    /// `__metadata__`.
    pub metadata: BTreeMap<String, String>,
    /// In header order.
    pub tensors: Vec<StoredTensor>,
}

/// A tensor of a file.
pub struct StoredTensor {
    /// Name.
    pub name: String,
    /// Its values, or its bytes as integers where `stored` says so.
    pub tensor: Tensor,
    /// What the file says, for element types that the engine has no numbers for (8-bit and smaller floats, complex numbers).
    pub stored: Option<StoredAs>,
}

/// Element type and shape by the file.
#[derive(Serialize)]
pub struct StoredAs {
    /// `f8_e4m3`, `c64`, ...
    pub dtype: String,
    /// Outermost first.
    pub shape: Vec<usize>,
}

/// All tensors of a `.safetensors` file. Errors: `Io`, `Format`.
pub fn tensors(path: &Path) -> Result<TensorFile> {
    let file = checkpoint::TensorFile::open(path)?;
    Ok(TensorFile { metadata: file.metadata, tensors: file.tensors.into_iter().map(stored).collect::<Result<_>>()? })
}

fn stored(t: checkpoint::Tensor) -> Result<StoredTensor> {
    if let Some(dtype) = t.dtype {
        return Ok(StoredTensor { name: t.name, tensor: Tensor::new(dtype, t.shape, t.data)?, stored: None });
    }
    // One integer an element where there is one of its size, else one a byte.
    let elements: usize = t.shape.iter().product();
    let (dtype, shape) = match t.data.len().checked_div(elements) {
        Some(8) => (Dtype::U64, t.shape.clone()),
        Some(1) if t.data.len() == elements => (Dtype::U8, t.shape.clone()),
        _ => (Dtype::U8, vec![t.data.len()]),
    };
    let tensor = Tensor::new(dtype, shape, t.data)?;
    Ok(StoredTensor { name: t.name, tensor, stored: Some(StoredAs { dtype: t.dtype_name, shape: t.shape }) })
}

fn describe(config: &ModelConfig, summary: &Summary, tokenizer: bool, chat_template: bool) -> ModelInfo {
    let layers = config.layers.iter().enumerate();
    let quantisation = config.quantisation.map(|q| Quantisation { bits: q.bits, group: q.group, mixed: q.mixed });
    ModelInfo {
        path: summary.path.display().to_string(),
        architecture: config.architecture.name().to_owned(),
        model_type: config.model_type.clone(),
        layers: layers.map(|(index, kind)| LayerInfo { index, kind: kind.name() }).collect(),
        hidden: config.hidden,
        intermediate: config.intermediate,
        vocab: config.vocab,
        context: config.max_positions,
        heads: config.heads,
        kv_heads: config.kv_heads,
        head_dim: config.head_dim,
        dtype: config.dtype.name().to_owned(),
        quantisation,
        tied: config.tied,
        parameters: summary.parameters,
        weight_bytes: summary.weight_bytes,
        fingerprint: summary.fingerprint.clone(),
        tokenizer,
        chat_template,
        eos: config.eos.clone(),
        warnings: summary.warnings.clone(),
        switches: switches::table(),
        taps: taps::of(config),
    }
}
