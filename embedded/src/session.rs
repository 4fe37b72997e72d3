//! The state that the console controls: the parameters, and the engine.

use crate::console::value;
use crate::engine::own::{ROOM, with_terms};
use crate::engine::{Engine, capacity};
use crate::memory::{self, Word};
use crate::presets::Preset;
use core::fmt;
use flock::formula::{OwnTerms, Prepared};
use flock::parameters::{PARAMETERS, Parameter, Refused, Value, find};
use flock::{Fixed, Parameters};

/// Number of boids for a preset that does not fit into the memory.
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

/// The reason for refusing a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A parameter is out of range, by itself or in combination with others.
    Parameter { name: &'static str, why: Refused },
    /// At constant density, this number of boids drives another parameter out of its range.
    Density { asked: u32, name: &'static str, why: Refused },
    /// More boids than fit into the memory.
    Boids { asked: u32, most: u32 },
    /// Terms are in use, which were prepared for the current parameters.
    Flying,
    /// The received terms do not match their checksum.
    Damaged,
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
            Refusal::Flying => {
                f.write_str("terms fly that were prepared for this flock: `terms off` drops them")
            }
            Refusal::Damaged => {
                f.write_str("the terms are damaged or incomplete: allowed is what the checksum says")
            }
        }
    }
}

/// A flock under the control of the console.
#[derive(Debug)]
pub struct Session<'m> {
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
    /// Loads a preset, with fewer boids if it does not fit into the memory.
    ///
    /// # Errors
    /// When the engine refuses the preset.
    pub fn new(arena: &'m [Word], from: &'static Preset) -> Result<Self, Refusal> {
        let parameters = sized(arena.len(), from);
        let engine = Engine::new(arena, &parameters).map_err(refusal)?;
        Ok(Session { parameters, engine, preset: from.name, running: true, drawing: 0 })
    }

    /// The largest number of boids that fit with the current parameters.
    pub fn capacity(&self) -> usize {
        capacity(self.engine.words(), &self.parameters)
    }

    /// The current parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Restarts with a preset.
    ///
    /// # Errors
    /// When the engine refuses the preset; the flock is then unchanged.
    pub fn load(&mut self, from: &'static Preset) -> Result<(), Refusal> {
        self.drop_terms()?;
        let parameters = sized(self.engine.words(), from);
        self.change(&parameters, Engine::restart)?;
        self.preset = from.name;
        Ok(())
    }

    /// Restarts with another number of boids.
    ///
    /// # Errors
    /// When they do not fit; the flock is then unchanged.
    pub fn set_boids(&mut self, boids: u32) -> Result<(), Refusal> {
        self.check_terms_off()?;
        let mut parameters = self.parameters;
        // Checked first, because the size of the world grows with the number.
        check_boids(self.engine.words(), boids, &parameters)?;
        parameters.set_boids(boids);
        for parameter in PARAMETERS {
            let fits = parameter.kind.check(parameter.get(&parameters));
            fits.map_err(|why| Refusal::Density { asked: boids, name: parameter.name, why })?;
        }
        self.change(&parameters, Engine::restart)
    }

    /// Sets a parameter. A parameter of the start restarts the flock; any other keeps its state.
    ///
    /// # Errors
    /// When the value is out of range or conflicts with other parameters; the flock is then unchanged.
    pub fn set(&mut self, parameter: &'static Parameter, value: Value) -> Result<(), Refusal> {
        if parameter.name == "flock.boids"
            && let Value::Count(boids) = value
        {
            return self.set_boids(boids);
        }
        self.check_terms_off()?;
        let mut parameters = self.parameters;
        parameter
            .set(&mut parameters, value)
            .map_err(|why| Refusal::Parameter { name: parameter.name, why })?;
        if parameter.table == "flock"
            || matches!(parameter.name, "scouts.right" | "scouts.left" | "scouts.bias")
        {
            return self.change(&parameters, Engine::restart);
        }
        self.change(&parameters, Engine::adjust)
    }

    /// True if custom terms are in use.
    pub fn terms_fly(&self) -> bool {
        !self.parameters.terms.terms().is_empty()
    }

    /// Refuses a change while terms are in use: their words follow from the parameters.
    fn check_terms_off(&self) -> Result<(), Refusal> {
        if self.terms_fly() { Err(Refusal::Flying) } else { Ok(()) }
    }

    /// The terms that are being sent and are not in use yet, with memory reserved for them.
    ///
    /// # Errors
    /// When terms are in use, and when the flock leaves no memory.
    pub fn draft_terms(&mut self) -> Result<&mut Prepared<Fixed>, Refusal> {
        self.check_terms_off()?;
        let room = if self.engine.terms().is_some() { 0 } else { ROOM };
        let asked = self.parameters.flock.boids;
        check_boids(self.engine.words().saturating_sub(room), asked, &self.parameters)?;
        self.engine.make_room(true).ok_or(Refusal::Boids { asked, most: 0 })
    }

    /// Puts the received terms into use, and keeps the state of the flock. `reach` is the greatest radius of a sum, in
    /// users' units.
    ///
    /// # Errors
    /// When terms are already in use, and when the terms do not match the checksum.
    pub fn fly_terms(&mut self, reach: f64, checksum: u32) -> Result<(), Refusal> {
        self.check_terms_off()?;
        let sent = self.engine.terms().is_some_and(|terms| terms.checksum(reach) == checksum);
        if !sent {
            return Err(Refusal::Damaged);
        }
        self.change(&with_terms(&self.parameters, reach), Engine::adjust)
    }

    /// Drops all terms, in use or not, and keeps the state of the flock.
    ///
    /// # Errors
    /// When the engine refuses the parameters without them; the flock is then unchanged.
    #[inline(never)]
    pub fn drop_terms(&mut self) -> Result<(), Refusal> {
        if self.terms_fly() {
            self.change(&Parameters { terms: OwnTerms::default(), ..self.parameters }, Engine::adjust)?;
        }
        self.engine.make_room(false);
        Ok(())
    }

    /// Changes the parameters: [`Engine::restart`] restarts the flock, [`Engine::adjust`] keeps its state.
    #[inline(never)]
    fn change(&mut self, parameters: &Parameters, by: Change<'m>) -> Result<(), Refusal> {
        check_boids(self.engine.words(), parameters.flock.boids, parameters)?;
        by(&mut self.engine, parameters).map_err(refusal)?;
        self.parameters = *parameters;
        Ok(())
    }
}

type Change<'m> = fn(&mut Engine<'m>, &Parameters) -> Result<(), Refused>;

fn check_boids(words: usize, asked: u32, parameters: &Parameters) -> Result<(), Refusal> {
    // The rule, which is slow to compute, matters for large flocks only.
    if asked as usize <= memory::capacity(words, parameters.flat(), true) {
        return Ok(());
    }
    let most = capacity(words, parameters) as u32;
    if asked > most { Err(Refusal::Boids { asked, most }) } else { Ok(()) }
}

/// The parameters of a preset, with fewer boids if it does not fit into the memory.
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
