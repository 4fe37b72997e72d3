//! A flock, its engine, and the state to continue from if its device is lost.

use std::ffi::OsString;
use std::time::Instant;

use config::Document;
use engine::{Batcher, EngineError, ReadBackTimer, State};
use engines::{AnyEngine, Device, EngineRequest};
use files::Result;
use murmuration::cli;
use murmuration::commands::start::{self, Start};

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
        Self::start(request.engine, document, device, state)
    }

    /// Opens a flock in this state, on the engine that the options of `run` choose.
    ///
    /// # Errors
    /// See [`Flying::open`].
    pub fn resume(options: Vec<OsString>, document: Document, state: State) -> Result<Self> {
        let request = cli::request(options, cli::run::resolve)?.engine;
        let (device, _) = request.choose()?;
        Self::start(request, document, device, state)
    }

    fn start(request: EngineRequest, document: Document, device: Device, state: State) -> Result<Self> {
        let opened = device.engine(&document.parameters, &state)?;
        let (batcher, timer) = (Batcher::default(), ReadBackTimer::of_checkpoints());
        let mut flying = Flying { document, device, opened, request, batcher, kept: None, timer };
        flying.keep(state);
        Ok(flying)
    }

    /// Takes at most `steps` steps, for about as long as Ctrl-C may wait; returns the number taken.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance(&mut self, requests: &[[f64; 3]], steps: u64) -> Result<u64, EngineError> {
        let Flying { opened, batcher, .. } = self;
        let taken = batcher.take(steps, |steps| opened.get().advance_by(requests, steps))?;
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
        self.keep(state);
        Ok(())
    }

    /// Continues with the engine of this name, which is opened again if it is the same: from the current state, or from
    /// the kept one if the device is lost.
    ///
    /// # Errors
    /// When the engine does not exist, or cannot step this flock; then nothing has changed.
    pub fn change_engine(&mut self, name: &str) -> Result {
        let numeric = self.device.numeric().name();
        let words = [format!("--engine={name}"), format!("--numeric={numeric}")].map(OsString::from);
        let which = cli::request(words, cli::run::resolve)?.engine.which;
        let request = EngineRequest { which, ..self.request.clone() };
        let (device, _) = request.choose()?;
        let state = match (self.opened.get().state(), &self.kept) {
            (Err(EngineError::Lost { .. }), Some(kept)) => kept.clone(),
            (state, _) => state?,
        };
        let opened = device.engine(&self.document.parameters, &state)?;
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
