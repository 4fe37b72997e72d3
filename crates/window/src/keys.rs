//! The table of keys, with their actions and their lines in the sheet of keys.

use egui::{Event, Id, Key, Modifiers};
use glam::Vec3;

use super::session::camera_state::ViewAction;
use super::session::controls::Tool;
use super::session::{Action, Actions, Session};

/// A key with its modifiers, the action that it asks for, and its text in the sheet.
pub type Shortcut = (Modifiers, Key, fn(&Session) -> Action, &'static str);

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Number of steps that a press goes back or forth.
const SEEK: i64 = 30;

/// Every key.
pub const KEYS: &[Shortcut] = &[
    (NONE, Key::Space, |session| Action::Play(!session.playback.playing), "play or pause"),
    (NONE, Key::Period, |_| Action::Step, "step once"),
    (NONE, Key::OpenBracket, |_| Action::Seek(-SEEK), "back in time"),
    (NONE, Key::CloseBracket, |_| Action::Seek(SEEK), "forward in time"),
    (NONE, Key::R, |_| Action::Restart, "restart"),
    (NONE, Key::Backslash, |_| Action::Reset, "reset to the preset"),
    (CTRL, Key::Z, |_| Action::Undo, "undo a parameter change"),
    (CTRL_SHIFT, Key::Z, |_| Action::Redo, "redo"),
    (CTRL, Key::Y, |_| Action::Redo, "redo"),
    (NONE, Key::Questionmark, |_| Action::Surprise, "another flock"),
    (NONE, Key::F, |_| Action::View(ViewAction::Fit), "zoom to fit the flock"),
    (
        NONE,
        Key::T,
        |session| Action::View(ViewAction::Follow(!session.eye.follows)),
        "keep the flock in the picture",
    ),
    (SHIFT, Key::T, |_| Action::TakeOver, "continue from an earlier step"),
    (SHIFT, Key::O, |session| Action::AutoRotate(!session.eye.orbits), "auto-rotate the camera"),
    (NONE, Key::L, |_| Action::NextLook, "next look: dusk, cones, paper or water"),
    (SHIFT, Key::L, |_| Action::HoldLight, "hold the light of dusk, or let it move"),
    (NONE, Key::C, |_| Action::NextColouring, "next colouring of cones"),
    (
        NONE,
        Key::N,
        |session| Action::View(ViewAction::Explain(!session.eye.explains)),
        "what the boid that you follow sees and does",
    ),
    (SHIFT, Key::N, |_| Action::FollowNext, "follow another boid"),
    (NONE, Key::V, |_| Action::Tool(Tool::Camera), "camera: drag to turn or pan"),
    (NONE, Key::G, |_| Action::Tool(Tool::Carrot), "carrot: drag it, the flock follows"),
    (NONE, Key::X, |_| Action::Tool(Tool::Falcon), "the pointer is a falcon"),
    (NONE, Key::O, |_| Action::Tool(Tool::Obstacle), "obstacle: click to place one"),
    (NONE, Key::M, |_| Action::Tool(Tool::Wall), "wall: drag to draw one"),
    (NONE, Key::B, |_| Action::Tool(Tool::Attract), "attract: pull the flock to the pointer"),
    (NONE, Key::Backspace, |_| Action::RemoveObstacle, "remove the last obstacle"),
    (NONE, Key::J, |session| Action::Hunt(!session.hunting()), "predators on or off"),
    (NONE, Key::P, |session| Action::Panel(!session.controls.open.panel), "show or hide the panel"),
    (NONE, Key::F11, |session| Action::FullScreen(!session.controls.full_screen), "full screen, and back"),
    (NONE, Key::F5, |_| Action::Reload, "reload the open file"),
    (SHIFT, Key::R, |session| Action::Film(!session.controls.film_wanted), "start or stop a film"),
    (NONE, Key::I, |_| Action::Picture, "save a picture"),
    (NONE, Key::F12, |_| Action::Picture, "save a picture"),
    (NONE, Key::H, |session| Action::Help(!session.controls.open.help), "this sheet"),
    (NONE, Key::F1, |session| Action::Help(!session.controls.open.help), "this sheet"),
    (NONE, Key::Escape, |_| Action::Leave, "close this sheet; leave the boid or the tool"),
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

/// The actions of the keys pressed since the last frame.
pub fn actions(session: &Session, ctx: &egui::Context) -> Actions {
    let mut actions = Actions::new();
    if ctx.text_edit_focused() {
        ctx.data_mut(|data| data.remove::<Held>(Id::NULL));
        return actions;
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
                actions.push(action(session));
            }
        }
    }
    for (index, key) in PRESETS.into_iter().enumerate() {
        if pressed(Modifiers::NONE, key) || ctx.input(|input| pressed_place(input, key)) {
            actions.push(Action::Choose(index));
        }
    }
    actions.extend(fly(ctx, &hold(ctx)));
    actions
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

/// The keys that are held, by their places on a US keyboard.
#[derive(Clone, Default)]
struct Held(Vec<Key>);

/// Returns which keys are held. A key whose character is a shortcut does not fly.
fn hold(ctx: &egui::Context) -> Vec<Key> {
    let mut held = ctx.data(|data| data.get_temp::<Held>(Id::NULL)).unwrap_or_default().0;
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
    ctx.data_mut(|data| data.insert_temp(Id::NULL, Held(held.clone())));
    held
}

/// The flight of the camera by keys that are held.
fn fly(ctx: &egui::Context, keys: &[Key]) -> Option<Action> {
    let (way, seconds) = ctx.input(|input| {
        let still = input.modifiers.command || input.modifiers.alt;
        let held = FLIGHT.iter().filter(|(key, _)| !still && keys.contains(key));
        (held.map(|(_, by)| Vec3::from(*by)).sum::<Vec3>(), input.stable_dt.min(0.1))
    });
    if way == Vec3::ZERO {
        return None;
    }
    ctx.request_repaint();
    Some(Action::View(ViewAction::Fly(way * FLIGHT_SPEED * seconds)))
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
