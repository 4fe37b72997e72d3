//! The status line: number of boids, frame time, preset and clock.

use super::canvas::Canvas;
use super::colour::{FIGURE, LABEL};
use core::fmt::Write;

/// The contents of the status line.
#[derive(Clone, Copy, Debug)]
pub struct Status<'s> {
    pub preset: &'s str,
    pub boids: usize,
    /// Time spent on a frame, and time left of it, in microseconds.
    pub frame: u32,
    pub spare: u32,
    pub mhz: u32,
}

impl Status<'_> {
    /// Draws the whole line.
    pub fn draw(&self, canvas: &Canvas<'_>) {
        let millis = |micros: u32| (micros / 1000, micros % 1000 / 100);
        let ((frame, frame_tenths), (spare, spare_tenths)) = (millis(self.frame), millis(self.spare));
        // Columns in eighths of the width: a label, then its figure.
        field(canvas, 1, "boids", 5, format_args!("{:>5}", self.boids));
        field(canvas, 17, "frame", 8, format_args!("{frame:>3}.{frame_tenths} ms"));
        field(canvas, 36, "spare", 8, format_args!("{spare:>3}.{spare_tenths} ms"));
        field(canvas, 55, self.preset, 0, format_args!(""));
        field(canvas, 70, "", 8, format_args!("{:>4} mhz", self.mhz));
    }
}

/// Writes a label at a column, and after a space a figure of `width` letters.
fn field(canvas: &Canvas<'_>, column: usize, label: &str, width: usize, figure: core::fmt::Arguments<'_>) {
    let mut line = Line { letters: [b' '; 16], used: 0 };
    // A figure that is too long for its field is cut.
    let _ = line.write_fmt(figure);
    canvas.text(column, label.as_bytes(), LABEL);
    let after = if label.is_empty() { column } else { column + label.len() + 1 };
    canvas.text(after, &line.letters[..width.min(line.letters.len())], FIGURE);
}

struct Line {
    letters: [u8; 16],
    used: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for (to, letter) in self.letters.iter_mut().skip(self.used).zip(text.bytes()) {
            *to = letter;
            self.used += 1;
        }
        Ok(())
    }
}
