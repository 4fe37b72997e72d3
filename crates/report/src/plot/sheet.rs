//! The drawing surface of a plot.

use vello_cpu::kurbo::BezPath;
use vello_cpu::peniko::Color;

use crate::canvas::{Anchor, Canvas};

/// A surface that takes shapes and lines of text, in pixels from the upper left corner.
pub(super) trait Sheet {
    /// Fills a shape.
    fn fill(&mut self, path: &BezPath, colour: Color);
    /// Draws along a path, `width` pixels wide.
    fn stroke(&mut self, path: &BezPath, width: f64, colour: Color);
    /// Writes on the baseline at `at`, `size` pixels to the em.
    fn text(&mut self, text: &str, at: (f64, f64), size: f64, anchor: Anchor, colour: Color);
}

impl Sheet for Canvas {
    fn fill(&mut self, path: &BezPath, colour: Color) {
        Canvas::fill(self, path, colour);
    }

    fn stroke(&mut self, path: &BezPath, width: f64, colour: Color) {
        Canvas::stroke(self, path, width, colour);
    }

    fn text(&mut self, text: &str, at: (f64, f64), size: f64, anchor: Anchor, colour: Color) {
        Canvas::text(self, text, at, size, anchor, colour);
    }
}
