//! Pages of a KV cache: 64 positions of all key/value heads, in the dtypes of keys and values.
//!
//! Keys stand as `[kv_heads, 64 / 32, head_dim, 32]`: eight keys of one dim are one load, so that a score needs no sum across lanes. Values stand as
//! `[kv_heads, 64, head_dim padded to eight]`. Pages are shared by the sessions that were forked from one another; who writes has a page of its own.

use crate::{ctx::expect_len, simd::LANES};
use half::{bf16, f16};
use moire_base::{Dtype, Result, memory};
use std::{ops::Range, sync::Arc};

/// Positions of a page. Every tile of every form lies in one page.
pub const PAGE: usize = 64;
/// Keys whose elements of one dim are neighbours.
pub const GROUP: usize = 32;

/// What the pages of one cache hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvShape {
    /// Key/value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Dtype of the keys, a float.
    pub keys: Dtype,
    /// Dtype of the values, a float.
    pub values: Dtype,
}

impl KvShape {
    /// Elements from one value row to the next.
    pub(super) fn stride(&self) -> usize {
        self.head_dim.next_multiple_of(LANES)
    }

    fn key_bytes(&self) -> usize {
        self.kv_heads * PAGE * self.head_dim * self.keys.size()
    }

    fn value_bytes(&self) -> usize {
        self.kv_heads * PAGE * self.stride() * self.values.size()
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> usize {
        self.key_bytes() + self.value_bytes()
    }
}

/// Keys, after norm and rope, and values of 64 positions.
#[derive(Debug)]
pub struct KvPage {
    shape: KvShape,
    keys: Vec<u8>,
    values: Vec<u8>,
}

impl KvPage {
    /// A page of zeros.
    ///
    /// # Errors
    /// `Memory`.
    pub fn new(shape: KvShape) -> Result<Self> {
        let side = |bytes| memory::filled("a page of the KV cache", bytes, 0);
        Ok(Self { shape, keys: side(shape.key_bytes())?, values: side(shape.value_bytes())? })
    }

    /// A page with the same content.
    ///
    /// # Errors
    /// `Memory`.
    pub fn copy(&self) -> Result<Self> {
        let side = |from: &[u8]| memory::copied("a page of the KV cache", from);
        Ok(Self { shape: self.shape, keys: side(&self.keys)?, values: side(&self.values)? })
    }

    /// What it holds.
    pub fn shape(&self) -> KvShape {
        self.shape
    }

    /// Puts `k` and `v`, `[slots.len(), kv_heads, head_dim]` each, at positions `slots` of the page. They are exact in the page's dtypes.
    pub fn write(&mut self, slots: Range<usize>, k: &[f32], v: &[f32]) {
        let KvShape { kv_heads, head_dim, .. } = self.shape;
        assert!(slots.end <= PAGE, "positions {slots:?} of a page of {PAGE}");
        expect_len("k", k.len(), slots.len() * kv_heads * head_dim);
        expect_len("v", v.len(), k.len());
        let stride = self.shape.stride();
        for (i, (k, v)) in k.chunks_exact(head_dim).zip(v.chunks_exact(head_dim)).enumerate() {
            let (slot, head) = (slots.start + i / kv_heads, i % kv_heads);
            let group = (head * (PAGE / GROUP) + slot / GROUP) * head_dim * GROUP;
            scatter(self.shape.keys, k, &mut self.keys, group + slot % GROUP, GROUP);
            scatter(self.shape.values, v, &mut self.values, (head * PAGE + slot) * stride, 1);
        }
    }

    /// Appends the bytes of the first `count` positions of a head's keys, `[count, head_dim]`.
    pub fn read_keys(&self, head: usize, count: usize, out: &mut Vec<u8>) {
        let (width, size) = (self.shape.head_dim, self.shape.keys.size());
        for slot in 0..count {
            let group = self.group(head, slot / GROUP);
            out.extend((0..width).flat_map(|d| &group[(d * GROUP + slot % GROUP) * size..][..size]));
        }
    }

    /// Appends the bytes of the first `count` positions of a head's values, `[count, head_dim]`.
    pub fn read_values(&self, head: usize, count: usize, out: &mut Vec<u8>) {
        let (stride, size) = (self.shape.stride(), self.shape.values.size());
        let rows = &self.values[head * PAGE * stride * size..][..count * stride * size];
        rows.chunks_exact(stride * size).for_each(|row| out.extend(&row[..self.shape.head_dim * size]));
    }

    fn group(&self, head: usize, group: usize) -> &[u8] {
        let bytes = self.shape.head_dim * GROUP * self.shape.keys.size();
        &self.keys[(head * (PAGE / GROUP) + group) * bytes..][..bytes]
    }
}

/// `row` as elements of `dtype`, the first at element `at` and each `step` elements after the one before.
fn scatter(dtype: Dtype, row: &[f32], to: &mut [u8], at: usize, step: usize) {
    fn put<const SIZE: usize>(row: &[f32], to: &mut [u8], step: usize, bytes: impl Fn(f32) -> [u8; SIZE]) {
        for (x, to) in row.iter().zip(to.chunks_mut(step * SIZE)) {
            to[..SIZE].copy_from_slice(&bytes(*x));
        }
    }
    let to = &mut to[at * dtype.size()..];
    match dtype {
        Dtype::Bf16 => put(row, to, step, |x| bf16::from_f32(x).to_le_bytes()),
        Dtype::F16 => put(row, to, step, |x| f16::from_f32(x).to_le_bytes()),
        _ => put(row, to, step, f32::to_le_bytes),
    }
}

/// The filled part of one sequence's cache.
#[derive(Clone, Copy, Debug)]
pub struct KvView<'a> {
    /// What the pages hold.
    pub shape: KvShape,
    /// Position p is in page p / 64.
    pub pages: &'a [Arc<KvPage>],
    /// Positions filled, the rows of this call included; later ones are never read.
    pub len: usize,
}

impl<'a> KvView<'a> {
    /// The 32 keys from key `32 · group` on, `[head_dim, 32]`.
    pub(super) fn keys(&self, head: usize, group: usize) -> &'a [u8] {
        self.pages[group * GROUP / PAGE].group(head, group % (PAGE / GROUP))
    }

    /// Values of keys of one page, `[keys.len(), stride]`.
    pub(super) fn values(&self, head: usize, keys: Range<usize>) -> &'a [u8] {
        let row = self.shape.stride() * self.shape.values.size();
        let at = (head * PAGE + keys.start % PAGE) * row;
        &self.pages[keys.start / PAGE].values[at..at + keys.len() * row]
    }

    /// The group of 32 keys after this one; empty behind the last page.
    pub(super) fn keys_after(&self, head: usize, group: usize) -> &'a [u8] {
        let next = group + 1;
        self.pages.get(next * GROUP / PAGE).map_or(&[], |page| page.group(head, next % (PAGE / GROUP)))
    }

    /// What is `count` keys after key `start`, to the end of its page; empty behind the last page.
    pub(super) fn values_after(&self, head: usize, start: usize, count: usize) -> &'a [u8] {
        let next = start + count;
        let end = next / PAGE * PAGE + PAGE;
        if end <= self.pages.len() * PAGE { self.values(head, next..end) } else { &[] }
    }
}
