//! The panel without a window: clicks, drags and keys change the session, and the session changes the engine.

mod camera;
mod charts;
mod compare;
mod edits;
mod files;
mod flights;
mod keyboard;
mod playback;
mod presentation;

use std::ops::{Deref, DerefMut};

use egui::{Key, Modifiers, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use engine::Numeric;
use flock::Parameters;
use flock::parameters::{Value, find};
use scene::Camera;
use window::session::{Action, Message, Session};
use window::{panel, theme};

use crate::sessions::{change, session_with};

/// A paused session with the CPU engine and the preset of this name.
fn session(name: &str) -> Session {
    session_with(name, Numeric::F32, |source| source)
}

/// Sets the parameter of this name.
fn set(session: &mut Session, name: &str, value: Value) {
    session.apply(Action::Set(find(name).expect(name), value));
}

/// Steps so often, and waits for each step.
fn step(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.apply(Action::Step);
        session.settle();
    }
}

/// The text of an error that is shown.
fn failure(session: &Session) -> &str {
    match &session.controls.message {
        Some(Message::Failed(why)) => why,
        other => panic!("no error: {other:?}"),
    }
}

/// The whole window at its usual size.
struct Panel(Harness<'static, Session>);

impl Deref for Panel {
    type Target = Harness<'static, Session>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Panel {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Panel {
    /// Shows a paused session with the preset of this name.
    fn new(name: &str) -> Self {
        Panel::of(session(name))
    }

    fn of(session: Session) -> Self {
        let mut window = Harness::builder()
            .with_size(egui::vec2(1280.0, 800.0))
            .with_context_setup(theme::apply)
            // The camera may be on its way for some seconds.
            .with_max_steps(600)
            .build_ui_state(
                |ui, session: &mut Session| {
                    panel::show(ui, session, None);
                },
                session,
            );
        window.run();
        Panel(window)
    }

    fn session(&mut self) -> &mut Session {
        self.0.state_mut()
    }

    fn parameters(&self) -> Parameters {
        self.state().document.parameters
    }

    fn camera(&self) -> Camera {
        self.state().eye.camera
    }

    /// Shows frames until nothing moves and every order is answered.
    fn settle(&mut self) {
        self.session().settle();
        self.run_ok();
        self.session().settle();
    }

    fn apply(&mut self, action: Action) {
        self.session().apply(action);
        self.settle();
    }

    fn change(&mut self, by: impl FnOnce(&mut Parameters)) {
        change(self.session(), by);
        self.settle();
    }

    fn click(&mut self, label: &str) {
        self.get_by_label(label).click();
        self.run_ok();
        self.settle();
    }

    fn press(&mut self, key: Key) {
        self.press_with(Modifiers::NONE, key);
    }

    fn press_with(&mut self, held: Modifiers, key: Key) {
        self.key_press_modifiers(held, key);
        self.run_ok();
        self.settle();
    }

    /// Presses the pointer, moves it, and lets it go.
    fn drag(&mut self, from: Pos2, to: Pos2) {
        self.hold(from, to);
        self.drop_at(to);
        self.run_ok();
        self.settle();
    }

    /// Presses the pointer, and moves it.
    fn hold(&mut self, from: Pos2, to: Pos2) {
        self.drag_at(from);
        self.run_ok();
        if to != from {
            self.hover_at(to);
            self.run_ok();
        }
    }

    fn click_at(&mut self, place: Pos2) {
        self.drag(place, place);
    }

    /// Turns the wheel under the pointer.
    fn scroll(&mut self, up: f32) {
        self.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, up),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: Modifiers::NONE,
        });
        self.run_ok();
    }

    /// True if something has this label.
    fn has(&self, label: &str) -> bool {
        self.query_all_by_label(label).next().is_some()
    }

    /// True if this text is a part of a label.
    fn says(&self, text: &str) -> bool {
        self.query_all_by_label_contains(text).next().is_some()
    }

    /// The text that is painted over the view.
    fn painted(&self) -> String {
        let mut text = String::new();
        for clipped in &self.output().shapes {
            if let egui::Shape::Text(shape) = &clipped.shape {
                text.extend([shape.galley.text(), "\n"]);
            }
        }
        text
    }
}
