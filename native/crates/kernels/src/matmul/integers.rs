//! Activation rows as 16-bit integers for the `exact` family.

use crate::simd::{Kernel, LANES, Lanes};

/// Rows quantised once a call, per weight group.
pub struct Integers {
    /// `[rows, cols]`: `round-half-even(x / sx)`, all zero where a group is zero or the row is not finite.
    pub values: Vec<i16>,
    /// `[rows, groups]`: sx.
    pub scales: Vec<f32>,
    /// `[rows, groups]`: X = Σ xi, exact in fp32 (below 2^22).
    pub sums: Vec<f32>,
    /// Rows with a NaN or an infinity, ascending.
    pub non_finite: Vec<usize>,
}

/// Makes `Integers` of `x[rows, cols]`.
pub struct Quantise<'a> {
    pub x: &'a [f32],
    pub cols: usize,
    pub group: usize,
}

impl Kernel for Quantise<'_> {
    type Out = Integers;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Integers {
        let mut out = Integers {
            values: vec![0; self.x.len()],
            scales: Vec::with_capacity(self.x.len() / self.group),
            sums: Vec::with_capacity(self.x.len() / self.group),
            non_finite: Vec::new(),
        };
        let rows = self.x.chunks_exact(self.cols).zip(out.values.chunks_exact_mut(self.cols));
        for (row, (x, values)) in rows.enumerate() {
            let finite = x.iter().all(|x| x.is_finite());
            if !finite {
                out.non_finite.push(row);
            }
            for (x, values) in x.chunks_exact(self.group).zip(values.chunks_exact_mut(self.group)) {
                out.scales.push(if finite { quantise::<L>(x, values) } else { 0.0 });
                out.sums.push(values.iter().map(|&v| i32::from(v)).sum::<i32>() as f32);
            }
        }
        out
    }
}

/// One group; gives sx.
#[inline(always)]
fn quantise<L: Lanes>(x: &[f32], values: &mut [i16]) -> f32 {
    let mut largest = L::splat(0.0);
    for x in x.chunks_exact(LANES) {
        largest = largest.max(L::load(x).abs());
    }
    let mut lanes = [0.0; LANES];
    largest.store(&mut lanes);
    let largest = lanes.into_iter().fold(0.0, f32::max);
    if largest == 0.0 {
        return 0.0;
    }
    let (scale, inverse) = group_scale(largest);
    for (x, values) in x.chunks_exact(LANES).zip(values.chunks_exact_mut(LANES)) {
        (L::load(x) * L::splat(inverse)).nearest().store_i16(values);
    }
    scale
}

/// sx for the largest magnitude m of a group, and 1 / sx: the smallest power of two, but at least 2^-126, with m ≤ 32767 · sx. Powers of two make `x / sx` and
/// `scale · sx` exact, and keep every bf16 value within 2^-7 of m exact too.
pub fn group_scale(largest: f32) -> (f32, f32) {
    let exponent = (largest.to_bits() >> 23) as i32 - 127;
    let power = |p: i32| f32::from_bits(((p + 127) as u32) << 23);
    let p = (exponent - 14).max(-126);
    let p = if largest > 32767.0 * power(p) { p + 1 } else { p };
    (power(p), power(-p))
}

#[cfg(test)]
mod tests {
    use super::group_scale;

    #[test]
    fn the_scale_is_the_smallest_that_fits() {
        for bits in (1..f32::INFINITY.to_bits()).step_by(99_991) {
            let m = f32::from_bits(bits);
            let (scale, inverse) = group_scale(m);
            assert_eq!(scale * inverse, 1.0);
            assert!(m * inverse <= 32767.0, "{m}");
            assert!(scale == f32::MIN_POSITIVE || m * inverse * 2.0 > 32767.0, "{m}");
        }
    }

    #[test]
    fn the_edge_of_int16_takes_the_next_power() {
        assert_eq!(group_scale(32767.0), (1.0, 1.0));
        assert_eq!(group_scale(32767.5), (2.0, 0.5));
        assert_eq!(group_scale(f32::MAX).0, 2f32.powi(114));
    }
}
