//! The firmware for the emulated board.

use std::io::Write as _;

use murmuration::rp2040::Image;

/// The firmware, if it has been built.
///
/// # Panics
/// When it is required and missing.
pub fn image() -> Option<Image> {
    match Image::find() {
        Ok(image) => Some(image),
        Err(error) => {
            missing(&format!("{error}: `cargo xtask firmware` builds the firmware"));
            None
        }
    }
}

/// Prints that something is not tested.
///
/// # Panics
/// When everything is required.
pub fn missing(what: &str) {
    let required = std::env::var("MURMURATION_TEST_ADAPTERS").is_ok_and(|value| value == "required");
    assert!(!required, "{what}");
    // Directly, because the test harness captures the output of `eprintln!`.
    std::io::stderr().write_all(format!("NOT TESTED: {what}\n").as_bytes()).unwrap_or_default();
}
