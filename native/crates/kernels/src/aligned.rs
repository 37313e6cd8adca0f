//! Memory that begins at a cache line, so that no vector of rows of whole vectors crosses one: a store across two lines costs several.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// fp32 numbers from a cache line on.
pub struct Aligned {
    values: Vec<f32>,
    /// Elements before the first cache line.
    skipped: usize,
    len: usize,
}

impl Aligned {
    /// `len` zeros.
    pub fn new(len: usize) -> Self {
        let values = vec![0.0; len + LINE / size_of::<f32>()];
        let skipped = values.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        Self { values, skipped, len }
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.values[self.skipped..self.skipped + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.values[self.skipped..self.skipped + self.len]
    }
}
