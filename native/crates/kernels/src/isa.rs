//! Instruction sets: what this CPU has and which one a session uses.

use moire_base::{Error, Result};

/// An instruction set the kernels are compiled for. All of them give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Portable Rust, any CPU.
    Scalar,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
}

impl Isa {
    /// Every set this build knows, slowest first.
    pub const ALL: [Self; 2] = [Self::Scalar, Self::Avx2];

    /// `scalar`, `avx2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
        }
    }

    /// Whether this CPU has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 => false,
        }
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
