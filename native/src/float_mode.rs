//! Rounding and denormals of the thread that computes. A host may have changed both for its own threads, and new threads inherit them.

/// Round to nearest even, keep denormals, mask all exceptions, on this thread and the threads it starts.
pub fn set() {
    #[cfg(target_arch = "x86_64")]
    {
        let mxcsr: u32 = 0x1f80;
        // SAFETY: loads the power-on value of MXCSR from a local; it is what Rust expects anyway.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &mxcsr, options(nostack, readonly)) };
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: 0 is the power-on value of FPCR: nearest even, no flush to zero, no traps.
    unsafe {
        std::arch::asm!("msr fpcr, {}", in(reg) 0u64, options(nomem, nostack));
    }
}

/// Whether this thread rounds to nearest even and keeps denormals, found out by calculating.
pub fn is_set() -> bool {
    use std::hint::black_box;
    let tiny = black_box(f32::MIN_POSITIVE) / black_box(2.0);
    let kept = black_box(tiny) > 0.0 && black_box(tiny) * black_box(2.0) == f32::MIN_POSITIVE;
    let half = black_box(f32::EPSILON) / 2.0;
    let up = black_box(1.0 + f32::EPSILON) + half;
    kept && black_box(1.0) + half == 1.0 && up == 1.0 + 2.0 * f32::EPSILON
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_changed_mode_is_seen_and_set_right() {
        // Rounding down with denormals flushed, as some audio and graphics hosts run.
        for wrong in [0x3f80u32, 0x9fc0] {
            std::thread::spawn(move || {
                // SAFETY: changes this thread's mode alone; the thread ends with the test.
                unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &wrong, options(nostack, readonly)) };
                assert!(!is_set());
                set();
                assert!(is_set());
            })
            .join()
            .expect("no panic");
        }
    }
}
