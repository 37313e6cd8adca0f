//! Tensor names: three layouts of prefixes (model-spec 1.2, 1.3) become one, and tensors that belong to no text model are told apart.

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
