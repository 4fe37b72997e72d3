//! Copying and pasting text. egui's own clipboard support includes images, with their dependencies, except on Wayland:
//! there it is for text only, and has the access that only a program with a window has.

use arboard::Clipboard as System;
use egui::OutputCommand;
use egui_winit::State;
use winit::event::{ElementState, WindowEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::raw_window_handle::{HasDisplayHandle, RawDisplayHandle};
use winit::window::Window;

/// The system's clipboard, unless egui has access to it. Without a clipboard, text stays in the program.
pub(in crate::window) struct Clipboard {
    system: Option<System>,
    held: ModifiersState,
}

impl Clipboard {
    /// The clipboard of this session of the desktop.
    pub fn open(window: &Window) -> Self {
        let wayland =
            window.display_handle().is_ok_and(|on| matches!(on.as_raw(), RawDisplayHandle::Wayland(_)));
        let open = || System::new().inspect_err(|why| log::warn!("clipboard: {why}")).ok();
        let system = (!wayland).then(open).flatten();
        Clipboard { system, held: ModifiersState::empty() }
    }

    /// Passes the clipboard's text to egui before the key that pastes it.
    pub fn paste(&mut self, event: &WindowEvent, input: &mut State) {
        if let WindowEvent::ModifiersChanged(held) = event {
            self.held = held.state();
        }
        if let Some(system) = &mut self.system
            && pastes(event, self.held)
        {
            // A clipboard may hold no text.
            input.set_clipboard_text(system.get_text().unwrap_or_default());
        }
    }

    /// Copies egui's texts to the clipboard.
    pub fn copy(&mut self, commands: &[OutputCommand]) {
        let Some(system) = &mut self.system else { return };
        for command in commands {
            if let OutputCommand::CopyText(text) = command
                && let Err(why) = system.set_text(text)
            {
                log::warn!("clipboard: {why}");
            }
        }
    }
}

/// True if egui treats the key as a paste.
fn pastes(event: &WindowEvent, held: ModifiersState) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    event.state == ElementState::Pressed
        && match &event.logical_key {
            Key::Named(NamedKey::Paste) => true,
            Key::Named(NamedKey::Insert) => held.shift_key(),
            Key::Character(letter) => {
                (held.control_key() || held.super_key()) && letter.eq_ignore_ascii_case("v")
            }
            _ => false,
        }
}
