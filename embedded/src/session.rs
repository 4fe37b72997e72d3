//! The state that the console controls: the parameters, and the engine.

use crate::console::value;
use crate::engine::{Engine, capacity};
use crate::memory::Word;
use crate::presets::Preset;
use core::fmt;
use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter, Refused, Value, find};

/// The number of boids of a preset that does not fit into the memory.
const DEFAULT_BOIDS: u32 = 700;

/// The parameters of a preset.
#[inline(never)]
pub fn preset(preset: &Preset) -> Parameters {
    let mut parameters = Parameters::default();
    for (name, text) in preset.values {
        // A test ensures that every preset parses.
        if let Some(parameter) = find(name)
            && let Some(value) = value::parse(parameter.kind, text)
        {
            let _ = parameter.set(&mut parameters, value);
        }
    }
    parameters
}

/// Why a change was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A parameter is out of range, by itself or in combination with others.
    Parameter { name: &'static str, why: Refused },
    /// At constant density, this number of boids drives another parameter out of its range.
    Density { asked: u32, name: &'static str, why: Refused },
    /// More boids than fit into the memory.
    Boids { asked: u32, most: u32 },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Parameter { name, why } => write!(f, "{name}: allowed is {why}"),
            Refusal::Density { asked, name, why } => {
                write!(f, "flock.boids = {asked}: {name} changes with it out of its range; allowed is {why}")
            }
            Refusal::Boids { asked, most } => {
                write!(f, "flock.boids = {asked}: allowed is at most {most} in the memory of the chip")
            }
        }
    }
}

/// A flock under the control of the console.
#[derive(Debug)]
pub struct Session<'m> {
    /// Words of the arena.
    words: usize,
    parameters: Parameters,
    pub engine: Engine<'m>,
    /// The preset that was loaded last.
    pub preset: &'static str,
    /// True if the flock is stepped continuously.
    pub running: bool,
    /// Cycles of drawing the last picture.
    pub drawing: u32,
}

impl<'m> Session<'m> {
    /// Loads a preset, with fewer boids where it does not fit into the memory.
    ///
    /// # Errors
    /// When the engine refuses the preset.
    pub fn new(arena: &'m [Word], from: &'static Preset) -> Result<Self, Refusal> {
        let parameters = sized(arena.len(), from);
        let engine = Engine::new(arena, &parameters).map_err(refusal)?;
        Ok(Session { words: arena.len(), parameters, engine, preset: from.name, running: true, drawing: 0 })
    }

    /// The largest number of boids that fit with the current parameters.
    pub fn capacity(&self) -> usize {
        capacity(self.words, &self.parameters)
    }

    /// The current parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Restarts with a preset.
    ///
    /// # Errors
    /// When the engine refuses it; nothing is changed then.
    pub fn load(&mut self, from: &'static Preset) -> Result<(), Refusal> {
        let parameters = sized(self.words, from);
        self.restart(parameters)?;
        self.preset = from.name;
        Ok(())
    }

    /// Restarts with another number of boids.
    ///
    /// # Errors
    /// When they do not fit; nothing is changed then.
    pub fn set_boids(&mut self, boids: u32) -> Result<(), Refusal> {
        let mut parameters = self.parameters;
        // First, because the size of the world grows with the number.
        self.check_boids(boids, &parameters)?;
        parameters.set_boids(boids);
        for parameter in PARAMETERS {
            let fits = parameter.kind.check(parameter.get(&parameters));
            fits.map_err(|why| Refusal::Density { asked: boids, name: parameter.name, why })?;
        }
        self.restart(parameters)
    }

    /// Sets a parameter. A parameter of the start restarts the flock; any other keeps its state.
    ///
    /// # Errors
    /// When the value is out of range or conflicts with other parameters; nothing is changed then.
    pub fn set(&mut self, parameter: &'static Parameter, value: Value) -> Result<(), Refusal> {
        if parameter.name == "flock.boids"
            && let Value::Count(boids) = value
        {
            return self.set_boids(boids);
        }
        let mut parameters = self.parameters;
        parameter
            .set(&mut parameters, value)
            .map_err(|why| Refusal::Parameter { name: parameter.name, why })?;
        if parameter.table == "flock"
            || matches!(parameter.name, "scouts.right" | "scouts.left" | "scouts.bias")
        {
            return self.restart(parameters);
        }
        self.check_boids(parameters.flock.boids, &parameters)?;
        self.engine.adjust(&parameters).map_err(refusal)?;
        self.parameters = parameters;
        Ok(())
    }

    fn restart(&mut self, parameters: Parameters) -> Result<(), Refusal> {
        self.check_boids(parameters.flock.boids, &parameters)?;
        self.engine.restart(&parameters).map_err(refusal)?;
        self.parameters = parameters;
        Ok(())
    }

    fn check_boids(&self, asked: u32, parameters: &Parameters) -> Result<(), Refusal> {
        let most = capacity(self.words, parameters) as u32;
        if asked > most { Err(Refusal::Boids { asked, most }) } else { Ok(()) }
    }
}

/// The parameters of a preset, with fewer boids where it does not fit into the memory.
#[inline(never)]
fn sized(words: usize, from: &Preset) -> Parameters {
    let mut parameters = preset(from);
    if parameters.flock.boids as usize > capacity(words, &parameters) {
        parameters.set_boids(DEFAULT_BOIDS);
    }
    parameters
}

/// The refusal of a combination of parameters, with the name of one of them.
fn refusal(why: Refused) -> Refusal {
    Refusal::Parameter { name: why.name().unwrap_or("the flock"), why }
}
