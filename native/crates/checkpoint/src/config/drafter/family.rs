//! Which drafter a folder holds, told by its architecture and model type.

use crate::{
    files::json::Object,
    names::{self, Naming},
};
use moire_base::Result;
use serde_json::Value;

const SUPPORTED: &str = "supported are DFlash (DFlashDraftModel) and the MTP head of Qwen 3.5 (qwen3_5_mtp, or mtp.* tensors in the model folder)";

/// Drafters of other families, by a part of their architecture or model type.
const OTHERS: [(&str, &str); 8] = [
    ("dflash2", "a DFlash 2 drafter"),
    ("dspark", "a DSpark drafter"),
    ("eagle", "an EAGLE drafter"),
    ("medusa", "a Medusa drafter"),
    ("laguna", "a Laguna drafter"),
    ("assistant", "an assistant drafter"),
    ("mtp", "an MTP head of another family"),
    ("draft", "a drafter of another family"),
];

/// What kind of folder holds the drafter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrafterFolder {
    Dflash,
    Mtp,
    /// The target's own folder, or that of the same model.
    Model,
}

impl DrafterFolder {
    pub(crate) fn naming(self) -> Naming {
        match self {
            Self::Dflash => names::DFLASH,
            Self::Mtp => names::MTP,
            Self::Model => names::MTP_IN_MODEL,
        }
    }
}

/// The kind of folder with this config.
pub(super) fn folder(top: Object<'_>) -> Result<DrafterFolder> {
    let architecture = top.list("architectures")?.and_then(|a| a.first()).and_then(Value::as_str).unwrap_or_default();
    let model_type = top.text("model_type")?.unwrap_or_default();
    let refuse = |why: String| Err(top.unsupported("architectures", format!("{why}; {SUPPORTED}")));
    match (architecture, model_type) {
        ("DFlashDraftModel", "qwen3" | "") => return Ok(DrafterFolder::Dflash),
        ("DFlashDraftModel", other) => return refuse(format!("say DFlash with layers of \"{other}\", not of qwen3")),
        (_, "qwen3_5_mtp") => return Ok(DrafterFolder::Mtp),
        _ => {}
    }
    let name = if architecture.is_empty() { model_type } else { architecture };
    let spelled = format!("{architecture} {model_type}").to_lowercase();
    if let Some((_, what)) = OTHERS.iter().find(|(part, _)| spelled.contains(part)) {
        return refuse(format!("say \"{name}\": {what}, which is not supported"));
    }
    match model_type {
        "qwen3_5" | "qwen3_5_text" => Ok(DrafterFolder::Model),
        _ => refuse(format!("say \"{name}\", which is no drafter")),
    }
}
