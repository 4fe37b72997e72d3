//! The innermost loop for two dimensions in assembly: [`super::packed::sums`] for rules whose alignment and cohesion
//! have the same neighbours, with the same bits.
//!
//! Cycles per candidate, with the code in RAM: 14 out of reach, 22 for a neighbour, 48 for one that is too near. The
//! loop is unrolled four times and keeps its sums in registers. It sums whole packed words, and separately their upper
//! halves; the sum of the lower halves follows from both. The boid itself is among the candidates, and its contribution
//! is subtracted at the end.

use super::Engine;
#[cfg(target_arch = "arm")]
use super::cells::PART_BITS;
use super::cells::{Touched, Widths};
use super::packed::{VELOCITY_OFFSET, pack};
use super::search::SearchMode;
use crate::memory::{Arrays, Half, Word, vector};
#[cfg(target_arch = "arm")]
use core::arch::global_asm;
use core::ptr::null;
use flock::fixed::FixedSums;

/// Added to the x of a packed offset, which makes its lower half unsigned.
const MIDDLE: i32 = 1 << 15;

/// The arguments of the loop, and its results.
#[repr(C)]
struct Frame {
    /// [`MIDDLE`] minus the packed position of the boid; a candidate's is added to it.
    origin: i32,
    /// Squared radii: the reach, and the separation.
    radii: [u32; 2],
    packed: *const Word,
    /// Ids by slot, and positions by id.
    order: *const Half,
    positions: *const Word,
    /// Ends of an entry of [`Widths`].
    widths: [*const u8; 2],
    /// First slots of the cells of a row, and bytes from row to row.
    starts: *const Half,
    row_bytes: u32,
    part: u32,
    /// Sums of the positions of the boids that are too near, x and y, modulo 2³²; of the packed offsets of the
    /// neighbours, with [`MIDDLE`] added to x, and of their y; of their packed velocities, and of the y of these. Then
    /// the number of neighbours, plus 2¹⁶ times the number of boids that are too near; and the number of candidates.
    sums: [i32; 8],
}

#[cfg(target_arch = "arm")]
unsafe extern "C" {
    fn murmuration_search(frame: *mut Frame);
}

/// A core's loop over the candidates of its boids.
pub struct Kernel<'e> {
    engine: &'e Engine<'e>,
    frame: Frame,
    widths: Widths,
}

impl<'e> Kernel<'e> {
    /// Creates the loop; `None` if it does not support the rule.
    pub fn new(engine: &'e Engine<'e>, mode: &SearchMode) -> Option<Self> {
        let SearchMode::Packed(radii) = mode else { return None };
        let (Arrays { packed, order, starts, .. }, boids) = (&engine.arrays, engine.boids);
        let whole = packed.len() >= 2 * boids && order.len() >= boids && starts.len() > engine.cells.count();
        let frame = Frame {
            origin: 0,
            radii: [radii.reach, radii.separation],
            packed: packed.as_ptr(),
            order: order.as_ptr(),
            positions: engine.positions().as_ptr(),
            widths: [null(); 2],
            starts: starts.as_ptr(),
            row_bytes: 2 * engine.cells.columns(),
            part: 0,
            sums: [0; 8],
        };
        let serves = cfg!(target_arch = "arm") && engine.assembly && engine.rule.flat && radii.shared();
        let reach = (engine.rule.reach.0 >> engine.rule.format.position_shift) as u32;
        (serves && whole).then(|| Kernel { engine, frame, widths: engine.cells.widths(reach) })
    }

    /// The sums of the boid in a slot, and its number of candidates; `None` near the edges of the grid.
    #[inline(always)]
    pub fn search(&mut self, slot: usize, id: usize) -> Option<(FixedSums, u32)> {
        let (engine, frame) = (self.engine, &mut self.frame);
        let [x, y, _] = vector::<true>(engine.positions(), id);
        let place = [x, y].map(|c| engine.coarse_position(c));
        let Touched { first, part, row_part, rows } = engine.cells.touched(place)?;
        frame.origin = MIDDLE.wrapping_sub(pack(place[0], place[1]));
        let widths = self.widths[row_part][..rows].as_ptr_range();
        frame.widths = [widths.start, widths.end];
        frame.starts = engine.arrays.starts.as_ptr().wrapping_add(first as usize);
        frame.part = part;
        // SAFETY: all touched cells exist, and have their starts and an end. These are at most the number of boids,
        // each of which has words and an id, as checked above, and every id has a position. The loop reads these and
        // the widths, writes the frame only, and follows the procedure call standard.
        #[cfg(target_arch = "arm")]
        unsafe {
            murmuration_search(frame);
        }
        let [near_x, near_y, offsets, offset_y, velocities, velocity_y, counts, candidates] = frame.sums;
        let (mut neighbours, mut too_near) = (counts & 0xffff, counts >> 16);
        let lower = |words: i32, upper: i32| words.wrapping_sub(upper << 16);
        let cohesion = [lower(offsets, offset_y).wrapping_sub(neighbours * MIDDLE), offset_y, 0];
        let mut velocity = [lower(velocities, velocity_y), velocity_y];
        // The boid itself, if counted, contributes its own position to both terms, which cancels.
        let separation = |own: i32, sum: i32| own.wrapping_mul(too_near).wrapping_sub(sum);
        let separation = [separation(x, near_x), separation(y, near_y), 0];
        if frame.radii[1] > 0 {
            too_near -= 1;
        } else {
            neighbours -= 1;
            let own = vector::<true>(engine.arrays.packed, slot)[1];
            velocity = [velocity[0] - (own & 0xffff), velocity[1] - (own >> 16)];
        }
        let sums = FixedSums {
            separation,
            separation_count: too_near,
            alignment: [velocity[0] - neighbours * VELOCITY_OFFSET, velocity[1], 0],
            alignment_count: neighbours,
            cohesion,
            cohesion_count: neighbours,
        };
        Some((sums, candidates as u32))
    }
}

// Registers: r0 next candidate; r1 packed offset; r2 counts; r3, r4 scratch; r5 packed velocity; r6, r7 sums of
// velocities; r8 `origin`; r9, r10 squared radii; r11 -MIDDLE; r12, lr sums of offsets.
// Stack: 0, 4 `near`; 8 the frame; 12 the count of one boid that is too near (2¹⁶); 16 the packed words; 20 the ids
// minus one entry, because r0 is one candidate ahead; 24 the positions; 28, 32 the widths; 36 `starts`; 40 `row_bytes`;
// 44 `part`; 48 the candidates; 52 end of the row.
#[cfg(target_arch = "arm")]
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
    "    ldr   r4, [sp, #16]",
    "    subs  r3, r0, r4",
    "    lsrs  r3, r3, #2",
    "    ldr   r4, [sp, #20]",
    "    ldrh  r3, [r4, r3]",
    "    lsls  r3, r3, #3",
    "    ldr   r4, [sp, #24]",
    "    adds  r4, r4, r3",
    "    ldmia r4!, {{r3, r5}}",
    "    ldr   r4, [sp, #0]",
    "    adds  r4, r4, r3",
    "    str   r4, [sp, #0]",
    "    ldr   r4, [sp, #4]",
    "    adds  r4, r4, r5",
    "    str   r4, [sp, #4]",
    "    ldr   r5, [sp, #12]",
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
    "    sub   sp, #56",
    "    str   r0, [sp, #8]",
    "    ldmia r0!, {{r1, r2, r3}}",
    "    mov   r8, r1",
    "    mov   r9, r2",
    "    mov   r10, r3",
    "    add   r7, sp, #16",
    "    ldmia r0!, {{r1, r2, r3, r4}}",
    // r0 has passed the candidate when its id is read.
    "    subs  r2, r2, #2",
    "    stmia r7!, {{r1, r2, r3, r4}}",
    "    ldmia r0!, {{r1, r2, r3, r4}}",
    "    movs  r5, #0",
    "    stmia r7!, {{r1, r2, r3, r4, r5}}",
    "    movs  r2, #0",
    "    str   r2, [sp, #0]",
    "    str   r2, [sp, #4]",
    "    mov   r12, r2",
    "    mov   lr, r2",
    "    movs  r6, #0",
    "    movs  r7, #0",
    "    movs  r3, #1",
    "    lsls  r3, r3, #16",
    "    str   r3, [sp, #12]",
    "    lsrs  r3, r3, #1",
    "    negs  r3, r3",
    "    mov   r11, r3",
    // A row: the slots from the start of its first cell to the end of its last.
    "murmuration_row:",
    "    ldr   r0, [sp, #28]",
    "    ldrb  r3, [r0]",
    "    adds  r0, r0, #1",
    "    str   r0, [sp, #28]",
    "    ldr   r4, [sp, #44]",
    "    subs  r5, r4, r3",
    "    adds  r4, r4, r3",
    "    lsrs  r5, r5, #{parts}",
    "    lsls  r5, r5, #1",
    "    lsrs  r4, r4, #{parts}",
    "    lsls  r4, r4, #1",
    "    ldr   r3, [sp, #36]",
    "    ldrh  r0, [r3, r5]",
    "    adds  r4, r4, r3",
    "    ldrh  r4, [r4, #2]",
    "    ldr   r5, [sp, #40]",
    "    adds  r3, r3, r5",
    "    str   r3, [sp, #36]",
    "    subs  r3, r4, r0",
    "    beq   murmuration_next_row",
    "    ldr   r5, [sp, #48]",
    "    adds  r5, r5, r3",
    "    str   r5, [sp, #48]",
    // Converts the slots to addresses, and enters the unrolled loop so that the remainder modulo 4 comes first.
    "    ldr   r5, [sp, #16]",
    "    lsls  r0, r0, #3",
    "    adds  r0, r0, r5",
    "    lsls  r4, r4, #3",
    "    adds  r4, r4, r5",
    "    str   r4, [sp, #52]",
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
    "    ldr   r3, [sp, #52]",
    "    cmp   r0, r3",
    "    bne   murmuration_copy_0",
    "murmuration_next_row:",
    "    ldr   r3, [sp, #28]",
    "    ldr   r4, [sp, #32]",
    "    cmp   r3, r4",
    "    bne   murmuration_row",
    "    ldr   r0, [sp, #8]",
    "    adds  r0, r0, #44",
    "    ldr   r3, [sp, #0]",
    "    ldr   r4, [sp, #4]",
    "    stmia r0!, {{r3, r4}}",
    "    mov   r3, r12",
    "    mov   r4, lr",
    "    stmia r0!, {{r3, r4, r6, r7}}",
    "    ldr   r3, [sp, #48]",
    "    stmia r0!, {{r2, r3}}",
    "    add   sp, #56",
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
    parts = const PART_BITS,
);
