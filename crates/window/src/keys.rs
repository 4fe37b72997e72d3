//! The table of keys, with their actions and their lines in the sheet of keys.

use egui::{Event, Key, Modifiers};
use glam::Vec3;

use super::session::Session;
use super::session::controls::Tool;
use scene::{Colour, Scenery, drawn_scenery, sceneries};

/// The effect of a key on the session.
pub type Action = fn(&mut Session);

/// A key with its modifiers, its action, and its text in the sheet.
pub type Shortcut = (Modifiers, Key, Action, &'static str);

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Number of steps that a press goes back or forth.
const WIND: i64 = 30;

/// Every key.
pub const KEYS: &[Shortcut] = &[
    (NONE, Key::Space, |session| session.flight.playing ^= true, "play or pause"),
    (NONE, Key::Period, |session| session.flight.step_once(), "a single step"),
    (NONE, Key::OpenBracket, |session| session.wind(-WIND), "back through the last seconds"),
    (NONE, Key::CloseBracket, |session| session.wind(WIND), "and forth again"),
    (NONE, Key::R, Session::restart, "restart"),
    (NONE, Key::Backslash, Session::reset, "reset to the preset"),
    (CTRL, Key::Z, Session::undo, "undo a change of the parameters"),
    (CTRL_SHIFT, Key::Z, Session::redo, "redo"),
    (CTRL, Key::Y, Session::redo, "redo"),
    (NONE, Key::Questionmark, Session::surprise, "another flock"),
    (NONE, Key::F, Session::fit, "zoom to fit the flock"),
    (NONE, Key::T, |session| session.eye.follow(!session.eye.follows), "keep the flock in the picture"),
    (SHIFT, Key::O, orbit, "let the camera turn when it is left alone"),
    (NONE, Key::L, next_look, "next look: dusk, cones, paper or water"),
    (NONE, Key::C, next_colouring, "next colouring of cones"),
    (NONE, Key::V, |session| session.take_up(Tool::Camera), "camera: drag to turn or pan"),
    (NONE, Key::G, |session| session.take_up(Tool::Carrot), "carrot: drag it, the flock follows"),
    (NONE, Key::X, |session| session.take_up(Tool::Falcon), "the pointer is a falcon"),
    (NONE, Key::O, |session| session.take_up(Tool::Obstacle), "obstacle: click to place one"),
    (NONE, Key::M, |session| session.take_up(Tool::Wall), "wall: drag to draw one"),
    (NONE, Key::B, |session| session.take_up(Tool::Attract), "attract: draw the flock to the pointer"),
    (NONE, Key::Backspace, Session::remove_obstacle, "take the last obstacle away"),
    (NONE, Key::J, |session| session.hunt(!session.hunting()), "predators hunt, or stop"),
    (NONE, Key::P, |session| session.controls.open.panel ^= true, "show or hide the panel"),
    (NONE, Key::F11, |session| session.controls.full_screen ^= true, "full screen, and back"),
    (NONE, Key::F5, Session::reload, "read the open file again"),
    (SHIFT, Key::R, |session| session.controls.film_wanted ^= true, "record a film, or end it"),
    (NONE, Key::I, |session| session.controls.picture_wanted = true, "save a picture"),
    (NONE, Key::F12, |session| session.controls.picture_wanted = true, "save a picture"),
    (NONE, Key::H, |session| session.controls.open.help ^= true, "this sheet"),
    (NONE, Key::F1, |session| session.controls.open.help ^= true, "this sheet"),
    (NONE, Key::Escape, leave, "leave the sheet, the boid or the tool"),
];

/// The keys of the presets, in order. A keyboard may have another character there without Shift: the place counts.
pub const PRESETS: [Key; 9] =
    [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9];

/// Keys that fly while they are held, by their places on a US keyboard: right, up and forward.
pub const FLIGHT: &[(Key, [f32; 3])] = &[
    (Key::W, [0.0, 0.0, 1.0]),
    (Key::S, [0.0, 0.0, -1.0]),
    (Key::A, [-1.0, 0.0, 0.0]),
    (Key::D, [1.0, 0.0, 0.0]),
    (Key::E, [0.0, 1.0, 0.0]),
    (Key::Q, [0.0, -1.0, 0.0]),
];

/// Speed of flight, in distances to the target per second.
const FLIGHT_SPEED: f32 = 0.8;

/// Acts on the keys pressed since the last frame.
pub fn act(session: &mut Session, ctx: &egui::Context) {
    if ctx.text_edit_focused() {
        session.controls.flight_keys.clear();
        return;
    }
    // An open popup closes on Escape, so the session does not see that key.
    let popup = egui::Popup::is_any_open(ctx);
    let pressed = |modifiers, key| {
        !(popup && key == Key::Escape) && ctx.input_mut(|input| input.consume_key(modifiers, key))
    };
    // A shortcut without Shift also matches with Shift: shortcuts with more modifiers go first.
    for most in [2, 1, 0] {
        let count = |held: &Modifiers| usize::from(held.command) + usize::from(held.shift);
        for (modifiers, key, action, _) in KEYS.iter().filter(|(held, ..)| count(held) == most) {
            if pressed(*modifiers, *key) {
                action(session);
            }
        }
    }
    for (index, key) in PRESETS.into_iter().enumerate() {
        if pressed(Modifiers::NONE, key) || ctx.input(|input| pressed_place(input, key)) {
            session.choose(index);
        }
    }
    hold(session, ctx);
    fly(session, ctx);
}

/// Keys of a number pad that moves the cursor instead.
const CURSOR: [Key; 10] = [
    Key::ArrowDown,
    Key::ArrowLeft,
    Key::ArrowRight,
    Key::ArrowUp,
    Key::Delete,
    Key::End,
    Key::Home,
    Key::Insert,
    Key::PageDown,
    Key::PageUp,
];

/// True if the key in this place was pressed alone since the last frame.
fn pressed_place(input: &egui::InputState, place: Key) -> bool {
    input.events.iter().any(|event| match event {
        Event::Key { key, physical_key, pressed: true, repeat: false, modifiers } => {
            *physical_key == Some(place) && modifiers.is_none() && !CURSOR.contains(key)
        }
        _ => false,
    })
}

/// Updates which keys of [`FLIGHT`] are held. A key whose character is a shortcut does not fly.
fn hold(session: &mut Session, ctx: &egui::Context) {
    let held = &mut session.controls.flight_keys;
    ctx.input(|input| {
        for event in &input.events {
            let Event::Key { key, physical_key, pressed, .. } = event else { continue };
            let place = physical_key.unwrap_or(*key);
            held.retain(|other| *other != place);
            if *pressed {
                held.push(place);
            }
        }
        if !input.focused {
            held.clear();
        }
    });
}

fn orbit(session: &mut Session) {
    session.eye.orbits ^= true;
    let what = if session.eye.orbits { "turns when it is left alone" } else { "stays where it is" };
    session.controls.say(format!("the camera {what}"));
}

fn next_look(session: &mut Session) {
    let flat = session.eye.camera.flat;
    // A flat flock has fewer sceneries.
    let looks: Vec<Scenery> = sceneries(flat).map(|(scenery, _)| scenery).collect();
    let now = drawn_scenery(session.eye.look.scenery, flat);
    let index = looks.iter().position(|look| *look == now).unwrap_or_default();
    if let Some(next) = looks.iter().cycle().nth(index + 1) {
        session.eye.choose_look(*next);
    }
}

fn next_colouring(session: &mut Session) {
    let next = (session.eye.look.colour as usize + 1) % Colour::ALL.len();
    session.eye.look.colour = Colour::ALL[next].0;
}

fn leave(session: &mut Session) {
    if session.controls.open.help {
        session.controls.open.help = false;
    } else if session.eye.companion().is_some() {
        session.leave_companion();
    } else {
        session.take_up(Tool::Camera);
    }
}

fn fly(session: &mut Session, ctx: &egui::Context) {
    let keys = &session.controls.flight_keys;
    let (way, seconds) = ctx.input(|input| {
        let still = input.modifiers.command || input.modifiers.alt;
        let held = FLIGHT.iter().filter(|(key, _)| !still && keys.contains(key));
        (held.map(|(_, by)| Vec3::from(*by)).sum::<Vec3>(), input.stable_dt.min(0.1))
    });
    if way == Vec3::ZERO {
        return;
    }
    let reach = FLIGHT_SPEED * seconds * session.eye.camera.distance;
    let [right, up, forward] = (way * reach).to_array();
    if session.eye.camera.flat {
        session.eye.camera.fly(right, forward + up, 0.0);
    } else {
        session.eye.camera.fly(right, up, forward);
    }
    session.eye.let_go();
    ctx.request_repaint();
}

#[cfg(test)]
mod tests {
    use super::{FLIGHT, KEYS, NONE, PRESETS};

    #[test]
    fn no_key_means_two_things() {
        let once = KEYS.iter().map(|(held, key, ..)| (*held, *key));
        let plain = PRESETS.into_iter().chain(FLIGHT.iter().map(|(key, _)| *key));
        let keys: Vec<_> = once.chain(plain.map(|key| (NONE, key))).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[i + 1..].contains(key), "{key:?}");
        }
    }
}
