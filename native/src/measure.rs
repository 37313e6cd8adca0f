//! The job that measures the machine: what its memory and its multipliers give at best.

use crate::{
    job::Work,
    request::{Limit, Measure},
    result::document,
};
use moire_base::{Error, Result};
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

/// The work of the job. Errors: `Invalid` for an instruction set that cannot be had.
pub fn work(request: Measure) -> Result<Work> {
    let isa = Isa::parse(&request.isa).map_err(|e| Error { place: format!("/{}", e.place), ..e })?;
    let limit = match request.what {
        Limit::Read => measure::Limit::Read,
        Limit::Int16 => measure::Limit::Int16,
        Limit::Fp32 => measure::Limit::Fp32,
    };
    Ok(Box::new(move |control, _| {
        let pool = Pool::new(request.threads)?;
        let per_second = measure::measure(limit, &pool, isa, request.rounds, control)?;
        document(&Measured { threads: pool.threads(), isa: isa.name(), per_second })
    }))
}
