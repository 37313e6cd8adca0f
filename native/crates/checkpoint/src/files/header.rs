//! The header of a safetensors file: layout and validity rules of model-spec section 5. The tensor entries and the cover check (no hole, no overlap) are those
//! of the `safetensors` crate; here stand the rules it leaves out (duplicate names) and messages that name the tensor.

use moire_base::{Error, Result};
use safetensors::{
    SafeTensorError,
    tensor::{Metadata, TensorInfo},
};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

/// Longest header that the format allows.
const MAX_HEADER: u64 = 100_000_000;
/// Most dimensions of a tensor that the engine can hand out.
const MAX_RANK: usize = 8;
/// Largest dimension that every reader of JSON takes for the same number. Only a tensor without elements can have more.
const MAX_DIM: usize = (1 << 53) - 1;

/// The parsed header.
pub(crate) struct Header {
    /// Tensors in the order of the header, offsets relative to the buffer.
    pub tensors: Vec<(String, TensorInfo)>,
    /// `__metadata__`, empty if there is none.
    pub metadata: BTreeMap<String, String>,
    /// Where the buffer starts in the file.
    pub buffer: usize,
}

/// Reads and checks the header of `file`, the bytes of the file `place`. Touches nothing behind the header.
pub(crate) fn parse(file: &[u8], place: &str) -> Result<Header> {
    let buffer = buffer_start(file, place)?;
    // A copy: what is checked and what is parsed must be the same text, also if somebody writes to the file meanwhile.
    let text = String::from_utf8(file[8..buffer].to_vec())
        .map_err(|e| Error::format(place, format!("the header is not UTF-8: {e}; the file is damaged")))?;
    if !text.starts_with('{') {
        return Err(Error::format(
            place,
            "the header must be a JSON object; this is no safetensors file, or it is damaged",
        ));
    }
    let raw = raw_entries(&text).map_err(|e| {
        Error::format(place, format!("the header is not a valid JSON object: {e}; the file is damaged"))
    })?;
    let mut header =
        Header { tensors: Vec::with_capacity(raw.entries.len()), metadata: metadata(&raw, place)?, buffer };
    let mut seen = HashSet::new();
    for (name, entry) in &raw.entries {
        let at = |message: String| Error::format(format!("{place}: {name}"), message);
        if !seen.insert(name) {
            return Err(at("the header names this tensor twice; a name must be unique".to_owned()));
        }
        let info: TensorInfo = serde_json::from_str(entry.get())
            .map_err(|e| at(format!("the entry in the header is wrong: {}", without_position(&e))))?;
        check_entry(&info, file.len() - buffer).map_err(|e| at(format!("{e}; the file is damaged, fetch it again")))?;
        header.tensors.push((name.clone(), info));
    }
    check_cover(&header.tensors, file.len() - buffer, place)?;
    Ok(header)
}

fn buffer_start(file: &[u8], place: &str) -> Result<usize> {
    let Some(length) = file.first_chunk::<8>() else {
        return Err(Error::format(
            place,
            format!("holds {} bytes, too few for a safetensors header; fetch the file again", file.len()),
        ));
    };
    let n = u64::from_le_bytes(*length);
    if n > MAX_HEADER {
        return Err(Error::format(
            place,
            format!(
                "the header length is {n}, above the {MAX_HEADER} that the format allows; this is no safetensors file, or it is damaged"
            ),
        ));
    }
    let end = 8 + n as usize;
    if end > file.len() {
        return Err(Error::format(
            place,
            format!(
                "the header is {n} bytes long but the file has only {}; the download is incomplete, fetch it again",
                file.len()
            ),
        ));
    }
    Ok(end)
}

/// `__metadata__` and the raw entries, duplicates kept.
#[derive(Default)]
struct RawEntries {
    metadata: Option<Box<RawValue>>,
    entries: Vec<(String, Box<RawValue>)>,
}

struct RawHeader;

impl<'de> Visitor<'de> for RawHeader {
    type Value = RawEntries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensor entries")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<RawEntries, A::Error> {
        let mut raw = RawEntries::default();
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                raw.metadata = Some(map.next_value()?);
            } else {
                raw.entries.push((name, map.next_value()?));
            }
        }
        Ok(raw)
    }
}

/// The header may be padded with spaces, nothing else may follow the object.
fn raw_entries(text: &str) -> serde_json::Result<RawEntries> {
    let mut json = serde_json::Deserializer::from_str(text);
    let raw = json.deserialize_map(RawHeader)?;
    json.end()?;
    Ok(raw)
}

/// MLX writes `null` where there is none.
fn metadata(raw: &RawEntries, place: &str) -> Result<BTreeMap<String, String>> {
    let Some(text) = &raw.metadata else { return Ok(BTreeMap::new()) };
    serde_json::from_str::<Option<BTreeMap<String, String>>>(text.get())
        .map(Option::unwrap_or_default)
        .map_err(|e| Error::format(format!("{place}: __metadata__"), format!("must be an object of strings: {e}")))
}

/// A position within one entry says nothing to a reader who has the whole file.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

/// One entry by itself: rank, range and byte count.
fn check_entry(info: &TensorInfo, buffer: usize) -> std::result::Result<(), String> {
    let (begin, end) = info.data_offsets;
    if info.shape.len() > MAX_RANK {
        return Err(format!("has {} dimensions, more than {MAX_RANK}", info.shape.len()));
    }
    if let Some(dim) = info.shape.iter().find(|d| **d > MAX_DIM) {
        return Err(format!("has a dimension of {dim}, more than {MAX_DIM}"));
    }
    if begin > end {
        return Err(format!("its data_offsets [{begin}, {end}] run backwards"));
    }
    if end > buffer {
        return Err(format!("its data ends at {end} but the file holds only {buffer} data bytes"));
    }
    let bits = info.shape.iter().try_fold(info.dtype.bitsize(), |n, d| n.checked_mul(*d));
    match bits {
        None => Err(format!("shape {:?} overflows", info.shape)),
        Some(bits) if bits % 8 != 0 || bits / 8 != end - begin => Err(format!(
            "{:?} of shape {:?} takes {} bytes, its data_offsets hold {}",
            info.dtype,
            info.shape,
            bits / 8,
            end - begin
        )),
        Some(_) => Ok(()),
    }
}

/// All entries together must cover the buffer exactly.
fn check_cover(tensors: &[(String, TensorInfo)], buffer: usize, place: &str) -> Result<()> {
    let mut sorted = tensors.to_vec();
    sorted.sort_by_key(|(_, info)| info.data_offsets);
    let covered = match Metadata::new(None, sorted) {
        Ok(metadata) => metadata.data_len(),
        Err(SafeTensorError::InvalidOffset(name)) => {
            return Err(Error::format(
                format!("{place}: {name}"),
                "its data does not start where the tensor before it ends (an overlap or a hole); the file is damaged",
            ));
        }
        Err(e) => return Err(Error::format(place, format!("{e}; the file is damaged"))),
    };
    if covered == buffer {
        return Ok(());
    }
    Err(Error::format(
        place,
        format!(
            "{} bytes follow the last tensor; the file is damaged or was written by a faulty tool",
            buffer - covered
        ),
    ))
}
