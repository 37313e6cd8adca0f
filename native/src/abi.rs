//! The three structs of `moire.h` as bytes: what a caller's `struct_size` has room for is filled, the rest is left alone.

use moire_base::{Dtype, Error, Result, Status};
use moire_engine::Tensor;
use std::{borrow::Cow, path::Path};

/// Bytes of `moire_error`.
pub const ERROR_SIZE: usize = 512;
/// Bytes of `moire_progress`.
pub const PROGRESS_SIZE: usize = 64;
/// Bytes of `moire_tensor_desc`.
pub const DESC_SIZE: usize = 96;
/// Largest rank a `moire_tensor_desc` can hold.
pub const MAX_RANK: usize = 8;

const SHAPE_AT: usize = 24;

/// A struct under construction. Fields beyond the caller's `struct_size` are dropped, a text that reaches past it is cut.
struct Fields<const N: usize> {
    bytes: [u8; N],
    room: usize,
}

impl<const N: usize> Fields<N> {
    fn new(struct_size: u32) -> Self {
        let mut fields = Self { bytes: [0; N], room: N.min(struct_size as usize) };
        fields.put(0, &struct_size.to_le_bytes());
        fields
    }
    fn put(&mut self, at: usize, value: &[u8]) {
        if at + value.len() <= self.room {
            self.bytes[at..at + value.len()].copy_from_slice(value);
        }
    }
    fn text(&mut self, at: usize, size: usize, text: &str) {
        let room = size.min(self.room.saturating_sub(at));
        let cut = cut_at_char(text, room.saturating_sub(1));
        self.put(at, cut.as_bytes());
    }
    fn filled(&self) -> &[u8] {
        &self.bytes[..self.room]
    }
}

/// The longest start of `text` of at most `max` bytes that ends at a character and holds no NUL.
fn cut_at_char(text: &str, max: usize) -> &str {
    let text = text.split('\0').next().unwrap_or_default();
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A path that is too long gives up its front: the end names the file.
fn within(place: &str, max: usize) -> Cow<'_, str> {
    if place.len() <= max || !Path::new(place).is_absolute() {
        return place.into();
    }
    let mut from = place.len() + '…'.len_utf8() - max;
    while !place.is_char_boundary(from) {
        from += 1;
    }
    format!("…{}", &place[from..]).into()
}

/// Hand the bytes of a `moire_error` for `error` (`None`: success) to `write`.
pub fn error(struct_size: u32, error: Option<&Error>, write: impl FnOnce(&[u8])) {
    let mut fields = Fields::<ERROR_SIZE>::new(struct_size);
    if let Some(e) = error {
        fields.put(4, &(e.status as i32).to_le_bytes());
        fields.text(8, 120, &within(&e.place, 119));
        fields.text(128, 384, &e.message);
    }
    write(fields.filled());
}

/// Hand the bytes of a `moire_progress` to `write`. Errors: `Version` if `struct_size` has no room for the state.
pub fn progress(
    struct_size: u32,
    state: i32,
    (done, total, stage): (u64, u64, String),
    write: impl FnOnce(&[u8]),
) -> Result<()> {
    require_size("progress", struct_size, 8)?;
    let mut fields = Fields::<PROGRESS_SIZE>::new(struct_size);
    fields.put(4, &state.to_le_bytes());
    fields.put(8, &done.to_le_bytes());
    fields.put(16, &total.to_le_bytes());
    fields.text(24, 40, &stage);
    write(fields.filled());
    Ok(())
}

/// Hand the bytes of a `moire_tensor_desc` to `write`. Errors: `Version` if the shape does not fit into `struct_size`, `Unsupported` above rank 8.
pub fn desc(struct_size: u32, tensor: &Tensor, write: impl FnOnce(&[u8])) -> Result<()> {
    let rank = tensor.shape.len();
    if rank > MAX_RANK {
        let message = format!("the tensor has {rank} dimensions; moire_tensor_desc holds {MAX_RANK}");
        return Err(Error::unsupported("tensor", message));
    }
    require_size("desc", struct_size, SHAPE_AT + 8 * rank)?;
    let mut fields = Fields::<DESC_SIZE>::new(struct_size);
    fields.put(4, &(tensor.dtype as u32).to_le_bytes());
    fields.put(8, &(rank as u32).to_le_bytes());
    fields.put(16, &(tensor.data.len() as u64).to_le_bytes());
    for (i, dim) in tensor.shape.iter().enumerate() {
        fields.put(SHAPE_AT + 8 * i, &(*dim as u64).to_le_bytes());
    }
    write(fields.filled());
    Ok(())
}

/// dtype and shape of a `moire_tensor_desc` that the caller filled; `bytes` is as long as its `struct_size`, at most [`DESC_SIZE`].
/// Errors: `Version` for a struct too small for its rank, `Invalid` for an unknown dtype, a rank above 8, or sizes that disagree.
fn read_desc(bytes: &[u8]) -> Result<(Dtype, Vec<usize>, usize)> {
    require_size("desc", bytes.len() as u32, SHAPE_AT)?;
    let code = u32_at(bytes, 4);
    let dtype = Dtype::from_code(code)
        .ok_or_else(|| Error::invalid("desc.dtype", format!("{code} is no dtype code; see moire_tensor_desc")))?;
    let rank = u32_at(bytes, 8) as usize;
    if rank > MAX_RANK {
        return Err(Error::invalid("desc.rank", format!("rank {rank} is above {MAX_RANK}")));
    }
    require_size("desc", bytes.len() as u32, SHAPE_AT + 8 * rank)?;
    let too_large = || Error::invalid("desc.shape", "the shape describes more bytes than this machine can address");
    let dims: Result<Vec<usize>> =
        (0..rank).map(|i| usize::try_from(u64_at(bytes, SHAPE_AT + 8 * i)).map_err(|_| too_large())).collect();
    let dims = dims?;
    let need = dims.iter().try_fold(dtype.size(), |n, d| n.checked_mul(*d)).ok_or_else(too_large)?;
    let claimed = u64_at(bytes, 16);
    if claimed != need as u64 {
        let message = format!("nbytes is {claimed}, but {} of shape {dims:?} takes {need}", dtype.name());
        return Err(Error::invalid("desc.nbytes", message));
    }
    Ok((dtype, dims, need))
}

/// A tensor over a copy of `bytes`. Errors: as [`read_desc`], `Invalid` if `bytes` is not as long as it says, `Memory`.
pub fn import(desc: &[u8], bytes: &[u8]) -> Result<Tensor> {
    let (dtype, shape, need) = read_desc(desc)?;
    if bytes.len() != need {
        return Err(Error::invalid("len", format!("{} bytes were given; desc says {need}", bytes.len())));
    }
    let mut copy = Vec::new();
    copy.try_reserve_exact(need)
        .map_err(|e| Error::new(Status::Memory, "bytes", format!("no memory for {need} bytes: {e}")))?;
    copy.extend_from_slice(bytes);
    Tensor::new(dtype, shape, copy.into())
}

fn require_size(place: &str, struct_size: u32, need: usize) -> Result<()> {
    if struct_size as usize >= need {
        return Ok(());
    }
    let message =
        format!("struct_size is {struct_size}; this call needs at least {need}: set it to the size of the struct");
    Err(Error::new(Status::Version, format!("{place}.struct_size"), message))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Name of a status without its prefix, NUL-terminated.
pub fn status_name(status: i32) -> &'static std::ffi::CStr {
    const NAMES: [&std::ffi::CStr; 14] = [
        c"OK",
        c"E_INTERNAL",
        c"E_INVALID",
        c"E_HANDLE",
        c"E_CANCELLED",
        c"E_TIMEOUT",
        c"E_BUSY",
        c"E_BUFFER",
        c"E_VERSION",
        c"E_IO",
        c"E_FORMAT",
        c"E_UNSUPPORTED",
        c"E_MEMORY",
        c"E_STATE",
    ];
    let index = status.checked_neg().and_then(|n| usize::try_from(n).ok());
    index.and_then(|i| NAMES.get(i)).copied().unwrap_or(c"UNKNOWN")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_bytes(size: u32, e: &Error) -> Vec<u8> {
        let mut out = Vec::new();
        error(size, Some(e), |b| out = b.to_vec());
        out
    }

    fn text(bytes: &[u8]) -> &str {
        let end = bytes.iter().position(|b| *b == 0).expect("NUL-terminated");
        std::str::from_utf8(&bytes[..end]).expect("UTF-8")
    }

    #[test]
    fn texts_are_cut_at_a_character_and_terminated() {
        let e = Error::invalid("é".repeat(100), "日本".repeat(100));
        let bytes = error_bytes(512, &e);
        assert_eq!(bytes.len(), ERROR_SIZE);
        assert_eq!(text(&bytes[8..128]), "é".repeat(59));
        assert_eq!(text(&bytes[128..]).len(), 381);
    }

    #[cfg(unix)]
    #[test]
    fn a_long_path_keeps_its_end() {
        let place = format!("/{}/model-00001-of-00002.safetensors", "é".repeat(100));
        let bytes = error_bytes(512, &Error::invalid(&place, ""));
        let told = text(&bytes[8..128]);
        assert!(told.starts_with("…é") && told.ends_with("é/model-00001-of-00002.safetensors"), "{told}");
        assert!((118..120).contains(&told.len()));
        let fits = format!("/{}", "a".repeat(118));
        assert_eq!(text(&error_bytes(512, &Error::invalid(&fits, ""))[8..128]), fits);
    }

    #[test]
    fn every_struct_size_gives_valid_text_within_it() {
        let e = Error::invalid("日本語".repeat(20), "ö".repeat(300));
        for size in 0..=700u32 {
            let bytes = error_bytes(size, &e);
            assert_eq!(bytes.len(), (size as usize).min(ERROR_SIZE));
            for field in [bytes.get(8..128.min(bytes.len())), bytes.get(128..)] {
                if let Some(field) = field.filter(|f| !f.is_empty()) {
                    text(field);
                }
            }
        }
    }

    #[test]
    fn a_text_ends_at_its_first_nul() {
        let bytes = error_bytes(512, &Error::invalid("a\0b", "c\0d"));
        assert_eq!((text(&bytes[8..128]), text(&bytes[128..])), ("a", "c"));
    }

    #[test]
    fn a_tensor_description_reads_back() {
        let tensor = Tensor::new(Dtype::Bf16, vec![3, 5], vec![0; 30].into()).expect("fits");
        let mut out = Vec::new();
        desc(96, &tensor, |b| out = b.to_vec()).expect("fits");
        assert_eq!(read_desc(&out).expect("valid"), (Dtype::Bf16, vec![3, 5], 30));
        assert_eq!(desc(39, &tensor, |_| panic!("written")).expect_err("too small").status, Status::Version);
    }

    #[test]
    fn wrong_descriptions_are_refused_with_their_field() {
        let tensor = Tensor::new(Dtype::F32, vec![2], vec![0; 8].into()).expect("fits");
        let mut good = Vec::new();
        desc(96, &tensor, |b| good = b.to_vec()).expect("fits");
        for (at, value, place) in
            [(4, 99u64, "desc.dtype"), (8, 9, "desc.rank"), (16, 7, "desc.nbytes"), (24, u64::MAX, "desc.shape")]
        {
            let mut bytes = good.clone();
            let width = if at < 16 { 4 } else { 8 };
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            assert_eq!(read_desc(&bytes).expect_err("refused").place, place);
        }
    }

    #[test]
    fn status_names_follow_the_codes() {
        assert_eq!(status_name(Status::Ok as i32), c"OK");
        assert_eq!(status_name(Status::State as i32), c"E_STATE");
        for unknown in [1, -14, i32::MIN, i32::MAX] {
            assert_eq!(status_name(unknown), c"UNKNOWN");
        }
    }
}
