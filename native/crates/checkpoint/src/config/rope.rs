//! Rotary embedding parameters: `rope_parameters` of newer files, `rope_theta` and `rope_scaling` of older ones.

use super::{Architecture, Rope, RopeScaling};
use crate::files::json::Object;
use moire_base::Result;

const SUPPORTED: &str = "default, linear, dynamic, llama3 and yarn";

/// Reads the rope keys of a model with heads of `head_dim`.
pub(crate) fn parse(text: Object<'_>, architecture: Architecture, head_dim: usize) -> Result<Rope> {
    let scaling = match text.get("rope_parameters") {
        Some(value) => Some(Object::new(value, "config.json/rope_parameters")?),
        None => text.get("rope_scaling").map(|v| Object::new(v, "config.json/rope_scaling")).transpose()?,
    };
    let number = |key: &str| match scaling.map(|s| s.number(key)).transpose()?.flatten() {
        Some(x) => Ok(Some(x)),
        None => text.number(key),
    };
    Ok(Rope {
        dims: dims(text, number("partial_rotary_factor")?, architecture, head_dim)?,
        theta: theta(text, number("rope_theta")?, architecture)?,
        traditional: text.flag("rope_traditional")?.unwrap_or(false),
        scaling: scaling.map_or(Ok(RopeScaling::Default), scaling_of)?,
    })
}

fn dims(text: Object<'_>, factor: Option<f64>, architecture: Architecture, head_dim: usize) -> Result<usize> {
    let usual = if architecture == Architecture::Qwen35 { 0.25 } else { 1.0 };
    let factor = factor.unwrap_or(usual);
    let dims = (head_dim as f64 * factor) as usize;
    if factor > 0.0 && factor <= 1.0 && dims >= 2 && dims % 2 == 0 {
        return Ok(dims);
    }
    Err(text.error("partial_rotary_factor", format!("{factor} of head_dim {head_dim} gives {dims} rotated dimensions; they must be an even number from 2 to head_dim")))
}

fn theta(text: Object<'_>, theta: Option<f64>, architecture: Architecture) -> Result<f64> {
    match theta {
        Some(t) if t > 1.0 => Ok(t),
        Some(t) => Err(text.error("rope_theta", format!("must be above 1, found {t}"))),
        // The one family whose published files may leave it out.
        None if architecture == Architecture::Llama => Ok(10_000.0),
        None => Err(text.error("rope_theta", "is missing; it belongs into rope_parameters or beside it")),
    }
}

fn scaling_of(s: Object<'_>) -> Result<RopeScaling> {
    let (key, kind) = match s.text("rope_type")? {
        Some(kind) => ("rope_type", kind),
        None => ("type", s.text("type")?.unwrap_or("default")),
    };
    match kind {
        // All three position axes of a text are the same, so sectioned rope is the plain one.
        "default" | "mrope" => Ok(RopeScaling::Default),
        "linear" => Ok(RopeScaling::Linear { factor: positive(s, "factor", None)? }),
        "dynamic" => Ok(RopeScaling::Dynamic { factor: positive(s, "factor", None)? }),
        "llama3" => llama3(s),
        "yarn" | "deepseek_yarn" | "telechat3-yarn" => yarn(s),
        other => Err(s.unsupported(key, format!("\"{other}\" is not supported; supported are {SUPPORTED}"))),
    }
}

fn positive(s: Object<'_>, key: &str, default: Option<f64>) -> Result<f64> {
    match s.number(key)?.or(default) {
        Some(x) if x > 0.0 => Ok(x),
        Some(x) => Err(s.error(key, format!("must be above 0, found {x}"))),
        None => Err(s.error(key, "is missing; this rope type needs it")),
    }
}

fn llama3(s: Object<'_>) -> Result<RopeScaling> {
    let low_freq_factor = positive(s, "low_freq_factor", Some(1.0))?;
    let high_freq_factor = positive(s, "high_freq_factor", Some(4.0))?;
    if high_freq_factor <= low_freq_factor {
        return Err(s.error(
            "high_freq_factor",
            format!("must be above low_freq_factor {low_freq_factor}, found {high_freq_factor}"),
        ));
    }
    let original = positive(s, "original_max_position_embeddings", Some(8192.0))?;
    Ok(RopeScaling::Llama3 { factor: positive(s, "factor", None)?, low_freq_factor, high_freq_factor, original })
}

fn yarn(s: Object<'_>) -> Result<RopeScaling> {
    if s.get("attention_factor").is_some() {
        return Err(s.unsupported(
            "attention_factor",
            "is not supported; the attention scale is computed from factor and mscale",
        ));
    }
    let weight = |key: &str, default: f64| s.number(key).map(|x| x.unwrap_or(default));
    Ok(RopeScaling::Yarn {
        factor: positive(s, "factor", None)?,
        beta_fast: positive(s, "beta_fast", Some(32.0))?,
        beta_slow: positive(s, "beta_slow", Some(1.0))?,
        mscale: weight("mscale", 1.0)?,
        mscale_all_dim: weight("mscale_all_dim", 0.0)?,
        original: positive(s, "original_max_position_embeddings", Some(4096.0))?,
    })
}
