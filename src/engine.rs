//! What every engine can do.

use flock::parameters::find;
use flock::{Number, Parameters, Rule, fixed};

use crate::state::{Numeric, State};

/// Something that steps a flock.
///
/// The parameters, the number of boids and the preset may change at any time between two steps.
pub trait Engine {
    /// What it is, for people: engine, device, number type.
    fn describe(&self) -> String;

    /// The number type it computes in.
    fn numeric(&self) -> Numeric;

    /// How many boids it holds.
    fn boids(&self) -> u32;

    /// The step the flock stands at.
    fn step_number(&self) -> u64;

    /// Advances the flock by `steps` steps.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn advance(&mut self, steps: u32) -> Result<(), EngineError>;

    /// The whole state in id order.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn state(&mut self) -> Result<State, EngineError>;

    /// The flock's fingerprint; the parameters are those it is stepped by.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn hash(&mut self, parameters: &Parameters) -> Result<u64, EngineError> {
        Ok(self.state()?.hash(self.numeric(), parameters))
    }

    /// Takes over another flock, of any size.
    ///
    /// # Errors
    /// When it does not fit the device; the old flock stays.
    fn set_state(&mut self, state: &State) -> Result<(), EngineError>;

    /// Steps by other parameters from now on; the flock stays as it is (`flock.*` describes starts only, but for the
    /// number of dimensions). The predators are brought to the number asked for.
    ///
    /// # Errors
    /// When the device cannot do it.
    fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), EngineError>;

    /// Puts a predator somewhere, for one that is steered by hand. Does nothing for an index that is not there.
    fn steer_predator(&mut self, index: usize, position: [f32; 3]);
}

/// When a pass of a step ran, in nanoseconds on a clock of the engine's own.
#[derive(Clone, Debug, PartialEq)]
pub struct PassEvent {
    pub pass: &'static str,
    /// The step that it belongs to, counted from the flock's first.
    pub step: u64,
    pub begin: f64,
    pub end: f64,
}

/// The rule of the parameters for so many boids, in the number type of this name.
///
/// # Errors
/// When the parameters do not fit the number type.
pub fn rule<T: Number>(
    numeric: Numeric,
    parameters: &Parameters,
    boids: usize,
) -> Result<Rule<T>, EngineError> {
    let mut parameters = *parameters;
    parameters.flock.boids = boids as u32;
    if numeric == Numeric::Fixed {
        fixed::check(&parameters).map_err(|refused| EngineError::refused(&parameters, &refused))?;
    }
    Ok(Rule::new(&parameters))
}

/// Why an engine cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// More boids than the device can hold.
    #[error("flock.boids: {asked} boids do not fit {device}: at most {most}, by {limit}")]
    TooMany {
        asked: u64,
        most: u64,
        device: String,
        /// What the device lacks.
        limit: String,
    },
    /// No adapter fits.
    #[error("{0}")]
    NoAdapter(String),
    /// There is no firmware for the emulated board, or none that it can run.
    #[error("{problem}")]
    Firmware {
        problem: String,
        /// Whether it is a file that somebody has named, not the one that is built here.
        named: bool,
    },
    /// The firmware refuses, in its own words.
    #[error("rp2040: {0}")]
    Board(String),
    /// The parameters do not fit the engine's number type.
    #[error("{0}")]
    Refused(String),
    /// The device failed or was lost.
    #[error("{device}: {what}")]
    Device { device: String, what: String },
}

impl EngineError {
    /// What integers cannot hold: the parameter, its value and what is allowed.
    #[must_use]
    pub fn refused(parameters: &Parameters, refused: &flock::parameters::Refused) -> Self {
        let name = refused.name().unwrap_or_default();
        let value = find(name).map(|parameter| parameter.get(parameters).to_string()).unwrap_or_default();
        EngineError::Refused(format!("{name} = {value}: allowed is {refused}"))
    }
}
