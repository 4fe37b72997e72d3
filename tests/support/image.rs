//! The firmware for the emulated board.

use board::Image;

use crate::scope::{self, Scope};

/// The firmware, if it has been built.
///
/// # Panics
/// When it is required and missing.
pub fn image() -> Option<Image> {
    match Image::find(None) {
        Ok(image) => Some(image),
        Err(error) => {
            scope::missing(Scope::Most, &format!("{error}: `cargo xtask firmware` builds the firmware"));
            None
        }
    }
}
