//! A mapped safetensors file.

use super::{header, map::map_file};
use moire_base::{Bytes, Dtype, Result};
use std::{collections::BTreeMap, path::Path};

/// A tensor in a mapped file.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Name in the header.
    pub name: String,
    /// File name without its folder.
    pub file: String,
    /// `None` for types the engine does not compute with (8-bit and smaller floats, complex numbers); `dtype_name` says which.
    pub dtype: Option<Dtype>,
    /// `bf16`, `u32`, `f8_e4m3`, ...
    pub dtype_name: String,
    /// Outermost dimension first; empty for a scalar.
    pub shape: Vec<usize>,
    /// Its bytes, little-endian, any alignment.
    pub data: Bytes,
}

/// All tensors of one `.safetensors` file, by memory map: opening reads the header only.
#[derive(Clone, Debug)]
pub struct TensorFile {
    /// In the order of the header.
    pub tensors: Vec<Tensor>,
    /// `__metadata__`, empty if there is none.
    pub metadata: BTreeMap<String, String>,
    /// The whole file.
    pub bytes: Bytes,
    /// Where the data starts in `bytes`.
    pub buffer: usize,
}

impl TensorFile {
    /// Maps `path` and checks its header by all rules of model-spec 5.2.
    ///
    /// # Errors
    /// `Io` if the file cannot be read, `Format` if it breaks a rule: the message names the tensor where there is one.
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let bytes = map_file(path)?;
        let parsed = header::parse(&bytes, &file);
        // First: a header that changed while it was read is no damaged one.
        bytes.check()?;
        let header = parsed?;
        let tensor = |(name, info): (String, safetensors::tensor::TensorInfo)| {
            let (begin, end) = info.data_offsets;
            let data = bytes
                .slice(header.buffer + begin, header.buffer + end)
                .expect("the header was checked against the file");
            Tensor {
                name,
                file: file.clone(),
                dtype: engine_dtype(info.dtype),
                dtype_name: format!("{:?}", info.dtype).to_lowercase(),
                shape: info.shape,
                data,
            }
        };
        let tensors = header.tensors.into_iter().map(tensor).collect();
        Ok(Self { tensors, metadata: header.metadata, bytes, buffer: header.buffer })
    }

    /// The tensor called `name`.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|t| t.name == name)
    }
}

fn engine_dtype(dtype: safetensors::Dtype) -> Option<Dtype> {
    use safetensors::Dtype as S;
    Some(match dtype {
        S::BOOL => Dtype::Bool,
        S::U8 => Dtype::U8,
        S::I8 => Dtype::I8,
        S::U16 => Dtype::U16,
        S::I16 => Dtype::I16,
        S::F16 => Dtype::F16,
        S::BF16 => Dtype::Bf16,
        S::U32 => Dtype::U32,
        S::I32 => Dtype::I32,
        S::F32 => Dtype::F32,
        S::U64 => Dtype::U64,
        S::I64 => Dtype::I64,
        S::F64 => Dtype::F64,
        _ => return None,
    })
}
