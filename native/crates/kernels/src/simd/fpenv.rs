//! The floating-point mode of a thread. One of the files that may hold `unsafe`.

/// Sets the calling thread to round to nearest even, keep subnormals and mask exceptions. Threads inherit the mode of the thread that made them,
/// and a host may have changed it.
#[allow(unsafe_code)]
pub fn use_ieee_arithmetic() {
    #[cfg(target_arch = "x86_64")]
    {
        let default: u32 = 0x1f80;
        // SAFETY: loads the mode that Rust code is compiled for.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const default, options(nostack, readonly, preserves_flags))
        };
    }
    #[cfg(target_arch = "aarch64")]
    {
        // SAFETY: as above; FPCR 0 is the architecture's IEEE default.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) 0u64, options(nostack, nomem)) };
    }
}
