/* What the emulated machine has at power-on instead of a BIOS and a boot loader: the ROM goes to long mode and jumps into the kernel, which lies in RAM
 * already with all that it needs. Section `ram` begins at address 0, `rom` ends at 4 GiB. Linux, Documentation/arch/x86/boot.rst, "64-bit Boot Protocol". */

#define KERNEL 0x1000000 /* both as in bochsrc */
#define INITRD 0x10000000
#define RAM (1 << 30)

/* A BIOS would enable fast string instructions; without, the kernel must not believe in fast short ones either (clearcpuid, X86_FEATURE_FSRM). */
#define COMMAND_LINE "console=ttyS0,115200 loglevel=1 tsc_early_khz=50000 pci=off mitigations=off clearcpuid=580"

#define PARAMS 0x1000 /* struct boot_params */

    .section ram, "a"
    .org PARAMS + 0x1e8
    .byte 2 /* entries of the memory map */
    .org PARAMS + 0x202
    .ascii "HdrS"
    .word 0x20f /* version of the protocol */
    .org PARAMS + 0x210
    .byte 0xff /* a boot loader without a number */
    .org PARAMS + 0x218
    .long INITRD, INITRD_SIZE
    .org PARAMS + 0x228
    .long command_line
    .org PARAMS + 0x2d0 /* the memory map: from, size, 1 for RAM */
    .quad 0, 0x9f000
    .long 1
    .quad 0x100000, RAM - 0x100000
    .long 1

    .org 0x2000 /* page tables: the first 4 GiB mapped where they lie, in pages of 1 GiB */
tables:
    .quad 0x3003
    .org 0x3000
    .quad 0x00000083, 0x40000083, 0x80000083, 0xc0000083

command_line:
    .asciz COMMAND_LINE

    .section rom, "ax"
    .code16
begin:
    lgdtl %cs:segments_end - begin
    movl $tables, %eax
    movl %eax, %cr3
    movl $0x20, %eax /* PAE */
    movl %eax, %cr4
    movl $0xc0000080, %ecx /* EFER: long mode */
    movl $0x100, %eax
    xorl %edx, %edx
    wrmsr
    movl $0x80000011, %eax /* paging, protected mode */
    movl %eax, %cr0
    ljmpl $0x10, $long
    .code64
long:
    movl $0x18, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl $PARAMS, %esi
    movl $KERNEL, %eax
    jmp *%rax

    .balign 8
segments: /* as the protocol wants them: 0x10 is code, 0x18 is data */
    .quad 0, 0, 0x00af9a000000ffff, 0x00cf92000000ffff
segments_end:
    .word segments_end - segments - 1
    .long segments

    .org 0xfff0 /* where the CPU begins, in real mode */
    .code16
    jmp begin
    .org 0x10000
