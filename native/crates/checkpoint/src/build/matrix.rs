//! Weight matrices: float or affine quantised, geometry from the shapes, checked against the config.

use super::source::{Source, check_shape, error, float_dtype};
use crate::{
    config::{Declared, Geometry},
    files::Tensor,
};
use moire_base::{Dtype, Error, Linear, Matrix, Result};

impl Source<'_> {
    /// The linear layer at the canonical path `module`, with its bias if the config says so.
    pub(crate) fn linear(&mut self, module: &str, rows: usize, cols: usize, bias: bool) -> Result<Linear> {
        let weight = self.matrix(module, rows, cols)?;
        let bias = bias.then(|| self.vector(&format!("{module}.bias"), rows)).transpose()?;
        Ok(Linear { weight, bias, path: self.spelled(module) })
    }

    /// The matrix `[rows, cols]` at `module`. `.scales` beside the weight make it a quantised one (model-spec 4.1).
    pub(crate) fn matrix(&mut self, module: &str, rows: usize, cols: usize) -> Result<Matrix> {
        let weight = self.take(&format!("{module}.weight"))?;
        let scales = self.find(&format!("{module}.scales"));
        match (self.plan.of(module), scales) {
            (Declared::Float, Some(s)) => {
                Err(error(s, "must not be there: config.json says that this module is not quantised"))
            }
            (Declared::Quantised(_), None) => Err(Error::format(
                self.spelled(&format!("{module}.scales")),
                "is missing: config.json says that this module is quantised",
            )),
            (Declared::ByScales(None), Some(s)) => Err(error(
                s,
                "belongs to a quantised matrix, but config.json has no quantization; add group_size and bits",
            )),
            (Declared::Float | Declared::ByScales(_), None) => self.float_matrix(module, weight, rows, cols),
            (Declared::Quantised(g) | Declared::ByScales(Some(g)), Some(s)) => {
                self.affine_matrix(module, weight, s, [rows, cols], g)
            }
        }
    }

    fn float_matrix(&mut self, module: &str, weight: &Tensor, rows: usize, cols: usize) -> Result<Matrix> {
        if weight.dtype == Some(Dtype::U32) {
            return Err(Error::format(
                self.spelled(&format!("{module}.scales")),
                "is missing: the weight holds packed codes, which need scales and biases",
            ));
        }
        check_shape(weight, &[rows, cols])?;
        Ok(Matrix::Float { rows, cols, dtype: float_dtype(weight)?, data: weight.data.clone() })
    }

    fn affine_matrix(
        &mut self,
        module: &str,
        weight: &Tensor,
        scales: &Tensor,
        [rows, cols]: [usize; 2],
        declared: Geometry,
    ) -> Result<Matrix> {
        if weight.dtype != Some(Dtype::U32) {
            return Err(error(
                weight,
                format!("is stored as {}; a quantised weight must be u32 codes", weight.dtype_name),
            ));
        }
        let dtype = float_dtype(scales)?;
        let biases = self.take(&format!("{module}.biases"))?;
        if biases.dtype != Some(dtype) {
            return Err(error(
                biases,
                format!(
                    "is stored as {}, its scales as {}; both must be the same",
                    biases.dtype_name, scales.dtype_name
                ),
            ));
        }
        let geometry = geometry(weight, scales, rows, cols)?;
        check_shape(biases, &scales.shape)?;
        check_declared(weight, geometry, declared)?;
        let Geometry { bits, group } = geometry;
        let [codes, scales, biases] = [weight, scales, biases].map(|t| t.data.clone());
        Ok(Matrix::Affine { rows, cols, bits, group, codes, scales, biases, dtype })
    }
}

/// Bits and group size that the shapes of a `[rows, cols]` matrix have.
fn geometry(weight: &Tensor, scales: &Tensor, rows: usize, cols: usize) -> Result<Geometry> {
    let (&[n, words], &[m, groups]) = (weight.shape.as_slice(), scales.shape.as_slice()) else {
        return Err(error(
            weight,
            format!("has shape {:?} and its scales {:?}; both must have two dimensions", weight.shape, scales.shape),
        ));
    };
    let exact = |total: usize, parts: usize| (parts > 0 && total % parts == 0).then(|| total / parts);
    let found = exact(words.saturating_mul(32), cols)
        .zip(exact(cols, groups))
        .and_then(|(bits, group)| Geometry::new(bits, group));
    match found {
        Some(g) if n == rows && m == rows => Ok(g),
        _ => Err(error(
            weight,
            format!(
                "has shape {:?} and its scales {:?}; that is no affine quantisation of the [{rows}, {cols}] matrix the config asks for (bits 2, 3, 4, 5, 6, 8; groups 32, 64, 128)",
                weight.shape, scales.shape
            ),
        )),
    }
}

fn check_declared(weight: &Tensor, found: Geometry, declared: Geometry) -> Result<()> {
    if found == declared {
        return Ok(());
    }
    Err(error(
        weight,
        format!(
            "has {} bits in groups of {} by its shape, config.json says bits {}, group_size {}; correct the config or add an override for this module",
            found.bits, found.group, declared.bits, declared.group
        ),
    ))
}
