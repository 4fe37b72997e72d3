//! The pointer over the view: it moves the camera, or uses the tool.

use egui::{PointerButton, Rect, Response};
use glam::{Vec2, Vec3};

use super::session::camera_state::ViewAction;
use super::session::controls::Tool;
use super::session::{Action, Actions, Session};

/// Rotation per point of a drag, in radians.
const TURN: f32 = 0.006;
/// Zoom per point of the wheel, as an exponent.
const ZOOM: f32 = 0.003;

/// The actions of the pointer since the last frame; `response` is the whole view's.
pub fn actions(session: &Session, response: &Response) -> Actions {
    let mut actions: Actions = camera(session, response).into_iter().map(Action::View).collect();
    match pointer(response) {
        Some(pointer) => actions.extend(tool(session, response, pointer)),
        // The pointer may have left the view while the tool was pressed.
        None => actions.push(Action::Attract(None)),
    }
    actions
}

/// The pointer over the view, in device coordinates.
fn pointer(response: &Response) -> Option<Vec2> {
    response.hover_pos().or(response.interact_pointer_pos()).map(|at| to_device(at, response.rect))
}

/// The motion of the camera by wheel and drags.
fn camera(session: &Session, response: &Response) -> Vec<ViewAction> {
    let mut actions = Vec::new();
    let (rect, tool) = (response.rect, session.controls.tool);
    let modifiers = response.ctx.input(|input| input.modifiers);
    if response.hovered() {
        let (wheel, pinch) = response.ctx.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = (-ZOOM * wheel).exp() / pinch;
        if factor != 1.0 {
            actions.push(ViewAction::Zoom(factor, pointer(response).unwrap_or_default()));
        }
    }
    let mut by = response.drag_delta();
    // One finger leads the falcon; two turn the camera.
    let (fingers, gesture) = response.ctx.input(|input| (input.any_touches(), input.multi_touch()));
    if tool == Tool::Falcon && fingers {
        by = gesture.map_or(egui::Vec2::ZERO, |gesture| gesture.translation_delta);
    }
    let secondary = response.dragged_by(PointerButton::Secondary);
    let pans = secondary || response.dragged_by(PointerButton::Middle) || modifiers.shift;
    // Otherwise the tool takes the drag.
    let moves = pans || !draws(tool) || tool == Tool::Obstacle;
    if by != egui::Vec2::ZERO && moves {
        actions.push(if pans || session.eye.camera.flat {
            ViewAction::Pan(2.0 * Vec2::new(by.x / rect.width().max(1.0), -by.y / rect.height().max(1.0)))
        } else if modifiers.alt {
            // The picture follows the pointer, as when panning.
            ViewAction::LookRound(TURN * Vec2::new(by.x, by.y))
        } else {
            ViewAction::Orbit(-TURN * Vec2::new(by.x, by.y))
        });
    }
    actions.push(ViewAction::Hold(draws(tool) && held(response)));
    actions
}

/// True if a press with the tool draws into the view, whose camera then holds.
fn draws(tool: Tool) -> bool {
    matches!(tool, Tool::Carrot | Tool::Obstacle | Tool::Wall | Tool::Attract)
}

/// True while the tool is pressed.
fn held(response: &Response) -> bool {
    response.ctx.input(|input| {
        response.is_pointer_button_down_on() && input.pointer.primary_down() && !input.modifiers.shift
    })
}

/// The action of the current tool; `pointer` is in device coordinates.
fn tool(session: &Session, response: &Response, pointer: Vec2) -> Option<Action> {
    let (held, begins) = (held(response), response.ctx.input(|input| input.pointer.primary_pressed()));
    let at = point(session, pointer, depth(session));
    let fly_along = || Action::FlyAlong(pointer, response.rect.height());
    Some(match session.controls.tool {
        // A touch has no second button, and the panel may be folded.
        Tool::Camera if response.long_touched() => Action::SetCarrot(at),
        Tool::Camera if response.clicked() => fly_along(),
        Tool::Carrot if held => {
            let old = session.document.parameters.attractor.position.map(|c| c as f32);
            Action::DragCarrot(point(session, pointer, Vec3::from(old)))
        }
        Tool::Falcon if response.clicked() && !response.ctx.input(egui::InputState::any_touches) => {
            fly_along()
        }
        Tool::Falcon => {
            response.ctx.set_cursor_icon(egui::CursorIcon::None);
            Action::Falcon(at)
        }
        Tool::Obstacle if response.clicked() => Action::PlaceObstacle(at),
        Tool::Obstacle if response.secondary_clicked() => Action::RemoveObstacle,
        Tool::Wall if held && begins => Action::PlaceObstacle(at),
        Tool::Wall if held => Action::Wall(at),
        Tool::Attract => Action::Attract(held.then_some(at)),
        _ => return None,
    })
}

/// The point that the tool would act on; `None` if the pointer is outside the view.
pub fn aim(session: &Session, response: &Response) -> Option<Vec3> {
    let pointer = to_device(response.hover_pos()?, response.rect);
    Some(Vec3::from(point(session, pointer, depth(session))))
}

/// The point under the pointer at the depth of `like`; on the plane in two dimensions.
fn point(session: &Session, pointer: Vec2, like: Vec3) -> [f32; 3] {
    let [x, y, z] = session.eye.camera.point_at_depth(pointer, session.eye.aspect, like).to_array();
    [x, y, if session.document.parameters.flat() { 0.0 } else { z }]
}

/// Reference for the depth of a point: the flock's centre, otherwise the camera's target.
fn depth(session: &Session) -> Vec3 {
    session.frame().summary.map_or(session.eye.camera.target, |summary| Vec3::from(summary.centre))
}

fn to_device(at: egui::Pos2, rect: Rect) -> Vec2 {
    let x = (at.x - rect.left()) / rect.width().max(1.0);
    let y = (at.y - rect.top()) / rect.height().max(1.0);
    Vec2::new(2.0 * x - 1.0, 1.0 - 2.0 * y)
}
