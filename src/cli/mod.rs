//! The command line, in two stages: what was typed ([`typed`]), and what it means ([`request`]). Neither reads a
//! file or touches a device.

pub mod conform;
pub mod profile;
pub mod render;
pub mod request;
pub mod typed;
mod usage;
pub mod view;

pub use request::Request;
pub use typed::Typed;

use std::ffi::OsString;

use clap::Parser as _;

use crate::failure::Failure;

/// What a call leads to.
#[derive(Debug)]
pub enum Call {
    /// Something to do.
    Do(Request),
    /// Help or version, to be printed.
    Print(String),
}

/// Understands a call; the first argument is the program's name.
///
/// # Errors
/// When it is wrong: the option, the value and what is allowed.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Call, Failure> {
    match Typed::try_parse_from(arguments) {
        Ok(typed) => Ok(Call::Do(request::resolve(typed)?)),
        Err(error) if error.use_stderr() => Err(usage::failure(&error)),
        Err(text) => Ok(Call::Print(text.render().to_string())),
    }
}
