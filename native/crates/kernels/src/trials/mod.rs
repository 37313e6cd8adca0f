//! A small instance of every kernel with the bits it gives, to compare instruction sets and thread counts on the machine at hand: the engine's self-test, and
//! a program that prints the same list on CPUs that a test machine lacks (`examples/isa_bytes.rs`).

mod data;
mod products;
mod sequence;
mod steps;

use crate::{Ctx, Isa, Pool};
use moire_base::{Control, Dtype, Result};

type Run = dyn Fn(&Ctx) -> Result<Vec<f32>> + Send + Sync;

/// One instance.
pub struct Trial {
    /// The kernel: `matmul.exact`, `attention`, `norm`, ...
    pub kernel: &'static str,
    /// What the instance is: `b4g64, 3 rows`.
    pub what: String,
    run: Box<Run>,
}

impl Trial {
    fn new(
        kernel: &'static str,
        what: impl Into<String>,
        run: impl Fn(&Ctx) -> Result<Vec<f32>> + Send + Sync + 'static,
    ) -> Self {
        Self { kernel, what: what.into(), run: Box::new(run) }
    }

    /// The bits of all it computes, in bf16 and then in fp32 between ops.
    ///
    /// # Errors
    /// Those of the kernel; `Cancelled`.
    ///
    /// # Panics
    /// If this CPU lacks `isa`.
    pub fn bits(&self, pool: &Pool, isa: Isa, control: &Control) -> Result<Vec<u32>> {
        let mut bits = Vec::new();
        for act in [Dtype::Bf16, Dtype::F32] {
            let out = (self.run)(&Ctx::new(pool, isa, act, control))?;
            bits.extend(out.into_iter().map(f32::to_bits));
        }
        Ok(bits)
    }
}

/// Every kernel: all bit widths and group sizes, all forms, one row and several. Some milliseconds an instruction set.
pub fn all() -> Vec<Trial> {
    let mut all = products::trials();
    all.extend(sequence::trials());
    all.extend(steps::trials());
    all
}
