//! Stand-in without an emulated chip: the emulator builds for x86-64 and macOS. A serial board works on any platform.

use super::image::Image;

/// An emulated chip that cannot exist.
#[derive(Debug)]
pub enum Machine {}

impl Machine {
    /// Always `None`.
    pub fn boot(_image: &Image) -> Option<Self> {
        None
    }

    /// Never called: there are no values.
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
