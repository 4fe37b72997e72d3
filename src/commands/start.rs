//! The start of a run: from a seed or a file.

use std::path::{Path, PathBuf};

use flock::{Fixed, Number, Parameters, Rule};

use crate::cli::shared::{FlightArgs, FlockRequest, MAX_STEPS, StartArgs};
use config::Document;
use engine::{Numeric, State};
use engines::{Device, EngineRequest};
use files::{Failure, Result, SavedState};
use flight::Flight;

/// The start of a run.
#[derive(Debug)]
pub struct Start {
    /// The flock, with the number of boids that it has.
    pub document: Document,
    pub state: State,
    /// Lines on the step and predators that a file does not hold.
    pub notes: Vec<String>,
}

/// The state at the first step, and its flock. Where the boids of a seeded start are drawn by ranks, the state only holds
/// the predators. `steps` is the number of steps that follow.
///
/// # Errors
/// When the flock does not fit the device, or a file is not valid.
pub fn state(
    flock: &FlockRequest,
    StartArgs { init, first_step, .. }: &StartArgs,
    steps: u64,
    drawn_by_ranks: bool,
    mut document: Document,
    device: &Device,
) -> Result<Start> {
    let mut notes = Vec::new();
    let mut state = match init {
        None if drawn_by_ranks => predators(&document.parameters),
        None => {
            device.check(&document.parameters)?;
            State::try_start(&document.parameters)?
        }
        Some(path) => {
            let mut saved = files::read_state(path, device.numeric())?;
            let name = path.display();
            if !saved.has_step && first_step.is_none() && steps > 0 {
                notes.push(format!("{name} has no step: starting at step 0 (see --first-step)"));
            }
            if !saved.has_predators && document.parameters.predators.count > 0 {
                notes.push(format!("{name} has no predators: they are placed from the seed"));
            }
            check_first_step(path, *first_step, &saved)?;
            check_count(path, &document.parameters, &mut saved, flock.boids())?;
            fit(path, &mut document, &mut saved.state, device)?;
            saved.state
        }
    };
    if let Some(step) = first_step {
        state.step = *step;
    }
    check_steps(state.step, steps)?;
    Ok(Start { document, state, notes })
}

/// A flight that is repeated.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub path: PathBuf,
    pub flight: Flight,
}

impl Recorded {
    /// The flight that a call names, if it names one; see [`FlightArgs::read`].
    ///
    /// # Errors
    /// When the file is no flight, or the engine does not have its number type.
    pub fn of(
        args: &FlightArgs,
        engine: &mut EngineRequest,
        names_numeric: bool,
    ) -> Result<Option<Recorded>> {
        let flight = args.read(engine, names_numeric)?;
        Ok(args.flight.clone().zip(flight).map(|(path, flight)| Recorded { path, flight }))
    }

    /// The start of the flight, if the device can repeat it for so many steps.
    ///
    /// # Errors
    /// When the flock does not fit the device.
    pub fn start(&self, steps: u64, device: &Device) -> Result<Start> {
        let document = self.document();
        device.check(&document.parameters)?;
        let state = self.flight.start.state()?;
        if device.numeric() != self.flight.start.numeric {
            let (name, parameters) = (self.path.display(), &document.parameters);
            let boids = state.boids.iter().map(|boid| [boid.position, boid.velocity]);
            check_range(&format!("{name}: boid"), device.numeric(), parameters, boids)?;
        }
        check_steps(state.step, steps)?;
        let mut notes = Vec::new();
        if steps > self.steps() {
            let (name, end) = (self.path.display(), self.flight.end);
            notes.push(format!("{name}: ends at step {end}; the flock then flies on without changes"));
        }
        Ok(Start { document, state, notes })
    }

    /// The flock at its start.
    pub fn document(&self) -> Document {
        self.flight.start.document()
    }

    /// Number of steps from the first to the last.
    pub fn steps(&self) -> u64 {
        self.flight.end - self.flight.start.step()
    }
}

/// Checks the first step that is asked for against that of a file.
fn check_first_step(path: &Path, asked: Option<u64>, saved: &SavedState) -> Result {
    let step = saved.state.step;
    match asked.filter(|asked| saved.has_step && *asked != step) {
        None => Ok(()),
        Some(asked) => {
            let why = format!("--first-step must be {step}, the step in {}, not {asked}", path.display());
            Err(Failure::usage(why).hint("leave it out"))
        }
    }
}

/// Checks that so many steps can be counted from a step on.
///
/// # Errors
/// When they cannot, with the maximum.
pub fn check_steps(step: u64, steps: u64) -> Result {
    let most = MAX_STEPS.saturating_sub(step);
    if steps <= most {
        return Ok(());
    }
    let message = format!("--steps must be at most {most} from step {step}, not {steps}");
    Err(Failure::usage(message).hint("a step number has 32 bits"))
}

/// Fits the parameters to the number of boids in a state from a file, and the boids into the world, if steps can
/// continue from them. `path` names the state in errors.
///
/// # Errors
/// Names the first value that is out of range: the boid's id, the column, the value and what it must be.
pub fn fit(path: &Path, document: &mut Document, state: &mut State, device: &Device) -> Result {
    let Document { parameters, world, .. } = document;
    let (name, rows, numeric) = (path.display(), state.boids.len() as u32, device.numeric());
    let off = |boid: &flock::Boid<f64>| boid.position[2] != 0.0 || boid.velocity[2] != 0.0;
    if let Some(id) = state.boids.iter().position(off).filter(|_| parameters.flat()) {
        let message = format!("{name}: boid {id}, columns z and vz must be 0 in two dimensions");
        return Err(Failure::usage(message).hint("use --set flock.dimensions=3"));
    }
    // With the same number the world keeps its bits; where density is kept, it changes its size as with `--boids`.
    if rows != parameters.flock.boids {
        world.set_boids(parameters, rows);
        let place = format!("{name}, {rows} boids");
        config::check_ranges(parameters).map_err(|error| error.at(&place))?;
    }
    let boids = state.boids.iter().map(|boid| [boid.position, boid.velocity]);
    check_range(&format!("{name}: boid"), numeric, parameters, boids)?;
    let predators = state.predators.iter().map(|predator| [predator.position, predator.velocity]);
    check_range(&format!("{name}: predator"), numeric, parameters, predators)?;
    match numeric {
        Numeric::F32 => wrap(&Rule::<f32>::new(parameters), state),
        Numeric::F64 => wrap(&Rule::<f64>::new(parameters), state),
        Numeric::Fixed => wrap(&state.rule::<Fixed>(parameters), state),
    }
    Ok(())
}

/// Checks that an engine of the device can add to what each boid requests; `name` names the vectors in errors.
///
/// # Errors
/// Names the first number that is out of range, or the engine that supports no requests.
pub fn check_requests(name: &str, requests: &[[f64; 3]], parameters: &Parameters, device: &Device) -> Result {
    if matches!(device, Device::Rp2040(_)) {
        return Err(Failure::usage(format!("{name} cannot be used with the engine rp2040")));
    }
    if let Some(id) = requests.iter().position(|request| request[2] != 0.0).filter(|_| parameters.flat()) {
        return Err(Failure::usage(format!("{name}: boid {id}, column z must be 0 in two dimensions")));
    }
    let rows = requests.iter().map(|request| [*request, [0.0; 3]]);
    check_range(&format!("{name}: boid"), device.numeric(), parameters, rows)
}

/// Checks that a state from a file has the requested boids and predators. Missing predators start from the seed.
fn check_count(path: &Path, parameters: &Parameters, saved: &mut SavedState, asked: Option<u32>) -> Result {
    let (name, state) = (path.display(), &mut saved.state);
    let rows = state.boids.len();
    if let Some(asked) = asked.filter(|asked| *asked as usize != rows) {
        let message = format!("--boids must be {rows}, the number in {name}, not {asked}");
        return Err(Failure::usage(message).hint("leave it out"));
    }
    let count = parameters.predators.count as usize;
    if !saved.has_predators {
        state.predators = predators(parameters).predators;
    } else if state.predators.len() != count {
        let found = state.predators.len();
        let message = format!("{name}: predators.count must be {found}, the number in the file, not {count}");
        return Err(Failure::usage(message).hint(format!("use --set predators.count={found}")));
    }
    Ok(())
}

/// The seeded start without its boids.
fn predators(parameters: &Parameters) -> State {
    let mut seeded = *parameters;
    seeded.flock.boids = 0;
    State::start(&seeded)
}

/// Checks that numbers lie in the range from which steps can continue. Errors begin with `what` and the id, as rows may
/// stand in any order.
fn check_range(
    what: &str,
    numeric: Numeric,
    parameters: &Parameters,
    rows: impl Iterator<Item = [[f64; 3]; 2]>,
) -> Result {
    let largest = State::largest_number(numeric, parameters);
    for (id, [position, velocity]) in rows.enumerate() {
        let named = ["x", "y", "z", "vx", "vy", "vz"].into_iter().zip(position.into_iter().chain(velocity));
        for (column, number) in named {
            // No number is beyond the range, too.
            if !(-largest..=largest).contains(&number) {
                let shown = match numeric {
                    Numeric::F32 => format!("{:e}", number as f32),
                    Numeric::F64 | Numeric::Fixed => format!("{number:e}"),
                };
                let range = format!("must be -{largest:e} to {largest:e}, not {shown}");
                return Err(Failure::usage(format!("{what} {id}, column {column} {range}")));
            }
        }
    }
    Ok(())
}

/// Moves every boid into a world that wraps: the grid reaches no further than one world around it.
fn wrap<T: Number>(rule: &Rule<T>, state: &mut State) {
    for boid in &mut state.boids {
        let position = boid.position.map(|c| rule.scaled(c));
        boid.position = rule.wrap(position.into()).to_array().map(|c| rule.unscaled(c));
    }
}
