//! Elements that can be compared: their words, values and distances, in forms that compilers turn into vector code.

use super::block::BLOCK;
use half::{bf16, f16};

/// Distances stop here: the largest integer that every JSON reader keeps.
pub const MAX_DISTANCE: u64 = (1 << 53) - 1;

/// The unsigned integer that holds an element's bytes.
pub trait Word: Copy + Ord {
    const BYTES: usize;
    const ZERO: Self;
    /// Elements of a block that a word can count, a divisor of all of them.
    const COUNTED: usize;
    /// Word `i` of little-endian bytes.
    fn load(bytes: &[u8], i: usize) -> Self;
    fn xor(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `self + 1` if `yes`.
    fn count(self, yes: bool) -> Self;
    fn wide(self) -> u64;
}

macro_rules! word {
    ($($type:ty),*) => {$(
        impl Word for $type {
            const BYTES: usize = size_of::<$type>();
            const ZERO: Self = 0;
            const COUNTED: usize = if size_of::<$type>() == 1 { 128 } else { BLOCK / size_of::<$type>() };
            #[inline(always)]
            fn load(bytes: &[u8], i: usize) -> Self {
                let (words, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                Self::from_le_bytes(words[i])
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn count(self, yes: bool) -> Self {
                self.wrapping_add(<$type>::from(yes))
            }
            #[inline(always)]
            fn wide(self) -> u64 {
                u64::from(self)
            }
        }
    )*};
}
word!(u8, u16, u32, u64);

/// One element of a tensor.
pub trait Element: Copy {
    type Word: Word;
    fn finite(word: Self::Word) -> bool;
    /// The value of a finite element; integers above 2^53 lose low bits.
    fn value(word: Self::Word) -> f64;
    /// Representable values between two finite elements (integers: their difference).
    fn finite_distance(a: Self::Word, b: Self::Word) -> Self::Word;
    /// The same for any two; NaN against a number is the largest word, NaN against NaN none.
    #[inline(always)]
    fn distance(a: Self::Word, b: Self::Word) -> Self::Word {
        Self::finite_distance(a, b)
    }
}

macro_rules! float_element {
    ($type:ty, $word:ty, $infinity:expr, $value:expr) => {
        impl Element for $type {
            type Word = $word;
            #[inline(always)]
            fn finite(word: $word) -> bool {
                word & $infinity != $infinity
            }
            #[inline(always)]
            fn value(word: $word) -> f64 {
                $value(word)
            }
            #[inline(always)]
            fn finite_distance(a: $word, b: $word) -> $word {
                // Magnitudes count representable values from zero, and two of them fit a word.
                let (x, y) = (a & (<$word>::MAX >> 1), b & (<$word>::MAX >> 1));
                if (a ^ b) >> (<$word>::BITS - 1) == 0 { x.abs_diff(y) } else { x + y }
            }
            #[inline(always)]
            fn distance(a: $word, b: $word) -> $word {
                let nan = |word: $word| word & (<$word>::MAX >> 1) > $infinity;
                match (nan(a), nan(b)) {
                    (false, false) => Self::finite_distance(a, b),
                    (true, true) => 0,
                    _ => <$word>::MAX,
                }
            }
        }
    };
}

float_element!(f32, u32, 0x7f80_0000, |w| f64::from(f32::from_bits(w)));
float_element!(f64, u64, 0x7ff0_0000_0000_0000, f64::from_bits);
float_element!(bf16, u16, 0x7f80, |w| f64::from(f32::from_bits(u32::from(w) << 16)));
float_element!(f16, u16, 0x7c00, f16_value);

/// A finite half as fp64. Its magnitude as the upper bits of an fp32 is the value divided by 2^112, subnormals included; the product is exact.
#[inline(always)]
fn f16_value(word: u16) -> f64 {
    let magnitude = f32::from_bits(u32::from(word & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    f64::from(f32::from_bits(magnitude.to_bits() | u32::from(word & 0x8000) << 16))
}

macro_rules! integer_element {
    ($($type:ty, $word:ty;)*) => {$(
        impl Element for $type {
            type Word = $word;
            #[inline(always)]
            fn finite(_: $word) -> bool {
                true
            }
            #[inline(always)]
            #[allow(clippy::cast_lossless, clippy::cast_precision_loss)]
            fn value(word: $word) -> f64 {
                word as $type as f64
            }
            #[inline(always)]
            fn finite_distance(a: $word, b: $word) -> $word {
                (a as $type).abs_diff(b as $type)
            }
        }
    )*};
}
integer_element! {
    u8, u8;
    i8, u8;
    u16, u16;
    i16, u16;
    u32, u32;
    i32, u32;
    u64, u64;
    i64, u64;
}
