//! The quantisation goldens: integers, dequantised rows and products of every geometry.

mod common;

use common::{FLOATS, GEOMETRIES, bits, code, ctx, golden, linear, relative, tensor, weight};
use moire_base::{Bytes, Dtype, Matrix};
use moire_kernels::{
    embed::embed,
    matmul::{MatmulKernel, matmul},
};
use safetensors::SafeTensors;

fn each(test: impl Fn(&SafeTensors, &str, Dtype, &Matrix)) {
    let bytes = golden("quant/affine.safetensors");
    let file = SafeTensors::deserialize(&bytes).unwrap();
    for dtype in FLOATS {
        for (b, group) in GEOMETRIES {
            let name = format!("b{b}g{group}.{}", dtype.name());
            let codes = Bytes::from(file.tensor(&format!("{name}.wq")).unwrap().data().to_vec());
            let scales = tensor(&file, &format!("{name}.scales")).data;
            let biases = tensor(&file, &format!("{name}.biases")).data;
            let matrix = Matrix::Affine { rows: 12, cols: 256, bits: b, group, codes, scales, biases, dtype };
            test(&file, &name, dtype, &matrix);
        }
    }
}

#[test]
fn integers_are_those_of_the_goldens() {
    each(|file, name, dtype, matrix| {
        let (Dtype::F32, Matrix::Affine { bits, codes, .. }) = (dtype, matrix) else { return };
        let ints = file.tensor(&format!("{name}.ints")).unwrap();
        let got: Vec<u8> = (0..12 * 256).map(|i| code(codes, 256, *bits, i / 256, i % 256) as u8).collect();
        assert_eq!(got, ints.data(), "{name}");
    });
}

#[test]
fn dequantised_rows_are_equal_to_the_byte() {
    each(|file, name, dtype, matrix| {
        let mut rows = vec![0.0; 12 * 256];
        embed(&ctx(dtype), matrix, &(0..12).collect::<Vec<_>>(), &mut rows).unwrap();
        let want = tensor(file, &format!("{name}.dequant")).to_f32();
        assert!(bits(&rows) == bits(&want), "{name}");
    });
}

/// Root mean square error over that of the output. `exact` knows an fp32 activation to 2^-16 of its group's largest, a bf16 one nearly always whole. In f16 and
/// bf16 the output has its own rounding, and `qmm` rounds each weight twice.
fn budget(dtype: Dtype, kernel: MatmulKernel) -> f64 {
    match (dtype, kernel) {
        (Dtype::F32, MatmulKernel::Exact) => 1e-4,
        (Dtype::F32, _) => 1e-6,
        (Dtype::F16, _) => 1e-3,
        _ => 8e-3,
    }
}

#[test]
fn products_are_near_the_f64_reference() {
    each(|file, name, dtype, matrix| {
        let x = tensor(file, &format!("x.{}", dtype.name())).to_f32();
        let product =
            |row: usize, n: usize| (0..256).map(|k| f64::from(x[row * 256 + k]) * weight(matrix, n, k)).sum::<f64>();
        let want: Vec<f64> = (0..16 * 12).map(|i| product(i / 12, i % 12)).collect();
        let layer = linear(matrix.clone());
        for kernel in [MatmulKernel::Qmv, MatmulKernel::Qmm, MatmulKernel::Exact] {
            let mut y = vec![0.0; 16 * 12];
            let id = matmul(&ctx(dtype), kernel, &layer, &x, 16, &mut y).unwrap();
            let error = relative(&y, &want);
            assert!(error < budget(dtype, kernel), "{name} {id}: {error:e}");
        }
    });
}

#[test]
fn fp32_products_agree_with_mlx() {
    each(|file, name, dtype, matrix| {
        if dtype != Dtype::F32 {
            return;
        }
        let x = tensor(file, "x.f32").to_f32();
        let want: Vec<f64> = tensor(file, &format!("{name}.matmul")).to_f32().into_iter().map(f64::from).collect();
        let mut y = vec![0.0; 16 * 12];
        matmul(&ctx(dtype), MatmulKernel::Qmv, &linear(matrix.clone()), &x, 16, &mut y).unwrap();
        assert!(relative(&y, &want) < 2e-6, "{name}");
    });
}
