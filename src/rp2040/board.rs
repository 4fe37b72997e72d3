//! Talking to the firmware: a line to its console, and the lines that it answers.

use super::image::Image;
use super::machine::Machine;

/// How long the firmware may take to greet, and for an answer, in cycles: 4 s and 80 s at 125 MHz.
const GREETING: u64 = 500_000_000;
const ANSWER: u64 = 10_000_000_000;

/// A board with the firmware on it, paused, its screen dark.
#[derive(Debug)]
pub struct Board {
    pub machine: Machine,
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
}

impl Board {
    /// Switches a board on, and stops its flock.
    ///
    /// # Errors
    /// When the firmware does not greet.
    pub fn boot(image: &Image) -> Result<Self, BoardError> {
        let mut board = Board { machine: Machine::boot(image), greeting: String::new() };
        board.greeting = board.line(GREETING).ok_or_else(|| BoardError::Silent("power".to_owned()))?;
        board.ask("pause")?;
        board.machine.darken(true);
        Ok(board)
    }

    /// What the firmware said of itself when it was switched on.
    #[must_use]
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Sends a line, and gives the lines of its answer without the closing `ok`.
    ///
    /// # Errors
    /// When the firmware refuses, stops or is silent.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, BoardError> {
        self.machine.send(&format!("{line}\n"));
        let mut answer = Vec::new();
        loop {
            let Some(next) = self.line(ANSWER) else { return Err(BoardError::Silent(line.to_owned())) };
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

    /// The next line, if it comes within so many cycles.
    fn line(&mut self, most: u64) -> Option<String> {
        let mut line = None;
        self.machine.run_until(most, |machine| {
            line = machine.take_line();
            line.is_some()
        });
        line
    }
}
