//! Elements a diff understands: their value, and their distance in representable values.

use half::{bf16, f16};

/// Distances stop here: the largest integer that every JSON reader keeps.
pub const MAX_DISTANCE: u64 = (1 << 53) - 1;

fn distance_of_ranks(a: i128, b: i128) -> u64 {
    u64::try_from(a.abs_diff(b)).map_or(MAX_DISTANCE, |d| d.min(MAX_DISTANCE))
}

/// One element of a tensor.
pub trait Element: Copy {
    /// Bytes it takes.
    const SIZE: usize;
    /// From `SIZE` little-endian bytes.
    fn read(bytes: &[u8]) -> Self;
    /// As a number; integers above 2^53 lose low bits.
    fn value(self) -> f64;
    /// Representable values between the two; NaN against a number is the largest count, NaN against NaN none.
    fn distance(self, other: Self) -> u64;
}

macro_rules! float_element {
    ($type:ty, $bits:ty, $to_f64:expr) => {
        impl Element for $type {
            const SIZE: usize = size_of::<$type>();
            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                <$type>::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
            #[inline(always)]
            fn value(self) -> f64 {
                $to_f64(self)
            }
            fn distance(self, other: Self) -> u64 {
                match (self.is_nan(), other.is_nan()) {
                    (true, true) => 0,
                    (false, false) => {
                        const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                        let rank = |x: $type| {
                            let magnitude = i128::from(x.to_bits() & !SIGN);
                            if x.to_bits() & SIGN == 0 { magnitude } else { -magnitude }
                        };
                        distance_of_ranks(rank(self), rank(other))
                    }
                    _ => distance_of_ranks(0, i128::from(<$bits>::MAX)),
                }
            }
        }
    };
}

float_element!(f32, u32, f64::from);
float_element!(f64, u64, |x| x);
float_element!(f16, u16, f64::from);
float_element!(bf16, u16, f64::from);

macro_rules! integer_element {
    ($($type:ty),*) => {$(
        impl Element for $type {
            const SIZE: usize = size_of::<$type>();
            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                <$type>::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
            #[inline(always)]
            #[allow(clippy::cast_lossless, clippy::cast_precision_loss)]
            fn value(self) -> f64 {
                self as f64
            }
            fn distance(self, other: Self) -> u64 {
                distance_of_ranks(i128::from(self), i128::from(other))
            }
        }
    )*};
}

integer_element!(u8, i8, u16, i16, u32, i32, u64, i64);
