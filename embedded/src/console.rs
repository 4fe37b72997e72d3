//! The console: lines in, lines out.
//!
//! A command is one line; its answer is any number of lines, the last of them `ok` or `error: …`. What is no command
//! gets an error and changes nothing.

pub mod commands;
pub mod line;
pub mod value;

pub use line::Line;
