//! The states that are drawn: those of a run, or those that a run wrote down.

use std::path::PathBuf;

use crate::cli::render::{RenderOptions, RenderRequest};
use crate::commands::note;
use crate::commands::start::{self, Recorded, Start};
use config::{Document, View};
use engine::{Batcher, Engine, EngineError, State};
use engines::Device;
use files::{Failure, ProgressBar, Recording, Result, progress};
use flight::Replay;
use flock::Parameters;

/// The source of the states.
pub(super) enum FrameSource {
    Steps(Steps),
    Trajectory(Box<TrajectoryStates>),
}

/// Steps, some of which are drawn.
pub(super) struct Steps {
    first: u64,
    /// The first step that is drawn; in a still, what of it is seen in the last.
    begin: u64,
    every: u64,
    /// The step to end at.
    last: u64,
    moves: bool,
    /// The changes of a flight.
    replay: Option<Box<Replay>>,
    progress: ProgressBar,
    batcher: Batcher,
}

/// The states of a trajectory.
pub(super) struct TrajectoryStates {
    path: PathBuf,
    recording: Recording,
    document: Document,
    device: Device,
    /// The state after that which is drawn.
    next: Option<State>,
}

impl FrameSource {
    /// The source of a picture or film, and the first state with its flock.
    pub fn open(
        request: &RenderRequest,
        document: Document,
        recorded: Option<&Recorded>,
        device: &Device,
    ) -> Result<(Self, Document, State)> {
        let options = &request.options;
        if let Some(path) = &options.trajectory {
            if let Some(asked) = request.flock.boids() {
                let why =
                    format!("--boids {asked} cannot be used with --trajectory: the file sets the number");
                return Err(Failure::usage(why).hint("leave it out"));
            }
            let recording = Recording::open(path, device.numeric())?;
            let mut states = TrajectoryStates {
                path: path.clone(),
                recording,
                document,
                device: device.clone(),
                next: None,
            };
            let drawn = document.parameters.predators.count == 0 || states.recording.has_predators();
            let line = format!("{} has no predators: none are drawn", path.display());
            note((!drawn).then_some(line), options.quiet);
            let Some((document, state)) = states.read()? else {
                return Err(Failure::file(path, files::NO_STATE));
            };
            return Ok((FrameSource::Trajectory(Box::new(states)), document, state));
        }
        let skip = skip(options, &document.view);
        let steps = skip + options.steps();
        let parts = options.ranks.named().is_some();
        let start = match recorded {
            Some(recorded) => recorded.start(steps, device)?,
            None => start::state(&request.flock, &options.start, steps, parts, document, device)?,
        };
        let Start { document, state, notes } = start;
        notes.into_iter().for_each(|line| note(Some(line), options.quiet));
        let mut source = FrameSource::of_steps(options, state.step, skip);
        if let (FrameSource::Steps(steps), Some(recorded)) = (&mut source, recorded) {
            steps.replay = Some(Box::new(recorded.flight.replay()));
        }
        Ok((source, document, state))
    }

    /// The steps of a flock from the one at which it stands, some of which are skipped.
    pub fn of_steps(options: &RenderOptions, first: u64, skip: u64) -> Self {
        let (every, moves, steps) = (options.every, options.moves(), options.steps());
        let last = first + skip + steps - if moves { steps % every } else { 0 };
        let begin = if moves { first + skip } else { last };
        let (progress, batcher) = (progress(last, "steps", options.quiet), Batcher::default());
        FrameSource::Steps(Steps { first, begin, every, last, moves, replay: None, progress, batcher })
    }

    /// Has so many steps before a still drawn, too, as they are seen in it.
    pub fn lead(&mut self, lead: u64) {
        if let FrameSource::Steps(Steps { first, begin, last, moves: false, .. }) = self {
            *begin = last.saturating_sub(lead).max(*first);
        }
    }

    /// The last step, where it is known.
    pub fn last(&self) -> Option<u64> {
        match self {
            FrameSource::Steps(steps) => Some(steps.last),
            FrameSource::Trajectory(_) => None,
        }
    }

    /// The parameters of the current step, where a flight changes them.
    pub fn parameters(&self) -> Option<&Parameters> {
        match self {
            FrameSource::Steps(Steps { replay: Some(replay), .. }) => Some(replay.parameters()),
            _ => None,
        }
    }

    /// True if no state comes after this one.
    pub fn is_at_end(&mut self, engine: &mut dyn Engine) -> Result<bool> {
        match self {
            // Another thread may step a flock that is filmed.
            FrameSource::Steps(steps) => Ok(engine.step_number() >= steps.last),
            FrameSource::Trajectory(states) => {
                states.next = states.read()?.map(|(_, state)| state);
                Ok(states.next.is_none())
            }
        }
    }

    /// True if this state is drawn: for a frame of a film, or for what of it is seen in a still.
    pub fn draws(&self, engine: &dyn Engine) -> bool {
        let FrameSource::Steps(Steps { begin, every, .. }) = self else { return true };
        let since = engine.step_number().checked_sub(*begin);
        since.is_some_and(|since| since.is_multiple_of(*every))
    }

    /// Goes on, at most to the next state that is drawn.
    pub fn advance(&mut self, engine: &mut dyn Engine) -> Result<(), EngineError> {
        match self {
            FrameSource::Steps(Steps { begin, every, last, replay, progress, batcher, .. }) => {
                let here = engine.step_number();
                let next = here.checked_sub(*begin).map_or(*begin, |since| here + *every - since % *every);
                let mut most = next.min(*last) - here;
                if let Some(replay) = replay {
                    replay.change(engine)?;
                    most = most.min(replay.until_change(here));
                }
                progress.inc(batcher.advance(engine, most)?);
                Ok(())
            }
            FrameSource::Trajectory(states) => {
                states.next.take().map_or(Ok(()), |state| engine.set_state(&state))
            }
        }
    }
}

impl TrajectoryStates {
    /// The next state of the file, and the flock with the numbers of boids and predators it has.
    fn read(&mut self) -> Result<Option<(Document, State)>> {
        let Some(mut state) = self.recording.state()? else { return Ok(None) };
        let mut document = self.document;
        document.parameters.predators.count = state.predators.len() as u32;
        config::check_ranges(&document.parameters)
            .map_err(|error| error.at(&self.path.display().to_string()))?;
        start::fit(&self.path, &mut document, &mut state, &self.device)?;
        Ok(Some((document, state)))
    }
}

/// The steps before the first frame. A state that is given is where a film begins.
fn skip(options: &RenderOptions, view: &View) -> u64 {
    if let Some(skip) = options.skip {
        return skip;
    }
    let skip = if options.start.init.is_none() { u64::from(view.skip) } else { 0 };
    let line = format!("starting at step {skip} (view.skip; use --skip 0 to start at step 0)");
    note((skip > 0).then_some(line), options.quiet);
    skip
}
