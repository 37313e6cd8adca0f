//! What every kernel is given, and small weight vectors.

use crate::{Isa, Pool};
use moire_base::{Control, Dtype, Vector};

/// Where and how a kernel runs. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    /// Threads.
    pub pool: &'a Pool,
    /// Instruction set; never changes a byte.
    pub isa: Isa,
    /// Activation dtype: outputs are rounded to it. F32 means no rounding.
    pub act: Dtype,
    /// Asked between row blocks of long kernels.
    pub control: &'a Control,
}

impl<'a> Ctx<'a> {
    /// A context for the calling thread, whose floating-point mode is set to IEEE defaults (round to nearest even, subnormals kept).
    pub fn new(pool: &'a Pool, isa: Isa, act: Dtype, control: &'a Control) -> Self {
        assert!(act.is_float(), "activation dtype must be f32, f16 or bf16, not {}", act.name());
        crate::simd::use_ieee_arithmetic();
        Self { pool, isa, act, control }
    }

    /// The same context with another activation dtype, for values promoted by an fp32 weight.
    pub fn with_act(self, act: Dtype) -> Self {
        Self { act, ..self }
    }
}

/// A norm weight, `dt_bias`, `A_log` or another small vector, widened once at load. The stored dtype takes part in promotion.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The elements, exact.
    pub values: Vec<f32>,
    /// Dtype as stored.
    pub dtype: Dtype,
}

impl From<&Vector> for Weights {
    fn from(v: &Vector) -> Self {
        Self { values: v.to_f32(), dtype: v.dtype }
    }
}

/// MLX's result type of an operation on two float arrays: equal types stay, any mixture is f32 (model-spec section 0).
pub fn promote(a: Dtype, b: Dtype) -> Dtype {
    if a == b { a } else { Dtype::F32 }
}

/// Panics unless `len == want`: the callers' slices are a contract.
#[track_caller]
pub(crate) fn expect_len(what: &str, len: usize, want: usize) {
    assert!(len == want, "{what} has {len} elements, expected {want}");
}
