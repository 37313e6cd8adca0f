//! Column windows of one row-major matrix, written by several threads at once. One of the files that may hold `unsafe`.
#![allow(unsafe_code)]

use std::{marker::PhantomData, ops::Range};

/// Some columns of every row of a matrix. It alone reaches them while it lives.
pub struct Window<'a> {
    /// Element (0, first column).
    start: *mut f32,
    /// Elements from one row to the next.
    stride: usize,
    rows: usize,
    columns: Range<usize>,
    matrix: PhantomData<&'a mut [f32]>,
}

// SAFETY: a window is an exclusive borrow of its elements, and `f32` may go to another thread.
unsafe impl Send for Window<'_> {}

impl Window<'_> {
    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns it holds, as numbered in the matrix.
    pub fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Its columns of row `row`.
    ///
    /// # Panics
    /// Outside the rows.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [f32] {
        assert!(row < self.rows, "row {row} of a window of {} rows", self.rows);
        // SAFETY: `windows` checked that the rows times the stride lie in the matrix and the columns in the stride. No other window has these
        // columns, and `&mut self` keeps this one from giving out a row twice.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(row * self.stride), self.columns.len()) }
    }
}

/// Cuts `matrix`, rows of `width`, into one window per range of columns.
///
/// # Panics
/// Unless the rows are whole and the ranges ascend without overlap inside the width.
pub fn windows<'a>(matrix: &'a mut [f32], width: usize, columns: &[Range<usize>]) -> Vec<Window<'a>> {
    assert!(width > 0 && matrix.len() % width == 0, "{} elements, rows of {width}", matrix.len());
    let (rows, base) = (matrix.len() / width, matrix.as_mut_ptr());
    let mut free = 0;
    let mut cut = |columns: &Range<usize>| {
        let fits = free <= columns.start && columns.start <= columns.end && columns.end <= width;
        assert!(fits, "columns {columns:?} where {free}..{width} are free");
        free = columns.end;
        // A pointer is only moved where there is an element to point at.
        let start = if rows == 0 || columns.is_empty() { base } else { base.wrapping_add(columns.start) };
        Window { start, stride: width, rows, columns: columns.clone(), matrix: PhantomData }
    };
    columns.iter().map(&mut cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn windows_write_their_columns_from_several_threads() {
        let mut matrix = vec![0.0; 5 * 7];
        std::thread::scope(|scope| {
            for mut window in windows(&mut matrix, 7, &[0..3, 3..3, 4..7]) {
                scope.spawn(move || {
                    for row in 0..window.rows() {
                        let first = window.columns().start;
                        for (i, value) in window.row(row).iter_mut().enumerate() {
                            *value = (row * 7 + first + i) as f32;
                        }
                    }
                });
            }
        });
        let want = (0..35).map(|i| if i % 7 == 3 { 0.0 } else { i as f32 });
        assert!(want.eq(matrix));
    }

    #[test]
    fn what_overlaps_or_lies_outside_is_refused() {
        let cut = |len: usize, width, columns: &[Range<usize>]| {
            let mut matrix = vec![0.0; len];
            catch_unwind(AssertUnwindSafe(|| windows(&mut matrix, width, columns).len())).is_ok()
        };
        assert!(cut(12, 4, &[0..2, 2..4]) && cut(0, 4, &[0..1, 1..4]));
        assert!(!cut(12, 4, &[0..2, 1..4]) && !cut(12, 4, &[2..4, 0..2]) && !cut(12, 4, &[0..2, 2..5]));
        assert!(!cut(13, 4, &[0..1, 1..4]) && !cut(12, 0, &[]));
        let mut matrix = [0.0; 4];
        let mut window = windows(&mut matrix, 2, &[0..1, 1..2]).remove(0);
        assert!(catch_unwind(AssertUnwindSafe(|| window.row(2).len())).is_err());
    }
}
