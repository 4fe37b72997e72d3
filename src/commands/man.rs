//! `man`: the manual page, commands included.

use clap::CommandFactory as _;

use crate::cli::CommandLine;
use files::{Failure, Result};

pub(super) fn print() -> Result {
    // A page about `help` would repeat the pages themselves.
    let mut command = CommandLine::command().disable_help_subcommand(true);
    command.build();
    let mut text = Vec::new();
    pages(&command, SECTIONS, &mut text).map_err(|error| Failure::work(format!("man: {error}")))?;
    // Plain groff reads only ASCII.
    super::print(&String::from_utf8_lossy(&text).replace('…', "..."))
}

/// The last sections of the program's own page.
const SECTIONS: &str = r#".SH "EXIT STATUS"
.TP
\fB0\fR
success
.TP
\fB1\fR
the command failed, or a comparison did not pass
.TP
\fB2\fR
an option, an argument or an input file is wrong
.TP
\fB3\fR
no suitable GPU adapter, or no firmware for the emulated board
.TP
\fB130\fR
interrupted by Ctrl\-C; finished work is saved
.SH ENVIRONMENT
.TP
\fBMURMURATION_CACHE\fR
the folder for the window's state and recent files; empty to store nothing
.TP
\fBMURMURATION_FIRMWARE\fR
the firmware of the emulated board, like \-\-firmware
"#;

/// The page of a command with its own last sections, then the pages of its subcommands.
fn pages(command: &clap::Command, last: &str, text: &mut Vec<u8>) -> std::io::Result<()> {
    // The page has all options, also those without a long help that the short one hides.
    let page = command.clone().after_help(None).after_long_help(None);
    clap_mangen::Man::new(page.mut_args(|option| option.hide_short_help(false))).render(text)?;
    text.extend(last.as_bytes());
    command.get_subcommands().try_for_each(|below| pages(below, "", text))
}
