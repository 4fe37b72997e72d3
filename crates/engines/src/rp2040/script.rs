//! The lines that have a board that was just switched on fly a flock, for an image that holds them.

use std::io;
use std::time::Duration;

use flock::{Fixed, Parameters};

use super::board::{Board, Link};
use super::engine::refusal;
use super::image::Image;
use super::machine::Machine;
use super::{settings, terms};
use cpu::engine::{EngineError, rule};
use cpu::state::Numeric;

/// An emulated board that keeps the lines which it has executed.
struct Recorder {
    machine: Machine,
    sent: String,
    executed: Vec<String>,
}

impl Link for Recorder {
    fn name(&self) -> String {
        self.machine.name()
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        text.trim_end().clone_into(&mut self.sent);
        Link::send(&mut self.machine, text)
    }

    fn line(&mut self, most: Duration) -> io::Result<Option<String>> {
        let line = Link::line(&mut self.machine, most)?;
        if line.as_deref() == Some("ok") {
            self.executed.push(std::mem::take(&mut self.sent));
        }
        Ok(line)
    }
}

/// The lines of the console after which a board with this image, just switched on, flies the flock from its start.
///
/// # Errors
/// When the flock does not fit the memory, or a parameter or formula the integers; when the firmware does not run.
pub fn script(image: &Image, parameters: &Parameters) -> Result<Vec<String>, EngineError> {
    let rule = rule::<Fixed>(Numeric::Fixed, parameters, parameters.flock.boids as usize)?;
    let machine = Board::boot(image)?.machine;
    let mut board = Board::running(Recorder { machine, sent: String::new(), executed: Vec::new() })?;
    // A single boid until all is set: each line may start the flock anew.
    let mut alone = *parameters;
    alone.flock.boids = 1;
    let sent = settings::agree(&mut board, &alone)
        .and_then(|()| settings::agree(&mut board, parameters))
        // From the start that these parameters have.
        .and_then(|()| board.ask(&format!("seed {}", parameters.flock.seed)))
        .and_then(|_| terms::send(&mut board, &rule));
    sent.map_err(|error| refusal(error, parameters))?;
    let asks = ["list", "pause", "version"];
    Ok(board.machine.executed.into_iter().filter(|line| !asks.contains(&line.as_str())).collect())
}
