//! The three orders as plain loops over one row and head at a time: what the kernels must give, to the byte.

use crate::case::Case;
use moire_base::Dtype;
use moire_kernels::{attention::AttentionForm, math::exp_falling, simd::Real};
use std::ops::Range;

/// Every row and head.
pub fn attention(case: &Case, form: AttentionForm, act: Dtype) -> Vec<f32> {
    let form = if case.rows == 1 && form == AttentionForm::Batched { AttentionForm::PerPosition } else { form };
    let lines = (0..case.rows * case.heads).map(|i| (i / case.heads, i % case.heads));
    lines.flat_map(|(row, head)| line(case, form, row, head, act)).collect()
}

fn line(case: &Case, form: AttentionForm, row: usize, head: usize, act: Dtype) -> Vec<f32> {
    let mut out = vec![0.0; case.shape.head_dim];
    let seen = case.visible(row);
    if seen.is_empty() {
        return out;
    }
    let scores: Vec<f32> = seen.clone().map(|key| score(case, form, row, head, key)).collect();
    let (mut max, mut sum) = (f32::NEG_INFINITY, 0.0f32);
    for tile in tiles(form, seen.clone()) {
        let s = &scores[tile.start - seen.start..tile.end - seen.start];
        let raised = s.iter().fold(max, |max, s| if max > *s { max } else { *s });
        let factor = if max == raised { 1.0 } else { exp_falling(max - raised) };
        max = raised;
        out.iter_mut().for_each(|x| *x *= factor);
        let p: Vec<f32> = s.iter().map(|s| exp_falling(s - max)).collect();
        let first_lane = if form == AttentionForm::PerPosition { 0 } else { tile.start % 8 };
        sum = sum.mul_add(factor, by_lanes(p.iter().enumerate().map(|(i, p)| (first_lane + i, *p))));
        for (key, p) in tile.zip(p) {
            out.iter_mut().zip(case.cell(key, head).1).for_each(|(x, v)| *x = p.mul_add(*v, *x));
        }
    }
    out.iter().map(|x| (x / sum).round_to(act)).collect()
}

fn score(case: &Case, form: AttentionForm, row: usize, head: usize, key: usize) -> f32 {
    let factor = case.spec().scale;
    let (q, k) = (case.query(row, head), case.cell(key, head).0);
    let chain = |factor: f32| q.iter().zip(k).fold(0.0f32, |sum, (q, k)| (q * factor).mul_add(*k, sum));
    match form {
        AttentionForm::PerPosition => {
            let mut lanes = [0.0f32; 8];
            for (d, (q, k)) in q.iter().zip(k).enumerate() {
                lanes[d % 8] = (q * factor).mul_add(*k, lanes[d % 8]);
            }
            tree(lanes)
        }
        AttentionForm::Batched => chain(factor),
        AttentionForm::Exact => chain(1.0) * factor,
    }
}

/// Tiles of 64 or 32 keys from key 0 on, as far as they are seen.
fn tiles(form: AttentionForm, seen: Range<usize>) -> Vec<Range<usize>> {
    let size = match form {
        AttentionForm::PerPosition => return vec![seen],
        AttentionForm::Batched => 64,
        AttentionForm::Exact => 32,
    };
    let tile = |i: usize| seen.start.max(i * size)..seen.end.min((i + 1) * size);
    (seen.start / size..seen.end.div_ceil(size)).map(tile).collect()
}

fn by_lanes(p: impl Iterator<Item = (usize, f32)>) -> f32 {
    let mut lanes = [0.0f32; 8];
    p.for_each(|(i, p)| lanes[i % 8] += p);
    tree(lanes)
}

fn tree(l: [f32; 8]) -> f32 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}
