//! Draws into a picture: marks, and the status line in a font of digits, lower-case letters, point and dash, five by seven
//! pixels each.

use super::mark::{Colour, Mark, SIZE};
use super::{HEIGHT, ROW, WIDTH, WORDS};
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
            && ((top - STATUS_HEIGHT as i32) as u32) < (HEIGHT - SIZE - STATUS_HEIGHT) as u32;
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
            for (row, bits) in glyph(*letter).iter().enumerate() {
                if let Some(word) = self.words.get((row + STATUS_TOP) * ROW + at) {
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

/// Rows of a letter.
const GLYPH_ROWS: usize = 7;
/// Rows above the letters, and of the whole status line.
const STATUS_TOP: usize = 2;
const STATUS_HEIGHT: usize = 12;

/// The rows of a letter of the status line from the top, the leftmost pixel in the highest bit. Upper case maps to lower
/// case; a character that is not in the font is blank.
fn glyph(letter: u8) -> [u8; GLYPH_ROWS] {
    let index = match letter.to_ascii_lowercase() {
        digit @ b'0'..=b'9' => digit - b'0',
        small @ b'a'..=b'z' => small - b'a' + 10,
        b'.' => 36,
        b'-' => 37,
        _ => return [0; GLYPH_ROWS],
    };
    GLYPHS[usize::from(index)].map(|row| row << 2)
}

#[rustfmt::skip] // One letter per line.
static GLYPHS: [[u8; GLYPH_ROWS]; 38] = [
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110], // 0
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110], // 1
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111], // 2
    [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110], // 3
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010], // 4
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110], // 5
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110], // 6
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000], // 7
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110], // 8
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100], // 9
    [0b00000, 0b00000, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111], // a
    [0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b11110], // b
    [0b00000, 0b00000, 0b01110, 0b10000, 0b10000, 0b10001, 0b01110], // c
    [0b00001, 0b00001, 0b01111, 0b10001, 0b10001, 0b10001, 0b01111], // d
    [0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110], // e
    [0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000], // f
    [0b00000, 0b01111, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110], // g
    [0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001], // h
    [0b00100, 0b00000, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110], // i
    [0b00010, 0b00000, 0b00110, 0b00010, 0b00010, 0b10010, 0b01100], // j
    [0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010], // k
    [0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110], // l
    [0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101], // m
    [0b00000, 0b00000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001], // n
    [0b00000, 0b00000, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110], // o
    [0b00000, 0b00000, 0b11110, 0b10001, 0b11110, 0b10000, 0b10000], // p
    [0b00000, 0b00000, 0b01111, 0b10001, 0b01111, 0b00001, 0b00001], // q
    [0b00000, 0b00000, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000], // r
    [0b00000, 0b00000, 0b01110, 0b10000, 0b01110, 0b00001, 0b11110], // s
    [0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110], // t
    [0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b10011, 0b01101], // u
    [0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100], // v
    [0b00000, 0b00000, 0b10001, 0b10101, 0b10101, 0b10101, 0b01010], // w
    [0b00000, 0b00000, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001], // x
    [0b00000, 0b10001, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110], // y
    [0b00000, 0b00000, 0b11111, 0b00010, 0b00100, 0b01000, 0b11111], // z
    [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100], // .
    [0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000], // -
];

#[cfg(test)]
mod tests {
    use super::super::mark;
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
            canvas.mark(&Mark { x, y, shape: &mark::LARGE[0], colour: mark::WHITE });
        }
        assert!(words.iter().all(|word| word.load(Relaxed) == 0));
        canvas.mark(&Mark { x: 635, y: 475, shape: &mark::LARGE[0], colour: mark::WHITE });
        assert!(words.iter().any(|word| word.load(Relaxed) != 0));
        canvas.clear(0..HEIGHT);
        assert!(words.iter().all(|word| word.load(Relaxed) == 0));
    }

    #[test]
    fn text_is_cut_at_the_right_edge() {
        let words = blank();
        let canvas = Canvas::new(&words);
        canvas.text(ROW - 1, b"88", mark::WHITE);
        assert!(pixel(&words, WIDTH - 6, STATUS_TOP) != 0, "the 8 has a top");
        assert!((0..WIDTH - 8).all(|x| (0..20).all(|y| pixel(&words, x, y) == 0)));
    }
}
