//! The axes of an arrow picture: where the plane lies in the picture, and its numbers.

use vello_cpu::kurbo::{Line, Point, Rect, Vec2};
use vello_cpu::peniko::Color;

use crate::canvas::{Anchor, Canvas};

/// A frame in the middle of the picture, to one scale in both directions.
pub(super) struct Axes {
    frame: Rect,
    view: Rect,
    scale: f64,
    unit: f64,
}

impl Axes {
    /// Fits `view` into a picture of `size` pixels, with room for numbers and label.
    pub(super) fn new((width, height): (f64, f64), view: Rect) -> Self {
        let unit = width.min(height) / 480.0;
        let room = Rect::new(46.0 * unit, 38.0 * unit, width - 18.0 * unit, height - 30.0 * unit);
        let scale = (room.width() / view.width()).min(room.height() / view.height());
        let frame = Rect::from_center_size(room.center(), view.size() * scale);
        Self { frame, view, scale, unit }
    }

    /// The frame in pixels.
    pub(super) fn frame(&self) -> Rect {
        self.frame
    }

    /// Pixels a unit of length.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// One pixel of a picture of 480 lines.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// Where a position is in the picture.
    pub(super) fn place(&self, position: [f64; 3]) -> Point {
        let offset = Point::new(position[0], position[1]) - self.view.origin();
        self.frame.origin() + offset * self.scale
    }

    /// Draws the frame, ticks and numbers.
    pub(super) fn draw(&self, canvas: &mut Canvas, ink: Color, faint: Color) {
        let (unit, frame) = (self.unit, self.frame);
        canvas.stroke(&frame, unit, faint);
        let step = tick_step(self.view.width().max(self.view.height()) / 7.0);
        let size = 11.0 * unit;
        for x in ticks(self.view.x0, self.view.x1, step) {
            let at = self.place([x, self.view.y1, 0.0]);
            canvas.stroke(&Line::new(at, at + Vec2::new(0.0, 4.0 * unit)), unit, faint);
            canvas.text(&number(x, step), (at.x, at.y + 17.0 * unit), size, Anchor::Middle, ink);
        }
        for y in ticks(self.view.y0, self.view.y1, step) {
            let at = self.place([self.view.x0, y, 0.0]);
            canvas.stroke(&Line::new(at, at - Vec2::new(4.0 * unit, 0.0)), unit, faint);
            canvas.text(&number(y, step), (at.x - 8.0 * unit, at.y + 4.0 * unit), size, Anchor::End, ink);
        }
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
fn tick_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * 0.999);
    factor.unwrap_or(10.0) * power
}

/// The multiples of `step` from `min` to `max`.
fn ticks(min: f64, max: f64, step: f64) -> impl Iterator<Item = f64> {
    let (first, last) = ((min / step - 1e-6).ceil(), (max / step + 1e-6).floor());
    let count = (last - first).clamp(0.0, 20.0) as u32;
    (0..=count).map(move |k| (first + f64::from(k)) * step)
}

/// A tick's number with as many decimals as the step needs.
fn number(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    // Adding zero takes the sign off a negative zero.
    format!("{:.decimals$}", value + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        let shown = |min: f64, max: f64| {
            let step = tick_step((max - min) / 7.0);
            ticks(min, max, step).map(|tick| number(tick, step)).collect::<Vec<_>>()
        };
        assert_eq!(shown(0.0, 400.0), ["0", "100", "200", "300", "400"]);
        assert_eq!(shown(-1.0, 1.0), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(shown(0.0, 640.0).len(), 7);
        assert_eq!(shown(3.0, 103.0), ["20", "40", "60", "80", "100"]);
        assert_eq!(shown(0.0, 0.05), ["0.00", "0.01", "0.02", "0.03", "0.04", "0.05"]);
    }

    #[test]
    fn fits_the_view_to_one_scale() {
        let axes = Axes::new((1280.0, 720.0), Rect::new(0.0, 0.0, 640.0, 480.0));
        let corner = axes.place([640.0, 480.0, 0.0]);
        assert_eq!(axes.place([0.0; 3]), axes.frame().origin());
        assert!((corner.x - axes.frame().x1).abs() < 1e-9 && (corner.y - axes.frame().y1).abs() < 1e-9);
        let ratio = axes.frame().width() / axes.frame().height();
        assert!((ratio - 640.0 / 480.0).abs() < 1e-9);
        assert!(axes.frame().x1 < 1280.0 && axes.frame().y1 < 720.0);
    }
}
