//! The keys, and the sheet that lists them: both are made from one table.

use egui::{Key, Modifiers};

use super::scene::Colour;
use super::session::Session;
use super::tools::Tool;

/// What a key does once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Pause,
    Step,
    Restart,
    Reset,
    Fit,
    Follow,
    Colour,
    Panel,
    Screenshot,
    Help,
    Preset(usize),
    Tool(Tool),
    Hunt,
    Undo,
    Leave,
}

/// Keys and what they do once.
pub const KEYS: &[(Key, Deed, &str)] = &[
    (Key::Space, Deed::Pause, "play or pause"),
    (Key::Period, Deed::Step, "a single step"),
    (Key::R, Deed::Restart, "restart from the seed"),
    (Key::Backslash, Deed::Reset, "reset to the preset"),
    (Key::Num1, Deed::Preset(0), "the first preset"),
    (Key::Num2, Deed::Preset(1), "the second"),
    (Key::Num3, Deed::Preset(2), "the third"),
    (Key::Num4, Deed::Preset(3), "the fourth"),
    (Key::Num5, Deed::Preset(4), "the fifth"),
    (Key::Num6, Deed::Preset(5), "the sixth"),
    (Key::F, Deed::Fit, "zoom to the flock"),
    (Key::T, Deed::Follow, "follow the flock"),
    (Key::C, Deed::Colour, "next colouring"),
    (Key::V, Deed::Tool(Tool::Camera), "camera: drag to turn or pan"),
    (Key::G, Deed::Tool(Tool::Carrot), "carrot: drag it, the flock follows"),
    (Key::X, Deed::Tool(Tool::Predator), "a predator follows the pointer"),
    (Key::O, Deed::Tool(Tool::Obstacle), "obstacle: click to place one"),
    (Key::Backspace, Deed::Undo, "take the last obstacle away"),
    (Key::J, Deed::Hunt, "predators hunt, or stop"),
    (Key::P, Deed::Panel, "show or hide the panel"),
    (Key::I, Deed::Screenshot, "save a picture"),
    (Key::F12, Deed::Screenshot, "save a picture"),
    (Key::H, Deed::Help, "this sheet"),
    (Key::F1, Deed::Help, "this sheet"),
    (Key::Escape, Deed::Leave, "leave the sheet or the tool"),
];

/// Keys that fly while they are held: right, up and forward.
const FLIGHT: &[(Key, [f32; 3])] = &[
    (Key::W, [0.0, 0.0, 1.0]),
    (Key::S, [0.0, 0.0, -1.0]),
    (Key::A, [-1.0, 0.0, 0.0]),
    (Key::D, [1.0, 0.0, 0.0]),
    (Key::E, [0.0, 1.0, 0.0]),
    (Key::Q, [0.0, -1.0, 0.0]),
];

/// Distances to the target that flight covers in a second.
const FLIGHT_SPEED: f32 = 0.8;

/// Does what the keys say. Returns whether a picture is wanted.
pub fn act(session: &mut Session, ctx: &egui::Context) -> bool {
    if ctx.text_edit_focused() {
        return false;
    }
    let mut picture = false;
    for (key, deed, _) in KEYS {
        if ctx.input_mut(|input| input.consume_key(Modifiers::NONE, *key)) {
            picture |= session.do_deed(*deed);
        }
    }
    if ctx.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Z)) {
        session.remove_obstacle();
    }
    fly(session, ctx);
    picture
}

fn fly(session: &mut Session, ctx: &egui::Context) {
    let (way, seconds) = ctx.input(|input| {
        let mut way = [0.0_f32; 3];
        let still = input.modifiers.command || input.modifiers.alt;
        for (_, by) in FLIGHT.iter().filter(|(key, _)| !still && input.key_down(*key)) {
            (0..3).for_each(|k| way[k] += by[k]);
        }
        (way, input.stable_dt.min(0.1))
    });
    if way == [0.0; 3] {
        return;
    }
    let reach = FLIGHT_SPEED * seconds * session.camera.distance;
    let [right, up, forward] = way.map(|part| part * reach);
    if session.camera.flat {
        session.camera.fly(right, forward + up, 0.0);
    } else {
        session.camera.fly(right, up, forward);
    }
    session.touch();
    ctx.request_repaint();
}

impl Session {
    /// Does what a key stands for. Returns whether a picture is wanted.
    pub fn do_deed(&mut self, deed: Deed) -> bool {
        match deed {
            Deed::Pause => self.playing = !self.playing,
            Deed::Step => self.step_once(),
            Deed::Restart => self.restart(),
            Deed::Reset => self.reset(),
            Deed::Fit => self.fit(),
            Deed::Follow => self.follows = !self.follows,
            Deed::Colour => {
                self.look.colour = next(self.look.colour);
                self.touch();
            }
            Deed::Panel => self.open.panel = !self.open.panel,
            Deed::Screenshot => return true,
            Deed::Help => self.open.help = !self.open.help,
            Deed::Preset(index) => self.choose(index),
            Deed::Tool(tool) => self.take_up(tool),
            Deed::Hunt => self.hunt(!self.hunting()),
            Deed::Undo => self.remove_obstacle(),
            Deed::Leave if self.open.help => self.open.help = false,
            Deed::Leave => self.take_up(Tool::Camera),
        }
        false
    }
}

/// The colouring after this one.
fn next(colour: Colour) -> Colour {
    let at = Colour::ALL.iter().position(|(other, _)| *other == colour).unwrap_or(0);
    Colour::ALL[(at + 1) % Colour::ALL.len()].0
}

#[cfg(test)]
mod tests {
    use super::{FLIGHT, KEYS};

    #[test]
    fn no_key_means_two_things() {
        let once = KEYS.iter().map(|(key, ..)| *key);
        let keys: Vec<_> = once.chain(FLIGHT.iter().map(|(key, _)| *key)).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[i + 1..].contains(key), "{key:?}");
        }
    }
}
