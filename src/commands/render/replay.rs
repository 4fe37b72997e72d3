//! Drawing a run that was written down.

use std::path::{Path, PathBuf};

use super::Pictures;
use crate::cli::shared::FlockRequest;
use crate::commands::start;
use config::Document;
use cpu::state::State;
use engines::{Device, Opened};
use report::failure::Failure;
use report::interrupt;
use report::{Film, Recording};

/// The states of a trajectory after its first.
pub(super) struct Replay {
    path: PathBuf,
    recording: Recording,
    document: Document,
    device: Device,
}

impl Replay {
    /// Opens a trajectory; also returns its first state, and the flock with the number of boids it has.
    pub fn open(
        path: &Path,
        flock: &FlockRequest,
        mut document: Document,
        device: &Device,
    ) -> Result<(Self, Document, State), Failure> {
        if let Some(asked) = flock.boids() {
            let why = format!("--boids {asked} with --trajectory: the file says how many there are");
            return Err(Failure::usage(why).hint("leave it out"));
        }
        let recording = Recording::open(path, device.numeric())?;
        // No trajectory has them.
        document.parameters.predators.count = 0;
        let mut replay = Replay { path: path.to_owned(), recording, document, device: device.clone() };
        let Some(state) = replay.next(&mut document)? else {
            return Err(Failure::usage(format!(
                "{}: it has no state: allowed is one at least",
                path.display()
            )));
        };
        Ok((replay, document, state))
    }

    /// Draws each state as a frame where the picture `moves`, else the last, until the end or Ctrl-C. Returns the last step
    /// where the end was reached.
    pub fn draw(
        &mut self,
        opened: &mut Opened,
        pictures: &mut Pictures,
        film: &mut Film,
        moves: bool,
    ) -> Result<Option<u64>, Failure> {
        loop {
            let picture = pictures.draw(opened)?;
            let mut document = self.document;
            let next = self.next(&mut document)?;
            let stops = interrupt::asked();
            if moves || stops || next.is_none() {
                film.frame(picture)?;
            }
            match next {
                None => return Ok(Some(opened.get().step_number())),
                Some(_) if stops => return Ok(None),
                Some(state) => opened.get().set_state(&state)?,
            }
        }
    }

    /// The next state, and its number of boids in the flock's document.
    fn next(&mut self, document: &mut Document) -> Result<Option<State>, Failure> {
        let Some(mut state) = self.recording.state()? else { return Ok(None) };
        start::fit(&self.path, document, &mut state, &self.device)?;
        Ok(Some(state))
    }
}
