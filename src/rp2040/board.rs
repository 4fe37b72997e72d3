//! Talking to the firmware: a line to its console, and the lines that it answers.

use std::io;
use std::time::Duration;

use super::image::Image;
use super::machine::Machine;

/// How long the firmware may take to greet, and for an answer.
const GREETING: Duration = Duration::from_secs(4);
const ANSWER: Duration = Duration::from_secs(80);
/// Cycles in a second of an emulated board's time, whatever it sets its clock to.
const SECOND: u64 = 125_000_000;

/// The way to a firmware's console.
pub trait Link {
    /// What it leads to, for people.
    fn name(&self) -> String;

    /// Sends text.
    ///
    /// # Errors
    /// When the way is cut.
    fn send(&mut self, text: &str) -> io::Result<()>;

    /// The next line without its end, if it comes within so much of the board's time.
    ///
    /// # Errors
    /// When the way is cut.
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

/// A board with the firmware on it, its flock paused.
#[derive(Debug)]
pub struct Board<L = Machine> {
    /// What runs the firmware, or the line that leads there.
    pub machine: L,
    greeting: String,
}

/// Why the firmware did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// It refused, in its own words.
    #[error("{0}")]
    Refused(String),
    /// It stopped for good, in its own words.
    #[error("the firmware stopped: {0}")]
    Stopped(String),
    /// It has not answered.
    #[error("the firmware does not answer `{0}`")]
    Silent(String),
    /// It has answered what makes no sense.
    #[error("the firmware answered `{asked}` with `{answer}`")]
    Strange { asked: String, answer: String },
    /// The line to it is cut.
    #[error("the line to the board is cut: {0}")]
    Cut(#[from] io::Error),
}

impl Board {
    /// Switches an emulated board on, stops its flock and darkens its screen.
    ///
    /// # Errors
    /// When the firmware does not greet.
    pub fn boot(image: &Image) -> Result<Self, BoardError> {
        let mut board = Board { machine: Machine::boot(image), greeting: String::new() };
        let greeting = Link::line(&mut board.machine, GREETING)?;
        board.greeting = greeting.ok_or_else(|| BoardError::Silent("power".to_owned()))?;
        board.ask("pause")?;
        board.machine.darken(true);
        Ok(board)
    }
}

impl<L: Link> Board<L> {
    /// Takes a board that is on already, and stops its flock.
    ///
    /// # Errors
    /// When the firmware does not answer.
    pub fn running(link: L) -> Result<Self, BoardError> {
        let mut board = Board { machine: link, greeting: String::new() };
        board.ask_within("pause", GREETING)?;
        board.greeting = format!("murmuration {}", board.ask_one("version")?);
        Ok(board)
    }

    /// What the firmware says of itself.
    #[must_use]
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Sends a line, and gives the lines of its answer without the closing `ok`.
    ///
    /// # Errors
    /// When the firmware refuses, stops or is silent.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, BoardError> {
        self.ask_within(line, ANSWER)
    }

    /// As [`Board::ask`], with so much time for each line.
    fn ask_within(&mut self, line: &str, most: Duration) -> Result<Vec<String>, BoardError> {
        self.machine.send(&format!("{line}\n"))?;
        let mut answer = Vec::new();
        loop {
            let Some(next) = self.machine.line(most)? else {
                return Err(BoardError::Silent(line.to_owned()));
            };
            if next == "ok" {
                return Ok(answer);
            }
            if let Some(why) = next.strip_prefix("error: ") {
                return Err(BoardError::Refused(why.to_owned()));
            }
            if let Some(why) = next.strip_prefix("fatal: ") {
                return Err(BoardError::Stopped(why.to_owned()));
            }
            answer.push(next);
        }
    }

    /// As [`Board::ask`], for an answer of one line.
    ///
    /// # Errors
    /// As there, and when it is not one line.
    pub fn ask_one(&mut self, line: &str) -> Result<String, BoardError> {
        let mut answer = self.ask(line)?;
        match answer.pop() {
            Some(one) if answer.is_empty() => Ok(one),
            _ => Err(BoardError::Strange { asked: line.to_owned(), answer: answer.join(" ") }),
        }
    }
}
