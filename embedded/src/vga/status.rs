//! The status line: number of boids, frame time, preset and clock.

use super::canvas::Canvas;
use super::colour::{FIGURE, LABEL};
use core::fmt::{Arguments, Result, Write};

/// Draws the whole line. `times` are the time spent on a frame and the time left of it, in microseconds.
pub fn draw(canvas: &Canvas<'_>, preset: &str, boids: usize, times: [u32; 2], mhz: u32) {
    let [(frame, frame_tenths), (spare, spare_tenths)] =
        times.map(|micros| (micros / 1000, micros % 1000 / 100));
    // Columns in eighths of the width: a label, then its figure.
    field(canvas, 1, "boids ", format_args!("{boids:>5}"));
    field(canvas, 17, "frame ", format_args!("{frame:>3}.{frame_tenths} ms"));
    field(canvas, 36, "spare ", format_args!("{spare:>3}.{spare_tenths} ms"));
    field(canvas, 55, preset, format_args!(""));
    field(canvas, 70, "", format_args!("{mhz:>4} mhz"));
}

/// Writes a label at a column, and a figure after it.
fn field(canvas: &Canvas<'_>, column: usize, label: &str, figure: Arguments<'_>) {
    canvas.text(column, label.as_bytes(), LABEL);
    // Drawing never fails.
    let _ = Pen { canvas, column: column + label.len() }.write_fmt(figure);
}

/// Writes figures from a column on.
struct Pen<'c> {
    canvas: &'c Canvas<'c>,
    column: usize,
}

impl Write for Pen<'_> {
    fn write_str(&mut self, text: &str) -> Result {
        self.canvas.text(self.column, text.as_bytes(), FIGURE);
        self.column += text.len();
        Ok(())
    }
}
