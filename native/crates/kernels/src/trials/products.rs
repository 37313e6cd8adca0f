//! Linear layers and the embedding.

use super::{Trial, data};
use crate::embed::embed;
use crate::matmul::{MatmulKernel, matmul};
use moire_base::{Dtype, Linear, Matrix};
use std::sync::Arc;

/// Odd, so that every tiling has a rest.
const OUT: usize = 19;
const IN: usize = 128;
/// One, as a decode has; few that are computed as more; and more than the row tiles of every kernel, with a rest.
const ROWS: [usize; 3] = [1, 7, 21];

const KERNELS: [(&str, MatmulKernel); 3] =
    [("matmul.qmv", MatmulKernel::Qmv), ("matmul.qmm", MatmulKernel::Qmm), ("matmul.exact", MatmulKernel::Exact)];

/// Every packing by name.
fn matrices() -> Vec<(String, Matrix)> {
    let packings = [2, 3, 4, 5, 6, 8].into_iter().flat_map(|bits| [32, 64, 128].map(|group| (bits, group)));
    let affine = packings.map(|(bits, group)| (format!("b{bits}g{group}"), data::affine(OUT, IN, bits, group)));
    let floats = [Dtype::F32, Dtype::F16, Dtype::Bf16].into_iter();
    affine.chain(floats.map(|dtype| (dtype.name().to_owned(), data::float(OUT, IN, dtype)))).collect()
}

pub fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for (name, matrix) in matrices() {
        let linear = Arc::new(Linear { weight: matrix, bias: None, path: name.clone() });
        for (kernel, family) in KERNELS {
            all.extend(ROWS.map(|rows| product(kernel, family, &linear, rows)));
        }
        all.push(Trial::new("embed", name, move |ctx| {
            let ids = [7, 0, OUT as u32 - 1];
            let mut out = vec![0.0; ids.len() * IN];
            embed(ctx, &linear.weight, &ids, &mut out)?;
            Ok(out)
        }));
    }
    all
}

fn product(kernel: &'static str, family: MatmulKernel, linear: &Arc<Linear>, rows: usize) -> Trial {
    let linear = Arc::clone(linear);
    Trial::new(kernel, format!("{}, {rows} rows", linear.path), move |ctx| {
        let x = data::values(rows * IN, 5, 3.0);
        let mut y = vec![0.0; rows * OUT];
        matmul(ctx, family, &linear, &x, rows, &mut y)?;
        Ok(y)
    })
}
