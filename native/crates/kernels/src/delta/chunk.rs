//! One chunk of one value head at a time, on scratch matrices that all chunks share.

use super::{
    DeltaInputs, DeltaShape,
    chunked::CHUNK,
    panel::{self, COLUMNS, ROWS, accumulate},
};
use crate::{
    Aligned,
    disjoint::Window,
    math::exp,
    simd::{LANES, Lanes, transpose},
};
use moire_base::Dtype;
use std::ops::Range;

/// The state and what a chunk is computed in. Rows stand one block of columns further apart than they are long, so that the rows of a panel do not
/// compete for the same cache sets. What lies beyond the tokens or dims of a call is never used.
pub struct Chunk<'a> {
    shape: DeltaShape,
    inputs: &'a DeltaInputs<'a>,
    act: Dtype,
    /// From one row to the next of matrices over tokens, key dims and value dims.
    strides: Strides,
    /// `[Dk, Dv]`
    state: Aligned,
    /// `[tokens, Dk]`
    q: Aligned,
    k: Aligned,
    /// K turned, `[Dk, tokens]`.
    turned: Aligned,
    /// A and (q_i·k_j) exp(γ_i - γ_j), `[tokens, tokens]`; only their lower triangles count.
    a: Aligned,
    p: Aligned,
    /// U, then Vn, `[tokens, Dv]`.
    u: Aligned,
    /// W, `[tokens, Dk]`.
    w: Aligned,
    beta: [f32; CHUNK],
    /// γ, exp γ and exp(γ_last - γ).
    gamma: [f32; CHUNK],
    grown: [f32; CHUNK],
    left: [f32; CHUNK],
}

struct Strides {
    tokens: usize,
    keys: usize,
    values: usize,
}

impl<'a> Chunk<'a> {
    pub fn new(shape: DeltaShape, inputs: &'a DeltaInputs<'a>, act: Dtype) -> Self {
        let stride = |n: usize| n.next_multiple_of(COLUMNS) + COLUMNS;
        let (tokens, keys, values) = (stride(CHUNK), stride(shape.key_dim), stride(shape.value_dim));
        let key_rows = shape.key_dim.next_multiple_of(ROWS);
        let matrix = |rows: usize, stride: usize| Aligned::new(rows * stride);
        Self {
            shape,
            inputs,
            act,
            strides: Strides { tokens, keys, values },
            state: matrix(key_rows, values),
            q: matrix(CHUNK, keys),
            k: matrix(CHUNK, keys),
            turned: matrix(key_rows, tokens),
            a: matrix(CHUNK, tokens),
            p: matrix(CHUNK, tokens),
            u: matrix(CHUNK, values),
            w: matrix(CHUNK, keys),
            beta: [0.0; CHUNK],
            gamma: [0.0; CHUNK],
            grown: [0.0; CHUNK],
            left: [0.0; CHUNK],
        }
    }

    /// Start from a head's state `[Dv, Dk]`.
    #[inline(always)]
    pub fn load<L: Lanes>(&mut self, state: &[f32]) {
        let DeltaShape { key_dim, value_dim, .. } = self.shape;
        transpose::<L>(state, key_dim, (value_dim, key_dim), &mut self.state, self.strides.values);
    }

    /// The state `[Dv, Dk]` after the chunks so far.
    #[inline(always)]
    pub fn store<L: Lanes>(&self, state: &mut [f32]) {
        let DeltaShape { key_dim, value_dim, .. } = self.shape;
        transpose::<L>(&self.state, self.strides.values, (key_dim, value_dim), state, key_dim);
        for s in state.chunks_mut(LANES) {
            L::load_part(s).round_to(Dtype::F32).store_part(s);
        }
    }

    /// Up to `CHUNK` tokens of a value head, read out into `columns` of `out`.
    #[inline(always)]
    pub fn run<L: Lanes>(&mut self, head: usize, tokens: Range<usize>, out: &mut Window, columns: Range<usize>) {
        let count = tokens.len();
        self.gather::<L>(head, tokens.clone());
        self.decays::<L>(count);
        self.products::<L>(count);
        self.right_sides::<L>(head, tokens.clone());
        solve::<L>(&self.a, self.strides.tokens, &mut self.u, self.strides.values, count);
        solve::<L>(&self.a, self.strides.tokens, &mut self.w, self.strides.keys, count);
        for first in (0..self.shape.value_dim).step_by(COLUMNS) {
            let width = COLUMNS.min(self.shape.value_dim - first);
            let from = columns.start + first;
            for i in (0..count).step_by(ROWS) {
                let y = self.read_out::<L>(i, first);
                for (t, y) in (tokens.start + i..tokens.end).zip(y) {
                    let (low, high) = out.row(t)[from..from + width].split_at_mut(width.min(LANES));
                    y[0].round_to(self.act).store_part(low);
                    y[1].round_to(self.act).store_part(high);
                }
            }
            self.advance::<L>(count, first);
        }
    }

    #[inline(always)]
    fn gather<L: Lanes>(&mut self, head: usize, tokens: Range<usize>) {
        let (key_dim, stride, count) = (self.shape.key_dim, self.strides.keys, tokens.len());
        for (i, t) in tokens.enumerate() {
            let (q, k) = self.shape.keys(self.inputs, head, t);
            self.q[i * stride..][..key_dim].copy_from_slice(q);
            self.k[i * stride..][..key_dim].copy_from_slice(k);
            let gate = t * self.shape.value_heads + head;
            self.beta[i] = self.inputs.beta[gate];
            let before = if i == 0 { 0.0 } else { self.gamma[i - 1] };
            self.gamma[i] = before + self.inputs.log_decay[gate];
        }
        transpose::<L>(&self.k, stride, (count, key_dim), &mut self.turned, self.strides.tokens);
    }

    #[inline(always)]
    fn decays<L: Lanes>(&mut self, count: usize) {
        let last = L::splat(self.gamma[count - 1]);
        for i in (0..count).step_by(LANES) {
            let gamma = L::load(&self.gamma[i..]);
            exp(gamma).store(&mut self.grown[i..]);
            exp(last - gamma).store(&mut self.left[i..]);
        }
    }

    /// A and P.
    #[inline(always)]
    fn products<L: Lanes>(&mut self, count: usize) {
        let (stride, keys, key_dim) = (self.strides.tokens, self.strides.keys, self.shape.key_dim);
        let turned = &self.turned[..key_dim * stride];
        for i in (0..count).step_by(ROWS) {
            for first in (0..i + ROWS).step_by(COLUMNS) {
                let (mut kk, mut qk) = (panel::zeros::<L>(), panel::zeros::<L>());
                accumulate(&mut kk, rows(&self.k, keys, i, key_dim), turned, stride, first);
                accumulate(&mut qk, rows(&self.q, keys, i, key_dim), turned, stride, first);
                let [low, high] = panel::load::<L>(&self.gamma[first..]);
                for (r, (kk, qk)) in kk.into_iter().zip(qk).enumerate() {
                    let (row, gamma) = (i + r, L::splat(self.gamma[i + r]));
                    let decay = [exp(gamma - low), exp(gamma - high)];
                    let kk = panel::scaled(kk, self.beta[row]);
                    let at = row * stride + first;
                    panel::store([-(kk[0] * decay[0]), -(kk[1] * decay[1])], &mut self.a[at..]);
                    panel::store([qk[0] * decay[0], qk[1] * decay[1]], &mut self.p[at..]);
                }
            }
        }
    }

    /// β V into `u` and β K exp γ into `w`.
    #[inline(always)]
    fn right_sides<L: Lanes>(&mut self, head: usize, tokens: Range<usize>) {
        let DeltaShape { key_dim, value_dim, .. } = self.shape;
        for (i, t) in tokens.enumerate() {
            let v = &self.inputs.v.row(t)[head * value_dim..(head + 1) * value_dim];
            scale::<L>(self.beta[i], v, &mut self.u[i * self.strides.values..]);
            let k = &self.k[i * self.strides.keys..][..key_dim];
            scale::<L>(self.beta[i] * self.grown[i], k, &mut self.w[i * self.strides.keys..]);
        }
    }

    /// Turns four rows of sixteen columns of U into Vn; what their tokens read out of these columns.
    #[inline(always)]
    fn read_out<L: Lanes>(&mut self, i: usize, first: usize) -> panel::Block<L> {
        let (keys, values, key_dim) = (self.strides.keys, self.strides.values, self.shape.key_dim);
        let state = &self.state[..key_dim * values];
        let mut forgotten = panel::zeros::<L>();
        accumulate(&mut forgotten, rows(&self.w, keys, i, key_dim), state, values, first);
        let (done, rest) = self.u.split_at_mut(i * values);
        let mut vn = panel::zeros::<L>();
        for (r, vn) in vn.iter_mut().enumerate() {
            let row = &mut rest[r * values + first..];
            let u = panel::load::<L>(row);
            *vn = [u[0] - forgotten[r][0], u[1] - forgotten[r][1]];
            panel::store(*vn, row);
        }
        let mut y = panel::zeros::<L>();
        accumulate(&mut y, rows(&self.q, keys, i, key_dim), state, values, first);
        for (r, y) in y.iter_mut().enumerate() {
            *y = panel::scaled(*y, self.grown[i + r]);
        }
        let p = rows(&self.p, self.strides.tokens, i, i + ROWS);
        accumulate(&mut y, p, done, values, first);
        for r in 0..ROWS {
            for s in 0..=r {
                y[r] = panel::added(p[r][i + s], vn[s], y[r]);
            }
        }
        y
    }

    /// Sixteen value dims of the state after the chunk. Vn is scaled in place.
    #[inline(always)]
    fn advance<L: Lanes>(&mut self, count: usize, first: usize) {
        let (tokens, values) = (self.strides.tokens, self.strides.values);
        for (row, left) in self.u.chunks_exact_mut(values).zip(&self.left).take(count) {
            let row = &mut row[first..];
            panel::store(panel::scaled(panel::load::<L>(row), *left), row);
        }
        let factor = self.grown[count - 1];
        for d in (0..self.shape.key_dim).step_by(ROWS) {
            let state = &mut self.state[d * values..];
            let mut sums = panel::zeros::<L>();
            for (r, sums) in sums.iter_mut().enumerate() {
                *sums = panel::scaled(panel::load(&state[r * values + first..]), factor);
            }
            accumulate(&mut sums, rows(&self.turned, tokens, d, count), &self.u, values, first);
            for (r, sums) in sums.into_iter().enumerate() {
                panel::store(sums, &mut state[r * values + first..]);
            }
        }
    }
}

/// Solves (I - A) X = R in place, A strictly lower: x_i = r_i + Σ_{j < i} A[i,j] x_j, j ascending.
#[inline(always)]
fn solve<L: Lanes>(a: &[f32], a_stride: usize, x: &mut [f32], stride: usize, count: usize) {
    for first in (0..stride - COLUMNS).step_by(COLUMNS) {
        for i in (0..count).step_by(ROWS) {
            let (done, rest) = x.split_at_mut(i * stride);
            let a = rows(a, a_stride, i, i + ROWS);
            let mut sums = panel::zeros::<L>();
            for (r, sums) in sums.iter_mut().enumerate() {
                *sums = panel::load(&rest[r * stride + first..]);
            }
            accumulate(&mut sums, a, done, stride, first);
            for r in 0..ROWS {
                for s in 0..r {
                    sums[r] = panel::added(a[r][i + s], sums[s], sums[r]);
                }
                panel::store(sums[r], &mut rest[r * stride + first..]);
            }
        }
    }
}

/// The first `len` elements of four rows.
#[inline(always)]
fn rows(matrix: &[f32], stride: usize, first: usize, len: usize) -> [&[f32]; ROWS] {
    let row = |r: usize| &matrix[(first + r) * stride..][..len];
    [row(0), row(1), row(2), row(3)]
}

/// `to = factor · x`.
#[inline(always)]
fn scale<L: Lanes>(factor: f32, x: &[f32], to: &mut [f32]) {
    let factor = L::splat(factor);
    for (x, to) in x.chunks(LANES).zip(to.chunks_mut(LANES)) {
        (factor * L::load_part(x)).store(to);
    }
}
