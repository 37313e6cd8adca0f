//! What `config.json` says about quantisation (model-spec 4.1): one geometry for all modules, and overrides by module path.

use crate::{
    files::json::{self, Object},
    names::Naming,
};
use moire_base::Result;
use serde_json::Value;
use std::collections::BTreeMap;

const BITS: [usize; 6] = [2, 3, 4, 5, 6, 8];
const GROUPS: [usize; 3] = [32, 64, 128];
/// The keys beside which every other key is a module path.
const OWN_KEYS: [&str; 4] = ["group_size", "bits", "mode", "quantize_input"];

/// Code width and group size of an affine quantised matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub bits: u32,
    pub group: usize,
}

impl Geometry {
    /// `None` unless affine quantisation has this geometry.
    pub(crate) fn new(bits: usize, group: usize) -> Option<Self> {
        (BITS.contains(&bits) && GROUPS.contains(&group)).then_some(Self { bits: bits as u32, group })
    }
}

/// What the config says about one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// Must be float.
    Float,
    /// Must be quantised like this.
    Quantised(Geometry),
    /// Quantised if it has scales, and then like this; `None`: the config knows no quantisation.
    ByScales(Option<Geometry>),
}

/// The quantisation part of a config.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    global: Option<Geometry>,
    overrides: BTreeMap<String, Declared>,
}

impl Plan {
    /// Reads `quantization`, else an MLX-like `quantization_config`, at the top level or in the text config.
    pub(crate) fn parse(top: Object<'_>, text: Object<'_>, naming: Naming) -> Result<Self> {
        for (object, key) in
            [(top, "quantization"), (text, "quantization"), (top, "quantization_config"), (text, "quantization_config")]
        {
            if let Some(value) = object.get(key) {
                return Self::from_value(
                    value,
                    if key == "quantization" { "config.json/quantization" } else { "config.json/quantization_config" },
                    naming,
                );
            }
        }
        Ok(Self::default())
    }

    fn from_value(value: &Value, place: &str, naming: Naming) -> Result<Self> {
        let object = Object::new(value, place)?;
        if let Some(method) = object.get("quant_method") {
            return Err(object.unsupported(
                "quant_method",
                format!("{} is not supported; convert the model to MLX affine quantisation", json::kind(method)),
            ));
        }
        let global = geometry(object)?;
        let mut overrides = BTreeMap::new();
        for (path, value) in object.entries().filter(|(k, _)| !OWN_KEYS.contains(&k.as_str())) {
            if let Some(module) = (naming.canonical)(path) {
                overrides.insert(module, declared(value, global, &format!("{place}/{path}"))?);
            }
        }
        Ok(Self { global: Some(global), overrides })
    }

    /// What is said about the module of this canonical path.
    pub(crate) fn of(&self, module: &str) -> Declared {
        self.overrides.get(module).copied().unwrap_or(Declared::ByScales(self.global))
    }
}

fn declared(value: &Value, global: Geometry, place: &str) -> Result<Declared> {
    match value {
        Value::Bool(false) => Ok(Declared::Float),
        Value::Bool(true) => Ok(Declared::Quantised(global)),
        _ => geometry(Object::new(value, place)?).map(Declared::Quantised),
    }
}

/// Missing keys take the defaults of the affine mode, in an override too (not the global values).
fn geometry(object: Object<'_>) -> Result<Geometry> {
    match object.text("mode")?.unwrap_or("affine") {
        "affine" => {}
        other => {
            return Err(
                object.unsupported("mode", format!("\"{other}\" is not supported; only affine quantisation is"))
            );
        }
    }
    if object.flag("quantize_input")? == Some(true) {
        return Err(object.unsupported("quantize_input", "is true; quantised activations are not supported"));
    }
    let one_of = |key: &str, default: usize, legal: &[usize]| {
        let n = object.size(key, 0, usize::MAX)?.unwrap_or(default);
        if legal.contains(&n) { Ok(n) } else { Err(object.error(key, format!("must be one of {legal:?}, found {n}"))) }
    };
    Ok(Geometry { bits: one_of("bits", 4, &BITS)? as u32, group: one_of("group_size", 64, &GROUPS)? })
}
