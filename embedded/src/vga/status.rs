//! The status line: number of boids, frame time, preset and clock.

use super::canvas::Canvas;
use super::colour::{Colour, FIGURE, LABEL};
use core::fmt::{Arguments, Result, Write};

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
        field(canvas, 1, "boids ", format_args!("{:>5}", self.boids));
        field(canvas, 17, "frame ", format_args!("{frame:>3}.{frame_tenths} ms"));
        field(canvas, 36, "spare ", format_args!("{spare:>3}.{spare_tenths} ms"));
        field(canvas, 55, self.preset, format_args!(""));
        field(canvas, 70, "", format_args!("{:>4} mhz", self.mhz));
    }
}

/// Writes a label at a column, and a figure after it.
fn field(canvas: &Canvas<'_>, column: usize, label: &str, figure: Arguments<'_>) {
    canvas.text(column, label.as_bytes(), LABEL);
    // Drawing never fails.
    let _ = Pen { canvas, column: column + label.len(), colour: FIGURE }.write_fmt(figure);
}

struct Pen<'c> {
    canvas: &'c Canvas<'c>,
    column: usize,
    colour: Colour,
}

impl Write for Pen<'_> {
    fn write_str(&mut self, text: &str) -> Result {
        self.canvas.text(self.column, text.as_bytes(), self.colour);
        self.column += text.len();
        Ok(())
    }
}
