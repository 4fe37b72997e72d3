//! Draws into a picture.

use super::colour::Colour;
use super::mark::{Mark, SIZE};
use super::{HEIGHT, ROW, WIDTH, WORDS, font};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A picture that both cores draw into. When both write the same word at once, a pixel may be lost for one frame.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'p> {
    words: &'p [AtomicU32; WORDS],
}

/// Words from the first to the last that a mark can cover.
const SPAN: usize = (SIZE - 1) * ROW + 2;
/// Half the size of a mark.
const HALF: i32 = SIZE as i32 / 2;

impl<'p> Canvas<'p> {
    pub fn new(words: &'p [AtomicU32; WORDS]) -> Self {
        Canvas { words }
    }

    /// Clears rows of pixels to black.
    pub fn clear(&self, rows: core::ops::Range<usize>) {
        let words = self.words.get(rows.start * ROW..rows.end.min(HEIGHT) * ROW);
        fill_black(words.unwrap_or_default());
    }

    /// Draws a mark, unless it overlaps the status line or the edge of the picture.
    #[inline(always)]
    pub fn mark(&self, mark: &Mark) {
        let (left, top) = (mark.x - HALF, mark.y - HALF);
        let inside = (left as u32) < (WIDTH - SIZE) as u32
            && ((top - font::HEIGHT as i32) as u32) < (HEIGHT - SIZE - font::HEIGHT) as u32;
        if !inside {
            return;
        }
        let first = top as usize * ROW + (left as usize >> 3);
        let Some(words) = self.words.get(first..).and_then(|rest| rest.first_chunk::<SPAN>()) else {
            // Unreachable: `inside` excludes the last row of pixels.
            return;
        };
        let shift = (left as u32 & 7) * 4;
        let colour = mark.colour.word();
        for (row, mask) in mark.shape.iter().enumerate() {
            paint(&words[row * ROW], mask << shift, colour);
            // Two shifts, because a shift by 32 is undefined.
            paint(&words[row * ROW + 1], (mask >> 1) >> (31 - shift), colour);
        }
    }

    /// Writes text into the status line, from a column of eight pixels on; cut at the right edge.
    pub fn text(&self, column: usize, text: &[u8], colour: Colour) {
        for (at, letter) in (column..ROW).zip(text) {
            for (row, bits) in font::glyph(*letter).iter().enumerate() {
                if let Some(word) = self.words.get((row + font::TOP) * ROW + at) {
                    word.store(spread(*bits) & colour.word(), Relaxed);
                }
            }
        }
    }
}

#[inline(always)]
fn paint(word: &AtomicU32, mask: u32, colour: u32) {
    if mask != 0 {
        word.store(word.load(Relaxed) & !mask | colour & mask, Relaxed);
    }
}

/// Expands eight bits, the highest leftmost, to a mask of eight pixels.
fn spread(bits: u8) -> u32 {
    (0..8).filter(|pixel| bits << pixel & 0x80 != 0).map(|pixel| 0xf << (4 * pixel)).sum()
}

#[cfg(not(target_arch = "arm"))]
fn fill_black(words: &[AtomicU32]) {
    words.iter().for_each(|word| word.store(0, Relaxed));
}

/// Sixteen words per iteration with multiple stores: half the cycles of single stores.
#[cfg(target_arch = "arm")]
fn fill_black(words: &[AtomicU32]) {
    let (turns, rest) = words.as_chunks::<16>();
    if !turns.is_empty() {
        // SAFETY: the loop writes 64 bytes per iteration from the first word on, `turns` iterations in all, and atomic
        // words may be written through a shared reference.
        unsafe {
            core::arch::asm!(
                "2:",
                "stmia {at}!, {{r0, r1, r2, r3}}",
                "stmia {at}!, {{r0, r1, r2, r3}}",
                "stmia {at}!, {{r0, r1, r2, r3}}",
                "stmia {at}!, {{r0, r1, r2, r3}}",
                "subs {turns}, #1",
                "bne 2b",
                at = inout(reg) turns.as_ptr() => _,
                turns = inout(reg) turns.len() => _,
                in("r0") 0, in("r1") 0, in("r2") 0, in("r3") 0,
                options(nostack),
            );
        }
    }
    rest.iter().for_each(|word| word.store(0, Relaxed));
}

#[cfg(test)]
mod tests {
    use super::super::{colour, mark};
    use super::*;
    use std::boxed::Box;

    fn blank() -> Box<[AtomicU32; WORDS]> {
        Box::new([const { AtomicU32::new(0) }; WORDS])
    }

    fn pixel(words: &[AtomicU32; WORDS], x: usize, y: usize) -> u32 {
        words[y * ROW + x / 8].load(Relaxed) >> (4 * (x % 8)) & 0xf
    }

    #[test]
    fn marks_at_and_beyond_the_edges_touch_nothing_else() {
        let words = blank();
        let canvas = Canvas::new(&words);
        let far = [i32::MIN / 2, -1, 0, 1, 636, 637, 638, 640, i32::MAX / 2];
        for (x, y) in far.into_iter().flat_map(|x| far.map(|y| (x, y))) {
            canvas.mark(&Mark { x, y, shape: &mark::LARGE[0], colour: colour::WHITE });
        }
        assert!(words.iter().all(|word| word.load(Relaxed) == 0));
        canvas.mark(&Mark { x: 635, y: 475, shape: &mark::LARGE[0], colour: colour::WHITE });
        assert!(words.iter().any(|word| word.load(Relaxed) != 0));
        canvas.clear(0..HEIGHT);
        assert!(words.iter().all(|word| word.load(Relaxed) == 0));
    }

    #[test]
    fn text_is_cut_at_the_right_edge() {
        let words = blank();
        let canvas = Canvas::new(&words);
        canvas.text(ROW - 1, b"88", colour::WHITE);
        assert!(pixel(&words, WIDTH - 6, font::TOP) != 0, "the 8 has a top");
        assert!((0..WIDTH - 8).all(|x| (0..20).all(|y| pixel(&words, x, y) == 0)));
    }
}
