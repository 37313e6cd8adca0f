//! The definition in plain loops: what other instruction sets are held against, and what runs where there are none.

use super::{Integers, Tiles};
use crate::matmul::affine::Affine;

/// One output after another.
pub fn run(mut tiles: Tiles) {
    let w = tiles.weights;
    let mut codes = vec![0; w.cols];
    for n in tiles.outputs.clone() {
        for (i, code) in codes.iter_mut().enumerate() {
            *code = w.code(n, i);
        }
        for x in tiles.rows {
            for row in 0..x.rows {
                tiles.put(x.first + row, n, &[output(&w, n, &codes, x, row)]);
            }
        }
    }
}

/// One row, one output.
fn output(w: &Affine, n: usize, codes: &[i16], x: &Integers, row: usize) -> f32 {
    let values = &x.values.plain()[row * w.cols..][..w.cols];
    let groups = codes.chunks_exact(w.group).zip(values.chunks_exact(w.group));
    groups.enumerate().fold(0.0, |acc, (g, (codes, values))| {
        let sum: i32 = codes.iter().zip(values).map(|(q, x)| i32::from(*q) * i32::from(*x)).sum();
        let [sx, x_sum] = x.scales[g * x.rows + row];
        let acc = (w.scale(n, g) * sx).mul_add(sum as f32, acc);
        w.bias(n, g).mul_add(x_sum, acc)
    })
}
