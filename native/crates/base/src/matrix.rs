//! Weights as a checkpoint holds them: no copy, any alignment, little-endian.

use crate::{Bytes, Dtype};

/// A weight matrix `[rows, cols]` = `[out, in]`, row-major. `y = x · Wᵀ`.
#[derive(Clone, Debug)]
pub enum Matrix {
    /// Plain float elements of `dtype` (F32, F16, Bf16).
    Float {
        /// Output features.
        rows: usize,
        /// Input features.
        cols: usize,
        /// Element type.
        dtype: Dtype,
        /// `rows * cols` elements.
        data: Bytes,
    },
    /// MLX affine quantisation (model-spec section 4): `w[n,k] = scale[n,k/group]·q[n,k] + bias[n,k/group]`, q unsigned, packed as a little-endian bit stream.
    Affine {
        /// Output features.
        rows: usize,
        /// Input features, a multiple of `group` and of 32.
        cols: usize,
        /// 2, 3, 4, 5, 6 or 8.
        bits: u32,
        /// 32, 64 or 128.
        group: usize,
        /// `rows * cols * bits / 8` bytes.
        codes: Bytes,
        /// `[rows, cols / group]` of `dtype`.
        scales: Bytes,
        /// `[rows, cols / group]` of `dtype`.
        biases: Bytes,
        /// Type of scales and biases.
        dtype: Dtype,
    },
}

impl Matrix {
    /// Output features.
    pub fn rows(&self) -> usize {
        match self {
            Self::Float { rows, .. } | Self::Affine { rows, .. } => *rows,
        }
    }
    /// Input features.
    pub fn cols(&self) -> usize {
        match self {
            Self::Float { cols, .. } | Self::Affine { cols, .. } => *cols,
        }
    }
    /// Dtype of the elements, or of scales and biases.
    pub fn dtype(&self) -> Dtype {
        match self {
            Self::Float { dtype, .. } | Self::Affine { dtype, .. } => *dtype,
        }
    }
}

/// A float vector or small float tensor (norm weight, `dt_bias`, conv kernel) with its stored dtype.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Element type as stored.
    pub dtype: Dtype,
    /// Little-endian elements.
    pub data: Bytes,
}

impl Vector {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.data.len() / self.dtype.size()
    }
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
    /// All elements as fp32.
    pub fn to_f32(&self) -> Vec<f32> {
        self.dtype.widen(&self.data)
    }
}

/// A linear layer: weight, optional bias `[rows]`, and the module path it came from.
#[derive(Clone, Debug)]
pub struct Linear {
    /// `[out, in]`.
    pub weight: Matrix,
    /// The ordinary additive bias (not the quantiser's `biases`).
    pub bias: Option<Vector>,
    /// For example `model.layers.0.mlp.gate_proj`.
    pub path: String,
}
