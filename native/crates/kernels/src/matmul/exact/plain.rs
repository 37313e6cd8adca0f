//! The definition in plain loops: what other instruction sets are held against, and what runs where there are none.

use super::Integers;
use crate::{disjoint::Window, matmul::affine::Affine};
use std::ops::Range;

/// Outputs `outputs` of all rows, into their columns of `window`.
pub fn plain(w: Affine, blocks: &[Integers], outputs: Range<usize>, window: &mut Window) {
    let first = window.columns().start;
    let mut codes = vec![0; w.cols];
    for n in outputs {
        for (i, code) in codes.iter_mut().enumerate() {
            *code = w.code(n, i);
        }
        for x in blocks {
            for row in 0..x.rows {
                window.row(x.first + row)[n - first] = output(&w, n, &codes, x, row);
            }
        }
    }
}

/// One row, one output.
fn output(w: &Affine, n: usize, codes: &[i16], x: &Integers, row: usize) -> f32 {
    let values = &x.values[row * w.cols..][..w.cols];
    let groups = codes.chunks_exact(w.group).zip(values.chunks_exact(w.group));
    groups.enumerate().fold(0.0, |acc, (g, (codes, values))| {
        let sum: i32 = codes.iter().zip(values).map(|(q, x)| i32::from(*q) * i32::from(*x)).sum();
        let (sx, x_sum) = (x.scales[g * x.rows + row], x.sums[g * x.rows + row]);
        let acc = (w.scale(n, g) * sx).mul_add(sum as f32, acc);
        w.bias(n, g).mul_add(x_sum, acc)
    })
}
