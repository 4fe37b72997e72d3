//! The pointer over the view: it moves the camera, or uses the tool.

use egui::{PointerButton, Rect, Response};
use glam::{Vec2, Vec3};

use super::camera::Camera;
use super::modes::Tool;
use super::session::Session;

/// Radians that a drag of one point turns.
const TURN: f32 = 0.006;
/// Zoom of one point of the wheel, as an exponent.
const ZOOM: f32 = 0.003;

/// Applies the pointer input since the last frame. `response` is that of the whole view.
pub fn act(session: &mut Session, response: &Response) {
    let rect = response.rect;
    let aspect = rect.width() / rect.height().max(1.0);
    let modifiers = response.ctx.input(|input| input.modifiers);
    let pointer = response.hover_pos().or(response.interact_pointer_pos()).map(|at| to_device(at, rect));

    if response.hovered() {
        let (wheel, pinch) = response.ctx.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = (-ZOOM * wheel).exp() / pinch;
        if factor != 1.0 {
            session.camera.zoom(factor, pointer.unwrap_or_default(), aspect);
            session.touch();
        }
    }

    let by = response.drag_delta();
    if by != egui::Vec2::ZERO {
        let secondary = response.dragged_by(PointerButton::Secondary);
        let pans = secondary || response.dragged_by(PointerButton::Middle) || modifiers.shift;
        if pans {
            pan(session, by, rect, aspect);
        } else if matches!(session.tool, Tool::Carrot | Tool::Wall | Tool::Attract) {
            // The tool takes the drag below.
        } else if session.camera.flat {
            pan(session, by, rect, aspect);
        } else {
            if modifiers.alt {
                // The picture follows the pointer, as in panning.
                session.camera.look(TURN * by.x, TURN * by.y);
            } else {
                session.camera.orbit(-TURN * by.x, -TURN * by.y);
            }
            session.touch();
        }
    }

    match pointer {
        Some(pointer) => use_tool(session, response, pointer, aspect),
        // It may have left the view while it held the bait.
        None => session.attract(None),
    }
}

/// Uses the tool that was taken up; `pointer` is where the pointer is, in device coordinates.
fn use_tool(session: &mut Session, response: &Response, pointer: Vec2, aspect: f32) {
    let shift = response.ctx.input(|input| input.modifiers.shift);
    let held = response.is_pointer_button_down_on()
        && !shift
        && response.ctx.input(|input| input.pointer.primary_down());
    match session.tool {
        Tool::Camera => {
            if response.long_touched() {
                // Fingers have no second button, and the panel may be folded.
                let position = point(session, pointer, aspect, depth(session));
                session.set_carrot(position);
            } else if response.clicked() {
                session.fly_along(pointer, response.rect.height());
            }
        }
        Tool::Carrot => {
            if held {
                let old = session.parameters.attractor.position.map(|c| c as f32);
                let position = point(session, pointer, aspect, Vec3::from(old));
                session.drag_carrot(position);
            }
        }
        Tool::Predator => {
            if session.parameters.predators.count > 0 {
                let position = point(session, pointer, aspect, depth(session));
                session.steer_predator(0, position);
            }
        }
        Tool::Obstacle => {
            if response.clicked() {
                let position = point(session, pointer, aspect, depth(session));
                session.place_obstacle(position);
            } else if response.secondary_clicked() {
                session.remove_obstacle();
            }
        }
        Tool::Wall => {
            if held {
                let position = point(session, pointer, aspect, depth(session));
                let begins = response.ctx.input(|input| input.pointer.primary_pressed());
                session.build_wall(position, begins);
            }
        }
        Tool::Attract => {
            let position = held.then(|| point(session, pointer, aspect, depth(session)));
            session.attract(position);
        }
        Tool::Scare => {
            if response.clicked() {
                let position = point(session, pointer, aspect, depth(session));
                session.scare(position);
            }
        }
    }
}

/// The point that a tool would act on, where the pointer is over the view.
pub fn aim(session: &Session, response: &Response) -> Option<Vec3> {
    let rect = response.rect;
    let pointer = to_device(response.hover_pos()?, rect);
    Some(Vec3::from(point(session, pointer, rect.width() / rect.height().max(1.0), depth(session))))
}

fn pan(session: &mut Session, by: egui::Vec2, rect: Rect, aspect: f32) {
    let by = Vec2::new(2.0 * by.x / rect.width().max(1.0), -2.0 * by.y / rect.height().max(1.0));
    session.camera.pan(by, aspect);
    session.touch();
}

/// The point under the pointer at the depth of `like`; on the plane in two dimensions.
fn point(session: &Session, pointer: Vec2, aspect: f32, like: Vec3) -> [f32; 3] {
    let [x, y, z] = session.camera.point_at_depth(pointer, aspect, like).to_array();
    [x, y, if session.parameters.flat() { 0.0 } else { z }]
}

/// The flock's centre, else the camera's target.
fn depth(session: &Session) -> Vec3 {
    session.frame().summary.map_or(session.camera.target, |summary| Vec3::from(summary.measures.centre))
}

fn to_device(at: egui::Pos2, rect: Rect) -> Vec2 {
    let x = (at.x - rect.left()) / rect.width().max(1.0);
    let y = (at.y - rect.top()) / rect.height().max(1.0);
    Camera::pointer(Vec2::new(x, y), [1, 1])
}
