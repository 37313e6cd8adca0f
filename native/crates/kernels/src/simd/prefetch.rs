//! Reading ahead. One of the files that may hold `unsafe`.

/// Asks for the cache line that begins `ahead` bytes after the start of `from`, which may lie beyond its end. A hint: it changes no value and cannot fail.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(from: &[T], ahead: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program sees and never faults; the address is computed without leaving integers.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast::<i8>().wrapping_add(ahead)) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (from, ahead);
}
