//! The timeline under the picture: every step of the flight, with marks where something was changed.

use std::ops::RangeInclusive;

use egui::emath::{lerp, remap, remap_clamp};
use egui::{Align2, Button, FontId, Pos2, Rect, Sense, Slider, Ui};

use super::charts::{self, OF_MEASURES, round_step};
use super::overlay;
use super::widgets::{grouped, named, on_click};
use crate::session::{Action, Actions, Session};
use crate::theme;
use crate::worker::BUDGET;

/// Height of the rail with its numbers, of the chart above it, and distance of both from the lower edge of the view, in
/// points.
const HEIGHT: f32 = 40.0;
const CHART: f32 = 40.0;
const LIFT: f32 = 56.0;
/// Distance from the edges of the view.
const MARGIN: f32 = 16.0;
/// It is shown while the pointer is so near to the lower edge.
const NEAR: f32 = 120.0;
/// Minimum width of a view that has one.
const NARROW: f32 = 320.0;
/// Minimum height of a view with a chart above the rail.
const LOW: f32 = 400.0;
/// Width of the button that takes over.
const BUTTON: f32 = 96.0;
/// Height of the rail's handle, which is the rail's.
const HANDLE: f32 = 20.0;
/// Approximate distance between two numbers of the axis.
const SPACING: f32 = 120.0;

/// The place of the timeline; none while the flock plays and the pointer is elsewhere, and at its first step.
pub fn place(session: &Session, view: Rect, pointer: Option<Pos2>) -> Option<Rect> {
    let [first, last] = session.frame().span;
    let is_near = pointer.is_some_and(|at| view.contains(at) && at.y > view.bottom() - NEAR);
    let is_asked_for = !session.playback.playing || session.playback.looks_back() || is_near;
    if first == last || !is_asked_for || view.width() < NARROW {
        return None;
    }
    // A narrow view has two lines of text below it.
    let bottom = view.bottom() - if view.width() < overlay::NARROW { 1.25 * LIFT } else { LIFT };
    let height = if view.height() < LOW { HEIGHT } else { CHART + HEIGHT };
    let corners =
        [egui::pos2(view.left() + MARGIN, bottom - height), egui::pos2(view.right() - MARGIN, bottom)];
    Some(Rect::from_two_pos(corners[0], corners[1]))
}

/// Shows the timeline in its place. The flock pauses at the step that is chosen.
pub fn show(ui: &mut Ui, session: &Session, place: Rect, actions: &mut Actions) {
    // Nearly opaque, as the rail is to be seen on paper, too.
    ui.painter().rect_filled(place, 6.0, theme::GROUND.gamma_multiply(0.92));
    let mut inside = place.shrink2(egui::vec2(10.0, 4.0));
    inside.min.y = inside.max.y - HEIGHT + 8.0;
    // The button's place stays free, so that the rail does not change under the hand that drags.
    let rail = Rect::from_min_size(inside.min, egui::vec2(inside.width() - BUTTON - 10.0, HANDLE));
    axis(ui, session, rail);
    let span = session.frame().span;
    let [first, last] = span;
    let shown = session.playback.seek_target.unwrap_or(session.frame().step);
    let mut seek = |step: f64| actions.push(Action::Seek(step as i64 - shown as i64));
    if place.height() > HEIGHT {
        let above = rail.with_min_y(place.top() + 6.0).with_max_y(rail.top() - 6.0);
        chart(ui, session, above);
        let held = ui.interact(above, ui.scope_id().with("chart"), Sense::drag() - Sense::FOCUSABLE);
        if let Some(at) = held.interact_pointer_pos() {
            seek(step_at(rail, span, at.x));
        }
    }
    let mut step = shown as f64;
    ui.spacing_mut().slider_width = rail.width();
    let slider = Slider::new(&mut step, first as f64..=last as f64).integer().show_value(false);
    let help = format!(
        "Every step of the flight; played, what follows is repeated.  Keys [ and ]\nStates are stored in {} MB, and the steps between them are computed again.",
        BUDGET >> 20
    );
    let slider = named(ui.put(rail, slider), "moment").on_hover_text(help);
    if slider.is_pointer_button_down_on() || step != shown as f64 {
        seek(step);
    }
    // After the slider, whose drag would otherwise end where the button comes.
    if session.playback.looks_back() {
        let button = Rect::from_min_max(egui::pos2(rail.right() + 10.0, inside.top() + 4.0), inside.max);
        let hint = "Continues from here; what was flown after it is dropped.  Key Shift T";
        on_click(actions, ui.put(button, Button::new("Fly from here")).on_hover_text(hint), Action::TakeOver);
    }
}

/// The range of the flight's steps on a rail: the handle of the slider stays within it.
fn range_of(rail: Rect) -> RangeInclusive<f64> {
    let inset = HANDLE / 2.5;
    f64::from(rail.left() + inset)..=f64::from(rail.right() - inset)
}

/// The horizontal place of a step of the flight.
fn across(rail: Rect, [first, last]: [u64; 2], step: f64) -> f32 {
    remap(step, first as f64..=last as f64, range_of(rail)) as f32
}

/// The step of the flight at a horizontal place.
fn step_at(rail: Rect, [first, last]: [u64; 2], at: f32) -> f64 {
    remap_clamp(f64::from(at), range_of(rail), first as f64..=last as f64).round()
}

/// A measure over the whole flight, above the rail, and its value at the step that is shown.
fn chart(ui: &Ui, session: &Session, place: Rect) {
    let chart = charts::charted(session);
    let frame = session.frame();
    let painter = ui.painter();
    let here = across(place, frame.span, frame.step as f64);
    painter.vline(here, place.y_range(), (1.0, theme::LINE));
    painter.hline(place.x_range(), place.bottom(), (1.0, theme::LINE));
    // A long flight may have lost its beginning.
    let samples = session.playback.course.iter().filter(|sample| sample.step >= frame.span[0]);
    let curves = chart.curves(samples);
    let top = chart.top(ui, &curves, OF_MEASURES);
    let at = |[step, value]: [f64; 2]| {
        let height = lerp(place.bottom()..=place.top(), (value / top) as f32);
        egui::pos2(across(place, frame.span, step), height)
    };
    let font = FontId::proportional(11.0);
    let beside = egui::pos2(place.right() + 10.0, place.top() - 4.0);
    let mut words = painter.text(beside, Align2::LEFT_TOP, chart.name, font.clone(), theme::TEXT);
    for curve in curves {
        for piece in &curve.pieces {
            painter.line(piece.iter().copied().map(at).collect(), (1.5, curve.colour));
        }
        if let Some(value) = curve.at(frame.step) {
            painter.circle_filled(at([frame.step as f64, value]), 2.5, curve.colour);
            let text = format!("{} {value:.2}", curve.name);
            words = painter.text(words.left_bottom(), Align2::LEFT_TOP, text, font.clone(), curve.colour);
        }
    }
}

/// Marks of changes above the rail, and the numbers of steps below it.
fn axis(ui: &Ui, session: &Session, rail: Rect) {
    let span = session.frame().span;
    let [first, last] = span;
    for step in &session.frame().marks {
        let top = egui::pos2(across(rail, span, *step as f64), rail.top() - 1.0);
        ui.painter().line_segment([top, top + egui::vec2(0.0, 6.0)], (2.0, theme::ACCENT));
    }
    let count = (rail.width() / SPACING).max(1.0);
    let least = ((last - first) as f32 / count).max(1.0);
    let every = round_step(least.into()) as u64;
    let mut step = first.next_multiple_of(every);
    while step <= last {
        let place = egui::pos2(across(rail, span, step as f64), rail.bottom() + 12.0);
        let number = grouped(step);
        ui.painter().text(place, Align2::CENTER_BOTTOM, number, FontId::proportional(11.0), theme::FAINT);
        step += every;
    }
}
