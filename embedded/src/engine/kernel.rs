//! The innermost loop for two dimensions in assembly: [`super::packed::sums`] for rules whose alignment and cohesion have
//! the same neighbours, with the same bits.
//!
//! Cycles per candidate, with the code in RAM: 14 out of reach, 22 for a neighbour, 48 for one that is too near. The
//! loop is unrolled four times and keeps its sums in registers. It sums whole packed words, and separately their upper
//! halves; the sum of the lower halves follows from both. The boid itself is among the candidates, and its contribution
//! is subtracted at the end.

use super::Engine;
use super::packed::{Radii, VELOCITY_OFFSET};
use crate::memory::{Half, Word, read_half, vector};
use core::arch::global_asm;
use flock::fixed::FixedSums;

/// Added to the x of a packed offset, which makes its lower half unsigned.
const MIDDLE: i32 = 1 << 15;

/// The arguments of the loop, and its results.
#[repr(C)]
struct Frame {
    /// [`MIDDLE`] minus the packed position of the boid; a candidate's is added to it.
    origin: i32,
    reach: u32,
    separation: u32,
    packed: *const Word,
    /// Ids by slot, and positions by id.
    order: *const Half,
    positions: *const Word,
    runs: *const [u32; 2],
    runs_end: *const [u32; 2],
    /// Sums of the positions of the boids that are too near, x and y, modulo 2³².
    near: [i32; 2],
    /// Sums of the packed offsets of the neighbours, with [`MIDDLE`] added to x, and of their y.
    offset: [i32; 2],
    /// Sums of their packed velocities, and of the y of these.
    velocity: [i32; 2],
    /// The number of neighbours, plus 2¹⁶ times the number of boids that are too near.
    counts: u32,
}

unsafe extern "C" {
    fn murmuration_search(frame: *mut Frame);
}

/// The sums of the boid in a slot over the slots of the runs, each given by its first slot and its end; no run is empty.
/// The radii must be [`Radii::shared`].
#[inline(always)]
pub fn search(engine: &Engine<'_>, radii: &Radii, runs: &[[u32; 2]], slot: usize) -> FixedSums {
    let (packed, order, positions) = (engine.arrays.packed, engine.arrays.order, engine.positions());
    // The runs are in ascending order, so the last has the largest end.
    let last = runs.last().map_or(0, |run| run[1] as usize);
    if last == 0 || packed.len() < 2 * last || order.len() < last {
        return FixedSums::default();
    }
    let [position, own, _] = vector::<true>(packed, slot);
    let range = runs.as_ptr_range();
    let mut frame = Frame {
        origin: MIDDLE.wrapping_sub(position),
        reach: radii.reach,
        separation: radii.separation,
        packed: packed.as_ptr(),
        order: order.as_ptr(),
        positions: positions.as_ptr(),
        runs: range.start,
        runs_end: range.end,
        near: [0; 2],
        offset: [0; 2],
        velocity: [0; 2],
        counts: 0,
    };
    // SAFETY: all runs end within the words and the ids, as checked above, and every id has a position. The loop reads
    // these and the runs, writes the frame only, and follows the procedure call standard.
    unsafe { murmuration_search(&raw mut frame) };
    let Frame { near, offset, velocity, counts, .. } = frame;
    let (mut neighbours, mut too_near) = ((counts & 0xffff) as i32, (counts >> 16) as i32);
    let lower = |[words, upper]: [i32; 2]| words.wrapping_sub(upper << 16);
    let offset = [lower(offset).wrapping_sub(neighbours * MIDDLE), offset[1]];
    let mut velocity = [lower(velocity), velocity[1]];
    let [x, y, _] = vector::<true>(positions, read_half(order, slot));
    // The boid itself, where it is counted, contributes its own position to both terms, which cancels.
    let separation = |own: i32, sum: i32| own.wrapping_mul(too_near).wrapping_sub(sum);
    let separation = [separation(x, near[0]), separation(y, near[1]), 0];
    if radii.separation > 0 {
        too_near -= 1;
    } else {
        neighbours -= 1;
        velocity = [velocity[0] - (own & 0xffff), velocity[1] - (own >> 16)];
    }
    FixedSums {
        separation,
        separation_count: too_near,
        alignment: [velocity[0] - neighbours * VELOCITY_OFFSET, velocity[1], 0],
        alignment_count: neighbours,
        cohesion: [offset[0], offset[1], 0],
        cohesion_count: neighbours,
    }
}

// Registers: r0 next candidate; r1 packed offset; r2 counts; r3, r4 scratch; r5 packed velocity; r6, r7 sums of
// velocities; r8 `origin`; r9, r10 squared radii; r11 -MIDDLE; r12, lr sums of offsets.
// Stack: 0, 4 `near`; 8 current run; 12 end of the runs; 16 the frame; 20 the count of one boid that is too near (2¹⁶);
// 24 the packed words; 28 the ids minus one entry, because r0 is one candidate ahead; 32 the positions; 36 end of the run.
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
    // Twice the slot, then its id, then its position.
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
    ".section .data.murmuration_search, \"awx\", %progbits",
    ".p2align 2",
    ".global murmuration_search",
    ".type murmuration_search, %function",
    ".thumb_func",
    "murmuration_search:",
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
    // r0 has passed the candidate when its id is read.
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
    // A run: converts its ends to addresses, and enters the unrolled loop so that the remainder modulo 4 comes first.
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
    ".size murmuration_search, . - murmuration_search",
);
