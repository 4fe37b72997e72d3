//! Records what a board is told, as the lines that an image executes to show the same flock: those of the start, then
//! `at STEP` before the lines of each step at which something changes. `embedded/src/flight.rs` reads them.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use super::board::{Board, Link};

/// A link that records the lines that change the flock.
#[derive(Debug)]
pub struct Recorded<L> {
    link: L,
    text: String,
    /// The step of the flock, and that of the last recorded line.
    step: u64,
    written: u64,
}

impl<L: Link> Board<L> {
    /// The same board, whose lines are recorded from now on.
    pub fn recorded(self) -> Board<Recorded<L>> {
        let machine = Recorded { link: self.machine, text: String::new(), step: 0, written: 0 };
        Board { machine, greeting: self.greeting }
    }
}

impl<L> Recorded<L> {
    /// The lines, which end with the step of the flock if it has been stepped.
    pub fn script(&self) -> String {
        let mut script = self.text.clone();
        if self.step != self.written {
            let _ = writeln!(script, "at {}", self.step);
        }
        script
    }

    fn record(&mut self, line: &str) {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("step"), Some(count)) => {
                self.step += count.parse::<u64>().unwrap_or(0);
                return;
            }
            (Some("hash" | "state" | "capacity"), _) => return,
            (Some("put"), Some("step")) => {
                self.step = words.next().and_then(|step| step.parse().ok()).unwrap_or(0);
                self.written = self.step;
            }
            _ => (),
        }
        if self.step != self.written {
            let _ = writeln!(self.text, "at {}", self.step);
            self.written = self.step;
        }
        let _ = writeln!(self.text, "{line}");
    }
}

impl<L: Link> Link for Recorded<L> {
    fn name(&self) -> String {
        self.link.name()
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        self.record(text.trim_end());
        self.link.send(text)
    }

    fn line(&mut self, most: Duration) -> io::Result<Option<String>> {
        self.link.line(most)
    }
}
