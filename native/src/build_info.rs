//! What this library is: source, compiler, processor, kernels. For the doctor and for the provenance of reports.

use crate::{request, result::document};
use moire_base::Result;
use moire_kernels::Isa;
use serde::Serialize;

#[derive(Serialize)]
struct BuildInfo {
    engine: &'static str,
    version: &'static str,
    git: &'static str,
    compiler: &'static str,
    target: &'static str,
    os: &'static str,
    cpu: Cpu,
    kernels: Vec<&'static str>,
    schema: Schema,
    architectures: Vec<&'static str>,
}

#[derive(Serialize)]
struct Schema {
    min: u64,
    max: u64,
}

/// `cores` counts physical ones.
#[derive(Serialize)]
struct Cpu {
    name: String,
    features: Vec<&'static str>,
    /// What the fastest kernels of this processor need.
    used: Vec<&'static str>,
    cores: usize,
}

/// The document of `moire_build_info`.
pub fn build_info() -> Result<Vec<u8>> {
    document(&BuildInfo {
        engine: "moire",
        version: env!("CARGO_PKG_VERSION"),
        git: env!("MOIRE_GIT"),
        compiler: env!("MOIRE_RUSTC"),
        target: env!("MOIRE_TARGET"),
        os: std::env::consts::OS,
        cpu: Cpu { name: cpu_name(), features: features(), used: Isa::detect().features().to_vec(), cores: cores() },
        kernels: kernels(),
        schema: Schema { min: *request::SCHEMA.start(), max: *request::SCHEMA.end() },
        architectures: moire_engine::architectures(),
    })
}

/// Families by op; each is compiled for every instruction set. The self test runs those of matmul.
fn kernels() -> Vec<&'static str> {
    vec![
        "matmul.qmv",
        "matmul.qmm",
        "matmul.gemv",
        "matmul.gemm",
        "matmul.exact",
        "attention.per_position",
        "attention.batched",
        "attention.exact",
        "delta.recurrent",
        "delta.chunked",
        "rope.row",
        "rope.block",
    ]
}

fn cores() -> usize {
    num_cpus::get_physical()
}

#[cfg(target_arch = "x86_64")]
fn cpu_name() -> String {
    let brand = raw_cpuid::CpuId::new().get_processor_brand_string();
    brand.map_or_else(|| "unknown".to_owned(), |b| b.as_str().trim().to_owned())
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_name() -> String {
    std::env::consts::ARCH.to_owned()
}

macro_rules! detected {
    ($detect:ident: $($name:tt)*) => {
        [$(($name, std::arch::$detect!($name))),*].into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
    };
}

/// What the processor and the operating system offer.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    detected!(is_x86_feature_detected: "sse4.1" "sse4.2" "avx" "f16c" "fma" "avx2" "avxvnni" "avx512f" "avx512bw" "avx512vl" "avx512vnni" "avx512bf16" "avx512fp16")
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    detected!(is_aarch64_feature_detected: "neon" "fp16" "dotprod" "i8mm" "bf16" "sve" "sve2")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}
