//! The page about the view: scenery, colours, boids, camera and tools.

use egui::Ui;

use super::widgets::{SliderRange, checkbox, heading, line, note, on_click};
use crate::session::camera_state::ViewAction;
use crate::session::controls::Tool;
use crate::session::{Action, Actions, Session};
use scene::{Colour, Look, Scenery, drawn_scenery, sceneries};

/// Width of the captions.
const CAPTIONS: f32 = 64.0;

/// Shows the page.
pub fn show(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    let (flat, mut look) = (session.eye.camera.flat, session.eye.look);
    part(ui, "Look");
    ui.horizontal(|ui| {
        for (scenery, name) in sceneries(flat) {
            let chosen = drawn_scenery(session.eye.look.scenery, flat) == scenery;
            let label = ui.selectable_label(chosen, name).on_hover_text("Key L");
            on_click(actions, label, Action::View(ViewAction::Scenery(scenery)));
        }
    });
    if session.eye.plain {
        note(ui, "Drawn with WebGL2, as WebGPU is not available: at full size and without trails.");
    } else {
        half_size(ui, session, actions);
    }
    if drawn_scenery(session.eye.look.scenery, flat) != Scenery::Dusk {
        part(ui, "Colour by");
        ui.horizontal_wrapped(|ui| {
            for (colour, name) in Colour::ALL {
                ui.selectable_value(&mut look.colour, colour, name);
            }
        });
        let legend = checkbox(ui, session.eye.legend, "legend in the picture", "Key Shift C");
        actions.extend(legend.map(|shown| Action::View(ViewAction::Legend(shown))));
    } else {
        light(ui, session, &mut look, actions);
    }
    boids(ui, session, &mut look);
    camera(ui, session, &mut look, actions);
    if look != session.eye.look {
        actions.push(Action::View(ViewAction::Look(look)));
    }
    pointer(ui, session, actions);

    part(ui, "Predators");
    actions.extend(checkbox(ui, session.hunting(), "hunt the flock", "Key J").map(Action::Hunt));
}

/// The light of dusk.
fn light(ui: &mut Ui, session: &Session, look: &mut Look, actions: &mut Actions) {
    part(ui, "Light");
    let hint = "From gold to blue and back in eight minutes of 60 steps per second.  Key Shift L";
    let moves = checkbox(ui, look.light.is_none(), "moves with the steps", hint);
    actions.extend(moves.map(|_| Action::HoldLight));
    let now = look.light_at(session.frame().step as f64);
    let mut shown = f64::from(now);
    let help = "0 is gold, 1 is blue; a light that you set is held.";
    line(ui, (CAPTIONS, "light"), help, &mut shown, &SliderRange::linear(0.0, 1.0), 0.0..=1.0);
    if shown as f32 != now {
        look.light = Some(shown as f32);
    }
}

fn half_size(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    let half = session.eye.detail.half(session.playback.playing);
    let hint = "Draws at half the width and height, enlarged; automatic below 20 frames per second. Pictures and films have full size.";
    let half = checkbox(ui, half, "draw at half size", hint);
    actions.extend(half.map(|half| Action::View(ViewAction::HalfSize(half))));
}

/// The drawing style of boids: length, fog and trails.
fn boids(ui: &mut Ui, session: &Session, look: &mut Look) {
    part(ui, "Boids");
    let (extent, plain) = (session.document.extent(), session.eye.plain);
    let lengths = SliderRange::logarithmic(1e-4 * extent, 0.1 * extent);
    let (shares, steps) = (SliderRange::linear(0.0, 1.0), SliderRange::linear(0.0, 300.0));
    let mut row = |name: &str, help: &str, value: &mut f32, [least, most]: [f64; 2], reach: SliderRange| {
        let mut shown = f64::from(*value);
        line(ui, (CAPTIONS, name), help, &mut shown, &reach, least..=most);
        *value = shown as f32;
    };
    row("length", "Length of a boid, in units of length.", &mut look.size, [1e-6, 1e6], lengths);
    row("fog", "How much distant boids fade; 0 is clear air.", &mut look.fog, [0.0, 1.0], shares);
    if !plain {
        let help = "Steps after which a trail has faded; 0 for no trails.";
        row("trails", help, &mut look.trails, [0.0, 1000.0], steps);
    }
}

fn camera(ui: &mut Ui, session: &Session, look: &mut Look, actions: &mut Actions) {
    part(ui, "Camera");
    ui.horizontal_wrapped(|ui| {
        let fit = ui.button("Zoom to fit").on_hover_text("Key F");
        on_click(actions, fit, Action::View(ViewAction::Fit));
        let follows = checkbox(ui, session.eye.follows, "keep the flock in the picture", "Key T");
        actions.extend(follows.map(|follows| Action::View(ViewAction::Follow(follows))));
    });

    ui.horizontal(|ui| {
        let hint = "Rotates slowly about the flock after 20 seconds without input.  Key Shift O";
        let rotates = checkbox(ui, session.eye.orbits, "auto-rotate", hint);
        actions.extend(rotates.map(Action::AutoRotate));
    });
    note(ui, "Click a boid to follow it; click the sky or press Esc to leave it.");
    ui.horizontal(|ui| {
        ui.checkbox(&mut look.edges, "world's edges");
        let marked = checkbox(ui, session.eye.mark_centre, "flock's centre", "");
        actions.extend(marked.map(|marked| Action::View(ViewAction::MarkCentre(marked))));
    });
}

/// The tools of the pointer, and their settings.
fn pointer(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    part(ui, "Pointer");
    ui.horizontal_wrapped(|ui| {
        for (tool, name, _) in Tool::ALL {
            let label = ui.selectable_label(session.controls.tool == tool, name);
            on_click(actions, label, Action::Tool(tool));
        }
    });
    note(ui, session.controls.tool.about());
    if matches!(session.controls.tool, Tool::Obstacle | Tool::Wall) {
        let help = "Radius of the next obstacle, as a share of the world.";
        let mut size = session.controls.obstacle_size;
        let reach = SliderRange::logarithmic(0.005, 0.3);
        line(ui, (CAPTIONS, "size"), help, &mut size, &reach, 0.001..=1.0);
        if size != session.controls.obstacle_size {
            actions.push(Action::ObstacleSize(size));
        }
        ui.horizontal(|ui| {
            on_click(actions, ui.button("Remove last"), Action::RemoveObstacle);
            on_click(actions, ui.button("Clear"), Action::ClearObstacles);
        });
    }
}

fn part(ui: &mut Ui, name: &str) {
    ui.add_space(8.0);
    heading(ui, name);
}
