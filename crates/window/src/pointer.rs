//! The pointer over the view: it moves the camera, or uses the tool. A mark that arrows move stands for the pointer, and
//! Enter for its button.

use egui::{Event, PointerButton, Rect, Response};
use glam::{Vec2, Vec3};

use super::session::camera_state::ViewAction;
use super::session::controls::Tool;
use super::session::{Action, Actions, Session};
use crate::keys;

/// Rotation per point of a drag, in radians.
const TURN: f32 = 0.006;
/// Zoom per point of the wheel, as an exponent.
const ZOOM: f32 = 0.003;

/// Where the tool is in the view, and what its button does.
struct Press {
    /// The place in device coordinates.
    at: Vec2,
    held: bool,
    begins: bool,
    clicked: bool,
}

/// The actions of the pointer since the last frame; `response` is the whole view's.
pub fn actions(session: &Session, response: &Response) -> Actions {
    let press = press(session, response);
    let held = press.as_ref().is_some_and(|press| press.held);
    let mut actions: Actions = camera(session, response, held).into_iter().map(Action::View).collect();
    if session.controls.mark.is_some() && mark(session, response).is_none() {
        actions.push(Action::Mark(None));
    }
    match press {
        Some(press) => actions.extend(tool(session, response, &press)),
        // The pointer may have left the view while the tool was pressed.
        None => actions.push(Action::Attract(None)),
    }
    actions
}

/// The mark of the keyboard; none without a tool, or once the pointer moves over the view.
fn mark(session: &Session, response: &Response) -> Option<Vec2> {
    let is_pointer = |event: &Event| matches!(event, Event::PointerMoved(_) | Event::PointerButton { .. });
    let moves = response.ctx.input(|input| input.events.iter().any(is_pointer));
    let leaves = session.controls.tool == Tool::Camera || moves && response.contains_pointer();
    session.controls.mark.filter(|_| !leaves)
}

/// The press of Enter at the mark, otherwise that of the pointer; none if the pointer is outside the view.
fn press(session: &Session, response: &Response) -> Option<Press> {
    if let Some(at) = mark(session, response) {
        let keys::Press { held, begins } = keys::press(&response.ctx);
        return Some(Press { at, held, begins, clicked: begins });
    }
    Some(Press {
        at: pointer(response)?,
        held: held(response),
        begins: response.ctx.input(|input| input.pointer.primary_pressed()),
        clicked: response.clicked(),
    })
}

/// The pointer over the view, in device coordinates.
fn pointer(response: &Response) -> Option<Vec2> {
    response.hover_pos().or(response.interact_pointer_pos()).map(|at| to_device(at, response.rect))
}

/// The motion of the camera by wheel and drags.
fn camera(session: &Session, response: &Response, held: bool) -> Vec<ViewAction> {
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
    actions.push(ViewAction::Hold(draws(tool) && held));
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

/// The action of the current tool.
fn tool(session: &Session, response: &Response, press: &Press) -> Option<Action> {
    let at = point(session, press.at, depth(session));
    let fly_along = || Action::FlyAlong(press.at, response.rect.height());
    Some(match session.controls.tool {
        // A touch has no second button, and the panel may be folded.
        Tool::Camera if response.long_touched() => Action::SetCarrot(at),
        Tool::Camera if press.clicked => fly_along(),
        Tool::Carrot if press.held => {
            let old = session.document.parameters.attractor.position.map(|c| c as f32);
            Action::DragCarrot(point(session, press.at, Vec3::from(old)))
        }
        Tool::Falcon if press.clicked && !response.ctx.input(egui::InputState::any_touches) => fly_along(),
        Tool::Falcon => {
            response.ctx.set_cursor_icon(egui::CursorIcon::None);
            Action::Falcon(at)
        }
        Tool::Obstacle if press.clicked => Action::PlaceObstacle(at),
        Tool::Obstacle if response.secondary_clicked() => Action::RemoveObstacle,
        Tool::Wall if press.held && press.begins => Action::PlaceObstacle(at),
        Tool::Wall if press.held => Action::Wall(at),
        Tool::Attract => Action::Attract(press.held.then_some(at)),
        _ => return None,
    })
}

/// The place of the tool in the window: the mark's, otherwise the pointer's; none if the pointer is outside the view.
pub fn place(session: &Session, response: &Response) -> Option<egui::Pos2> {
    let Some(mark) = session.controls.mark else { return response.hover_pos() };
    let across = 0.5 * egui::vec2(1.0 + mark.x, 1.0 - mark.y);
    Some(response.rect.lerp_inside(across))
}

/// The point that the tool would act on at a place of the window.
pub fn aim(session: &Session, response: &Response, place: egui::Pos2) -> Vec3 {
    Vec3::from(point(session, to_device(place, response.rect), depth(session)))
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
