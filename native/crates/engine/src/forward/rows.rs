//! Activations of a call: one row per (batch row, position), fp32 values that are exact in `dtype`.

use moire_base::Dtype;
use moire_kernels::promote;

/// `[rows, width]`, row-major.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The elements.
    pub values: Vec<f32>,
    /// Elements of a row.
    pub width: usize,
    /// What the values were rounded to.
    pub dtype: Dtype,
}

impl Rows {
    /// `rows` rows of zeros.
    pub fn zeros(rows: usize, width: usize, dtype: Dtype) -> Self {
        Self { values: vec![0.0; rows * width], width, dtype }
    }

    /// Zeros of the same shape and dtype.
    pub fn like(other: &Self) -> Self {
        Self { values: vec![0.0; other.values.len()], ..*other }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// Elements `from..to` of every `part` elements: one side of q and gate, one of q, k and v.
    pub fn columns(&self, part: usize, from: usize, to: usize) -> Self {
        let width = self.width / part * (to - from);
        let mut values = Vec::with_capacity(self.rows() * width);
        self.values.chunks_exact(part).for_each(|c| values.extend_from_slice(&c[from..to]));
        Self { values, width, dtype: self.dtype }
    }

    /// Every row of `a` and then of `b`, which have as many, as one.
    pub fn beside(a: &Self, b: &Self) -> Self {
        let (width, dtype) = (a.width + b.width, promote(a.dtype, b.dtype));
        let mut values = Vec::with_capacity(a.values.len() + b.values.len());
        for (a, b) in a.values.chunks_exact(a.width).zip(b.values.chunks_exact(b.width)) {
            values.extend_from_slice(a);
            values.extend_from_slice(b);
        }
        Self { values, width, dtype }
    }

    /// The rows named, in that order.
    pub fn gather(&self, rows: &[usize]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.width);
        rows.iter().for_each(|r| values.extend_from_slice(&self.values[r * self.width..(r + 1) * self.width]));
        Self { values, ..*self }
    }
}
