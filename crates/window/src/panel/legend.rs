//! The legend over the view: what the colours of boids mean.

use egui::{Color32, FontId, Painter, Pos2, Rect, vec2};
use scene::Swatch;

use crate::theme;

/// Height of a row, the radius of a dot, its distance from its words, and that of two entries, in points.
const ROW: f32 = 18.0;
const DOT: f32 = 4.5;
const GAP: f32 = 6.0;
const APART: f32 = 14.0;
/// Margins of the ground.
const MARGIN: egui::Vec2 = vec2(7.0, 4.0);

/// Draws the legend with its lower left corner at a point, in rows of at most this width.
pub fn show(painter: &Painter, at: Pos2, width: f32, swatches: &[Swatch]) {
    let mut places = Vec::new();
    let (mut corner, mut widest) = (vec2(0.0, 0.0), 0.0_f32);
    for swatch in swatches {
        let [red, green, blue] = swatch.colour;
        let text =
            painter.layout_no_wrap(swatch.meaning.clone(), FontId::proportional(12.0), theme::OVER_VIEW);
        let words = if swatch.meaning.is_empty() { 0.0 } else { GAP + text.size().x };
        let size = 2.0 * DOT + words;
        if corner.x > 0.0 && corner.x + size > width {
            corner = vec2(0.0, corner.y + ROW);
        }
        places.push((corner, Color32::from_rgb(red, green, blue), text));
        widest = widest.max(corner.x + size);
        corner.x += size + APART;
    }
    if places.is_empty() {
        return;
    }
    let size = vec2(widest, corner.y + ROW);
    let first = at - vec2(0.0, size.y);
    let ground = Rect::from_min_size(first, size).expand2(MARGIN);
    painter.rect_filled(ground, 6.0, theme::BEHIND);
    for (corner, colour, text) in places {
        let middle = first + corner + vec2(DOT, 0.5 * ROW);
        painter.circle_filled(middle, DOT, colour);
        let words = middle + vec2(DOT + GAP, -0.5 * text.size().y);
        painter.galley(words, text, theme::OVER_VIEW);
    }
}
