//! Text and marks over the view.

use board::engine::FITS_ANY_RULE;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Response, Stroke, Vec2, vec2};
use engine::Numeric;
use glam::Vec3;

use super::card;
use super::widgets::counted;
use crate::pointer;
use crate::session::controls::Tool;
use crate::session::rival::Rival;
use crate::session::{Message, Session};
use crate::theme;
use scene::Swatch;

const SOFT: Color32 = Color32::from_rgba_unmultiplied_const(220, 226, 236, 150);
/// The colours of text over the view and of an error: a contrast of at least 4.5 to 1 to their ground.
const TEXT: Color32 = theme::OVER_VIEW;
const WRONG: Color32 = Color32::from_rgb(255, 190, 180);
const RED: Color32 = Color32::from_rgb(232, 72, 64);
/// Minimum width of a view, in points, for two texts side by side.
pub(super) const NARROW: f32 = 460.0;
/// Height of the caption of a presentation, and of its sliders.
const CAPTION: f32 = 88.0;
const SLIDERS: f32 = 124.0;
/// The margins of the ground of a text.
const GROUND_MARGIN: Vec2 = vec2(7.0, 4.0);
/// Height of a row of the legend, the radius of a dot, its distance from its words, and that of two entries, in points.
const ROW: f32 = 18.0;
const DOT: f32 = 4.5;
const GAP: f32 = 6.0;
const APART: f32 = 14.0;
/// Minimum width for any text; below it, as beside a phone's panel, only the panel shows text.
const SLIVER: f32 = 160.0;

/// Shows step, message, hint and film in the view's corners, and a preview of the pointer's tool.
pub fn show(painter: &Painter, response: &Response, session: &Session, timeline: Option<Rect>) {
    let rect = response.rect;
    words(painter, rect, session);
    corners(painter, rect, session, timeline);
    aim(painter, response, session);
    if let Some(seconds) = session.controls.filmed {
        film(painter, rect, seconds);
    }
    if let Some((_, place)) = session.eye.companion()
        && let Some(at) = on_screen(session, rect, place)
    {
        ring(painter, at, 16.0);
    }
}

/// Draws the line between two flocks, and writes by what they differ at the upper edge of each half.
pub fn compare(painter: &Painter, (left, right): (Rect, Rect), session: &Session, rival: &Rival) {
    painter.vline(right.left(), right.y_range(), Stroke::new(1.0, theme::BEHIND));
    let differences = rival.differences(&session.document.parameters);
    for (half, text) in [left, right].into_iter().zip(differences) {
        let at = half.center_top() + vec2(0.0, if session.controls.presents { CAPTION } else { 14.0 });
        label(painter, half, (at, Align2::CENTER_TOP), &text, TEXT);
    }
}

/// One dark and one light ring, visible on any sky.
fn ring(painter: &Painter, at: Pos2, radius: f32) {
    painter.circle_stroke(at, radius, Stroke::new(3.0, theme::BEHIND));
    painter.circle_stroke(at, radius, Stroke::new(1.2, TEXT));
}

/// Writes the words of the shapes at their places.
fn words(painter: &Painter, rect: Rect, session: &Session) {
    for (word, place) in scene::words(&session.eye.look, &session.document.parameters) {
        if let Some(at) = on_screen(session, rect, place).filter(|at| rect.contains(*at)) {
            label(painter, rect, (at, Align2::CENTER_CENTER), word, TEXT);
        }
    }
}

fn corners(painter: &Painter, rect: Rect, session: &Session, timeline: Option<Rect>) {
    if rect.width() < SLIVER {
        return;
    }
    let corner = |at: Pos2, align: Align2, text: &str, colour: Color32| {
        label(painter, rect, (at, align), text, colour)
    };
    let left = rect.left_bottom() + vec2(16.0, -14.0);
    let moment = corner(left, Align2::LEFT_BOTTOM, &moment(session), TEXT);
    // In a narrow view the number of boids is above the step.
    let lift = if rect.width() < NARROW { moment.height() + 13.0 } else { 0.0 };
    if session.eye.legend {
        let bottom = timeline.map_or(moment.top() - 14.0 - lift, |timeline| timeline.top() - 14.0);
        let room = rect.width() - 32.0;
        legend(painter, egui::pos2(rect.left() + 16.0, bottom), room, &session.legend());
    }
    let kind = if session.eye.look.dusk(session.eye.camera.flat) { "bird" } else { "boid" };
    let boids = counted(session.frame().boids.count(), kind);
    let right = rect.right_bottom() + vec2(-16.0, -14.0 - lift);
    // A device with a touch screen may have no keyboard.
    let (keys, leave, fit) = match painter.ctx().input(egui::InputState::has_touch_screen) {
        true => ("", "a tap on the sky", "Zoom to fit shows it"),
        false => ("     H  keys", "Esc", "F shows it"),
    };
    let half = if session.eye.detail.half(session.playback.playing) { "  ·  half size" } else { "" };
    // The sliders of a presentation stand there.
    if !session.controls.presents {
        corner(right, Align2::RIGHT_BOTTOM, &format!("{boids}{half}{keys}"), TEXT);
    }
    // The difference of two flocks is written at the top.
    let top = rect.left_top() + vec2(16.0, if session.rival.is_some() { 44.0 } else { 14.0 });
    let opacity = session.controls.opacity;
    let explained = session.explained().map(|explained| explained.explanation);
    let hint = if keys.is_empty() {
        ""
    } else if explained.is_some() {
        "  ·  N hides its rules"
    } else {
        "  ·  N shows its rules"
    };
    let with = |(id, _)| format!("with {kind} {id}  ·  {leave} leaves it{hint}");
    let mut says = false;
    if let Some(Message::Done(what)) = &session.controls.message
        && !session.controls.open.panel
    {
        // Above the timeline, if there is one.
        let above = if session.controls.presents { SLIDERS } else { 56.0 + lift };
        let bottom = timeline.map_or(rect.bottom() - above, |timeline| timeline.top() - 12.0);
        let at = egui::pos2(rect.center().x, bottom);
        corner(at, Align2::CENTER_BOTTOM, what, TEXT.gamma_multiply(opacity));
        says = true;
    }
    let (text, colour) = match (&session.controls.message, session.eye.companion().map(with)) {
        (Some(Message::Failed(why)), _) => (why.clone(), WRONG.gamma_multiply(opacity)),
        (_, Some(text)) => (text, TEXT),
        _ if says => return,
        _ if lost(session) => (format!("the flock is outside the picture  ·  {fit}"), TEXT),
        _ => match session.controls.tool {
            Tool::Camera | Tool::Falcon => return,
            tool => (tool.about().to_owned(), TEXT),
        },
    };
    let shown = corner(top, Align2::LEFT_TOP, &text, colour);
    if let Some(explanation) = explained {
        let below = egui::pos2(shown.left() - 7.0, shown.bottom() + 10.0);
        card::show(painter, rect, below, explanation);
    }
}

/// Draws the legend with its lower left corner at a point, in rows of at most this width.
fn legend(painter: &Painter, at: Pos2, width: f32, swatches: &[Swatch]) {
    let mut places = Vec::new();
    let (mut corner, mut widest) = (vec2(0.0, 0.0), 0.0_f32);
    for swatch in swatches {
        let [red, green, blue] = swatch.colour;
        let text = painter.layout_no_wrap(swatch.meaning.clone(), FontId::proportional(12.0), TEXT);
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
    let ground = Rect::from_min_size(first, size).expand2(GROUND_MARGIN);
    painter.rect_filled(ground, 6.0, theme::BEHIND);
    for (corner, colour, text) in places {
        let middle = first + corner + vec2(DOT, 0.5 * ROW);
        painter.circle_filled(middle, DOT, colour);
        let words = middle + vec2(DOT + GAP, -0.5 * text.size().y);
        painter.galley(words, text, TEXT);
    }
}

/// True if no part of the flock is in the picture.
fn lost(session: &Session) -> bool {
    session.playback.has_started() && !session.eye.sees(session.frame())
}

/// The step, and while paused the hash of the state.
fn moment(session: &Session) -> String {
    let (frame, flight) = (session.frame(), &session.playback);
    let [_, newest] = frame.span;
    let of = if frame.step < newest { format!(" of {newest}") } else { String::new() };
    let step = format!("step {}{of}", frame.step);
    match (flight.playing, flight.fast_forward, frame.hash) {
        (true, true, _) => format!("{step}  ·  on its way to {}", flight.pause_at.unwrap_or_default()),
        (true, false, _) => step,
        (false, _, None) => format!("{step}  ·  paused"),
        (false, _, Some(hash)) => {
            let board = if fits_board(session) { "\na four-dollar board has the same hash" } else { "" };
            format!("{step}  ·  paused  ·  hash {hash:016x}{board}")
        }
    }
}

/// True if the board of `embedded/` can fly this flock: in integers, few boids, unchanged since the start.
fn fits_board(session: &Session) -> bool {
    let flight = &session.playback;
    let most = FITS_ANY_RULE[usize::from(!flight.sent_parameters.flat())];
    flight.device.numeric() == Numeric::Fixed && flight.untouched() && flight.frame.boids.count() <= most
}

/// Text on its own dark ground, as the sky may be as bright as any text. Lines too long for the view break.
fn label(painter: &Painter, view: Rect, (at, align): (Pos2, Align2), text: &str, colour: Color32) -> Rect {
    let font = FontId::proportional(12.0);
    let text = painter.layout(text.to_owned(), font, colour, (view.width() - 32.0).max(60.0));
    let rect = align.anchor_size(at, text.size());
    let opacity = f32::from(colour.a()) / 255.0;
    painter.rect_filled(rect.expand2(GROUND_MARGIN), 6.0, theme::BEHIND.gamma_multiply(opacity));
    painter.galley(rect.min, text, colour);
    rect
}

/// The place of the tool, and the size of what it would place there.
fn aim(painter: &Painter, response: &Response, session: &Session) {
    let Some(at) = pointer::place(session, response) else { return };
    let (radius, colour) = match session.controls.tool {
        Tool::Camera => return,
        Tool::Obstacle | Tool::Wall => (session.obstacle_radius(), SOFT),
        Tool::Attract => (0.02 * session.document.extent(), theme::ACCENT),
        Tool::Falcon => return ring(painter, at, 20.0),
        // The pointer itself is seen.
        Tool::Carrot if session.controls.mark.is_none() => return,
        Tool::Carrot => return ring(painter, at, 6.0),
    };
    let place = pointer::aim(session, response, at);
    let edge = place + session.eye.camera.right() * radius as f32;
    if let Some(edge) = on_screen(session, response.rect, edge) {
        painter.circle_stroke(at, at.distance(edge), Stroke::new(1.5, colour.gamma_multiply(0.8)));
        painter.circle_filled(at, 2.0, colour);
    }
}

/// A red dot and the length of the film.
fn film(painter: &Painter, rect: Rect, seconds: f64) {
    let at = rect.right_top() + vec2(-16.0, 14.0);
    let whole = seconds as u64;
    let text = format!("{}:{:02}", whole / 60, whole % 60);
    let text = label(painter, rect, (at, Align2::RIGHT_TOP), &text, TEXT);
    painter.circle_filled(text.left_center() - vec2(16.0, 0.0), 5.0, RED);
}

/// Position of a point in the view, in points; `None` behind the eye.
fn on_screen(session: &Session, rect: Rect, point: Vec3) -> Option<Pos2> {
    let seen = session.eye.camera.project(point, session.eye.aspect)?;
    let across = vec2(0.5 * (1.0 + seen.x) * rect.width(), 0.5 * (1.0 - seen.y) * rect.height());
    Some(rect.min + across)
}
