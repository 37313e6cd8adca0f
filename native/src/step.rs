//! Result document of a forward.

use crate::{
    handle::Made,
    result::{TensorRef, document, tensor_ref},
};
use moire_base::Result;
use moire_engine::{Digest, KernelUse, OpTime, Session, Step, Tap, TapHash, TapPlace, TapStats, TopLogit, float};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepDocument {
    rows: usize,
    batch: usize,
    position: Vec<usize>,
    logits: Option<TensorRef>,
    logit_rows: Vec<usize>,
    top: Vec<Vec<TopLogit>>,
    taps: Vec<TapDocument>,
    kernels: Vec<KernelUse>,
    times: Vec<OpTime>,
    threads: usize,
    isa: &'static str,
    non_finite: usize,
    ms: f64,
}

/// A tap by the mode of its capture.
#[derive(Serialize)]
#[serde(untagged)]
enum TapDocument {
    Bytes(TapRef),
    Hash(HashDocument),
    Stats(StatsDocument),
}

#[derive(Serialize)]
struct TapRef {
    layer: i64,
    tap: &'static str,
    #[serde(flatten)]
    tensor: TensorRef,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HashDocument {
    #[serde(flatten)]
    place: PlaceDocument,
    hash: String,
    row_hashes: Vec<String>,
}

#[derive(Serialize)]
struct StatsDocument {
    #[serde(flatten)]
    place: PlaceDocument,
    stats: Facts,
}

#[derive(Serialize)]
struct PlaceDocument {
    layer: i64,
    tap: &'static str,
    dtype: &'static str,
    shape: Vec<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    count: u64,
    non_finite: u64,
    #[serde(serialize_with = "float")]
    min: f64,
    #[serde(serialize_with = "float")]
    max: f64,
    #[serde(serialize_with = "float")]
    mean: f64,
    #[serde(serialize_with = "float")]
    rms: f64,
    #[serde(serialize_with = "float")]
    abs_max: f64,
}

/// Result of `prefill`, `decode` and `verify`.
pub fn step(step: Step, session: &Session, made: &mut Made) -> Result<Vec<u8>> {
    let tensors = step.taps.into_iter().map(|tap| bytes(tap, made)).collect::<Vec<_>>();
    let taps = tensors.into_iter().chain(step.hashes.into_iter().map(hash)).chain(step.stats.into_iter().map(stats));
    document(&StepDocument {
        rows: step.rows,
        batch: step.batch,
        position: step.position,
        logits: step.logits.map(|t| tensor_ref(t, made)),
        logit_rows: step.logit_rows,
        top: step.top,
        taps: taps.collect(),
        kernels: step.kernels,
        times: step.times,
        threads: session.threads(),
        isa: session.isa(),
        non_finite: step.non_finite,
        ms: step.elapsed.as_secs_f64() * 1e3,
    })
}

fn bytes(Tap { layer, tap, tensor }: Tap, made: &mut Made) -> TapDocument {
    TapDocument::Bytes(TapRef { layer, tap, tensor: tensor_ref(tensor, made) })
}

fn hash(TapHash { place, hash, rows }: TapHash) -> TapDocument {
    TapDocument::Hash(HashDocument {
        place: place.into(),
        hash: hex(&hash),
        row_hashes: rows.iter().map(hex).collect(),
    })
}

fn stats(TapStats { place, stats }: TapStats) -> TapDocument {
    let facts = Facts {
        count: stats.count,
        non_finite: stats.non_finite,
        min: stats.min,
        max: stats.max,
        mean: stats.mean,
        rms: stats.rms,
        abs_max: stats.abs_max,
    };
    TapDocument::Stats(StatsDocument { place: place.into(), stats: facts })
}

impl From<TapPlace> for PlaceDocument {
    fn from(TapPlace { layer, tap, dtype, shape }: TapPlace) -> Self {
        Self { layer, tap, dtype: dtype.name(), shape }
    }
}

fn hex(digest: &Digest) -> String {
    format!("{:032x}", u128::from_be_bytes(*digest))
}
