//! `completions`: for the shells that the parser's library knows.

use clap::CommandFactory as _;

use crate::cli::Typed;
use crate::failure::Failure;

pub(super) fn print(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Typed::command(), "murmuration", &mut text);
    super::print(&String::from_utf8_lossy(&text))
}
