//! AMX: tiles of 16 rows of 64 bytes, multiplied as 8-bit integers and summed in 32 bits. One of the files that may hold `unsafe`.
//!
//! Spelled as instructions, since the library's intrinsics are not stable. Sound because a [`Unit`] exists only inside [`run`], which has checked the CPU and
//! has the system's permission; the compiler itself never touches a tile.
#![allow(unsafe_code)]

use super::{TILE_ROWS as ROWS, TileRow, Words16};
use crate::Isa;
use std::{
    arch::{asm, x86_64::__cpuid_count},
    sync::OnceLock,
};

/// Bytes of a row.
const BYTES: usize = size_of::<TileRow>();

/// 16 rows of 16 sums, each in a line of memory of its own: what is stored across two lines comes back late.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Sums(pub [[i32; BYTES / 4]; ROWS]);

impl Sums {
    /// No sum yet.
    pub const fn zero() -> Self {
        Self([[0; BYTES / 4]; ROWS])
    }
}

/// What runs with the tiles.
pub trait AmxKernel {
    /// The work. `#[inline(always)]`, as for `Kernel`.
    fn run(self, unit: &mut Unit);
}

/// Runs a kernel with the tiles, and compiled for AVX-512.
///
/// # Panics
/// If this CPU or this system lacks them.
pub fn run(kernel: impl AmxKernel) {
    assert!(Isa::Amx.is_available(), "this CPU does not have amx-int8, or the system does not let it be used");
    // SAFETY: the CPU has the features and the process the permission, checked above.
    unsafe { run_compiled(kernel) }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn run_compiled(kernel: impl AmxKernel) {
    // SAFETY: by contract of this function.
    kernel.run(&mut unsafe { Unit::begin() });
}

/// The tile registers of this thread: two operands, codes and two sums, all of full size.
pub struct Unit {
    /// Tiles belong to the thread that configured them.
    not_send: std::marker::PhantomData<*const ()>,
}

impl Unit {
    /// # Safety
    /// The CPU has amx-tile and amx-int8 and the process may use them.
    unsafe fn begin() -> Self {
        // Palette 1; bytes of a row from byte 16 on, rows from byte 48 on.
        let mut config = TileRow([0; BYTES]);
        config.0[0] = 1;
        for tile in 0..5 {
            config.0[16 + 2 * tile] = BYTES as u8;
            config.0[48 + tile] = ROWS as u8;
        }
        // SAFETY: 64 bytes of a valid configuration.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const config, options(nostack, preserves_flags)) };
        Self { not_send: std::marker::PhantomData }
    }

    /// Both sums zero.
    #[inline(always)]
    pub fn clear(&mut self) {
        // SAFETY: the tiles are configured.
        unsafe { asm!("tilezero tmm3", "tilezero tmm4", options(nomem, nostack, preserves_flags)) };
    }

    /// For row m and output n, over k = 4 i + b: the first sum grows by `low[m][k] · codes[i][n].byte(b)`, the second by `high[m][k]`, signed, times the same.
    #[inline(always)]
    pub fn add(&mut self, low: &[TileRow; ROWS], high: &[TileRow; ROWS], codes: &[[Words16; 1]; ROWS]) {
        const { assert!(size_of::<Words16>() == BYTES) };
        // SAFETY: the tiles are configured, and each operand has 16 rows of 64 bytes.
        unsafe {
            asm!(
                "tileloadd tmm0, [{low} + {stride}]", "tileloadd tmm1, [{high} + {stride}]", "tileloadd tmm2, [{codes} + {stride}]",
                "tdpbuud tmm3, tmm0, tmm2", "tdpbsud tmm4, tmm1, tmm2",
                low = in(reg) low.as_ptr(), high = in(reg) high.as_ptr(), codes = in(reg) codes.as_ptr(), stride = in(reg) BYTES,
                options(readonly, nostack, preserves_flags)
            );
        }
    }

    /// Both sums.
    #[inline(always)]
    pub fn store(&mut self, low: &mut Sums, high: &mut Sums) {
        // SAFETY: the tiles are configured, and each place has 16 rows of 64 bytes.
        unsafe {
            asm!(
                "tilestored [{low} + {stride}], tmm3", "tilestored [{high} + {stride}], tmm4",
                low = in(reg) &raw mut *low, high = in(reg) &raw mut *high, stride = in(reg) BYTES,
                options(nostack, preserves_flags)
            );
        }
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        // A thread whose tiles are in use costs the system more at every switch.
        // SAFETY: the CPU has amx-tile, or there would be no unit.
        unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
    }
}

/// Whether this CPU has AMX for 8-bit integers and this process may use it. Asks the system for permission, once.
pub fn is_usable() -> bool {
    static USABLE: OnceLock<bool> = OnceLock::new();
    *USABLE.get_or_init(|| is_on_this_cpu() && is_enabled() && is_permitted())
}

fn is_on_this_cpu() -> bool {
    const AMX_TILE: u32 = 1 << 24;
    const AMX_INT8: u32 = 1 << 25;
    let features = __cpuid_count(7, 0).edx;
    features & AMX_TILE != 0 && features & AMX_INT8 != 0
}

/// Whether the system keeps tiles when it switches threads: bits 17 and 18 of XCR0. Only to be asked on a CPU that has AMX, and so `xgetbv`.
fn is_enabled() -> bool {
    let (low, _high): (u32, u32);
    // SAFETY: a CPU with AMX has xgetbv, and a system that runs AVX-512 has enabled it.
    unsafe { asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _high, options(nomem, nostack, preserves_flags)) };
    low >> 17 & 3 == 3
}

/// Linux gives tile data to a process that asks (Documentation/arch/x86/xstate.rst); other systems are not tried.
fn is_permitted() -> bool {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const ARCH_PRCTL: u64 = 158;
        const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
        const XTILEDATA: u64 = 18;
        let result: i64;
        // SAFETY: a system call that reads no memory of the process. It overwrites rcx and r11.
        unsafe {
            asm!(
                "syscall", inlateout("rax") ARCH_PRCTL => result, in("rdi") ARCH_REQ_XCOMP_PERM, in("rsi") XTILEDATA,
                lateout("rcx") _, lateout("r11") _, options(nostack)
            );
        }
        result == 0
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    false
}
