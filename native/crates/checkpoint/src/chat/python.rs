//! What templates expect of Python.

use chrono::Local;
use minijinja::{Error, ErrorKind};
use std::fmt::Write;

/// The local time in Python's `strftime` form.
pub(super) fn strftime_now(format: &str) -> Result<String, Error> {
    let mut out = String::new();
    write!(out, "{}", Local::now().format(format))
        .map_err(|_| Error::new(ErrorKind::InvalidOperation, format!("\"{format}\" is no date format")))?;
    Ok(out)
}

/// A float as Python's `repr` writes it: shortest digits, an exponent of at least two digits outside 1e-4 .. 1e16.
pub(super) fn float_repr(x: f64) -> String {
    if !x.is_finite() {
        return if x.is_nan() {
            "NaN"
        } else if x > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    let scientific = format!("{x:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{x}");
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_as_in_python() {
        let cases = [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-2.5e-7, "-2.5e-07"),
            (1e15, "1000000000000000.0"),
        ];
        for (x, text) in cases {
            assert_eq!(float_repr(x), text);
        }
    }

    #[test]
    fn a_bad_date_format_is_an_error() {
        assert_eq!(strftime_now("%Y").map(|y| y.len()).ok(), Some(4));
        assert!(strftime_now("%Q").is_err());
    }
}
