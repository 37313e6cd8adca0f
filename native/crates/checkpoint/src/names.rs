//! Tensor names: three layouts of prefixes (model-spec 1.2, 1.3) become one, and tensors that belong to no text model are told apart.

/// How the tensors of one kind of network are spelled in files.
#[derive(Clone, Copy)]
pub(crate) struct Naming {
    /// `model.…` or `lm_head.…` of a tensor name or module path; `None` for one of another network.
    pub canonical: fn(&str) -> Option<String>,
    /// The spelling of a canonical name in a file whose tensor `example` stands for its layout.
    pub spelled: fn(&str, &str) -> String,
}

/// A text model.
pub(crate) const TEXT: Naming = Naming { canonical, spelled: spelled_like };
/// A DFlash drafter: `layers.0.…`, in some exports `model.layers.0.…` (model-spec 3.2).
pub(crate) const DFLASH: Naming = Naming { canonical: dflash, spelled: spelled_like_drafter };
/// An MTP head in a folder of its own, with or without `mtp.` (model-spec 2.1).
pub(crate) const MTP: Naming = Naming { canonical: mtp, spelled: spelled_like_drafter };
/// An MTP head beside the model that it belongs to.
pub(crate) const MTP_IN_MODEL: Naming = Naming { canonical: mtp_in_model, spelled: spelled_like_drafter };

/// Modules beside the text model. A tensor under one of them is never read.
const OTHER_MODULES: [&str; 9] = [
    "vision_tower",
    "visual",
    "vision_model",
    "audio_tower",
    "multi_modal_projector",
    "embed_vision",
    "embed_audio",
    "mtp",
    "nextn",
];

/// Suffixes of tensors that are computed at run time and stored by old tools.
const IGNORED_SUFFIXES: [&str; 2] = ["rotary_emb.inv_freq", "self_attn.bias_mask"];

/// `model.…` or `lm_head.…` of a text tensor or module path; `None` for one that the text model does not have.
pub(crate) fn canonical(name: &str) -> Option<String> {
    if name.split('.').any(|part| OTHER_MODULES.contains(&part)) || IGNORED_SUFFIXES.iter().any(|s| name.ends_with(s)) {
        return None;
    }
    for (prefix, to) in [
        ("language_model.model.", "model."),
        ("model.language_model.", "model."),
        ("language_model.lm_head", "lm_head"),
    ] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return Some(format!("{to}{rest}"));
        }
    }
    Some(name.to_owned())
}

/// The spelling of a canonical name in a file whose tensor `example` stands for its layout. For messages about a tensor that is not there.
pub(crate) fn spelled_like(canonical: &str, example: &str) -> String {
    if example.starts_with("language_model.") {
        return format!("language_model.{canonical}");
    }
    match canonical.strip_prefix("model.") {
        Some(rest) if example.starts_with("model.language_model.") => format!("model.language_model.{rest}"),
        _ => canonical.to_owned(),
    }
}

fn dflash(name: &str) -> Option<String> {
    drafter_name(name.strip_prefix("model.").unwrap_or(name))
}

fn mtp(name: &str) -> Option<String> {
    drafter_name(after_mtp(name).unwrap_or(name))
}

fn mtp_in_model(name: &str) -> Option<String> {
    drafter_name(after_mtp(name)?)
}

/// What follows the module `mtp`.
pub(crate) fn after_mtp(name: &str) -> Option<&str> {
    ["mtp.", "language_model.mtp.", "model.mtp."].iter().find_map(|prefix| name.strip_prefix(prefix))
}

fn drafter_name(rest: &str) -> Option<String> {
    (!IGNORED_SUFFIXES.iter().any(|s| rest.ends_with(s))).then(|| format!("model.{rest}"))
}

/// Drafters have one prefix before all their names, maybe none.
fn spelled_like_drafter(canonical: &str, example: &str) -> String {
    let rest = canonical.strip_prefix("model.").unwrap_or(canonical);
    let prefix = match (after_mtp(example), example.strip_prefix("model.")) {
        (Some(after), _) | (None, Some(after)) => &example[..example.len() - after.len()],
        (None, None) => "",
    };
    format!("{prefix}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_layouts_become_one() {
        for name in ["language_model.model.norm.weight", "model.language_model.norm.weight", "model.norm.weight"] {
            assert_eq!(canonical(name).as_deref(), Some("model.norm.weight"));
            assert_eq!(spelled_like("model.norm.weight", name), name);
        }
        assert_eq!(canonical("language_model.lm_head.scales").as_deref(), Some("lm_head.scales"));
        assert_eq!(canonical("language_model.lm_head").as_deref(), Some("lm_head"));
    }

    #[test]
    fn drafters_have_one_prefix_or_none() {
        for (naming, name) in [
            (DFLASH, "fc.weight"),
            (DFLASH, "model.fc.weight"),
            (MTP, "fc.weight"),
            (MTP, "mtp.fc.weight"),
            (MTP_IN_MODEL, "mtp.fc.weight"),
            (MTP_IN_MODEL, "language_model.mtp.fc.weight"),
        ] {
            assert_eq!((naming.canonical)(name).as_deref(), Some("model.fc.weight"), "{name}");
            assert_eq!((naming.spelled)("model.fc.weight", name), name);
        }
        assert_eq!((MTP_IN_MODEL.canonical)("model.norm.weight"), None);
    }

    #[test]
    fn other_modules_are_left_out() {
        for name in [
            "vision_tower.x.weight",
            "model.visual.x",
            "visual.x",
            "mtp.norm.weight",
            "language_model.mtp.fc.weight",
            "model.layers.0.self_attn.rotary_emb.inv_freq",
        ] {
            assert_eq!(canonical(name), None, "{name}");
        }
    }
}
