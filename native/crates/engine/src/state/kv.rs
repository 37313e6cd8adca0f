//! Keys and values of an attention layer, in pages that forked sessions share until one of them writes.

use crate::{Tensor, forward::Rows};
use moire_base::{Dtype, Result, memory};
use moire_kernels::attention::{KvPage, KvShape, KvView, PAGE};
use std::{ops::Range, sync::Arc};

/// The pages of one batch row, first positions first.
pub type Pages = Vec<Arc<KvPage>>;

/// One list of pages per batch row. It knows no length: the session's position says how much of it counts. A clone shares all pages.
#[derive(Clone)]
pub struct KvCache {
    shape: KvShape,
    /// The dtypes are set, else the first write sets them.
    settled: bool,
    rows: Vec<Pages>,
}

impl KvCache {
    /// Empty caches for `batch` rows. The first write says in which dtypes keys and values come.
    pub fn new(batch: usize, kv_heads: usize, head_dim: usize, dtype: Dtype) -> Self {
        let shape = KvShape { kv_heads, head_dim, keys: dtype, values: dtype };
        Self { shape, settled: false, rows: vec![Vec::new(); batch] }
    }

    /// The same for keys and values that come in several dtypes: they are kept in fp32, which holds all of them.
    pub fn of_any(batch: usize, kv_heads: usize, head_dim: usize) -> Self {
        Self { settled: true, ..Self::new(batch, kv_heads, head_dim, Dtype::F32) }
    }

    /// The pages of one batch row, shared.
    pub fn row(&self, row: usize) -> Pages {
        self.rows[row].clone()
    }

    /// A cache for the same layer with these batch rows.
    pub fn with_rows(&self, rows: Vec<Pages>) -> Self {
        Self { rows, ..*self }
    }

    /// Bytes that a write of `width` positions from `start` on takes: new pages, and own copies of shared ones.
    pub fn growth(&self, row: usize, start: usize, width: usize) -> usize {
        let pages = &self.rows[row];
        let own = |i: usize| pages.get(i).is_some_and(|page| Arc::strong_count(page) == 1);
        (start / PAGE..(start + width).div_ceil(PAGE)).filter(|i| !own(*i)).count() * self.shape.page_bytes()
    }

    /// Put the rows `part` of `k` and `v`, `[_, kv_heads · head_dim]`, at positions `start ..` of a batch row.
    ///
    /// # Errors
    /// `Memory`; what is before `start` stays as it was.
    pub fn write(&mut self, row: usize, start: usize, k: &Rows, v: &Rows, part: Range<usize>) -> Result<()> {
        if !self.settled && self.rows.iter().all(Vec::is_empty) {
            self.shape = KvShape { keys: k.dtype, values: v.dtype, ..self.shape };
        }
        let holds = |kept: Dtype, dtype: Dtype| kept == dtype || kept == Dtype::F32;
        assert!(
            holds(self.shape.keys, k.dtype) && holds(self.shape.values, v.dtype),
            "a layer's keys and values keep their dtypes"
        );
        let (mut position, mut from) = (start, part.start);
        while from < part.end {
            let slot = position % PAGE;
            let count = (PAGE - slot).min(part.end - from);
            let cells = from * k.width..(from + count) * k.width;
            self.page(row, position / PAGE)?.write(slot..slot + count, &k.values[cells.clone()], &v.values[cells]);
            (position, from) = (position + count, from + count);
        }
        Ok(())
    }

    /// A page that no other session has, made or copied if need be.
    fn page(&mut self, row: usize, index: usize) -> Result<&mut KvPage> {
        let pages = &mut self.rows[row];
        if pages.len() <= index {
            let page = Arc::new(KvPage::new(self.shape)?);
            // Where positions were left out the new page stands in for theirs, which nobody reads.
            pages.resize(index, Arc::clone(&page));
            pages.push(page);
        }
        if Arc::get_mut(&mut pages[index]).is_none() {
            pages[index] = Arc::new(pages[index].copy()?);
        }
        Ok(Arc::get_mut(&mut pages[index]).expect("a page was just made ours"))
    }

    /// Give back the pages before the position `first`, which nobody will read again. One of them stands in for all.
    pub fn forget(&mut self, row: usize, first: usize) {
        let pages = &mut self.rows[row];
        if let Some(last) = (first / PAGE).min(pages.len()).checked_sub(1) {
            let page = Arc::clone(&pages[last]);
            pages[..last].fill(page);
        }
    }

    /// Give back the pages behind each batch row's position.
    pub fn trim(&mut self, position: &[usize]) {
        for (pages, len) in self.rows.iter_mut().zip(position) {
            pages.truncate(len.div_ceil(PAGE));
        }
    }

    /// The first `len` positions of a batch row.
    pub fn view(&self, row: usize, len: usize) -> KvView<'_> {
        KvView { shape: self.shape, pages: &self.rows[row], len }
    }

    /// `k` and `v`, `[batch, kv_heads, longest position, head_dim]`.
    ///
    /// # Errors
    /// `Memory`.
    pub fn tensors(&self, position: &[usize]) -> Result<[(&'static str, Tensor); 2]> {
        let k = self.tensor(position, self.shape.keys, KvPage::read_keys)?;
        Ok([("k", k), ("v", self.tensor(position, self.shape.values, KvPage::read_values)?)])
    }

    fn tensor(
        &self,
        position: &[usize],
        dtype: Dtype,
        read: fn(&KvPage, usize, usize, &mut Vec<u8>),
    ) -> Result<Tensor> {
        let longest = position.iter().copied().max().unwrap_or(0);
        let shape = vec![self.rows.len(), self.shape.kv_heads, longest, self.shape.head_dim];
        let row = self.shape.head_dim * dtype.size();
        let mut bytes =
            memory::reserved("a copy of the KV cache of a layer", shape[..3].iter().product::<usize>() * row)?;
        for (pages, len) in self.rows.iter().zip(position) {
            for head in 0..self.shape.kv_heads {
                for (i, page) in pages.iter().take(len.div_ceil(PAGE)).enumerate() {
                    read(page, head, PAGE.min(len - i * PAGE), &mut bytes);
                }
                bytes.resize(bytes.len() + (longest - len) * row, 0);
            }
        }
        Tensor::new(dtype, shape, bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize, value: f32) -> Rows {
        Rows { values: vec![value; count * 4], width: 4, dtype: Dtype::Bf16 }
    }

    fn distinct(cache: &KvCache) -> usize {
        let mut pages: Vec<_> = cache.rows[0].iter().map(Arc::as_ptr).collect();
        pages.sort_unstable();
        pages.dedup();
        pages.len()
    }

    #[test]
    fn forgotten_pages_are_given_back_and_later_ones_stay() {
        let mut cache = KvCache::new(1, 2, 2, Dtype::Bf16);
        let n = 5 * PAGE;
        cache.write(0, 0, &rows(n, 1.0), &rows(n, 2.0), 0..n).unwrap();
        assert_eq!(distinct(&cache), 5);
        cache.forget(0, 3 * PAGE + 7);
        assert_eq!((distinct(&cache), cache.view(0, n).pages.len()), (3, 5));
        cache.forget(0, 3 * PAGE + 7);
        cache.write(0, n, &rows(3, 3.0), &rows(3, 4.0), 0..3).unwrap();
        assert_eq!(cache.growth(0, n + 3, 1), 0);
        let [(_, k), _] = cache.tensors(&[n + 3]).unwrap();
        let k = k.dtype.widen(&k.data);
        assert!(k[3 * PAGE * 2..n * 2].iter().all(|x| *x == 1.0) && k[n * 2..(n + 3) * 2].iter().all(|x| *x == 3.0));
    }

    #[test]
    fn rows_of_several_caches_share_their_pages_until_they_are_written() {
        let mut caches = [1.0, 2.0].map(|value| {
            let mut cache = KvCache::new(1, 2, 2, Dtype::Bf16);
            cache.write(0, 0, &rows(70, value), &rows(70, value), 0..70).unwrap();
            cache
        });
        let page = caches[0].shape.page_bytes();
        let mut joined = caches[0].with_rows(vec![caches[0].row(0), caches[1].row(0), caches[0].row(0), Vec::new()]);
        let growth =
            |cache: &KvCache| [70, 70, 70, 0].iter().enumerate().map(|(b, p)| cache.growth(b, *p, 3)).sum::<usize>();
        assert_eq!((growth(&joined), caches[0].growth(0, 70, 3)), (4 * page, page));
        for (row, start) in [70, 70, 70, 0].into_iter().enumerate() {
            joined.write(row, start, &rows(3, 9.0), &rows(3, 9.0), 0..3).unwrap();
        }
        assert_eq!((growth(&joined), caches[0].growth(0, 70, 3)), (0, 0));
        caches[0].write(0, 60, &rows(10, 5.0), &rows(10, 5.0), 0..10).unwrap();
        let [(_, k), _] = joined.tensors(&[73, 73, 73, 3]).unwrap();
        let k = k.dtype.widen(&k.data);
        let of_row = |row: usize| &k[row * 73 * 4..(row + 1) * 73 * 4];
        for (row, value) in [1.0, 2.0, 1.0].into_iter().enumerate() {
            assert!(of_row(row)[..70 * 2].iter().all(|x| *x == value) && of_row(row)[70 * 2..73 * 2] == [9.0; 6]);
        }
        assert_eq!(of_row(3)[..6], [9.0; 6]);
    }

    #[test]
    fn positions_may_be_left_out() {
        let mut cache = KvCache::of_any(1, 2, 2);
        cache.write(0, 4 * PAGE + 5, &rows(9, 1.0), &rows(9, 2.0), 0..9).unwrap();
        assert_eq!((distinct(&cache), cache.view(0, 4 * PAGE + 14).pages.len()), (2, 5));
        assert_eq!(cache.view(0, 1).shape.keys, Dtype::F32);
        cache.forget(0, 4 * PAGE + 5);
        cache.write(0, 4 * PAGE + 14, &rows(1, 1.0), &rows(1, 2.0), 0..1).unwrap();
        let [(_, k), (_, v)] = cache.tensors(&[4 * PAGE + 15]).unwrap();
        let last = |t: &Tensor| t.dtype.widen(&t.data)[(4 * PAGE + 5) * 2..(4 * PAGE + 15) * 2].to_vec();
        assert_eq!((last(&k), last(&v)), (vec![1.0; 20], vec![2.0; 20]));
    }
}
