//! The table of keys, with their actions and their lines in the sheet of keys.

use egui::{Event, EventFilter, Id, Key, Modifiers};
use glam::{Vec2, Vec3};

use super::session::camera_state::ViewAction;
use super::session::controls::Tool;
use super::session::lesson::LessonAction;
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
        SHIFT,
        Key::C,
        |session| Action::View(ViewAction::Legend(!session.eye.legend)),
        "show or hide the legend of the colours",
    ),
    (SHIFT, Key::P, |session| Action::Present(!session.controls.presents), "presentation, and back"),
    (NONE, Key::PageDown, |session| turn(session, true), "next step of the lesson, and back"),
    (NONE, Key::PageUp, |session| turn(session, false), "next step of the lesson, and back"),
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
    // A browser keeps this key.
    #[cfg(not(target_arch = "wasm32"))]
    (CTRL, Key::O, |_| Action::AskForFile, "open a file"),
    (NONE, Key::F5, |_| Action::Reload, "reload the open file"),
    (SHIFT, Key::R, |session| Action::Film(!session.controls.film_wanted), "start or stop a film"),
    (NONE, Key::I, |_| Action::Picture, "save a picture"),
    (NONE, Key::F12, |_| Action::Picture, "save a picture"),
    (NONE, Key::H, |session| Action::Help(!session.controls.open.help), "this sheet"),
    (NONE, Key::F1, |session| Action::Help(!session.controls.open.help), "this sheet"),
    (NONE, Key::Escape, |_| Action::Leave, "close this sheet; leave the boid or the tool"),
];

/// Turns to the next step of the lesson, or back.
fn turn(session: &Session, forth: bool) -> Action {
    let index = session.controls.lesson.as_ref().map_or(0, |state| state.index);
    let index = if forth { index + 1 } else { index.saturating_sub(1) };
    Action::Lesson(LessonAction::Step(index))
}

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

/// Keys that move the camera or a tool's mark while they are held: right, up and nearer.
pub const TURNS: &[(Key, [f32; 3])] = &[
    (Key::ArrowRight, [1.0, 0.0, 0.0]),
    (Key::ArrowLeft, [-1.0, 0.0, 0.0]),
    (Key::ArrowUp, [0.0, 1.0, 0.0]),
    (Key::ArrowDown, [0.0, -1.0, 0.0]),
    (Key::Plus, [0.0, 0.0, 1.0]),
    (Key::Equals, [0.0, 0.0, 1.0]),
    (Key::Minus, [0.0, 0.0, -1.0]),
];

/// Speeds of a turn in radians, of a zoom as an exponent, and of a shift or a mark in halves of the view, per second.
const TURN_SPEED: f32 = 1.2;
const ZOOM_SPEED: f32 = 1.2;
const SHIFT_SPEED: f32 = 0.6;

/// The arrows, for a widget that uses them: then they do not move the focus.
pub const ARROWS: EventFilter =
    EventFilter { tab: false, horizontal_arrows: true, vertical_arrows: true, escape: false };

/// The id of the view. While it has the keyboard's focus, or nothing has, arrows and Enter act in it.
pub fn view() -> Id {
    Id::unique("view")
}

/// The actions of the keys pressed since the last frame.
pub fn actions(session: &Session, ctx: &egui::Context) -> Actions {
    let mut actions = Actions::new();
    let before = held(ctx);
    let was_in_panel = before.in_panel;
    let in_panel = ctx.memory(egui::Memory::focused).is_some_and(|id| id != view());
    if ctx.text_edit_focused() {
        ctx.data_mut(|data| data.insert_temp(Id::NULL, Held { in_panel, ..Held::default() }));
        return actions;
    }
    let popup = egui::Popup::is_any_open(ctx);
    let pressed = |modifiers, key| {
        // The widget that has the focus takes these keys. Escape leaves it, or closes a popup, before the session sees it.
        let taken = match key {
            Key::Escape => popup || was_in_panel,
            Key::Space => in_panel,
            Key::PageUp | Key::PageDown => session.controls.lesson.is_none() || session.controls.open.help,
            _ => false,
        };
        !taken && ctx.input_mut(|input| input.consume_key(modifiers, key))
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
    // A key whose character is a shortcut does not fly.
    hold(ctx, before, in_panel, !in_panel && !popup && !session.controls.open.help);
    actions.extend(fly(ctx));
    actions.extend(move_in_view(session, ctx));
    if press(ctx).begins {
        // egui would take it for a click.
        ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
        if session.controls.tool != Tool::Camera && session.controls.mark.is_none() {
            actions.push(Action::Mark(Some(Vec2::ZERO)));
        }
    }
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
struct Held {
    keys: Vec<Key>,
    /// The keys that are held, or were pressed and released since the last frame.
    down: Vec<Key>,
    /// True if Enter was pressed in the view since the last frame.
    begins: bool,
    /// True if a widget of the panel has the focus.
    in_panel: bool,
}

/// The keys that are held at this frame.
fn held(ctx: &egui::Context) -> Held {
    ctx.data(|data| data.get_temp(Id::NULL)).unwrap_or_default()
}

/// Updates the keys that are held; those that act in the view count only `in_view`.
fn hold(ctx: &egui::Context, before: Held, in_panel: bool, in_view: bool) {
    let mut held = Held { keys: before.keys, in_panel, ..Held::default() };
    let acts = |key: &Key| in_view || !(*key == Key::Enter || TURNS.iter().any(|(turn, _)| turn == key));
    held.keys.retain(acts);
    held.down.clone_from(&held.keys);
    ctx.input(|input| {
        for event in &input.events {
            let Event::Key { key, physical_key, pressed, repeat, .. } = event else { continue };
            let mut place = physical_key.unwrap_or(*key);
            // These are characters, except where a digit is.
            if matches!(key, Key::Plus | Key::Minus) && !PRESETS.contains(&place) {
                place = *key;
            }
            let was_held = held.keys.contains(&place);
            held.keys.retain(|other| *other != place);
            if *pressed && acts(&place) && (was_held || !repeat) {
                held.keys.push(place);
                held.down.push(place);
                held.begins |= place == Key::Enter && !was_held;
            }
        }
        if !input.focused {
            held = Held { in_panel, ..Held::default() };
        }
    });
    ctx.data_mut(|data| data.insert_temp(Id::NULL, held));
}

/// Enter in the view: the button of a tool's mark.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub held: bool,
    pub begins: bool,
}

/// The state of Enter at this frame.
pub fn press(ctx: &egui::Context) -> Press {
    let held = held(ctx);
    Press { held: held.down.contains(&Key::Enter), begins: held.begins }
}

/// The sum of the ways of the keys of a table that are down, times the seconds of this frame.
fn way(ctx: &egui::Context, table: &[(Key, [f32; 3])]) -> Vec3 {
    let down = held(ctx).down;
    let seconds = ctx.input(|input| input.stable_dt.min(0.1));
    let mut way = Vec3::ZERO;
    for (_, by) in table.iter().filter(|(key, _)| down.contains(key)) {
        way += seconds * Vec3::from(*by);
    }
    if way != Vec3::ZERO {
        ctx.request_repaint();
    }
    way
}

/// The flight of the camera by keys that are held.
fn fly(ctx: &egui::Context) -> Option<Action> {
    let still = ctx.input(|input| input.modifiers.command || input.modifiers.alt);
    let way = if still { Vec3::ZERO } else { way(ctx, FLIGHT) };
    (way != Vec3::ZERO).then_some(Action::View(ViewAction::Fly(FLIGHT_SPEED * way)))
}

/// Turns, shifts and zooms the camera by keys that are held, or moves the tool's mark.
fn move_in_view(session: &Session, ctx: &egui::Context) -> Actions {
    let mut actions = Actions::new();
    let (way, mark) = (way(ctx, TURNS), session.controls.mark.unwrap_or_default());
    let held = ctx.input(|input| input.modifiers);
    // Ctrl + and Ctrl - enlarge the panel.
    if way.z != 0.0 && !held.command {
        let nearer = (-ZOOM_SPEED * way.z).exp();
        actions.push(Action::View(ViewAction::Zoom(nearer, mark)));
    }
    let by = way.truncate();
    if by == Vec2::ZERO {
        return actions;
    }
    let marks = session.controls.tool != Tool::Camera && !held.command;
    actions.push(if held.shift || !marks && session.eye.camera.flat {
        Action::View(ViewAction::Pan(-SHIFT_SPEED * by))
    } else if marks {
        let at = mark + SHIFT_SPEED * by;
        Action::Mark(Some(at.clamp(Vec2::NEG_ONE, Vec2::ONE)))
    } else {
        Action::View(ViewAction::Orbit(TURN_SPEED * Vec2::new(by.x, -by.y)))
    });
    actions
}

#[cfg(test)]
mod tests {
    use super::{FLIGHT, KEYS, NONE, PRESETS, TURNS};

    #[test]
    fn no_key_means_two_things() {
        let once = KEYS.iter().map(|(held, key, ..)| (*held, *key));
        let held = FLIGHT.iter().chain(TURNS).map(|(key, _)| *key);
        let plain = PRESETS.into_iter().chain(held);
        let keys: Vec<_> = once.chain(plain.map(|key| (NONE, key))).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[i + 1..].contains(key), "{key:?}");
        }
    }
}
