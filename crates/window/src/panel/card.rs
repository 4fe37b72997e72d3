//! The card of the boid that is explained: its numbers, whom each rule perceives, and the size of each request.

use std::sync::Arc;

use egui::{Align2, Color32, FontId, Galley, Painter, Pos2, Rect, vec2};
use engine::{Change, Explanation};

use super::widgets::counted;
use crate::theme;
use scene::colour_of;

/// Minimum size of a view that has room for the card, in points.
const ROOM: egui::Vec2 = vec2(330.0, 280.0);
const TEXT: Color32 = theme::OVER_VIEW;
const SOFT: Color32 = Color32::from_rgb(176, 184, 198);
/// Height of a row, the inner margin, and the widths of a dot, a gap and the longest bar, in points.
const ROW: f32 = 17.0;
const MARGIN: f32 = 9.0;
const DOT: f32 = 14.0;
const GAP: f32 = 12.0;
const BAR: f32 = 56.0;

/// A request in the card.
struct Row {
    colour: Color32,
    name: Arc<Galley>,
    /// The number of boids that it perceives; empty if it perceives none by itself.
    count: Arc<Galley>,
    size: Arc<Galley>,
    /// Length of the bar, in points.
    bar: f32,
}

/// Draws the card with its upper left corner at a point of a view.
pub fn show(painter: &Painter, view: Rect, at: Pos2, explanation: &Explanation) {
    if view.width() < ROOM.x || view.height() < ROOM.y {
        return;
    }
    let layout =
        |text: &str, colour| painter.layout_no_wrap(text.to_owned(), FontId::proportional(12.0), colour);
    let mut heads = vec![layout(&numbers(explanation), TEXT)];
    if let Some(limits) = limits(explanation) {
        heads.push(layout(&limits, theme::ACCENT));
    }
    let total = explanation.total().length();
    let largest = explanation.changes.iter().map(Change::length).fold(total, f64::max);
    let row = |colour, name: &str, count: String, size: f64| Row {
        colour,
        name: layout(name, TEXT),
        count: layout(&count, SOFT),
        size: layout(&figure(size), TEXT),
        bar: if largest > 0.0 { BAR * (size / largest) as f32 } else { 0.0 },
    };
    let mut rows = Vec::new();
    for change in &explanation.changes {
        let [red, green, blue] = colour_of(explanation, change.name);
        let perceives = explanation.senses.iter().any(|sense| sense.name == change.name);
        let count = match change.name {
            name if perceives => format!("sees {}", explanation.seen(name).count()),
            "alignment" | "cohesion" => "whole flock".to_owned(),
            _ => String::new(),
        };
        let name = change.name.replace('_', " ");
        rows.push(row(Color32::from_rgb(red, green, blue), &name, count, change.length()));
    }
    if !explanation.rests {
        rows.push(row(Color32::WHITE, "together", String::new(), total));
    }
    let widest =
        |part: fn(&Row) -> &Arc<Galley>| rows.iter().map(|row| part(row).size().x).fold(0.0, f32::max);
    let [names, counts, sizes] = [widest(|row| &row.name), widest(|row| &row.count), widest(|row| &row.size)];
    let table = DOT + names + GAP + counts + GAP + sizes + GAP + BAR;
    let width = heads.iter().map(|head| head.size().x).fold(table, f32::max);
    let height = ROW * (heads.len() + rows.len()) as f32;
    let ground = Rect::from_min_size(at, vec2(width, height) + 2.0 * vec2(MARGIN, MARGIN - 2.0));
    painter.rect_filled(ground, 6.0, theme::BEHIND);
    let left = at.x + MARGIN;
    let mut middle = at.y + MARGIN - 2.0 + 0.5 * ROW;
    for head in heads {
        draw(painter, Pos2::new(left, middle), Align2::LEFT_CENTER, head);
        middle += ROW;
    }
    for row in rows {
        painter.circle_filled(Pos2::new(left + 4.0, middle), 4.0, row.colour);
        let (of_count, of_size) = (left + DOT + names + GAP + counts, left + table - GAP - BAR);
        draw(painter, Pos2::new(left + DOT, middle), Align2::LEFT_CENTER, row.name);
        draw(painter, Pos2::new(of_count, middle), Align2::RIGHT_CENTER, row.count);
        draw(painter, Pos2::new(of_size, middle), Align2::RIGHT_CENTER, row.size);
        let bar = Rect::from_min_size(Pos2::new(left + table - BAR, middle - 3.0), vec2(row.bar, 6.0));
        painter.rect_filled(bar, 3.0, row.colour);
        middle += ROW;
    }
}

fn draw(painter: &Painter, at: Pos2, align: Align2, text: Arc<Galley>) {
    painter.galley(align.anchor_size(at, text.size()).min, text, TEXT);
}

/// The line of numbers.
fn numbers(explanation: &Explanation) -> String {
    if explanation.rests {
        return "perched".to_owned();
    }
    let neighbours = counted(explanation.neighbours.len() as u32, "neighbour");
    format!("speed {}  ·  turns {:.1}°  ·  {neighbours}", figure(explanation.speed()), explanation.turn())
}

/// The limits that the next velocity meets, if it meets any.
fn limits(explanation: &Explanation) -> Option<String> {
    let names: Vec<&str> = explanation.limits.iter().map(|limit| limit.name()).collect();
    if names.is_empty() { None } else { Some(format!("limited by {}", names.join(" and "))) }
}

/// A number with three significant digits, at most six of them after the point.
fn figure(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let decimals = (2.0 - number.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_have_three_digits() {
        let figures = [0.0, 0.012345, 5.0, 12.34, 4321.0, 1e-9].map(figure);
        assert_eq!(figures, ["0", "0.0123", "5.00", "12.3", "4321", "0.000000"]);
    }
}
