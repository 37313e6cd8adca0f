//! The job that measures the machine: what its memory and its multipliers give at best.

use crate::request::{Limit, Measure};
use moire_base::{Control, Error, Result};
use moire_kernels::{Isa, Pool, measure};
use serde::Serialize;

/// Result document of `measure`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    threads: usize,
    isa: &'static str,
    /// Bytes or multiply-adds, one number a round.
    per_second: Vec<f64>,
}

/// Errors: `Invalid` for threads or an instruction set that cannot be had; those of the kernels' own `measure`.
pub fn run(request: &Measure, control: &Control) -> Result<Measured> {
    let isa = Isa::parse(&request.isa).map_err(field)?;
    let pool = Pool::new(request.threads).map_err(field)?;
    let limit = match request.what {
        Limit::Read => measure::Limit::Read,
        Limit::Int16 => measure::Limit::Int16,
        Limit::Fp32 => measure::Limit::Fp32,
    };
    let per_second = measure::measure(limit, &pool, isa, request.rounds, control)?;
    Ok(Measured { threads: pool.threads(), isa: isa.name(), per_second })
}

/// The place of an error as a field of the request.
fn field(error: Error) -> Error {
    Error { place: format!("/{}", error.place), ..error }
}
