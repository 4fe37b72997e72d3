//! `man`: the manual page, commands included.

use clap::CommandFactory as _;

use crate::cli::CommandLine;
use report::{Failure, Result};

pub(super) fn print() -> Result {
    // A page about `help` would repeat the pages themselves.
    let mut command = CommandLine::command().disable_help_subcommand(true);
    command.build();
    let mut text = Vec::new();
    pages(&command, &mut text).map_err(|error| Failure::work(format!("man: {error}")))?;
    super::print(&String::from_utf8_lossy(&text))
}

/// The page of a command, then those of its subcommands.
fn pages(command: &clap::Command, text: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(text)?;
    command.get_subcommands().try_for_each(|below| pages(below, text))
}
