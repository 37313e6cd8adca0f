//! A loaded drafter.

use super::{DraftSession, DrafterInfo, info, net::DraftNet, switches::DraftSwitches};
use crate::{Model, batch::check_batch, threads::Threads};
use moire_base::{Control, Result};
use moire_checkpoint::{DrafterCheckpoint, WeightFiles};
use serde_json::{Map, Value};
use std::{path::Path, sync::Arc};

/// A drafter ready to run. Keeps its target alive, whose embedding and head it uses.
pub struct Drafter {
    target: Arc<Model>,
    net: DraftNet,
    info: DrafterInfo,
    /// Its own and those of the target.
    files: WeightFiles,
}

impl Drafter {
    /// Open a folder for `target`: a DFlash drafter, an MTP head, or a Qwen 3.5 model with an MTP head in it. Its weights are read through, as a model's with `scan`.
    ///
    /// # Errors
    /// `Io`, `Format` (also for one that does not fit the target), `Unsupported`, `Cancelled`; the place names the file, key or tensor.
    pub fn load(path: &Path, target: &Arc<Model>, control: &Control) -> Result<Arc<Self>> {
        let config = &target.net().config;
        let found = DrafterCheckpoint::open(path, config, control)?;
        let info = info::describe(&found.config, &found.summary, config);
        let net = DraftNet::new(found.config, found.weights);
        let files = found.files.and(target.files());
        files.check()?;
        Ok(Arc::new(Self { info, net, files, target: Arc::clone(target) }))
    }

    /// Facts, switches and taps.
    pub fn info(&self) -> &DrafterInfo {
        &self.info
    }

    pub(super) fn net(&self) -> &DraftNet {
        &self.net
    }

    /// What has to stay as it is while the drafter runs.
    pub(super) fn files(&self) -> &WeightFiles {
        &self.files
    }

    pub(super) fn target(&self) -> &Model {
        &self.target
    }

    /// A draft session that has seen nothing, for `batch` rows.
    /// Errors: `Invalid` for an unknown switch or value, naming what is allowed, and for a batch outside 1..=64.
    pub fn open(self: &Arc<Self>, switches: &Map<String, Value>, batch: usize) -> Result<DraftSession> {
        check_batch("/batch", batch)?;
        let threads = Threads::parse(switches.get("threads"))?;
        let switches = DraftSwitches::parse(switches, &self.net)?;
        let pool = self.target.pool(threads.now())?;
        Ok(DraftSession::new(Arc::clone(self), switches, pool, batch, threads.note.into_iter().collect()))
    }
}
