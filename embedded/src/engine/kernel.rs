//! The innermost loop for flat flocks in assembly: [`super::packed::add`] for rules whose alignment and cohesion see
//! the same boids, with the same bits.
//!
//! Cycles a candidate, of code in RAM: 14 where it is out of reach, 22 for a neighbour, 48 for one too near. The loop
//! is written out four times and the sums stay in registers. Packed words are summed as they are, and their upper halves
//! once more: from both follows the sum of the lower halves. The boid itself is among its candidates: its part is taken
//! off at the end.

use super::Engine;
use super::packed::{BIAS, Radii};
use crate::memory::{Half, Word, read_half};
use core::arch::global_asm;
use flock::fixed::Tally;

/// Added to the x of a packed offset, so that its lower half has no sign.
const MIDDLE: i32 = 1 << 15;

/// What the loop reads, and where it writes.
#[repr(C)]
struct Frame {
    /// What a candidate's packed place is added to: [`MIDDLE`] less the boid's own.
    spot: i32,
    reach: u32,
    separation: u32,
    seen: *const Word,
    /// The ids of the slots, and the positions by id.
    order: *const Half,
    positions: *const Word,
    runs: *const [u32; 2],
    runs_end: *const [u32; 2],
    /// Sums of positions of the boids too near, x and y, modulo 2³².
    near: [i32; 2],
    /// Packed offsets of the neighbours, x with [`MIDDLE`] added, and y.
    offset: [i32; 2],
    /// Their packed paces, and y.
    pace: [i32; 2],
    /// Neighbours, and 2¹⁶ times the boids too near.
    counts: u32,
}

unsafe extern "C" {
    fn murmuration_look(frame: *mut Frame);
}

/// What the boid in a slot perceives among the slots of the runs, each its first and the one after its last; no run is
/// empty. The rule's radii must be [`Radii::shared`].
#[inline(always)]
pub fn look(engine: &Engine<'_>, radii: &Radii, runs: &[[u32; 2]], slot: usize) -> Tally {
    let (seen, order) = (engine.seen(), engine.arrays.order);
    let positions = engine.arrays.positions[engine.now];
    // The runs are in ascending order.
    let last = runs.last().map_or(0, |run| run[1] as usize);
    if last == 0 || seen.words.len() < 2 * last || order.len() < last {
        return Tally::default();
    }
    let [spot, own, _] = seen.get::<true>(slot);
    let range = runs.as_ptr_range();
    let mut frame = Frame {
        spot: MIDDLE.wrapping_sub(spot),
        reach: radii.reach,
        separation: radii.separation,
        seen: seen.words.as_ptr(),
        order: order.as_ptr(),
        positions: positions.as_ptr(),
        runs: range.start,
        runs_end: range.end,
        near: [0; 2],
        offset: [0; 2],
        pace: [0; 2],
        counts: 0,
    };
    // SAFETY: all runs end within the words and the ids, as was just checked, and every id is one of a boid that has a
    // position; the loop reads these and the runs, writes the frame and nothing else, and leaves registers and stack as
    // the procedure call standard wants them.
    unsafe { murmuration_look(&raw mut frame) };
    let Frame { near, offset, pace, counts, .. } = frame;
    let (mut neighbours, mut too_near) = ((counts & 0xffff) as i32, (counts >> 16) as i32);
    let lower = |[words, upper]: [i32; 2]| words.wrapping_sub(upper << 16);
    let offset = [lower(offset).wrapping_sub(neighbours * MIDDLE), offset[1]];
    let mut pace = [lower(pace), pace[1]];
    let [x, y, _] = engine.position::<true>(read_half(order, slot));
    // The boid itself, where it counts, adds its own position on both sides.
    let push = |own: i32, sum: i32| own.wrapping_mul(too_near).wrapping_sub(sum);
    let separation = [push(x, near[0]), push(y, near[1]), 0];
    if radii.separation > 0 {
        too_near -= 1;
    } else {
        neighbours -= 1;
        pace = [pace[0] - (own & 0xffff), pace[1] - (own >> 16)];
    }
    Tally {
        separation,
        separation_count: too_near,
        alignment: [pace[0] - neighbours * BIAS, pace[1], 0],
        alignment_count: neighbours,
        cohesion: [offset[0], offset[1], 0],
        cohesion_count: neighbours,
    }
}

// r0 next candidate, r1 its packed offset, r2 counts, r3 and r4 at hand, r5 its packed pace, r6 and r7 sums of paces,
// r8 the middle less the boid's place, r9 and r10 squared radii, r11 the middle negated, r12 and lr sums of offsets.
// On the stack: 0 and 4 the sums of those too near, 8 the run, 12 the end of the runs, 16 the frame, 20 a boid too near
// as it is counted, 24 the words, 28 the ids less what the next candidate is ahead, 32 the positions, 36 the end of
// the run.
global_asm!(
    ".macro murmuration_candidate copy",
    "murmuration_copy_\\copy:",
    "    ldmia r0!, {{r1, r5}}",
    "    add   r1, r8",
    "    asrs  r4, r1, #16",
    "    uxth  r3, r1",
    "    add   r3, r11",
    "    muls  r3, r3, r3",
    "    muls  r4, r4, r4",
    "    adds  r3, r3, r4",
    "    cmp   r3, r9",
    "    bhs   murmuration_next_\\copy",
    "    cmp   r3, r10",
    "    blo   murmuration_near_\\copy",
    "    asrs  r4, r1, #16",
    "    add   r12, r1",
    "    add   lr, r4",
    "    asrs  r4, r5, #16",
    "    adds  r6, r6, r5",
    "    adds  r7, r7, r4",
    "    adds  r2, r2, #1",
    "murmuration_next_\\copy:",
    ".endm",
    ".macro murmuration_too_near copy",
    "murmuration_near_\\copy:",
    // Twice the slot, its id, its position.
    "    ldr   r4, [sp, #24]",
    "    subs  r3, r0, r4",
    "    lsrs  r3, r3, #2",
    "    ldr   r4, [sp, #28]",
    "    ldrh  r3, [r4, r3]",
    "    lsls  r3, r3, #3",
    "    ldr   r4, [sp, #32]",
    "    adds  r4, r4, r3",
    "    ldmia r4!, {{r3, r5}}",
    "    ldr   r4, [sp, #0]",
    "    adds  r4, r4, r3",
    "    str   r4, [sp, #0]",
    "    ldr   r4, [sp, #4]",
    "    adds  r4, r4, r5",
    "    str   r4, [sp, #4]",
    "    ldr   r5, [sp, #20]",
    "    adds  r2, r2, r5",
    "    b     murmuration_next_\\copy",
    ".endm",
    ".section .data.murmuration_look, \"awx\", %progbits",
    ".p2align 2",
    ".global murmuration_look",
    ".type murmuration_look, %function",
    ".thumb_func",
    "murmuration_look:",
    "    push  {{r4, r5, r6, r7, lr}}",
    "    mov   r4, r8",
    "    mov   r5, r9",
    "    mov   r6, r10",
    "    mov   r7, r11",
    "    push  {{r4, r5, r6, r7}}",
    "    sub   sp, #40",
    "    str   r0, [sp, #16]",
    "    ldmia r0!, {{r1, r2, r3, r4, r5, r6}}",
    "    mov   r8, r1",
    "    mov   r9, r2",
    "    mov   r10, r3",
    "    str   r4, [sp, #24]",
    // The candidate has been stepped over when its id is looked up.
    "    subs  r5, r5, #2",
    "    str   r5, [sp, #28]",
    "    str   r6, [sp, #32]",
    "    ldmia r0!, {{r5, r6}}",
    "    str   r5, [sp, #8]",
    "    str   r6, [sp, #12]",
    "    movs  r2, #0",
    "    str   r2, [sp, #0]",
    "    str   r2, [sp, #4]",
    "    mov   r12, r2",
    "    mov   lr, r2",
    "    movs  r6, #0",
    "    movs  r7, #0",
    "    movs  r3, #1",
    "    lsls  r3, r3, #16",
    "    str   r3, [sp, #20]",
    "    lsrs  r3, r3, #1",
    "    negs  r3, r3",
    "    mov   r11, r3",
    // A run: its ends as addresses, and into the loop as many copies before its end as are left over of fours.
    "murmuration_run:",
    "    ldr   r3, [sp, #8]",
    "    ldmia r3!, {{r0, r4}}",
    "    str   r3, [sp, #8]",
    "    ldr   r5, [sp, #24]",
    "    subs  r3, r4, r0",
    "    lsls  r0, r0, #3",
    "    adds  r0, r0, r5",
    "    lsls  r4, r4, #3",
    "    adds  r4, r4, r5",
    "    str   r4, [sp, #36]",
    "    lsrs  r3, r3, #1",
    "    bcs   1f",
    "    lsrs  r3, r3, #1",
    "    bcs   murmuration_copy_2",
    "    b     murmuration_copy_0",
    "1:  lsrs  r3, r3, #1",
    "    bcs   murmuration_copy_1",
    "    b     murmuration_copy_3",
    "    murmuration_candidate 0",
    "    murmuration_candidate 1",
    "    murmuration_candidate 2",
    "    murmuration_candidate 3",
    "    ldr   r3, [sp, #36]",
    "    cmp   r0, r3",
    "    bne   murmuration_copy_0",
    "    ldr   r3, [sp, #8]",
    "    ldr   r4, [sp, #12]",
    "    cmp   r3, r4",
    "    bne   murmuration_run",
    "    ldr   r0, [sp, #16]",
    "    adds  r0, r0, #32",
    "    ldr   r3, [sp, #0]",
    "    ldr   r4, [sp, #4]",
    "    stmia r0!, {{r3, r4}}",
    "    mov   r3, r12",
    "    mov   r4, lr",
    "    stmia r0!, {{r3, r4, r6, r7}}",
    "    str   r2, [r0, #0]",
    "    add   sp, #40",
    "    pop   {{r4, r5, r6, r7}}",
    "    mov   r8, r4",
    "    mov   r9, r5",
    "    mov   r10, r6",
    "    mov   r11, r7",
    "    pop   {{r4, r5, r6, r7, pc}}",
    "    murmuration_too_near 0",
    "    murmuration_too_near 1",
    "    murmuration_too_near 2",
    "    murmuration_too_near 3",
    ".size murmuration_look, . - murmuration_look",
);
