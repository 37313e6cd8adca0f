"""Runs a static x86-64 Linux program on an emulated Sapphire Rapids, for instruction sets that the machine at hand lacks.

    machine.py PROGRAM [ARGUMENT...]

The CPU is Bochs's, from the package bochscpu-python, with cpu.c preloaded. There is no kernel under the program: it gets flat memory of 1 GiB and the few
system calls that a program needs which starts no thread and opens no file. Exits with the program's code.
"""
import ctypes
import mmap
import os
import struct
import sys
import time

# So that cpu.c finds the library's functions.
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
import bochscpu
import bochscpu.cpu
import bochscpu.memory

PAGE = 4096
RAM = 1 << 30
TABLES = 0x1000  # page tables: all memory mapped where it lies, in pages of 1 GiB
GATE = 0x8000  # where `syscall` goes: a `hlt`, at which the emulator stops
PROGRAM = 0x1000_0000
HEAP = 0x2000_0000
STACK = RAM - PAGE
STACK_SIZE = 64 << 20

# Intel SDM volume 3, sections 2.5, 2.6 and 4.5.
CR0 = 0x8001_0033  # paging, write protection, native FPU errors, protected mode
CR4 = 1 << 5 | 1 << 9 | 1 << 10 | 1 << 16 | 1 << 18  # PAE, SSE, SSE exceptions, FSGSBASE, XSAVE
XCR0 = 0b1110_0111  # x87, SSE, AVX, AVX-512
CODE, DATA = 0xA09B, 0xC093  # long mode code, writable data, both for ring 0

ENOSYS, ENOMEM, ENOTTY = -38, -12, -25


class Exit(Exception):
    """The program ended; args[0] is its code."""


class Machine:
    def __init__(self, arguments):
        self.ram = mmap.mmap(-1, RAM)
        host = ctypes.addressof(ctypes.c_char.from_buffer(self.ram))
        for page in range(0, RAM, PAGE):
            bochscpu.memory.page_insert(page, host + page)
        self.write(TABLES, struct.pack("<Q", TABLES + PAGE | 7))
        self.write(TABLES + PAGE, struct.pack("<Q", 0x87))
        self.write(GATE, b"\xf4")
        self.heap = HEAP
        entry, auxiliary = self.load(arguments[0])
        self.session = bochscpu.Session()
        self.session.missing_page_handler = self.missing
        self.session.cpu.state = self.start(entry, self.stack(arguments, auxiliary))

    def write(self, at, data):
        self.ram[at : at + len(data)] = data

    def read(self, at, size):
        return bytes(self.ram[at : at + size])

    def load(self, path):
        """Maps the segments; the entry, and what the auxiliary vector tells of the program."""
        with open(path, "rb") as file:
            data = file.read()
        if data[:5] != b"\x7fELF\x02":
            sys.exit(f"{path} is not a 64-bit ELF program")
        (kind,) = struct.unpack_from("<H", data, 16)
        entry, headers = struct.unpack_from("<QQ", data, 24)
        (count,) = struct.unpack_from("<H", data, 56)
        base = PROGRAM if kind == 3 else 0
        for i in range(count):
            segment, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, headers + 56 * i)
            if segment == 3:
                sys.exit(f"{path} is linked dynamically; build it for x86_64-unknown-linux-musl")
            if segment == 1:
                self.write(base + address, data[offset : offset + size])
        return base + entry, [3, base + headers, 4, 56, 5, count, 6, PAGE, 9, base + entry]

    def stack(self, arguments, auxiliary):
        """The initial stack of the System V ABI for x86-64, section 3.4.1; its top."""
        at = STACK
        pointers = []
        for text in arguments:
            at -= len(text.encode()) + 1
            self.write(at, text.encode() + b"\0")
            pointers.append(at)
        at = at - 16 & ~15
        self.write(at, os.urandom(16))
        words = [len(pointers), *pointers, 0, 0, *auxiliary, 25, at, 0, 0]
        at = at - 8 * len(words) & ~15
        self.write(at, struct.pack(f"<{len(words)}Q", *words))
        return at

    def start(self, entry, stack):
        state = bochscpu.State()
        bochscpu.cpu.set_long_mode(state)
        state.cr0, state.cr3, state.cr4, state.xcr0 = CR0, TABLES, CR4, XCR0
        state.mxcsr, state.mxcsr_mask, state.fpcw, state.rflags = 0x1F80, 0xFFFF, 0x37F, 2
        state.star, state.lstar, state.sfmask = 8 << 32, GATE, 0
        state.cs = segment(8, CODE)
        for name in ("ss", "ds", "es", "fs", "gs"):
            setattr(state, name, segment(16, DATA))
        state.rip, state.rsp = entry, stack
        return state

    def missing(self, address):
        sys.exit(f"no memory at {address:#x}, instruction {self.session.cpu.state.rip:#x}")

    def run(self):
        halted = []
        hook = bochscpu.Hook()
        hook.hlt = lambda session, _: (halted.append(True), session.stop())
        hook.exception = lambda session, _, vector, error: self.fault(vector, error)
        while True:
            halted.clear()
            self.session.run([hook])
            if not halted:
                sys.exit("the emulator stopped without a system call")
            state = self.session.cpu.state
            arguments = [state.rdi, state.rsi, state.rdx, state.r10, state.r8, state.r9]
            try:
                state.rax = self.call(state, state.rax, arguments) & (1 << 64) - 1
            except Exit as exit:
                return exit.args[0]
            state.rip = state.rcx
            self.session.cpu.state = state

    def fault(self, vector, error):
        names = {6: "an instruction this CPU does not have", 13: "a protection fault", 14: "a page fault"}
        what = names.get(vector, f"exception {vector}")
        print(f"{what} at {self.session.cpu.state.rip:#x}, error {error:#x}", file=sys.stderr)
        os._exit(132)

    def call(self, state, number, a):
        """A system call by its number on x86-64 Linux."""
        if number == 1:
            return os.write(a[0], self.read(a[1], a[2]))
        if number == 20:
            parts = [struct.unpack("<QQ", self.read(a[1] + 16 * i, 16)) for i in range(a[2])]
            return os.write(a[0], b"".join(self.read(at, size) for at, size in parts))
        if number == 9:
            return self.map(a)
        if number == 158 and a[0] == 0x1002:
            fs = state.fs
            fs.base = a[1]
            state.fs = fs
            return 0
        if number == 228:
            self.write(a[1], struct.pack("<QQ", *divmod(time.monotonic_ns(), 10**9)))
            return 0
        if number == 318:
            self.write(a[0], os.urandom(a[1]))
            return a[1]
        if number == 204:
            self.write(a[2], bytes([1, 0, 0, 0, 0, 0, 0, 0]))
            return 8
        if number in (60, 231):
            raise Exit(a[0])
        # poll, mprotect, munmap, brk, rt_sigaction, rt_sigprocmask, sched_yield, madvise, sigaltstack: nothing to do. ioctl: no terminal. Thread ids: 1.
        fixed = {7: 0, 10: 0, 11: 0, 12: 0, 13: 0, 14: 0, 24: 0, 28: 0, 131: 0, 16: ENOTTY, 39: 1, 186: 1, 218: 1}
        return fixed.get(number, ENOSYS)

    def map(self, a):
        """mmap of fresh memory; unmapped memory is not used again."""
        if a[4] & 0xFFFF_FFFF != 0xFFFF_FFFF:
            return ENOSYS
        size = a[1] + PAGE - 1 & ~(PAGE - 1)
        if a[3] & 0x10:
            self.write(a[0], bytes(size))
            return a[0]
        if self.heap + size > STACK - STACK_SIZE:
            return ENOMEM
        self.heap += size
        return self.heap - size


def segment(selector, attributes):
    made = bochscpu.Segment()
    made.present, made.selector, made.base, made.limit, made.attr = True, selector, 0, 0xFFFF_FFFF, attributes
    return made


if __name__ == "__main__":
    sys.exit(Machine(sys.argv[1:]).run())
