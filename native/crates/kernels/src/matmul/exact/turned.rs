//! Eight groups of a strip, turned so that an output is a lane: what kernels for many rows lay their codes out from.

use super::strip::{Strip, TURN};
use crate::{
    matmul::affine::Affine,
    simd::{LANES, Words},
};

/// The turned words, scales and biases of `V` vectors of outputs.
pub struct Turned<W, const V: usize> {
    /// `[group of the turn][word]`: the packed codes.
    words: Vec<[W; V]>,
    /// `[group of the turn][outputs]`.
    scales: Vec<f32>,
    /// As `scales`.
    biases: Vec<f32>,
    /// Words of a group.
    of_group: usize,
}

impl<W: Words, const V: usize> Turned<W, V> {
    /// Outputs of a strip.
    pub const OUTPUTS: usize = V * W::OUTPUTS;

    #[inline(always)]
    pub fn new(w: &Affine) -> Self {
        let of_group = w.group_bytes() / 4;
        Self {
            words: vec![[W::zero(); V]; TURN * of_group],
            scales: vec![0.0; TURN * Self::OUTPUTS],
            biases: vec![0.0; TURN * Self::OUTPUTS],
            of_group,
        }
    }

    /// The groups of `strip` from `first` on.
    #[inline(always)]
    pub fn fill(&mut self, w: &Affine, strip: Strip, first: usize) {
        strip.turn::<W::Floats>(w, first, Self::OUTPUTS, &mut self.scales, &mut self.biases);
        let words = (TURN.min(w.groups - first) * self.of_group).next_multiple_of(LANES);
        for v in 0..V {
            let from = &strip.codes[v * W::OUTPUTS * w.row_bytes() + first * w.group_bytes()..];
            W::turn(from, w.row_bytes(), &mut self.words[..words], v);
        }
    }

    /// The words of group `g`, as numbered in the matrix.
    #[inline(always)]
    pub fn words(&self, g: usize) -> &[[W; V]] {
        &self.words[g % TURN * self.of_group..][..self.of_group]
    }

    /// Scales and biases of all outputs of group `g`.
    #[inline(always)]
    pub fn floats(&self, g: usize) -> (&[f32], &[f32]) {
        let at = g % TURN * Self::OUTPUTS;
        (&self.scales[at..][..Self::OUTPUTS], &self.biases[at..][..Self::OUTPUTS])
    }
}
