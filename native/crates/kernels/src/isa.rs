//! Instruction sets: what this CPU has and which one a session uses.

use moire_base::{Error, Result};

/// An instruction set the kernels are compiled for. All of them give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Portable Rust, any CPU.
    Scalar,
    /// 64-bit Arm.
    Neon,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL and VNNI too: for the integers of the `exact` matmul. All else runs its AVX2 form, whose eight lanes are part of
    /// every fp32 order.
    Avx512,
    /// AVX-512 and AMX with 8-bit integers: for many rows of the `exact` matmul.
    Amx,
}

impl Isa {
    /// Every set this build knows, slowest first.
    pub const ALL: [Self; 5] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512, Self::Amx];

    /// `scalar`, `neon`, `avx2`, `avx512`, `amx`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Amx => "amx",
        }
    }

    /// CPU features it takes.
    pub fn features(self) -> &'static [&'static str] {
        match self {
            Self::Scalar => &[],
            Self::Neon => &["neon"],
            Self::Avx2 => &["avx2", "fma", "f16c"],
            Self::Avx512 => &["avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512vnni"],
            Self::Amx => {
                &["avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512vnni", "amx-tile", "amx-int8"]
            }
        }
    }

    /// The set that kernels over fp32 lanes run in.
    pub fn of_lanes(self) -> Self {
        if matches!(self, Self::Avx512 | Self::Amx) { Self::Avx2 } else { self }
    }

    /// Whether this CPU has it, and the system lets it be used.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Avx2 | Self::Avx512 | Self::Amx => self.is_on_this_x86(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn is_on_this_x86(self) -> bool {
        let avx2 =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
        let avx512 = || {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
        };
        avx2 && (self == Self::Avx2 || avx512()) && (self != Self::Amx || crate::simd::amx::is_usable())
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_on_this_x86(self) -> bool {
        false
    }

    /// The sets this CPU has, slowest first. Never empty.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// The fastest set this CPU has.
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|isa| isa.is_available()).unwrap_or(Self::Scalar)
    }

    /// The set named in a request: `auto` or a name.
    ///
    /// # Errors
    /// `Invalid` at place `isa`: an unknown name, or one this CPU lacks; the message lists what can be used.
    pub fn parse(name: &str) -> Result<Self> {
        if name == "auto" {
            return Ok(Self::detect());
        }
        let known = Self::ALL.into_iter().find(|isa| isa.name() == name);
        let usable = || {
            format!("use auto or one of: {}", Self::available().iter().map(|i| i.name()).collect::<Vec<_>>().join(", "))
        };
        match known {
            None => Err(Error::invalid("isa", format!("unknown instruction set \"{name}\"; {}", usable()))),
            Some(isa) if !isa.is_available() => {
                Err(Error::invalid("isa", format!("this CPU does not have \"{name}\"; {}", usable())))
            }
            Some(isa) => Ok(isa),
        }
    }
}
