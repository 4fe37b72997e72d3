//! Texts that are copied and pasted. egui's own link to the clipboard would bring pictures, too, with the packages for them,
//! but on Wayland: there it is of texts alone, and reaches what only a program with a window may.

use arboard::Clipboard as System;
use egui::OutputCommand;
use egui_winit::State;
use winit::event::{ElementState, WindowEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::raw_window_handle::{HasDisplayHandle, RawDisplayHandle};
use winit::window::Window;

/// The system's clipboard, where egui has no link to it. Where there is none, texts stay in the program.
pub(in crate::view::window) struct Clipboard {
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

    /// Hands egui the text of the clipboard before it sees a key that pastes it.
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

    /// Takes texts that were copied.
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

/// True if egui takes a key for the wish to paste.
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
