//! No emulated chip: the emulator builds for x86-64 and for macOS. A board on a serial line serves on any machine.

use super::image::Image;

/// No chip.
#[derive(Debug)]
pub enum Machine {}

impl Machine {
    /// None boots.
    pub fn boot(_image: &Image) -> Option<Self> {
        None
    }

    /// Never called.
    pub fn run_until(&mut self, _most: u64, _reached: impl FnMut(&mut Self) -> bool) -> bool {
        match *self {}
    }

    /// Never called.
    pub fn darken(&mut self, _dark: bool) {
        match *self {}
    }

    /// Never called.
    pub fn send(&mut self, _text: &str) {
        match *self {}
    }

    /// Never called.
    pub fn take_line(&mut self) -> Option<String> {
        match *self {}
    }
}
