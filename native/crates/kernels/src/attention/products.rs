//! The two matrix products of attention, on lines (one query row of one head each) and keys in registers.
//!
//! A score is one fp32 chain over the dims, a value element one over the keys, both ascending and fused; how many lines and lanes share the registers changes
//! nothing in them. Elements are widened as they are loaded.
//!
//! Few lines wait for memory, not for arithmetic. So with one or two of them each line of memory read asks for the one at the same place in `ahead`, the keys or
//! values that come next (empty at the end).

use super::pages::GROUP;
use crate::simd::{LANES, Lanes};
use moire_base::Dtype;
use std::ops::Range;

/// Lines that share registers.
pub const LINES: usize = 6;

/// Bytes of a line of memory.
const LINE: usize = 64;

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
#[derive(Clone, Copy)]
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
    ahead: &[u8],
    keys: Range<usize>,
    factor: f32,
    s: (&mut [f32], usize),
) {
    match dtype {
        Dtype::Bf16 => scores_of::<L, Bf16>(queries, group, ahead, keys, factor, s),
        Dtype::F16 => scores_of::<L, F16>(queries, group, ahead, keys, factor, s),
        _ => scores_of::<L, F32>(queries, group, ahead, keys, factor, s),
    }
}

/// Six lines at once, or else by two and one.
#[inline(always)]
fn scores_of<L: Lanes, E: Element>(
    queries: Queries,
    group: &[u8],
    ahead: &[u8],
    keys: Range<usize>,
    factor: f32,
    (s, stride): (&mut [f32], usize),
) {
    let mut line = 0;
    while line < queries.lines {
        let (s, keys) = ((&mut s[line * stride..], stride), keys.clone());
        line += match queries.lines - line {
            LINES => score_cells::<L, E, LINES, 2>(queries, line, group, ahead, keys, factor, s),
            1 => score_cells::<L, E, 1, 4>(queries, line, group, ahead, keys, factor, s),
            _ => score_cells::<L, E, 2, 4>(queries, line, group, ahead, keys, factor, s),
        };
    }
}

/// `R` lines from `line` on against `V` vectors of keys at a time. Gives `R`.
#[inline(always)]
fn score_cells<L: Lanes, E: Element, const R: usize, const V: usize>(
    Queries { q, lines }: Queries,
    line: usize,
    group: &[u8],
    ahead: &[u8],
    keys: Range<usize>,
    factor: f32,
    (s, stride): (&mut [f32], usize),
) -> usize {
    for first in (keys.start / (V * LANES) * V * LANES..keys.end).step_by(V * LANES) {
        let mut acc = [[L::splat(0.0); V]; R];
        for (d, (q, keys)) in q.chunks_exact(lines).zip(group.chunks_exact(GROUP * E::SIZE)).enumerate() {
            ask::<L, R>(ahead, (d * GROUP + first) * E::SIZE);
            let (q, keys) = (&q[line..line + R], &keys[first * E::SIZE..(first + V * LANES) * E::SIZE]);
            let keys = vectors::<L, E, V>(keys);
            for (q, acc) in q.iter().zip(&mut acc) {
                let q = L::splat(*q);
                for (key, acc) in keys.iter().zip(acc) {
                    *acc = q.fma(*key, *acc);
                }
            }
        }
        for (i, acc) in acc.iter().enumerate() {
            for (v, acc) in acc.iter().enumerate() {
                (*acc * L::splat(factor)).store(&mut s[i * stride + first + v * LANES..]);
            }
        }
    }
    R
}

/// Asks for what is at `at`, if there are few lines.
#[inline(always)]
fn ask<L: Lanes, const R: usize>(ahead: &[u8], at: usize) {
    if R <= 2
        && let Some(from) = ahead.get(at..)
    {
        L::prefetch(from);
    }
}

/// `s[key] = q · key` for a group of 32: eight chains, one per dim modulo eight, then the tree of `Lanes::sum`. Here each chain is a register, a lane is a key.
#[inline(always)]
pub fn by_dims<L: Lanes>(dtype: Dtype, q: &[f32], group: &[u8], ahead: &[u8], s: &mut [f32]) {
    match dtype {
        Dtype::Bf16 => by_dims_of::<L, Bf16>(q, group, ahead, s),
        Dtype::F16 => by_dims_of::<L, F16>(q, group, ahead, s),
        _ => by_dims_of::<L, F32>(q, group, ahead, s),
    }
}

#[inline(always)]
fn by_dims_of<L: Lanes, E: Element>(q: &[f32], group: &[u8], ahead: &[u8], s: &mut [f32]) {
    let line = GROUP * E::SIZE;
    for (v, s) in s.chunks_exact_mut(LANES).enumerate() {
        let mut acc = [L::splat(0.0); LANES];
        let (eights, keys) = (q.chunks_exact(LANES), group.chunks_exact(LANES * line));
        let (rest, rest_keys) = (eights.remainder(), keys.remainder());
        for (eight, (q, keys)) in eights.zip(keys).enumerate() {
            if v == 0 {
                for i in 0..LANES {
                    ask::<L, 1>(ahead, (eight * LANES + i) * line);
                }
            }
            for (i, acc) in acc.iter_mut().enumerate() {
                *acc = L::splat(q[i]).fma(L::load_as(E::DTYPE, &keys[i * line + v * LANES * E::SIZE..]), *acc);
            }
        }
        for (i, acc) in acc.iter_mut().enumerate() {
            if i < rest.len() {
                *acc = L::splat(rest[i]).fma(L::load_as(E::DTYPE, &rest_keys[i * line + v * LANES * E::SIZE..]), *acc);
            }
        }
        let [a, b, c, d, e, f, g, h] = acc;
        (((a + e) + (c + g)) + ((b + f) + (d + h))).store(s);
    }
}

/// Neighbouring vectors, widened. A loop, since a closure would not be compiled for the instruction set.
#[inline(always)]
fn vectors<L: Lanes, E: Element, const V: usize>(from: &[u8]) -> [L; V] {
    let mut out = [L::splat(0.0); V];
    for (v, out) in out.iter_mut().enumerate() {
        *out = L::load_as(E::DTYPE, &from[v * LANES * E::SIZE..]);
    }
    out
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
pub fn add_values<L: Lanes>(
    dtype: Dtype,
    weights: Weights,
    values: &[u8],
    ahead: &[u8],
    width: usize,
    out: &mut [f32],
) {
    match dtype {
        Dtype::Bf16 => add_of::<L, Bf16>(weights, values, ahead, width, out),
        Dtype::F16 => add_of::<L, F16>(weights, values, ahead, width, out),
        _ => add_of::<L, F32>(weights, values, ahead, width, out),
    }
}

/// Six lines at once, or else by two and one.
#[inline(always)]
fn add_of<L: Lanes, E: Element>(weights: Weights, values: &[u8], ahead: &[u8], width: usize, out: &mut [f32]) {
    let mut line = 0;
    while line < weights.lines {
        let (p, out) = (&weights.p[line * weights.stride..], &mut out[line * width..]);
        let weights = Weights { p, lines: weights.lines - line, ..weights };
        line += match weights.lines {
            LINES => add_lines::<L, E, LINES, 2>(weights, values, ahead, width, out),
            1 => add_lines::<L, E, 1, 8>(weights, values, ahead, width, out),
            _ => add_lines::<L, E, 2, 4>(weights, values, ahead, width, out),
        };
    }
}

/// `R` lines, all dims, 32 keys at a time. Gives `R`.
#[inline(always)]
fn add_lines<L: Lanes, E: Element, const R: usize, const V: usize>(
    weights: Weights,
    values: &[u8],
    ahead: &[u8],
    width: usize,
    out: &mut [f32],
) -> usize {
    let row = width * E::SIZE;
    for (part, values) in values.chunks(GROUP * row).enumerate() {
        // Weights side by side, so that the loop over keys needs one pointer.
        let mut p = [[0.0; GROUP]; R];
        for (line, p) in p.iter_mut().enumerate() {
            let from = &weights.p[line * weights.stride + part * GROUP..][..values.len() / row];
            for (to, from) in p.chunks_exact_mut(LANES).zip(from.chunks(LANES)) {
                L::load_part(from).store(to);
            }
        }
        let ahead = ahead.get(part * GROUP * row..).unwrap_or_default();
        let whole = width / (V * LANES) * V * LANES;
        for first in (0..whole).step_by(V * LANES) {
            add_cells::<L, E, R, V>(&p, values, ahead, first, width, out);
        }
        for first in (whole..width).step_by(LANES) {
            add_cells::<L, E, R, 1>(&p, values, ahead, first, width, out);
        }
    }
    R
}

/// `R` lines, `V` vectors of dims from `first` on, at most 32 keys.
#[inline(always)]
fn add_cells<L: Lanes, E: Element, const R: usize, const V: usize>(
    p: &[[f32; GROUP]; R],
    values: &[u8],
    ahead: &[u8],
    first: usize,
    width: usize,
    out: &mut [f32],
) {
    let mut acc = [[L::splat(0.0); V]; R];
    for (line, acc) in acc.iter_mut().enumerate() {
        for (v, acc) in acc.iter_mut().enumerate() {
            *acc = L::load(&out[line * width + first + v * LANES..]);
        }
    }
    for (key, values) in values.chunks_exact(width * E::SIZE).enumerate() {
        for line in (0..V * LANES * E::SIZE).step_by(LINE) {
            ask::<L, R>(ahead, (key * width + first) * E::SIZE + line);
        }
        let values = vectors::<L, E, V>(&values[first * E::SIZE..(first + V * LANES) * E::SIZE]);
        for (p, acc) in p.iter().zip(&mut acc) {
            let p = L::splat(p[key % GROUP]);
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
