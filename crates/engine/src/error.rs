//! Errors of engines.

use flock::Parameters;
use flock::formula::UnfitTerm;
use flock::parameters::{Refused, find};

/// The result of an engine's operation.
pub type Result<T = (), E = EngineError> = std::result::Result<T, E>;

/// An error that stops an engine.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    /// More boids than the device can hold.
    #[error("flock.boids must be at most {most} on {device} ({limit}), not {asked}")]
    TooMany {
        asked: u64,
        most: u64,
        device: String,
        /// The limit of the device that is exceeded.
        limit: String,
    },
    /// No suitable adapter.
    #[error("{0}")]
    NoAdapter(String),
    /// The emulated board has no firmware that it can run.
    #[error("{problem}")]
    Firmware {
        problem: String,
        /// True if the file was named by the user; else it is the one that is built here.
        named: bool,
    },
    /// The firmware refuses, in its own words.
    #[error("rp2040: {0}")]
    Board(String),
    /// The parameters do not fit the engine's number type.
    #[error("{0}")]
    Refused(String),
    /// The adapter does not support a pass or a buffer.
    #[error("{device} cannot be used: {what}")]
    Unsupported {
        device: String,
        /// The driver's reason.
        what: String,
    },
    /// A world that wraps has no size in the engine's number type.
    #[error("{0}")]
    EmptyWorld(String),
    /// The system does not allow the threads of the CPU engine.
    #[error("cpu: {0}")]
    NoThreads(String),
    /// The device failed.
    #[error("{device}: {what}")]
    Device { device: String, what: String },
    /// A number of the flock exceeds the range of its type.
    #[error("{which} is not finite at step {step}: its values exceed the range of {numeric}")]
    NotFinite {
        /// A boid or a predator, by its id.
        which: String,
        /// The first step at which the state was read and was not finite.
        step: u64,
        /// The name of the number type.
        numeric: &'static str,
    },
    /// The device was lost, and the flock on it.
    #[error("{device}: the device was lost: {why}")]
    Lost {
        device: String,
        /// The driver's reason.
        why: String,
    },
}

impl From<UnfitTerm> for EngineError {
    fn from(refused: UnfitTerm) -> Self {
        EngineError::Refused(refused.to_string())
    }
}

/// The parameter, the value and what is allowed.
pub(crate) fn line(parameters: &Parameters, refused: &Refused) -> String {
    let name = refused.name().unwrap_or_default();
    let own = || parameters.terms.get(name).map(|value| value.to_string());
    let value = find(name).map(|parameter| parameter.get(parameters).to_string()).or_else(own);
    let value = value.unwrap_or_default();
    format!("{name} must be {refused}, not {value}")
}
