//! The console: a command is one line; its answer is any number of lines, the last of which is `ok` or `error: …`.

pub mod commands;
pub mod line;
pub mod value;

pub use line::Line;
