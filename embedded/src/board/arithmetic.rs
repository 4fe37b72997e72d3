//! Division and 64-bit multiplication under the names that the compiler calls, faster than its own routines.
//!
//! Each core has a hardware divider that takes eight cycles. Its state is not saved, because no interrupt handler
//! divides.

use core::arch::global_asm;

global_asm!(
    ".section .text.arithmetic, \"ax\", %progbits",
    ".p2align 2",
    ".thumb",
    // Arguments: dividend in r0, divisor in r1. Results: quotient in r0, remainder in r1.
    ".global __aeabi_uidiv",
    ".global __aeabi_uidivmod",
    ".type __aeabi_uidiv, %function",
    ".type __aeabi_uidivmod, %function",
    ".thumb_func",
    "__aeabi_uidiv:",
    ".thumb_func",
    "__aeabi_uidivmod:",
    "    movs r2, #0xd0",
    "    lsls r2, r2, #24",
    "    str r0, [r2, #0x60]",
    "    str r1, [r2, #0x64]",
    "    b 2f",
    ".global __aeabi_idiv",
    ".global __aeabi_idivmod",
    ".type __aeabi_idiv, %function",
    ".type __aeabi_idivmod, %function",
    ".thumb_func",
    "__aeabi_idiv:",
    ".thumb_func",
    "__aeabi_idivmod:",
    "    movs r2, #0xd0",
    "    lsls r2, r2, #24",
    "    str r0, [r2, #0x68]",
    "    str r1, [r2, #0x6c]",
    // Eight cycles: each branch to the next line takes two.
    "2:  b 3f",
    "3:  b 4f",
    "4:  b 5f",
    "5:  b 6f",
    // Reading the quotient ends the division, so it comes last.
    "6:  ldr r1, [r2, #0x74]",
    "    ldr r0, [r2, #0x70]",
    "    bx lr",
    // The lower 64 bits of r1:r0 · r3:r2, from six 32-bit products.
    ".global __aeabi_lmul",
    ".type __aeabi_lmul, %function",
    ".thumb_func",
    "__aeabi_lmul:",
    "    push {{r4, r5, lr}}",
    "    muls r1, r2, r1",
    "    muls r3, r0, r3",
    "    adds r1, r1, r3",
    // The halves of r0 go to r0 and r3, those of r2 to r2 and r4.
    "    lsrs r3, r0, #16",
    "    lsrs r4, r2, #16",
    "    uxth r0, r0",
    "    uxth r2, r2",
    "    mov  r5, r0",
    "    muls r0, r2, r0",
    "    muls r2, r3, r2",
    "    muls r5, r4, r5",
    "    muls r3, r4, r3",
    "    adds r1, r1, r3",
    // Each middle product is split between the lower and the upper word.
    "    lsls r3, r2, #16",
    "    lsrs r2, r2, #16",
    "    adds r0, r0, r3",
    "    adcs r1, r2",
    "    lsls r3, r5, #16",
    "    lsrs r5, r5, #16",
    "    adds r0, r0, r3",
    "    adcs r1, r5",
    "    pop {{r4, r5, pc}}",
);
