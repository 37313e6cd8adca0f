//! One pass over the weight files: a fingerprint of every byte, and a count of values that are no numbers.

use crate::files::{Tensor, TensorFile};
use moire_base::{Control, Dtype, Result};
use std::collections::HashSet;

/// Bytes between two looks at the control; even, so that no element is cut.
const CHUNK: usize = 4 << 20;
/// Tensors named one by one in the warnings.
const MAX_NAMED: usize = 20;

/// Fingerprint over config bytes and every byte of every file (`blake3:…`), and warnings about NaN and Inf in the tensors called `used`.
/// Progress: stage `read weights`, in bytes.
pub(crate) fn scan(
    config: &[u8],
    files: &[(String, TensorFile)],
    used: &HashSet<&str>,
    control: &Control,
) -> Result<(String, Vec<String>)> {
    control.stage("read weights", files.iter().flat_map(|(_, f)| &f.tensors).map(|t| t.data.len() as u64).sum());
    let mut hash = start(config);
    let mut findings = Vec::new();
    for (name, file) in files {
        begin_file(&mut hash, name, file);
        for tensor in in_file_order(file) {
            let count = scan_tensor(&mut hash, tensor, used.contains(tensor.name.as_str()), control)?;
            findings.extend(count.finding(tensor));
            // Not at the end alone: a large file that was cut is not read to its end.
            tensor.data.check()?;
        }
    }
    let hidden = findings.len().saturating_sub(MAX_NAMED);
    findings.truncate(MAX_NAMED);
    if hidden > 0 {
        findings.push(format!("{hidden} more tensors hold NaN or Inf"));
    }
    Ok((format!("blake3:{}", hash.finalize().to_hex()), findings))
}

/// Fingerprint over config bytes and file headers (`headers:blake3:…`). Reads no weights.
pub(crate) fn header_fingerprint(config: &[u8], files: &[(String, TensorFile)]) -> String {
    let mut hash = start(config);
    for (name, file) in files {
        begin_file(&mut hash, name, file);
    }
    format!("headers:blake3:{}", hash.finalize().to_hex())
}

fn start(config: &[u8]) -> blake3::Hasher {
    let mut hash = blake3::Hasher::new();
    hash.update(&(config.len() as u64).to_le_bytes()).update(config);
    hash
}

/// Name, length and header. Lengths stand before what they count, so that no two folders give one stream.
fn begin_file(hash: &mut blake3::Hasher, name: &str, file: &TensorFile) {
    hash.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
    hash.update(&(file.bytes.len() as u64).to_le_bytes()).update(&file.bytes[..file.buffer]);
}

/// The tensors cover the buffer without holes, so that this order reads every page once.
fn in_file_order(file: &TensorFile) -> Vec<&Tensor> {
    let mut tensors: Vec<&Tensor> = file.tensors.iter().collect();
    tensors.sort_by_key(|t| t.data.as_ptr());
    tensors
}

#[derive(Default)]
struct NonFinite {
    nan: u64,
    inf: u64,
    first: Option<usize>,
}

impl NonFinite {
    fn finding(&self, tensor: &Tensor) -> Option<String> {
        let first = self.first?;
        let total: usize = tensor.shape.iter().product();
        Some(format!(
            "{}: {} NaN and {} infinite among {total} values, the first at index {:?}; results that use them will not be numbers",
            tensor.name,
            self.nan,
            self.inf,
            position(first, &tensor.shape)
        ))
    }

    fn count(&mut self, dtype: Dtype, chunk: &[u8], offset: usize) {
        if !any_non_finite(dtype, chunk) {
            return;
        }
        for i in 0..chunk.len() / dtype.size() {
            let x = dtype.load(chunk, i);
            self.nan += u64::from(x.is_nan());
            self.inf += u64::from(x.is_infinite());
            if !x.is_finite() && self.first.is_none() {
                self.first = Some(offset + i);
            }
        }
    }
}

fn scan_tensor(hash: &mut blake3::Hasher, tensor: &Tensor, used: bool, control: &Control) -> Result<NonFinite> {
    let mut found = NonFinite::default();
    let float = tensor.dtype.filter(|d| used && d.is_float());
    for (n, chunk) in tensor.data.chunks(CHUNK).enumerate() {
        control.check()?;
        hash.update(chunk);
        if let Some(dtype) = float {
            found.count(dtype, chunk, n * CHUNK / dtype.size());
        }
        control.advance(chunk.len() as u64);
    }
    Ok(found)
}

/// Exponent all ones: the quick look at a chunk that is nearly always clean.
fn any_non_finite(dtype: Dtype, chunk: &[u8]) -> bool {
    let half =
        |mask: u16| chunk.chunks_exact(2).fold(false, |any, b| any | (u16::from_le_bytes([b[0], b[1]]) & mask == mask));
    match dtype {
        Dtype::Bf16 => half(0x7f80),
        Dtype::F16 => half(0x7c00),
        _ => chunk
            .chunks_exact(4)
            .fold(false, |any, b| any | (u32::from_le_bytes([b[0], b[1], b[2], b[3]]) & 0x7f80_0000 == 0x7f80_0000)),
    }
}

/// Index of a flat position in each dimension.
fn position(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&d| {
            let i = flat % d;
            flat /= d;
            i
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_finds_its_nan_and_inf() {
        for dtype in [Dtype::F32, Dtype::F16, Dtype::Bf16] {
            let mut found = NonFinite::default();
            found.count(dtype, &dtype.narrow(&[1.0, -65000.0, 0.0]), 0);
            assert_eq!((found.nan, found.inf, found.first), (0, 0, None), "{dtype:?}");
            found.count(dtype, &dtype.narrow(&[1.0, f32::NAN, f32::NEG_INFINITY, f32::NAN]), 3);
            assert_eq!((found.nan, found.inf, found.first), (2, 1, Some(4)), "{dtype:?}");
        }
        assert_eq!(position(7, &[2, 5]), [1, 2]);
    }
}
