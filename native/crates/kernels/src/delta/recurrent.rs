//! Token by token. Per head and value dim, for each token: `S = g·S`; `m = Σ S·k`; `d = (v - m)·β`; `S = fma(d, k, S)`; `y = Σ S·q`. Sums: lane = key dim mod 8,
//! fused, ascending, then the tree of `Lanes::sum`.
//!
//! A value dim never meets another, so the work goes by strips of eight: a strip of the state stays in the first cache over a block of tokens.

use super::{DeltaInputs, DeltaShape};
use crate::{
    Aligned,
    disjoint::Window,
    simd::{Kernel, LANES, Lanes, prefetch},
};
use moire_base::{Control, Dtype};
use std::ops::Range;

/// Tokens whose queries and keys are gathered together.
const BLOCK: usize = 32;

/// Some value dims of some heads over all tokens.
pub struct Recurrent<'a> {
    pub shape: DeltaShape,
    pub inputs: &'a DeltaInputs<'a>,
    /// Rounding of `out`.
    pub act: Dtype,
    pub control: &'a Control,
    /// `[columns of out, Dk]`, as `after`.
    pub before: &'a [f32],
    pub after: &'a mut [f32],
    /// Value dims, numbered through all heads.
    pub out: Window<'a>,
}

impl Kernel for Recurrent<'_> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let (columns, width) = (self.out.columns(), self.shape.value_dim);
        let mut scratch = Scratch::new(self.shape.key_dim);
        let mut at = columns.start;
        while at < columns.end && !self.control.is_cancelled() {
            let end = columns.end.min((at / width + 1) * width);
            self.head::<L>(at..end, &mut scratch);
            at = end;
        }
    }
}

impl Recurrent<'_> {
    /// Value dims of one head.
    #[inline(always)]
    fn head<L: Lanes>(&mut self, columns: Range<usize>, scratch: &mut Scratch) {
        let rows = self.shape.rows(self.inputs);
        let (dk, first) = (self.shape.key_dim, self.out.columns().start);
        let head = columns.start / self.shape.value_dim;
        for start in (0..rows).step_by(BLOCK) {
            let tokens = start..rows.min(start + BLOCK);
            scratch.gather::<L>(self.shape, self.inputs, head, tokens.clone());
            for strip in columns.clone().step_by(LANES) {
                let strip = strip..columns.end.min(strip + LANES);
                let state = (strip.start - first) * dk..(strip.end - first) * dk;
                if start == 0 {
                    read_ahead(&self.before[state.start..], state.len());
                    read_ahead(&self.after[state.start..], state.len());
                }
                let from = if start == 0 { &self.before[state.clone()] } else { &self.after[state.clone()] };
                scratch.load::<L>(from);
                self.tokens::<L>(head, tokens.clone(), strip, scratch);
                scratch.store::<L>(&mut self.after[state]);
            }
        }
    }

    /// A strip over a block of tokens.
    #[inline(always)]
    fn tokens<L: Lanes>(&mut self, head: usize, tokens: Range<usize>, strip: Range<usize>, scratch: &mut Scratch) {
        let first = self.out.columns().start;
        let Scratch { key_dim, key_width, strip: state, keys } = scratch;
        for (t, keys) in tokens.zip(keys.chunks_exact(2 * *key_width)) {
            let (q, k) = keys.split_at(*key_width);
            let gate = t * self.shape.value_heads + head;
            let gates = (L::splat(self.inputs.decay[gate]), L::splat(self.inputs.beta[gate]));
            let v = L::load_part(&self.inputs.v.row(t)[strip.clone()]);
            let y = step::<L>(state, (q, k), v, gates).round_to(self.act);
            y.store_part(&mut self.out.row(t)[strip.start - first..strip.end - first]);
            clear_padding(state, *key_width - *key_dim);
        }
    }
}

/// Asks for the strip after the one that `state` begins with.
#[inline(always)]
fn read_ahead(state: &[f32], strip: usize) {
    let strip = strip * size_of::<f32>();
    for line in (strip..2 * strip).step_by(64) {
        prefetch(state, line);
    }
}

/// One token, eight value dims (lane = value dim) with their rows of the state; gives y.
#[inline(always)]
fn step<L: Lanes>(strip: &mut [f32], (q, k): (&[f32], &[f32]), v: L, (decay, beta): (L, L)) -> L {
    let mut sums = [L::splat(0.0); LANES];
    for (block, k) in strip.chunks_exact_mut(LANES * LANES).zip(k.chunks_exact(LANES)) {
        let k = L::load(k);
        for (row, sum) in block.chunks_exact_mut(LANES).zip(&mut sums) {
            let s = decay * L::load(row);
            s.store(row);
            *sum = s.fma(k, *sum);
        }
    }
    let mut write = [0.0; LANES];
    ((v - L::sums(sums)) * beta).store(&mut write);
    let mut sums = [L::splat(0.0); LANES];
    let keys = q.chunks_exact(LANES).zip(k.chunks_exact(LANES));
    for (block, (q, k)) in strip.chunks_exact_mut(LANES * LANES).zip(keys) {
        let (q, k) = (L::load(q), L::load(k));
        for ((row, sum), write) in block.chunks_exact_mut(LANES).zip(&mut sums).zip(write) {
            let s = L::splat(write).fma(k, L::load(row));
            s.store(row);
            *sum = s.fma(q, *sum);
        }
    }
    L::sums(sums)
}

/// Zeros for the missing key dims: an infinite write times their zeros is NaN, which must not live on to the next token, as it does not from one call
/// to the next.
#[inline(always)]
fn clear_padding(strip: &mut [f32], missing: usize) {
    if missing > 0 {
        let last = strip.len() - LANES * LANES;
        strip[last..].chunks_exact_mut(LANES).for_each(|row| row[LANES - missing..].fill(0.0));
    }
}

/// What stays close to the core. Missing key dims and value dims are zeros.
struct Scratch {
    key_dim: usize,
    /// Key dims in whole vectors.
    key_width: usize,
    /// `[key_width / 8, 8 value dims, 8 key dims]`
    strip: Aligned,
    /// Query and key of each token of a block.
    keys: Aligned,
}

impl Scratch {
    fn new(key_dim: usize) -> Self {
        let key_width = key_dim.next_multiple_of(LANES);
        Self { key_dim, key_width, strip: Aligned::new(key_width * LANES), keys: Aligned::new(2 * key_width * BLOCK) }
    }

    #[inline(always)]
    fn gather<L: Lanes>(&mut self, shape: DeltaShape, inputs: &DeltaInputs, head: usize, tokens: Range<usize>) {
        for (t, keys) in tokens.zip(self.keys.chunks_exact_mut(2 * self.key_width)) {
            let (q, k) = shape.keys(inputs, head, t);
            let (to_q, to_k) = keys.split_at_mut(self.key_width);
            copy::<L>(q, to_q);
            copy::<L>(k, to_k);
        }
    }

    /// Up to eight rows of the state.
    #[inline(always)]
    fn load<L: Lanes>(&mut self, rows: &[f32]) {
        if rows.len() < LANES * self.key_width {
            self.strip.fill(0.0);
        }
        for (i, row) in rows.chunks_exact(self.key_dim).enumerate() {
            for (part, block) in row.chunks(LANES).zip(self.strip.chunks_exact_mut(LANES * LANES)) {
                L::load_part(part).store(&mut block[i * LANES..]);
            }
        }
    }

    #[inline(always)]
    fn store<L: Lanes>(&self, rows: &mut [f32]) {
        for (i, row) in rows.chunks_exact_mut(self.key_dim).enumerate() {
            for (part, block) in row.chunks_mut(LANES).zip(self.strip.chunks_exact(LANES * LANES)) {
                L::load(&block[i * LANES..]).round_to(Dtype::F32).store_part(part);
            }
        }
    }
}

/// The row, and zeros to whole vectors.
#[inline(always)]
fn copy<L: Lanes>(row: &[f32], to: &mut [f32]) {
    for (part, to) in row.chunks(LANES).zip(to.chunks_exact_mut(LANES)) {
        L::load_part(part).store(to);
    }
}
