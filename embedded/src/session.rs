//! The flock that a console talks about: its parameters, and the engine that flies it.

use crate::console::value;
use crate::engine::{Engine, most_boids};
use crate::memory::Word;
use crate::presets::Preset;
use core::fmt;
use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter, Refused, Value, find};

/// A preset's flock where it has more boids than the chip holds.
const MANY: u32 = 700;

/// The parameters of a preset.
#[must_use]
#[inline(never)]
pub fn preset(preset: &Preset) -> Parameters {
    let mut parameters = Parameters::default();
    for (name, text) in preset.values {
        // The build refuses a preset that does not read: see the test.
        if let Some(parameter) = find(name)
            && let Some(value) = value::parse(parameter.kind, text)
        {
            let _ = parameter.set(&mut parameters, value);
        }
    }
    parameters
}

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A parameter does not fit, by itself or with others.
    Parameter { name: &'static str, why: Refused },
    /// With so many boids at the same density another parameter leaves its range.
    Density { asked: u32, name: &'static str, why: Refused },
    /// More boids than the memory holds.
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

/// A flock under somebody's hands.
#[derive(Debug)]
pub struct Session<'m> {
    /// Words of the arena.
    words: usize,
    parameters: Parameters,
    pub engine: Engine<'m>,
    /// The preset that it began with.
    pub preset: &'static str,
    /// Whether it flies on by itself.
    pub running: bool,
    /// Cycles that the last picture took to draw.
    pub drawing: u32,
}

impl<'m> Session<'m> {
    /// Begins with a preset, cut to the size of the memory.
    ///
    /// # Errors
    /// Where the preset cannot fly here.
    pub fn new(arena: &'m [Word], from: &'static Preset) -> Result<Self, Refusal> {
        let parameters = sized(arena.len(), from);
        let engine = Engine::new(arena, &parameters).map_err(refusal)?;
        Ok(Session { words: arena.len(), parameters, engine, preset: from.name, running: true, drawing: 0 })
    }

    /// The parameters as they are.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Begins anew with a preset.
    ///
    /// # Errors
    /// Where it cannot fly here; nothing is changed then.
    pub fn load(&mut self, from: &'static Preset) -> Result<(), Refusal> {
        let parameters = sized(self.words, from);
        self.restart(parameters)?;
        self.preset = from.name;
        Ok(())
    }

    /// Begins anew with so many boids.
    ///
    /// # Errors
    /// Where they do not fit; nothing is changed then.
    pub fn set_boids(&mut self, boids: u32) -> Result<(), Refusal> {
        let mut parameters = self.parameters;
        // Before the world grows with them: a number beyond all measure must not reach it.
        self.check_boids(boids, &parameters)?;
        parameters.set_boids(boids);
        for parameter in PARAMETERS {
            let fits = parameter.kind.check(parameter.get(&parameters));
            fits.map_err(|why| Refusal::Density { asked: boids, name: parameter.name, why })?;
        }
        self.restart(parameters)
    }

    /// Sets a parameter. What the start depends on begins the flock anew; with any other it flies on.
    ///
    /// # Errors
    /// Where the value is out of range or does not fit the others; nothing is changed then.
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
        let most = self.engine.most(parameters) as u32;
        if asked > most { Err(Refusal::Boids { asked, most }) } else { Ok(()) }
    }
}

/// A preset's parameters, with fewer boids where it has more than fit.
#[inline(never)]
fn sized(words: usize, from: &Preset) -> Parameters {
    let mut parameters = preset(from);
    if parameters.flock.boids as usize > most_boids(words, &parameters) {
        parameters.set_boids(MANY);
    }
    parameters
}

/// With the name of the parameter that does not fit the others.
fn refusal(why: Refused) -> Refusal {
    Refusal::Parameter { name: why.name().unwrap_or("the flock"), why }
}
