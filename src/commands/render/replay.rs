//! Drawing a run that was written down.

use std::path::{Path, PathBuf};

use flock::Parameters;

use super::Pictures;
use crate::cli::shared::FlockRequest;
use crate::commands::start;
use crate::engines::{Device, Opened};
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{Film, Recording};
use crate::state::State;

/// The states of a trajectory after its first.
pub(super) struct Replay {
    path: PathBuf,
    recording: Recording,
    parameters: Parameters,
    device: Device,
}

impl Replay {
    /// Opens a trajectory; also returns its first state, and the parameters with the number of boids it has.
    pub fn open(
        path: &Path,
        flock: &FlockRequest,
        mut parameters: Parameters,
        device: &Device,
    ) -> Result<(Self, Parameters, State), Failure> {
        if let Some(asked) = flock.boids() {
            let why = format!("--boids {asked} with --trajectory: the file says how many there are");
            return Err(Failure::usage(why).hint("leave it out"));
        }
        let recording = Recording::open(path, device.numeric())?;
        // No trajectory has them.
        parameters.predators.count = 0;
        let mut replay = Replay { path: path.to_owned(), recording, parameters, device: device.clone() };
        let state = replay.next(&mut parameters)?.unwrap_or_default();
        Ok((replay, parameters, state))
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
            let mut parameters = self.parameters;
            let next = self.next(&mut parameters)?;
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

    /// The next state, and its number of boids in the parameters.
    fn next(&mut self, parameters: &mut Parameters) -> Result<Option<State>, Failure> {
        let Some(mut state) = self.recording.state()? else { return Ok(None) };
        start::fit(&self.path, parameters, &mut state, &self.device)?;
        Ok(Some(state))
    }
}
