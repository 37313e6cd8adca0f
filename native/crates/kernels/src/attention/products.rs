//! The two matrix products of attention, on lines (one query row of one head each) and keys in registers.
//!
//! A score is one fp32 chain over the dims, a value element one over the keys, both ascending and fused; how many lines and lanes share the registers changes
//! nothing in them. Elements are widened as they are loaded.

use super::pages::GROUP;
use crate::simd::{LANES, Lanes};
use moire_base::Dtype;
use std::{array::from_fn, ops::Range};

/// Lines that share registers.
pub const LINES: usize = 6;

/// A float dtype known at compile time.
trait Element {
    const DTYPE: Dtype;
    const SIZE: usize = match Self::DTYPE {
        Dtype::F32 => 4,
        _ => 2,
    };
}
struct F32;
struct F16;
struct Bf16;
impl Element for F32 {
    const DTYPE: Dtype = Dtype::F32;
}
impl Element for F16 {
    const DTYPE: Dtype = Dtype::F16;
}
impl Element for Bf16 {
    const DTYPE: Dtype = Dtype::Bf16;
}

/// Queries of up to `LINES` lines, `[head_dim, lines]`.
pub struct Queries<'a> {
    pub q: &'a [f32],
    pub lines: usize,
}

/// `s[line][key] = (q · key) · factor` for `keys` of a group of 32, rounded outwards to what fills registers. `s` has a line every `stride` elements.
#[inline(always)]
pub fn scores<L: Lanes>(
    dtype: Dtype,
    queries: Queries,
    group: &[u8],
    keys: Range<usize>,
    factor: f32,
    (s, stride): (&mut [f32], usize),
) {
    match dtype {
        Dtype::Bf16 => scores_of::<L, Bf16>(queries, group, keys, factor, s, stride),
        Dtype::F16 => scores_of::<L, F16>(queries, group, keys, factor, s, stride),
        _ => scores_of::<L, F32>(queries, group, keys, factor, s, stride),
    }
}

#[inline(always)]
fn scores_of<L: Lanes, E: Element>(
    Queries { q, lines }: Queries,
    group: &[u8],
    keys: Range<usize>,
    factor: f32,
    s: &mut [f32],
    stride: usize,
) {
    match lines {
        1 => score_cells::<L, E, 1, 4>(q, group, keys, factor, s, stride),
        2 => score_cells::<L, E, 2, 4>(q, group, keys, factor, s, stride),
        3 => score_cells::<L, E, 3, 4>(q, group, keys, factor, s, stride),
        4 => score_cells::<L, E, 4, 2>(q, group, keys, factor, s, stride),
        5 => score_cells::<L, E, 5, 2>(q, group, keys, factor, s, stride),
        _ => score_cells::<L, E, LINES, 2>(q, group, keys, factor, s, stride),
    }
}

/// `R` lines against `V` vectors of keys at a time.
#[inline(always)]
fn score_cells<L: Lanes, E: Element, const R: usize, const V: usize>(
    q: &[f32],
    group: &[u8],
    keys: Range<usize>,
    factor: f32,
    s: &mut [f32],
    stride: usize,
) {
    for first in (keys.start / (V * LANES) * V * LANES..keys.end).step_by(V * LANES) {
        let mut acc = [[L::splat(0.0); V]; R];
        for (q, keys) in q.chunks_exact(R).zip(group.chunks_exact(GROUP * E::SIZE)) {
            let keys = &keys[first * E::SIZE..(first + V * LANES) * E::SIZE];
            let keys: [L; V] = from_fn(|v| L::load_as(E::DTYPE, &keys[v * LANES * E::SIZE..]));
            for (q, acc) in q.iter().zip(&mut acc) {
                let q = L::splat(*q);
                for (key, acc) in keys.iter().zip(acc) {
                    *acc = q.fma(*key, *acc);
                }
            }
        }
        for (line, acc) in acc.iter().enumerate() {
            for (v, acc) in acc.iter().enumerate() {
                (*acc * L::splat(factor)).store(&mut s[line * stride + first + v * LANES..]);
            }
        }
    }
}

/// Weights of up to `LINES` lines, `[lines, values' rows]`, a line every `stride` elements.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    pub p: &'a [f32],
    pub stride: usize,
    pub lines: usize,
}

/// `out[line] += Σ p[line][key] · values[key]` for `values[keys, width]` and `out[lines, width]`; `width` is a multiple of eight.
#[inline(always)]
pub fn add_values<L: Lanes>(dtype: Dtype, weights: Weights, values: &[u8], width: usize, out: &mut [f32]) {
    match dtype {
        Dtype::Bf16 => add_of::<L, Bf16>(weights, values, width, out),
        Dtype::F16 => add_of::<L, F16>(weights, values, width, out),
        _ => add_of::<L, F32>(weights, values, width, out),
    }
}

#[inline(always)]
fn add_of<L: Lanes, E: Element>(weights: Weights, values: &[u8], width: usize, out: &mut [f32]) {
    match weights.lines {
        1 => add_line::<L, E, 1, 8>(weights, values, width, out),
        2 => add_line::<L, E, 2, 4>(weights, values, width, out),
        3 => add_line::<L, E, 3, 4>(weights, values, width, out),
        4 => add_line::<L, E, 4, 2>(weights, values, width, out),
        5 => add_line::<L, E, 5, 2>(weights, values, width, out),
        _ => add_line::<L, E, LINES, 2>(weights, values, width, out),
    }
}

#[inline(always)]
fn add_line<L: Lanes, E: Element, const R: usize, const V: usize>(
    weights: Weights,
    values: &[u8],
    width: usize,
    out: &mut [f32],
) {
    let whole = width / (V * LANES) * V * LANES;
    for first in (0..whole).step_by(V * LANES) {
        add_cells::<L, E, R, V>(weights, values, first, width, out);
    }
    for first in (whole..width).step_by(LANES) {
        add_cells::<L, E, R, 1>(weights, values, first, width, out);
    }
}

/// `R` lines, `V` vectors of dims from `first` on.
#[inline(always)]
fn add_cells<L: Lanes, E: Element, const R: usize, const V: usize>(
    Weights { p, stride, .. }: Weights,
    values: &[u8],
    first: usize,
    width: usize,
    out: &mut [f32],
) {
    let keys = values.len() / (width * E::SIZE);
    let p: [&[f32]; R] = from_fn(|line| &p[line * stride..][..keys]);
    let mut acc: [[L; V]; R] = from_fn(|line| from_fn(|v| L::load(&out[line * width + first + v * LANES..])));
    for (key, values) in values.chunks_exact(width * E::SIZE).enumerate() {
        let values = &values[first * E::SIZE..(first + V * LANES) * E::SIZE];
        let values: [L; V] = from_fn(|v| L::load_as(E::DTYPE, &values[v * LANES * E::SIZE..]));
        for (p, acc) in p.iter().zip(&mut acc) {
            let p = L::splat(p[key]);
            for (value, acc) in values.iter().zip(acc) {
                *acc = p.fma(*value, *acc);
            }
        }
    }
    for (line, acc) in acc.iter().enumerate() {
        for (v, acc) in acc.iter().enumerate() {
            acc.store(&mut out[line * width + first + v * LANES..]);
        }
    }
}
