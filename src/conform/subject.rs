//! Something that is compared: an engine of some kind, built for whatever flock comes next.

use std::fmt;
use std::path::PathBuf;

use flock::{Fixed, Number, Parameters};

use super::bounds::Promise;
use super::brute::{Brute, Slip};
use crate::cpu::CpuEngine;
use crate::engine::{Engine, EngineError};
use crate::engines::{Device, Opened};
use crate::rp2040::{Board, BoardError, Rp2040Engine, Serial};
use crate::state::{Numeric, State};

/// Makes an engine that holds a flock.
type Build = Box<dyn Fn(&Parameters, &State) -> Result<Held, EngineError> + Send + Sync>;

/// An engine that was built.
enum Held {
    Opened(Box<Opened>),
    Own(Box<dyn Engine>),
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl Held {
    fn get(&mut self) -> &mut dyn Engine {
        match self {
            Held::Opened(opened) => opened.get(),
            Held::Own(engine) => engine.as_mut(),
        }
    }
}

/// A kind of engine under comparison.
pub struct Subject {
    pub numeric: Numeric,
    /// What its floating point promises.
    pub promise: Promise,
    build: Build,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({}, {:?})", self.numeric.name(), self.promise)
    }
}

/// One engine of a kind, which takes one flock after the other.
#[derive(Debug)]
pub struct Running<'a> {
    subject: &'a Subject,
    held: Option<Held>,
}

impl Subject {
    /// What a device steps.
    #[must_use]
    pub fn on(device: Device) -> Self {
        let numeric = device.numeric();
        let promise = match (&device, numeric) {
            (_, Numeric::F64) => Promise::Ieee64,
            (Device::Cpu(..), _) => Promise::Ieee32,
            _ => Promise::Wgsl32,
        };
        let build: Build =
            Box::new(move |parameters, state| Ok(Held::Opened(Box::new(device.engine(parameters, state)?))));
        Subject { numeric, promise, build }
    }

    /// What the board at a serial port steps.
    #[must_use]
    pub fn wired(port: PathBuf) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let board = Board::running(Serial::open(&port).map_err(BoardError::Cut)?)?;
            Ok(Held::Own(Box::new(Rp2040Engine::on(board, parameters, state)?)))
        });
        Subject { numeric: Numeric::Fixed, promise: Promise::Wgsl32, build }
    }

    /// The CPU engine on one thread, as many of them run side by side.
    #[must_use]
    pub fn thread(numeric: Numeric) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let one = Some(1);
            Ok(Held::Own(match numeric {
                Numeric::F32 => Box::new(CpuEngine::<f32>::new(parameters, state, one)?),
                Numeric::F64 => Box::new(CpuEngine::<f64>::new(parameters, state, one)?),
                Numeric::Fixed => Box::new(CpuEngine::<Fixed>::new(parameters, state, one)?),
            }))
        });
        let promise = if numeric == Numeric::F64 { Promise::Ieee64 } else { Promise::Ieee32 };
        Subject { numeric, promise, build }
    }

    /// The rule by brute force, with a slip in it.
    #[must_use]
    pub fn slipping<T: Number>(numeric: Numeric, slip: Slip<T>) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            Ok(Held::Own(Box::new(Brute::<T>::new(parameters, state, slip))))
        });
        let promise = if numeric == Numeric::F64 { Promise::Ieee64 } else { Promise::Ieee32 };
        Subject { numeric, promise, build }
    }

    /// An engine of this kind, built when the first flock comes.
    #[must_use]
    pub fn run(&self) -> Running<'_> {
        Running { subject: self, held: None }
    }
}

impl Running<'_> {
    /// The engine with a flock in it. It is the same engine every time, so that no flock may leave a trace.
    ///
    /// # Errors
    /// When it cannot be built or the flock does not fit.
    pub fn take(&mut self, parameters: &Parameters, state: &State) -> Result<&mut dyn Engine, EngineError> {
        match self.held.take() {
            Some(mut held) => {
                held.get().set_parameters(parameters)?;
                held.get().set_state(state)?;
                Ok(self.held.insert(held).get())
            }
            None => Ok(self.held.insert((self.subject.build)(parameters, state)?).get()),
        }
    }

    /// The flock as it stands; none where no flock was taken.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn state(&mut self) -> Result<State, EngineError> {
        self.held.as_mut().map_or(Ok(State::default()), |held| held.get().state())
    }
}
