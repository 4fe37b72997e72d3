//! No emulated board: a page has no place for it.

use flock::Parameters;

use cpu::engine::{Engine, EngineError};
use cpu::state::{Numeric, State};

/// No firmware.
#[derive(Clone, Debug)]
pub enum Image {}

/// No board.
#[derive(Debug)]
pub enum Rp2040Engine {}

impl Image {
    /// None is found.
    ///
    /// # Errors
    /// Always.
    pub fn find(_named: Option<&std::path::Path>) -> Result<Self, &'static str> {
        Err("a page has no emulated board; the program for a computer has")
    }
}

impl Rp2040Engine {
    /// Never called: there is no image.
    pub fn new(image: &Image, _parameters: &Parameters, _state: &State) -> Result<Self, EngineError> {
        match *image {}
    }

    /// Never called.
    pub fn most(image: &Image) -> Result<u32, EngineError> {
        match *image {}
    }
}

pub mod image {
    //! No firmware is named.

    pub use super::Image;

    /// The variable that names one elsewhere.
    pub const VARIABLE: &str = "MURMURATION_FIRMWARE";

    /// None.
    pub fn named() -> Option<std::path::PathBuf> {
        None
    }
}

pub mod engine {
    //! The board as an engine.

    use cpu::engine::EngineError;

    /// Never called.
    pub fn too_many(asked: u32, most: u32) -> EngineError {
        EngineError::Board(format!("{asked} boids on a board that holds {most}"))
    }
}

impl Engine for Rp2040Engine {
    fn describe(&self) -> String {
        match *self {}
    }

    fn numeric(&self) -> Numeric {
        match *self {}
    }

    fn boids(&self) -> u32 {
        match *self {}
    }

    fn step_number(&self) -> u64 {
        match *self {}
    }

    fn advance(&mut self, _steps: u32) -> Result<(), EngineError> {
        match *self {}
    }

    fn state(&mut self) -> Result<State, EngineError> {
        match *self {}
    }

    fn set_state(&mut self, _state: &State) -> Result<(), EngineError> {
        match *self {}
    }

    fn set_parameters(&mut self, _parameters: &Parameters) -> Result<(), EngineError> {
        match *self {}
    }

    fn steer_predator(&mut self, _index: usize, _position: [f32; 3]) {
        match *self {}
    }
}
