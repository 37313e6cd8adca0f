//! Numbers in result documents: JSON has no NaN or infinity, so these become strings, as `moire.h` says.

use serde::Serializer;

/// Serialise a float; "NaN", "Infinity" or "-Infinity" where it is not finite.
pub fn float<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    match value {
        v if v.is_nan() => to.serialize_str("NaN"),
        v if v.is_finite() => to.serialize_f64(*v),
        v if *v > 0.0 => to.serialize_str("Infinity"),
        _ => to.serialize_str("-Infinity"),
    }
}
