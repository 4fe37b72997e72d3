//! A flock, its engine, and the state to continue from if its device is lost.

use std::ffi::OsString;
use std::time::Instant;

use config::{Document, Setting, with_settings};
use engine::{Batcher, EngineError, Numeric, ReadBackTimer, State};
use engines::{AnyEngine, Device, EngineKind, EngineRequest};
use files::{Failure, Result};
use flight::{Change, First, Flight, InFlight, starts_differ};
use murmuration::cli;
use murmuration::commands::start::{self, Start};

use crate::recording::Recording;

/// A flock and its engine.
#[derive(Debug)]
pub struct Flying {
    pub document: Document,
    pub device: Device,
    pub opened: AnyEngine,
    pub request: EngineRequest,
    batcher: Batcher,
    /// The last state read or set; `None` if the device cannot be lost.
    kept: Option<State>,
    timer: ReadBackTimer,
    /// True if the state at step 0 is that of the seed: neither parameters nor a state were set.
    seeded: bool,
    recording: Option<Recording>,
}

impl Flying {
    /// Opens the flock that the options of `run` describe.
    ///
    /// # Errors
    /// When an option is not allowed, or no device supports it.
    pub fn open(options: Vec<OsString>) -> Result<Self> {
        let request = cli::request(options, cli::run::resolve)?;
        let document = request.flock.document()?;
        let (device, _) = request.engine.choose()?;
        let start = start::state(&request.flock, &request.options.start, 0, false, document, &device)?;
        let Start { document, state, .. } = start;
        let seeded = request.options.start.init.is_none();
        Self::start(request.engine, document, device, state, seeded)
    }

    /// Opens the flock of a flight at its start, on the engine that the options of `run` choose, in the number type of
    /// the flight unless the options name another.
    ///
    /// # Errors
    /// See [`Flying::open`].
    pub fn at_start(mut options: Vec<OsString>, flight: &Flight) -> Result<Self> {
        let names_numeric = options.iter().any(|word| word.to_string_lossy().starts_with("--numeric="));
        let mut request = cli::request(options.clone(), cli::run::resolve)?.engine;
        if !names_numeric && request.which != EngineKind::Rp2040 {
            options.push(format!("--numeric={}", flight.start.numeric.name()).into());
            request = cli::request(options, cli::run::resolve)?.engine;
        }
        let (device, _) = request.choose()?;
        let document = flight.start.document();
        device.check(&document.parameters)?;
        let seeded = flight.start.first == First::Seed;
        Self::start(request, document, device, flight.start.state()?, seeded)
    }

    /// Opens a flock in this state, on the engine that the options of `run` choose.
    ///
    /// # Errors
    /// See [`Flying::open`].
    pub fn resume(options: Vec<OsString>, document: Document, state: State) -> Result<Self> {
        let request = cli::request(options, cli::run::resolve)?.engine;
        let (device, _) = request.choose()?;
        Self::start(request, document, device, state, false)
    }

    fn start(
        request: EngineRequest,
        document: Document,
        device: Device,
        state: State,
        seeded: bool,
    ) -> Result<Self> {
        let opened = device.engine(&document.parameters, &state)?;
        let (batcher, timer) = (Batcher::default(), ReadBackTimer::of_checkpoints());
        let mut flying =
            Flying { document, device, opened, request, batcher, kept: None, timer, seeded, recording: None };
        flying.keep(state);
        Ok(flying)
    }

    /// The number of the current step.
    pub fn step(&mut self) -> u64 {
        self.opened.get().step_number()
    }

    /// Starts the recording of a flight at the current state, instead of the one before.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn record(&mut self) -> Result {
        let engine = self.opened.get();
        let first = if self.seeded && engine.step_number() == 0 {
            First::Seed
        } else {
            First::State(Box::new(engine.state()?))
        };
        self.recording = Some(Recording::new(&self.document, first, engine)?);
        Ok(())
    }

    /// Ends the recording and forgets its flight.
    pub fn stop_recording(&mut self) {
        self.recording = None;
    }

    /// The flight that has been recorded.
    pub fn flight(&mut self) -> Option<Flight> {
        Some(self.recording.as_mut()?.flight(self.opened.get()))
    }

    /// Refuses a change that no flight holds.
    ///
    /// # Errors
    /// While a flight is recorded.
    pub fn refuse_recorded(&self, what: &str) -> Result {
        if self.recording.is_none() {
            return Ok(());
        }
        let hint = "use record(False), which ends the recording";
        Err(Failure::usage(format!("{what} cannot be recorded in a flight")).hint(hint))
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// For an unknown name, a value out of range, and one that the engine refuses; a recorded flock keeps its start.
    pub fn set(&mut self, name: &str, value: &str) -> Result {
        let changed = with_parameter(self.document, name, value)?;
        if starts_differ(&changed.parameters, &self.document.parameters) {
            self.refuse_recorded(name)?;
        }
        let engine = self.opened.get();
        if let Some(recording) = &mut self.recording {
            recording.before_change(engine)?;
        }
        engine.set_parameters(&changed.parameters)?;
        let before = std::mem::replace(&mut self.document, changed);
        self.seeded = false;
        if let Some(recording) = &mut self.recording {
            let step = engine.step_number();
            recording.set_parameters(step, &before.parameters, &self.document.parameters);
        }
        Ok(())
    }

    /// Makes the changes of a flight at this step, then takes at most `steps` steps, as many as [`Flying::advance`] does
    /// and none beyond its next change. `parameters` are those of the flight.
    ///
    /// # Errors
    /// When the engine refuses a change, or the device fails.
    pub fn repeat(
        &mut self,
        flight: &Flight,
        parameters: &mut InFlight,
        steps: u64,
    ) -> Result<(), EngineError> {
        let here = self.step();
        for at in flight.changes.at(here) {
            self.make(&at.change, parameters)?;
        }
        let until_change = flight.changes.next_after(here).map_or(u64::MAX, |next| next - here);
        self.advance(&[], steps.min(until_change))?;
        Ok(())
    }

    /// Makes a change of a flight, and records it.
    fn make(&mut self, change: &Change, parameters: &mut InFlight) -> Result<(), EngineError> {
        let engine = self.opened.get();
        let step = engine.step_number();
        self.seeded = false;
        match change {
            Change::Parameters { .. } => {
                if let Some(recording) = &mut self.recording {
                    recording.before_change(engine)?;
                }
                change.make(engine, parameters)?;
                if let Some(recording) = &mut self.recording {
                    recording.set_parameters(step, &self.document.parameters, &parameters.engine);
                }
                self.document.parameters = parameters.engine;
            }
            Change::Steer { predator, position } => {
                change.make(engine, parameters)?;
                if let Some(recording) = &mut self.recording {
                    recording.steer(step, *predator, *position);
                }
            }
        }
        Ok(())
    }

    /// Takes at most `steps` steps, for about as long as Ctrl-C may wait; returns the number taken.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance(&mut self, requests: &[[f64; 3]], steps: u64) -> Result<u64, EngineError> {
        let Flying { opened, batcher, recording, .. } = self;
        let most = match recording {
            Some(_) => steps.min(Recording::until_hash(opened.get().step_number())),
            None => steps,
        };
        let taken = batcher.take(most, |steps| opened.get().advance_by(requests, steps))?;
        if let Some(recording) = recording {
            recording.stepped(opened.get())?;
        }
        if self.kept.is_some() && self.timer.is_due() {
            let begun = Instant::now();
            let state = self.opened.get().state()?;
            self.timer.done(begun.elapsed());
            self.keep(state);
        }
        Ok(taken)
    }

    /// Replaces the state.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_state(&mut self, state: State) -> Result<(), EngineError> {
        self.opened.get().set_state(&state)?;
        self.seeded = false;
        self.keep(state);
        Ok(())
    }

    /// Continues with the engine of this name, which is opened again if it is the same: from the current state, or from
    /// the kept one if the device is lost.
    ///
    /// # Errors
    /// When the engine does not exist, or cannot step this flock; then nothing has changed.
    pub fn change_engine(&mut self, name: &str) -> Result {
        // Other number types may have other bits on another engine.
        if self.device.numeric() != Numeric::Fixed {
            self.refuse_recorded(&format!("a change of the engine in {}", self.device.numeric().name()))?;
        }
        let numeric = self.device.numeric().name();
        let words = [format!("--engine={name}"), format!("--numeric={numeric}")].map(OsString::from);
        let which = cli::request(words, cli::run::resolve)?.engine.which;
        let request = EngineRequest { which, ..self.request.clone() };
        let (device, _) = request.choose()?;
        let (state, lost) = match (self.opened.get().state(), &self.kept) {
            (Err(EngineError::Lost { .. }), Some(kept)) => (kept.clone(), true),
            (state, _) => (state?, false),
        };
        let mut opened = device.engine(&self.document.parameters, &state)?;
        if lost && let Some(recording) = &mut self.recording {
            recording.go_back(state.clone(), &self.document, opened.get())?;
        }
        self.request = request;
        (self.device, self.opened, self.kept) = (device, opened, None);
        self.keep(state);
        Ok(())
    }

    /// Keeps a state, if the device can be lost.
    fn keep(&mut self, state: State) {
        self.kept = matches!(self.device, Device::Gpu(..)).then_some(state);
    }
}

/// The document with one parameter set, while a flock flies: its number of boids stays the same.
///
/// # Errors
/// See `--set`; also for `flock.boids`.
pub fn with_parameter(document: Document, name: &str, value: &str) -> Result<Document> {
    if name == "flock.boids" {
        let boids = document.parameters.flock.boids;
        let why = format!("{name} must be {boids}, the size of this flock, not {value}");
        return Err(Failure::usage(why).hint("use Flock(boids=…) to create another flock"));
    }
    let setting = Setting::parse(&format!("{name}={value}"))?;
    Ok(with_settings(document, &[setting])?)
}
