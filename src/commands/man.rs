//! `man`: the manual page, commands included.

use clap::CommandFactory as _;

use crate::cli::Typed;
use crate::failure::Failure;

pub(super) fn print() -> Result<(), Failure> {
    let mut command = Typed::command();
    command.build();
    let mut text = Vec::new();
    let pages = std::iter::once(command.clone()).chain(command.get_subcommands().cloned());
    for page in pages {
        clap_mangen::Man::new(page)
            .render(&mut text)
            .map_err(|error| Failure::work(format!("man: {error}")))?;
    }
    super::print(&String::from_utf8_lossy(&text))
}
