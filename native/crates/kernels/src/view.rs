//! Columns of a wider matrix, read where they lie.

use std::ops::Range;

/// Columns of every row of a row-major matrix.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    matrix: &'a [f32],
    stride: usize,
    first: usize,
    width: usize,
}

impl<'a> Columns<'a> {
    /// `columns` of a matrix with rows of `stride`.
    ///
    /// # Panics
    /// Unless the rows are whole and the columns lie in them.
    pub fn new(matrix: &'a [f32], stride: usize, columns: Range<usize>) -> Self {
        assert!(stride > 0 && matrix.len() % stride == 0, "{} elements, rows of {stride}", matrix.len());
        assert!(columns.start <= columns.end && columns.end <= stride, "columns {columns:?} of rows of {stride}");
        Self { matrix, stride, first: columns.start, width: columns.len() }
    }

    /// A whole matrix.
    pub fn whole(matrix: &'a [f32], width: usize) -> Self {
        Self::new(matrix, width, 0..width)
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.matrix.len() / self.stride
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// These columns of one row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &'a [f32] {
        &self.matrix[row * self.stride + self.first..][..self.width]
    }

    /// The same columns of some rows.
    pub fn slice(&self, rows: Range<usize>) -> Self {
        Self { matrix: &self.matrix[rows.start * self.stride..rows.end * self.stride], ..*self }
    }
}
