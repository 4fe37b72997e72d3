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
    let text = String::from_utf8_lossy(&text).replace(".SH EXTRA\nArguments:\n", ".SH ARGUMENTS\n");
    // Plain groff reads ASCII alone.
    super::print(&text.replace('…', "..."))
}

/// The last sections of the program's own page.
const SECTIONS: &str = r#".SH "EXIT STATUS"
.TP
\fB0\fR
done
.TP
\fB1\fR
the work failed, or a comparison fell short
.TP
\fB2\fR
the call or a file is wrong
.TP
\fB3\fR
no adapter can do it
.TP
\fB130\fR
ended by Ctrl\-C; what was done is kept
.SH ENVIRONMENT
.TP
\fBMURMURATION_CACHE\fR
the folder of the window's state and recent files; empty for none
.TP
\fBMURMURATION_FIRMWARE\fR
the firmware of the emulated board, as \-\-firmware
"#;

/// The page of a command with its own last sections, then the pages of its subcommands.
fn pages(command: &clap::Command, last: &str, text: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(text)?;
    text.extend(last.as_bytes());
    command.get_subcommands().try_for_each(|below| pages(below, "", text))
}
