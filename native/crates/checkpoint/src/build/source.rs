//! Tensors by canonical name, with a record of which ones the model used.

use crate::{
    config::{Architecture, Plan},
    files::Tensor,
    names::{self, Naming},
};
use moire_base::{Bytes, Dtype, Error, Result, Vector};
use std::collections::{BTreeMap, HashSet};

/// How the norm weights that HF files store around 0 are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norms {
    /// Take them as they are; no page of them is read.
    Untouched,
    /// Add 1 if the file is in HF layout.
    ByLayout,
    /// Add 1: something else says that the file is in HF layout.
    Shifted,
}

/// The tensors of a network in a folder.
pub(crate) struct Source<'a> {
    tensors: BTreeMap<String, &'a Tensor>,
    used: HashSet<String>,
    /// A tensor whose prefix shows how this file spells names.
    example: &'a str,
    naming: Naming,
    pub plan: &'a Plan,
    /// The convolution kernels are `[C, 1, 4]` and the norms lack their 1.
    hf_layout: bool,
    shift: bool,
}

impl<'a> Source<'a> {
    /// Sorts out `all` tensors of a folder.
    pub(crate) fn new(
        all: impl Iterator<Item = &'a Tensor>,
        naming: Naming,
        architecture: Architecture,
        plan: &'a Plan,
        norms: Norms,
    ) -> Result<Self> {
        let mut tensors: BTreeMap<String, &Tensor> = BTreeMap::new();
        for t in all {
            let Some(name) = (naming.canonical)(&t.name) else { continue };
            if let Some(other) = tensors.insert(name, t) {
                return Err(error(t, format!("is the same weight as {}; two layouts are mixed", other.name)));
            }
        }
        let hf_layout = architecture == Architecture::Qwen35 && is_hf_layout(tensors.values().copied())?;
        let example = tensors.iter().find(|(name, _)| name.starts_with("model.")).map_or("model.", |(_, t)| &t.name);
        Ok(Self {
            tensors,
            used: HashSet::new(),
            example,
            naming,
            plan,
            hf_layout,
            shift: norms == Norms::Shifted || hf_layout && norms == Norms::ByLayout,
        })
    }

    /// The tensor of this canonical name, if there is one. It counts as used.
    pub(crate) fn find(&mut self, name: &str) -> Option<&'a Tensor> {
        let tensor = self.tensors.get(name).copied()?;
        self.used.insert(name.to_owned());
        Some(tensor)
    }

    /// The tensor of this canonical name.
    pub(crate) fn take(&mut self, name: &str) -> Result<&'a Tensor> {
        self.find(name).ok_or_else(|| Error::format(self.spelled(name), "is missing in the safetensors files; the download is incomplete, or the config belongs to another model"))
    }

    /// Whether there is a tensor of this canonical name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// How this file spells a canonical name.
    pub(crate) fn spelled(&self, name: &str) -> String {
        (self.naming.spelled)(name, self.example)
    }

    /// A float vector of `len` elements, as stored.
    pub(crate) fn vector(&mut self, name: &str, len: usize) -> Result<Vector> {
        let t = self.take(name)?;
        check_shape(t, &[len])?;
        Ok(Vector { dtype: float_dtype(t)?, data: t.data.clone() })
    }

    /// A norm weight that HF files store without its 1. The sum is made in the tensor's dtype, as converters do.
    pub(crate) fn shifted_norm(&mut self, name: &str, len: usize) -> Result<Vector> {
        let stored = self.vector(name, len)?;
        if !self.shift {
            return Ok(stored);
        }
        let values: Vec<f32> = stored.to_f32().into_iter().map(|w| 1.0 + w).collect();
        Ok(Vector { dtype: stored.dtype, data: Bytes::from(stored.dtype.narrow(&values)) })
    }

    /// The convolution kernel as `[channels, taps]`. `[C, taps, 1]` (MLX) and `[C, 1, taps]` (HF) are the same bytes.
    pub(crate) fn conv(&mut self, name: &str, channels: usize, taps: usize) -> Result<Vector> {
        let t = self.take(name)?;
        let shape = if self.hf_layout { [channels, 1, taps] } else { [channels, taps, 1] };
        check_shape(t, &shape)?;
        Ok(Vector { dtype: float_dtype(t)?, data: t.data.clone() })
    }

    /// Whether there is no tensor of this network at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Tensors of the network that nothing asked for.
    pub(crate) fn left_over(&self) -> impl Iterator<Item = (&str, &'a Tensor)> {
        self.tensors.iter().filter(|(name, _)| !self.used.contains(*name)).map(|(name, t)| (name.as_str(), *t))
    }

    /// Names in the files of the tensors in use.
    pub(crate) fn used_names(&self) -> HashSet<&'a str> {
        self.used.iter().map(|name| self.tensors[name].name.as_str()).collect()
    }
}

/// Whether the text model among all tensors of a folder is in HF layout.
pub(crate) fn has_hf_text_model<'a>(all: impl Iterator<Item = &'a Tensor>) -> Result<bool> {
    is_hf_layout(all.filter(|t| names::canonical(&t.name).is_some()))
}

/// HF files have the taps in the last dimension. The norms follow the layout of the convolution, never the presence of other tensors.
fn is_hf_layout<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> Result<bool> {
    let mut first: Option<(&Tensor, bool)> = None;
    for t in tensors.filter(|t| t.name.ends_with("conv1d.weight")) {
        let hf = t.shape.len() == 3 && t.shape[2] != 1;
        match first {
            Some((other, layout)) if layout != hf => {
                return Err(error(
                    t,
                    format!(
                        "has shape {:?} and {} has {:?}: MLX and HF layout are mixed",
                        t.shape, other.name, other.shape
                    ),
                ));
            }
            _ => first = Some((t, hf)),
        }
    }
    Ok(first.is_some_and(|(_, hf)| hf))
}

pub(crate) fn error(t: &Tensor, message: impl AsRef<str>) -> Error {
    Error::format(format!("{}: {}", t.file, t.name), message.as_ref())
}

pub(crate) fn check_shape(t: &Tensor, want: &[usize]) -> Result<()> {
    if t.shape == want {
        Ok(())
    } else {
        Err(error(
            t,
            format!("has shape {:?}, the config asks for {want:?}; config and weights do not belong together", t.shape),
        ))
    }
}

pub(crate) fn float_dtype(t: &Tensor) -> Result<Dtype> {
    t.dtype
        .filter(|d| d.is_float())
        .ok_or_else(|| error(t, format!("is stored as {}; it must be bf16, f16 or f32", t.dtype_name)))
}
