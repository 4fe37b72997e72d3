//! The state that the console controls: the parameters, and the engine.

use crate::engine::formulas::with_terms;
use crate::engine::{Engine, capacity, check};
use crate::image::{Flight, Preset};
use crate::memory::{self, Word};
use core::fmt;
use flock::formula::{FormulaTerms, Prepared};
use flock::parameters::{PARAMETERS, Parameter, Refused, Value};
use flock::{Fixed, Parameters};

/// Number of boids for a preset that does not fit into the memory.
const DEFAULT_BOIDS: u32 = 700;

/// The reason for refusing a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A parameter is out of range, by itself or in combination with others.
    Parameter { name: &'static str, why: Refused },
    /// More boids than fit into the memory.
    Boids { asked: u32, most: u32 },
    /// Custom terms are in use, which were prepared for the current parameters.
    TermsInUse,
    /// The received terms do not match their checksum.
    Damaged,
    /// Commit without a batch.
    NoBatch,
    /// A line of the batch was refused.
    Spoilt,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Parameter { name, why } => write!(f, "{name} must be {why}"),
            Refusal::Boids { asked, most } => {
                write!(f, "flock.boids must be at most {most} to fit in memory, not {asked}")
            }
            Refusal::TermsInUse => f.write_str("custom terms are in use; drop them with `terms off`"),
            Refusal::Damaged => f.write_str("the terms do not match their checksum"),
            Refusal::NoBatch => f.write_str("`commit` requires `begin`"),
            Refusal::Spoilt => f.write_str("a line since `begin` was refused; nothing was changed"),
        }
    }
}

/// Changes of parameters that [`Session::commit`] applies at once.
#[derive(Debug, Default)]
struct Batch {
    /// True if custom terms follow the batch, for which memory is reserved.
    terms: bool,
    /// True if a change restarts the flock.
    restarts: bool,
    /// True if a line was refused since the batch began.
    spoilt: bool,
}

/// A flock under the control of the console.
#[derive(Debug)]
pub struct Session<'m> {
    parameters: Parameters,
    /// The parameters with the changes of the batch, or of the last command that changed some. It is a field because the
    /// stack has no room for a second copy.
    draft: Parameters,
    batch: Option<Batch>,
    pub engine: Engine<'m>,
    /// The preset that was loaded last.
    pub preset: &'static str,
    /// True if the flock is stepped continuously.
    pub running: bool,
    /// Cycles of drawing the last picture.
    pub drawing: u32,
    /// The flight in the image, until somebody changes the flock.
    pub flight: Option<Flight>,
}

impl<'m> Session<'m> {
    /// Loads a preset, with fewer boids if it does not fit into the memory.
    ///
    /// # Errors
    /// When the engine refuses the preset.
    pub fn new(arena: &'m [Word], from: &'static Preset) -> Result<Self, Refusal> {
        let parameters = sized(arena.len(), from);
        let engine = Engine::new(arena, &parameters).map_err(refusal)?;
        Ok(Session {
            parameters,
            draft: parameters,
            batch: None,
            engine,
            preset: from.name,
            running: true,
            drawing: 0,
            flight: None,
        })
    }

    /// The current parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The current parameters with the changes of the batch, if there is one.
    pub fn newest(&self) -> &Parameters {
        if self.batch.is_some() { &self.draft } else { &self.parameters }
    }

    /// The parameters that were refused last.
    pub fn refused(&self) -> &Parameters {
        &self.draft
    }

    /// The largest number of boids that fit with the current parameters or those of the batch.
    pub fn capacity(&mut self) -> usize {
        let words = match &self.batch {
            Some(batch) => self.engine.words_beside(batch.terms),
            None => {
                self.draft = self.parameters;
                self.engine.words()
            }
        };
        let most = memory::capacity(words, self.draft.flat(), false);
        // The memory that a boid takes depends on their number.
        let boids = core::mem::replace(&mut self.draft.flock.boids, most as u32);
        let fits = capacity(words, &self.draft);
        self.draft.flock.boids = boids;
        fits
    }

    /// Starts a batch: until [`Session::commit`] changes are collected and not applied. A batch that was not committed
    /// is forgotten. `terms` reserves memory for custom terms, which are sent after the commit.
    pub fn begin(&mut self, terms: bool) {
        self.draft = self.parameters;
        self.draft.terms = FormulaTerms::default();
        self.batch = Some(Batch { terms, ..Batch::default() });
    }

    /// Records that a line was refused: a batch with such a line is not applied.
    pub fn spoil(&mut self) {
        if let Some(batch) = &mut self.batch {
            batch.spoilt = true;
        }
    }

    /// Applies the changes of the batch, drops the custom terms, and ends the batch.
    ///
    /// # Errors
    /// When there is no batch, a line of it was refused, or the parameters do not suit each other or the memory; the
    /// flock and its custom terms are then unchanged.
    pub fn commit(&mut self) -> Result<(), Refusal> {
        let batch = self.batch.take().ok_or(Refusal::NoBatch)?;
        if batch.spoilt {
            return Err(Refusal::Spoilt);
        }
        self.apply(batch.restarts, batch.terms)
    }

    /// Restarts with a preset.
    ///
    /// # Errors
    /// When the engine refuses the preset; the flock is then unchanged.
    pub fn load(&mut self, from: &'static Preset) -> Result<(), Refusal> {
        self.batch = None;
        self.draft = sized(self.engine.words_beside(false), from);
        self.apply(true, false)?;
        self.preset = from.name;
        Ok(())
    }

    /// Sets a parameter. A parameter of the start restarts the flock; any other keeps its state. In a batch nothing
    /// happens before the commit.
    ///
    /// # Errors
    /// When the value is out of range or conflicts with other parameters; the flock is then unchanged.
    pub fn set(&mut self, parameter: &'static Parameter, value: Value) -> Result<(), Refusal> {
        if self.batch.is_none() {
            self.check_terms_off()?;
            self.draft = self.parameters;
        }
        match value {
            // The size of the world may grow with the number.
            Value::Count(boids) if parameter.name == "flock.boids" => self.draft.set_boids(boids),
            _ => {
                let set = parameter.set(&mut self.draft, value);
                set.map_err(|why| Refusal::Parameter { name: parameter.name, why })?;
            }
        }
        let restarts = parameter.restarts_board();
        match &mut self.batch {
            Some(batch) => {
                batch.restarts |= restarts;
                Ok(())
            }
            None => self.apply(restarts, self.engine.terms().is_some()),
        }
    }

    /// True if custom terms are in use.
    pub fn terms_fly(&self) -> bool {
        !self.parameters.terms.terms().is_empty()
    }

    /// Refuses a change while terms are in use: their words follow from the parameters.
    fn check_terms_off(&self) -> Result<(), Refusal> {
        if self.terms_fly() { Err(Refusal::TermsInUse) } else { Ok(()) }
    }

    /// The terms that are being sent and are not in use yet, with memory reserved for them.
    ///
    /// # Errors
    /// When terms are in use, and when the flock leaves no memory.
    pub fn draft_terms(&mut self) -> Result<&mut Prepared<Fixed>, Refusal> {
        self.check_terms_off()?;
        check_boids(self.engine.words_beside(true), &self.parameters)?;
        let asked = self.parameters.flock.boids;
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
        self.batch = None;
        self.draft = with_terms(&self.parameters, reach);
        self.apply(false, true)
    }

    /// Drops all terms, in use or not, and keeps the state of the flock.
    ///
    /// # Errors
    /// When the engine refuses the parameters without them; the flock is then unchanged.
    pub fn drop_terms(&mut self) -> Result<(), Refusal> {
        self.begin(false);
        self.commit()
    }

    /// Changes the parameters to those of the draft, all of them or none. Restarts the flock or keeps its state; `room`
    /// keeps memory for custom terms.
    #[inline(never)]
    fn apply(&mut self, restarts: bool, room: bool) -> Result<(), Refusal> {
        check_ranges(&self.draft)?;
        check_boids(self.engine.words_beside(room), &self.draft)?;
        check(&self.draft).map_err(refusal)?;
        self.engine.make_room(room);
        if restarts {
            self.engine.restart(&self.draft);
        } else {
            self.engine.adjust(&self.draft);
        }
        self.parameters = self.draft;
        self.flight = None;
        Ok(())
    }
}

/// Checks the parameters one by one: the size of a world that grows with its boids may leave its range.
#[inline(never)]
fn check_ranges(parameters: &Parameters) -> Result<(), Refusal> {
    for parameter in PARAMETERS {
        let fits = parameter.kind.check(parameter.get(parameters));
        fits.map_err(|why| Refusal::Parameter { name: parameter.name, why })?;
    }
    Ok(())
}

fn check_boids(words: usize, parameters: &Parameters) -> Result<(), Refusal> {
    let asked = parameters.flock.boids;
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
    let mut parameters = from.parameters();
    if parameters.flock.boids as usize > capacity(words, &parameters) {
        parameters.set_boids(DEFAULT_BOIDS);
    }
    parameters
}

/// The refusal of a combination of parameters, with the name of one of them.
fn refusal(why: Refused) -> Refusal {
    Refusal::Parameter { name: why.name().unwrap_or("the flock"), why }
}
