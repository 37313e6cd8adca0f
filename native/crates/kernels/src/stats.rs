//! Facts about a buffer of values, in one fixed order of fp64 sums.

use crate::{
    Isa,
    simd::{Kernel, LANES, Lanes, Wide, dispatch},
};

/// Facts about the finite elements of a buffer, and how many others there are. Without a finite element the measures are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// Elements.
    pub count: u64,
    /// NaN and infinities.
    pub non_finite: u64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Mean: the sum runs over eight lanes, element i in lane i mod 8, added as `((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7))`.
    pub mean: f64,
    /// Root mean square, in the same order.
    pub rms: f64,
    /// Largest magnitude.
    pub abs_max: f64,
}

/// Facts about `values`.
pub fn stats(isa: Isa, values: &[f32]) -> Stats {
    dispatch(isa, Measure { values })
}

struct Measure<'a> {
    values: &'a [f32],
}

impl Kernel for Measure<'_> {
    type Out = Stats;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Stats {
        let (groups, rest) = self.values.as_chunks::<LANES>();
        // What fills the last group counts as not finite, and is taken off again.
        let mut last = [f32::NAN; LANES];
        last[..rest.len()].copy_from_slice(rest);
        let mut running = Running::<L::Wide>::new();
        for group in groups.iter().chain((!rest.is_empty()).then_some(&last)) {
            running.add(group);
        }
        let filled = if rest.is_empty() { 0 } else { LANES - rest.len() };
        running.finish(self.values.len() as u64, filled as u64)
    }
}

struct Running<W> {
    sum: W,
    squares: W,
    /// Of x and of -x.
    largest: [W; 2],
    non_finite: u64,
}

impl<W: Wide> Running<W> {
    #[inline(always)]
    fn new() -> Self {
        let [zero, least] = [0.0, f64::NEG_INFINITY].map(|x| W::load(&[x; LANES]));
        Self { sum: zero, squares: zero, largest: [least; 2], non_finite: 0 }
    }

    #[inline(always)]
    fn add(&mut self, group: &[f32; LANES]) {
        let bad: u32 = group.iter().map(|x| u32::from(!x.is_finite())).sum();
        if bad == 0 {
            let x = W::load(&group.map(f64::from));
            return self.add_wide(x, [x, W::load(&group.map(|x| -f64::from(x)))]);
        }
        self.non_finite += u64::from(bad);
        let or = |x: f32, value: f64, other: f64| if x.is_finite() { value } else { other };
        let sides = [1.0, -1.0].map(|sign| W::load(&group.map(|x| or(x, sign * f64::from(x), f64::NEG_INFINITY))));
        self.add_wide(W::load(&group.map(|x| or(x, f64::from(x), 0.0))), sides);
    }

    #[inline(always)]
    fn add_wide(&mut self, x: W, sides: [W; 2]) {
        self.sum = self.sum + x;
        self.squares = self.squares + x * x;
        self.largest = [sides[0].max(self.largest[0]), sides[1].max(self.largest[1])];
    }

    #[inline(always)]
    fn finish(self, count: u64, filled: u64) -> Stats {
        let non_finite = self.non_finite - filled;
        let finite = count - non_finite;
        if finite == 0 {
            let none = f64::NAN;
            return Stats { count, non_finite, min: none, max: none, mean: none, rms: none, abs_max: none };
        }
        let [max, least] = [largest_of(self.largest[0]), largest_of(self.largest[1])];
        Stats {
            count,
            non_finite,
            // Adding zero makes a negative zero positive.
            min: -least + 0.0,
            max: max + 0.0,
            mean: sum_of(self.sum) / finite as f64,
            rms: (sum_of(self.squares) / finite as f64).sqrt(),
            abs_max: if max > least { max } else { least } + 0.0,
        }
    }
}

#[inline(always)]
fn lanes_of<W: Wide>(x: W) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    x.store(&mut lanes);
    lanes
}

#[inline(always)]
fn largest_of<W: Wide>(x: W) -> f64 {
    lanes_of(x).into_iter().fold(f64::NEG_INFINITY, |m, x| if x > m { x } else { m })
}

#[inline(always)]
fn sum_of<W: Wide>(x: W) -> f64 {
    let l = lanes_of(x);
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}
