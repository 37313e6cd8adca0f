//! Element types of tensors, and rounding an fp32 value to one of them.

use half::{bf16, f16};

/// Element type. The numbers are the `dtype` codes of `include/moire.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Dtype {
    F32 = 1,
    F16 = 2,
    Bf16 = 3,
    F64 = 4,
    U8 = 5,
    I8 = 6,
    U16 = 7,
    I16 = 8,
    U32 = 9,
    I32 = 10,
    U64 = 11,
    I64 = 12,
    Bool = 13,
}

impl Dtype {
    /// Every dtype.
    pub const ALL: [Self; 13] = [
        Self::F32,
        Self::F16,
        Self::Bf16,
        Self::F64,
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::Bool,
    ];

    /// Dtype of an ABI code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|d| *d as u32 == code)
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::F16 | Self::Bf16 | Self::U16 | Self::I16 => 2,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F64 | Self::U64 | Self::I64 => 8,
        }
    }

    /// The name used in reports and JSON: `f32`, `bf16`, ...
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F64 => "f64",
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::Bool => "bool",
        }
    }

    /// F32, F16 or Bf16: what activations and float weights may be.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16)
    }

    /// `rnd(x)` of model-spec section 0: round to nearest even in this float type, given back as fp32. Identity for F32.
    #[inline(always)]
    pub fn round(self, x: f32) -> f32 {
        match self {
            Self::Bf16 => bf16::from_f32(x).to_f32(),
            Self::F16 => f16::from_f32(x).to_f32(),
            _ => x,
        }
    }

    /// Element `i` of little-endian `data` of this float type, as fp32. Any alignment.
    #[inline(always)]
    pub fn load(self, data: &[u8], i: usize) -> f32 {
        match self {
            Self::Bf16 => bf16::from_le_bytes([data[2 * i], data[2 * i + 1]]).to_f32(),
            Self::F16 => f16::from_le_bytes([data[2 * i], data[2 * i + 1]]).to_f32(),
            _ => f32::from_le_bytes([data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3]]),
        }
    }

    /// Widen a whole little-endian float buffer to fp32.
    pub fn widen(self, data: &[u8]) -> Vec<f32> {
        (0..data.len() / self.size()).map(|i| self.load(data, i)).collect()
    }

    /// Little-endian bytes of `values`, rounded to this float type.
    pub fn narrow(self, values: &[f32]) -> Vec<u8> {
        match self {
            Self::Bf16 => values.iter().flat_map(|v| bf16::from_f32(*v).to_le_bytes()).collect(),
            Self::F16 => values.iter().flat_map(|v| f16::from_f32(*v).to_le_bytes()).collect(),
            _ => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }
}
