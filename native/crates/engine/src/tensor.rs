//! A tensor: dtype, shape, little-endian bytes.

use moire_base::{Bytes, Dtype, Error, Result};
use moire_kernels::{Isa, convert};

/// Row-major values that were computed, mapped from a file or handed in. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Element type.
    pub dtype: Dtype,
    /// Outermost first.
    pub shape: Vec<usize>,
    /// `product(shape) * dtype.size()` bytes, any alignment.
    pub data: Bytes,
}

impl Tensor {
    /// A tensor over `data`. Errors: `Invalid` if the byte count is not what dtype and shape say.
    pub fn new(dtype: Dtype, shape: Vec<usize>, data: Bytes) -> Result<Self> {
        let need = shape.iter().try_fold(dtype.size(), |n, d| n.checked_mul(*d));
        if need != Some(data.len()) {
            let have = data.len();
            let message = format!("{have} bytes do not fill a {} tensor of shape {shape:?}", dtype.name());
            return Err(Error::invalid("/shape", message));
        }
        Ok(Self { dtype, shape, data })
    }

    /// `values` rounded to `dtype` (a float type); they must fill `shape`.
    pub(crate) fn from_f32(dtype: Dtype, shape: Vec<usize>, values: &[f32]) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        let mut data = Vec::new();
        convert::narrow(Isa::detect(), dtype, values, &mut data);
        Self { dtype, shape, data: data.into() }
    }

    /// Rows along the first dimension; a scalar is one row.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Elements of one row.
    pub fn row_len(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// "bf16 [4, 128]", for messages.
    pub fn describe(&self) -> String {
        format!("{} {:?}", self.dtype.name(), self.shape)
    }
}
