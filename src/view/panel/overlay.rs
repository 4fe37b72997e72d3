//! What is drawn over the view: text in its corners, and marks.

use egui::{Align2, Color32, Painter, Pos2, Rect, Response, Stroke};
use glam::Vec3;

use crate::view::modes::Tool;
use crate::view::pointer;
use crate::view::session::{Message, Session};
use crate::view::theme;

const SOFT: Color32 = Color32::from_rgba_unmultiplied_const(220, 226, 236, 150);
const RED: Color32 = Color32::from_rgb(232, 72, 64);

/// Shows step, message, hint and film in the view's corners, and what the pointer is about to do.
pub fn show(painter: &Painter, response: &Response, session: &Session) {
    let rect = response.rect;
    corners(painter, rect, session);
    aim(painter, response, session);
    if let Some(seconds) = session.filmed {
        film(painter, rect, seconds);
    }
    if let Some((_, place)) = session.companion()
        && let Some(at) = on_screen(session, rect, place)
    {
        painter.circle_stroke(at, 16.0, Stroke::new(1.0, SOFT));
    }
}

fn corners(painter: &Painter, rect: Rect, session: &Session) {
    let font = egui::FontId::proportional(12.0);
    let corner = |at: Pos2, align: Align2, text: &str, colour: Color32| {
        // A shadow: the sky may be as bright as the text.
        let shadow = Color32::from_black_alpha(colour.a() / 2);
        painter.text(at + egui::vec2(1.0, 1.0), align, text, font.clone(), shadow);
        painter.text(at, align, text, font.clone(), colour);
    };
    let left = rect.left_bottom() + egui::vec2(16.0, -14.0);
    let state = if session.playing { "" } else { "  ·  paused" };
    corner(left, Align2::LEFT_BOTTOM, &format!("step {}{state}", session.frame().step), SOFT);
    let hint = if session.open.panel { "H  keys" } else { "P  panel     H  keys" };
    corner(rect.right_bottom() + egui::vec2(-16.0, -14.0), Align2::RIGHT_BOTTOM, hint, SOFT);
    let top = rect.left_top() + egui::vec2(16.0, 14.0);
    let opacity = session.opacity();
    match &session.message {
        Some(Message::Failed(why)) => {
            corner(top, Align2::LEFT_TOP, why, theme::WRONG.gamma_multiply(opacity));
        }
        Some(Message::Done(what)) if !session.open.panel => {
            corner(top, Align2::LEFT_TOP, what, SOFT.gamma_multiply(opacity));
        }
        _ => match session.companion() {
            Some((id, _)) => {
                corner(top, Align2::LEFT_TOP, &format!("with bird {id}  ·  Esc leaves it"), SOFT);
            }
            None if session.tool != Tool::Camera => corner(top, Align2::LEFT_TOP, session.tool.about(), SOFT),
            None => {}
        },
    }
}

/// The size of what a tool would place, under the pointer.
fn aim(painter: &Painter, response: &Response, session: &Session) {
    let (radius, colour) = match session.tool {
        Tool::Obstacle | Tool::Wall => (session.obstacle_radius(), SOFT),
        Tool::Scare => (session.scare_radius(), RED),
        Tool::Attract => (0.02 * session.extent(), theme::ACCENT),
        Tool::Camera | Tool::Carrot | Tool::Predator => return,
    };
    let Some(place) = pointer::aim(session, response) else { return };
    let edge = place + session.camera.right() * radius as f32;
    let seen = |point| on_screen(session, response.rect, point);
    if let (Some(middle), Some(edge)) = (seen(place), seen(edge)) {
        painter.circle_stroke(middle, middle.distance(edge), Stroke::new(1.5, colour.gamma_multiply(0.8)));
        painter.circle_filled(middle, 2.0, colour);
    }
}

/// A red dot and the length of the film.
fn film(painter: &Painter, rect: Rect, seconds: f64) {
    let at = rect.right_top() + egui::vec2(-16.0, 20.0);
    let whole = seconds as u64;
    let text = format!("{}:{:02}", whole / 60, whole % 60);
    let text = painter.text(at, Align2::RIGHT_CENTER, text, egui::FontId::proportional(12.0), SOFT);
    painter.circle_filled(text.left_center() - egui::vec2(12.0, 0.0), 5.0, RED);
}

/// Where the view shows a point; none behind the eye.
fn on_screen(session: &Session, rect: Rect, point: Vec3) -> Option<Pos2> {
    let seen = session.camera.project(point, session.aspect)?;
    let across = egui::vec2(0.5 * (1.0 + seen.x) * rect.width(), 0.5 * (1.0 - seen.y) * rect.height());
    Some(rect.min + across)
}
