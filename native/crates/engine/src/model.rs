//! A loaded checkpoint.

use crate::{Inspection, ModelInfo, NamedTensor, Session, net::Net, switches::Switches};
use moire_base::{Control, Error, Result};
use moire_kernels::Pool;
use serde::Serialize;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Most rows of a session.
const MAX_BATCH: usize = 64;

/// A checkpoint ready to run. Shared by its sessions.
pub struct Model {
    net: Net,
    info: ModelInfo,
    /// One pool per thread count in use, shared by its sessions.
    pools: Mutex<HashMap<usize, Weak<Pool>>>,
}

/// Rendered chat.
#[derive(Clone, Debug, Serialize)]
pub struct Chat {
    /// Text of the template.
    pub text: String,
    /// Its ids.
    pub ids: Vec<u32>,
}

/// Text of ids.
#[derive(Clone, Debug, Serialize)]
pub struct Pieces {
    /// Of all together.
    pub text: String,
    /// Of each id by itself.
    pub pieces: Vec<String>,
}

/// Tensors of one file.
pub struct TensorFile {
    /// `__metadata__` of the file.
    pub metadata: BTreeMap<String, String>,
    /// In file order, mapped.
    pub tensors: Vec<NamedTensor>,
}

/// The model and the tensors of a folder, from headers alone.
pub fn inspect(path: &Path) -> Result<Inspection> {
    Err(Error::unsupported(path.display().to_string(), "no loader yet"))
}

/// All tensors of a `.safetensors` file, mapped.
pub fn tensors(path: &Path) -> Result<TensorFile> {
    Err(Error::unsupported(path.display().to_string(), "no loader yet"))
}

impl Model {
    /// Open a folder; `scan` looks for NaN and infinities and fingerprints all bytes.
    pub fn load(path: &Path, scan: bool, control: &Control) -> Result<Arc<Self>> {
        let _ = (scan, control);
        Err(Error::unsupported(path.display().to_string(), "no loader yet"))
    }
    /// Facts.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }
    /// Ids of a text; `special` lets the tokenizer add its own ids.
    pub fn tokenize(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        let _ = (text, special);
        Err(Error::unsupported("", "no tokenizer yet"))
    }
    /// Text of ids.
    pub fn detokenize(&self, ids: &[u32], skip_special: bool) -> Result<Pieces> {
        let _ = (ids, skip_special);
        Err(Error::unsupported("", "no tokenizer yet"))
    }
    /// Messages through the checkpoint's chat template.
    pub fn chat(&self, messages: &Value, add_generation_prompt: bool, variables: &Map<String, Value>) -> Result<Chat> {
        let _ = (messages, add_generation_prompt, variables);
        Err(Error::unsupported("", "no tokenizer yet"))
    }
    pub(crate) fn net(&self) -> &Net {
        &self.net
    }

    /// A fresh session of `batch` rows. Errors: `Invalid` for an unknown switch or value, naming what is allowed, and for a batch outside 1..=64.
    pub fn open(self: &Arc<Self>, switches: &Map<String, Value>, batch: usize) -> Result<Session> {
        if !(1..=MAX_BATCH).contains(&batch) {
            return Err(Error::invalid("/batch", format!("{batch} rows; use 1 to {MAX_BATCH}")));
        }
        let switches = Switches::parse(switches)?;
        let pool = self.pool(switches.threads)?;
        Ok(Session::new(Arc::clone(self), switches, pool, batch))
    }

    fn pool(&self, threads: usize) -> Result<Arc<Pool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&threads).and_then(Weak::upgrade) {
            return Ok(pool);
        }
        let pool = Arc::new(Pool::new(threads)?);
        pools.insert(threads, Arc::downgrade(&pool));
        Ok(pool)
    }
}
