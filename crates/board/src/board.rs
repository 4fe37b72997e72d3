//! The console of the firmware: sends a line, reads the lines of the answer, and records the lines that change the flock.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use super::image::Image;
use super::machine::Machine;

/// Timeouts: for the greeting, and for each line of an answer.
const GREETING: Duration = Duration::from_secs(4);
const ANSWER: Duration = Duration::from_secs(80);
/// Cycles per second of emulated time, independent of the board's clock.
const SECOND: u64 = 125_000_000;

/// A connection to the console of the firmware.
pub trait Link {
    /// Name of the other end, for messages.
    fn name(&self) -> String;

    /// Sends text.
    ///
    /// # Errors
    /// When the connection is lost.
    fn send(&mut self, text: &str) -> io::Result<()>;

    /// Receives the next line without its line ending, if it arrives within `most` of the board's time.
    ///
    /// # Errors
    /// When the connection is lost.
    fn line(&mut self, most: Duration) -> io::Result<Option<String>>;
}

impl Link for Machine {
    fn name(&self) -> String {
        "emulated".to_owned()
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        Machine::send(self, text);
        Ok(())
    }

    fn line(&mut self, most: Duration) -> io::Result<Option<String>> {
        let mut line = None;
        self.run_until(most.as_secs() * SECOND, |machine| {
            line = machine.take_line();
            line.is_some()
        });
        Ok(line)
    }
}

/// A board that runs the firmware, with the flock paused.
#[derive(Debug)]
pub struct Board<L = Machine> {
    /// The emulated chip, or the serial line.
    pub machine: L,
    /// The greeting of the firmware: its name and version.
    pub greeting: String,
}

/// The reason why the firmware did not execute a command.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The firmware refused the command, with this message.
    #[error("{0}")]
    Refused(String),
    /// The board is missing or does not answer correctly, for this reason.
    #[error("{0}")]
    Failed(String),
}

impl BoardError {
    /// The error for an answer that does not parse.
    pub(super) fn strange(asked: &str, answer: &str) -> Self {
        BoardError::Failed(format!("the firmware answered `{asked}` with `{answer}`"))
    }

    fn silent(asked: &str) -> Self {
        BoardError::Failed(format!("the firmware does not answer `{asked}`"))
    }
}

impl From<io::Error> for BoardError {
    fn from(error: io::Error) -> Self {
        BoardError::Failed(format!("lost the connection to the board: {}", config::io_reason(&error)))
    }
}

impl Board {
    /// Boots an emulated board, pauses its flock and holds its video signal.
    ///
    /// # Errors
    /// When the firmware does not start.
    pub fn boot(image: &Image) -> Result<Self, BoardError> {
        let Some(machine) = Machine::boot(image) else {
            let why = "the emulated board requires x86-64 or macOS";
            return Err(BoardError::Failed(why.to_owned()));
        };
        let mut board = Board { machine, greeting: String::new() };
        let greeting = Link::line(&mut board.machine, GREETING)?;
        board.greeting = greeting.ok_or_else(|| BoardError::silent("power"))?;
        board.machine.darken(true);
        board.ask("pause")?;
        Ok(board)
    }
}

impl<L: Link> Board<L> {
    /// Connects to a running board, and pauses its flock.
    ///
    /// # Errors
    /// When the firmware does not answer.
    pub fn running(link: L) -> Result<Self, BoardError> {
        let mut board = Board { machine: link, greeting: String::new() };
        board.ask_within("pause", GREETING)?;
        board.greeting = format!("murmuration {}", board.ask_one("version")?);
        Ok(board)
    }

    /// Sends a line, and returns the lines of the answer without the final `ok`.
    ///
    /// # Errors
    /// When the firmware refuses, halts or does not answer.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, BoardError> {
        self.ask_within(line, ANSWER)
    }

    /// See [`Board::ask`], with a timeout for each line.
    fn ask_within(&mut self, line: &str, most: Duration) -> Result<Vec<String>, BoardError> {
        self.machine.send(&format!("{line}\n"))?;
        let mut answer = Vec::new();
        loop {
            let Some(next) = self.machine.line(most)? else {
                return Err(BoardError::silent(line));
            };
            if next == "ok" {
                return Ok(answer);
            }
            if let Some(why) = next.strip_prefix("error: ") {
                return Err(BoardError::Refused(why.to_owned()));
            }
            if let Some(why) = next.strip_prefix("fatal: ") {
                return Err(BoardError::Failed(format!("the firmware stopped: {why}")));
            }
            answer.push(next);
        }
    }

    /// See [`Board::ask`], for an answer of one line.
    ///
    /// # Errors
    /// See [`Board::ask`]; also when the answer is not one line.
    pub fn ask_one(&mut self, line: &str) -> Result<String, BoardError> {
        let mut answer = self.ask(line)?;
        match answer.pop() {
            Some(one) if answer.is_empty() => Ok(one),
            _ => Err(BoardError::strange(line, &answer.join(" "))),
        }
    }
}

/// A link that records the lines that change the flock, as an image executes them to show the same flock: those of the
/// start, then `at STEP` before the lines of each step at which something changes. `embedded/src/image.rs` reads them.
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
