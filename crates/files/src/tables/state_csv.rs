//! States as CSV, from which a run can be continued.
//!
//! ```text
//! FILE.csv             id,x,y,z,vx,vy,vz,group,bias,rest     a row per boid, in id order
//! FILE.predators.csv   step,id,x,y,z,vx,vy,vz                a row per predator, with the step
//! ```

use std::fmt::Display;
use std::path::{Path, PathBuf};

use flock::parameters::MAX_GROUPS;
use flock::{Boid, Predator};

use super::csv_input::Input;
use crate::atomic::{ATTEMPTS, path_of, taken};
use crate::rows::{COLUMNS, PREDATOR_COLUMNS, write_boids, write_predators};
use crate::{AtomicFile, Existing, Failure, Result, check_ending, extension};
use engine::{Numeric, State};

/// Number of optional columns, after the velocity.
pub(super) const OPTIONAL: usize = 3;
/// The longest rest that a perch allows (`perching.steps`).
const LONGEST_REST: i32 = 65_535;

/// The path of the predators of the state in `path`: `flock.predators.csv` for `flock.csv`.
pub fn predators_path(path: &Path) -> PathBuf {
    path_with(path, "predators")
}

/// The path with a word before its `.csv`, which is added if missing.
pub fn path_with(path: &Path, word: impl Display) -> PathBuf {
    let stem = if extension(path) == "csv" { path.with_extension("") } else { path.to_owned() };
    let mut name = stem.into_os_string();
    name.push(format!(".{word}.csv"));
    name.into()
}

/// Writes `state` to `path`, with the digits that `numeric` needs, and its predators beside it.
///
/// # Errors
/// See [`StateFile::create`] and [`StateFile::fill`].
pub fn write_state(path: &Path, state: &State, numeric: Numeric, existing: Existing) -> Result<()> {
    StateFile::create(path, !state.predators.is_empty(), existing)?.fill(state, numeric)
}

/// The files of a state and of its predators, created before the first step: if one cannot be written, no steps are
/// lost.
///
/// Without predators their file is not created; an existing one is emptied.
#[derive(Debug)]
pub struct StateFile {
    boids: AtomicFile,
    predators: Option<AtomicFile>,
    existing: Existing,
}

impl StateFile {
    /// Starts the files of a state that will be called `path`, or stdout for `-`; `hunted` is true if it has predators.
    ///
    /// # Errors
    /// When a file cannot be written, its extension belongs to another format, or `path` is not a regular file and
    /// there are predators.
    pub fn create(path: &Path, hunted: bool, existing: Existing) -> Result<Self> {
        check_ending(path, &["csv"])?;
        let boids = AtomicFile::create_or_stdout(path, existing)?;
        let beside = predators_path(path);
        if hunted && boids.is_direct() {
            return Err(Failure::file(path, "the predators need a file beside it; name a regular file"));
        }
        let wanted = hunted || !boids.is_direct() && beside.exists();
        let predators = wanted.then(|| AtomicFile::create(&beside, existing)).transpose()?;
        Ok(Self { boids, predators, existing })
    }

    /// Writes a state, and gives the files their names. Where another file has one of them that is to be kept, both get
    /// other names, which belong together.
    ///
    /// # Errors
    /// When a file cannot be written or has got another name; for predators if `hunted` was false.
    pub fn fill(mut self, state: &State, numeric: Numeric) -> Result<()> {
        let boids = &mut self.boids;
        let written = write_boids(boids, state, numeric).and_then(|()| boids.settle());
        // Both files are synced before either has its name, so that they belong to one step.
        written.map_err(|source| self.boids.failed(source))?;
        match &mut self.predators {
            Some(file) => {
                let written = write_predators(file, state, numeric).and_then(|()| file.settle());
                written.map_err(|source| file.failed(source))?;
            }
            None if state.predators.is_empty() => {}
            None => return Err(Failure::file(self.boids.path(), "it was begun without predators")),
        }
        self.give_names()
    }

    /// Gives both files the names of the first attempt that is free for both.
    fn give_names(self) -> Result<()> {
        let attempt = (1..ATTEMPTS).find(|attempt| self.is_free(*attempt)).unwrap_or(ATTEMPTS);
        let boids_path = self.boids.path().to_owned();
        let path = if self.boids.is_free(1) { predators_path(&boids_path) } else { boids_path };
        // The boids, which are worth more, get a name even if the predators cannot have one.
        let beside = self.predators.map(|file| file.name_from(attempt)).transpose();
        let other = self.boids.name_from(attempt)?;
        let given: Vec<PathBuf> = other.into_iter().chain(beside?.flatten()).collect();
        if given.is_empty() { Ok(()) } else { Err(taken(&path, &given)) }
    }

    /// True if both files can have the names of an attempt. A state without predators has none beside it, which would
    /// be read as its own.
    fn is_free(&self, attempt: u32) -> bool {
        let beside = match &self.predators {
            Some(file) => file.is_free(attempt),
            None if self.existing == Existing::Replace || self.boids.is_direct() => true,
            None => !predators_path(&path_of(self.boids.path(), attempt)).exists(),
        };
        beside && self.boids.is_free(attempt)
    }
}

/// Reads a state, each number rounded to the nearest of `numeric`, with the predators beside it.
///
/// Rows may be in any order. Missing columns mean group 0, bias 0 and no rest. The step is read from
/// the predators' file; it is 0 without that file.
///
/// # Errors
/// When a file cannot be read, or is not a state.
pub fn read_state(path: &Path, numeric: Numeric) -> Result<State> {
    read_state_with_step(path, numeric).map(|(state, _)| state)
}

/// Like [`read_state`], with the step that the predators' file has.
///
/// # Errors
/// See [`read_state`].
pub fn read_state_with_step(path: &Path, numeric: Numeric) -> Result<(State, Option<u64>)> {
    let columns = &COLUMNS[1..];
    let mut input = Input::open(path, columns, columns.len() - OPTIONAL, numeric)?;
    let mut rows = Vec::new();
    while input.next()? {
        rows.push(boid(&input, 0)?);
    }
    let boids = in_order(path, rows)?;
    let beside = predators_path(path);
    let (step, predators) =
        if beside.exists() { read_predators(&beside, numeric)? } else { (None, Vec::new()) };
    Ok((State { step: step.unwrap_or(0), boids, predators }, step))
}

/// Id, line and boid of a row.
pub(super) type BoidRow = (u32, u64, Boid<f64>);

/// The boid of a row whose state columns begin at column `first`.
pub(super) fn boid(row: &Input, first: usize) -> Result<BoidRow> {
    let mut boid =
        Boid { position: row.vector(first + 1)?, velocity: row.vector(first + 4)?, ..Boid::default() };
    if row.has(first + 7) {
        boid.group = row.whole(first + 7, 0..=MAX_GROUPS as u32 - 1)?;
    }
    if row.has(first + 8) {
        boid.bias = row.number(first + 8)?;
        if !(0.0..=1.0).contains(&boid.bias) {
            return Err(row.wrong(first + 8, "a number from 0 to 1"));
        }
    }
    if row.has(first + 9) {
        boid.rest = row.whole(first + 9, flock::state::TAKEN_OFF..=LONGEST_REST)?;
    }
    Ok((row.whole(first, 0..=u32::MAX)?, row.line(), boid))
}

fn read_predators(path: &Path, numeric: Numeric) -> Result<(Option<u64>, Vec<Predator<f64>>)> {
    let mut input = Input::open(path, &PREDATOR_COLUMNS, PREDATOR_COLUMNS.len(), numeric)?;
    let (mut rows, mut step) = (Vec::new(), None);
    while input.next()? {
        let here = input.step(0)?;
        let first = *step.get_or_insert(here);
        if here != first {
            let allowed = format!("{first} as in the rows before: predators stand at one step");
            return Err(input.wrong(0, &allowed));
        }
        let predator = Predator { position: input.vector(2)?, velocity: input.vector(5)? };
        rows.push((input.whole(1, 0..=u32::MAX)?, input.line(), predator));
    }
    // A truncated last number would be read as another number.
    if input.is_cut() {
        return Err(Failure::file(path, "the last line has no end: the file is cut short"));
    }
    Ok((step, in_order(path, rows)?))
}

/// Sorts rows (id, line, item) by id; the ids must be 0…N−1, each once.
pub(super) fn in_order<T>(path: &Path, mut rows: Vec<(u32, u64, T)>) -> Result<Vec<T>> {
    let last = rows.len().saturating_sub(1);
    if let Some((id, line, _)) = rows.iter().find(|(id, ..)| *id as usize > last) {
        let count = rows.len();
        let problem = format!("line {line}, column id: {id}; {count} rows must have the ids 0 to {last}");
        return Err(Failure::file(path, problem));
    }
    rows.sort_by_key(|(id, ..)| *id);
    if let Some([(_, first, _), (id, line, _)]) = rows.array_windows().find(|[a, b]| a.0 == b.0) {
        let problem = format!("line {line}, column id: {id} is there twice, first in line {first}");
        return Err(Failure::file(path, problem));
    }
    Ok(rows.into_iter().map(|(.., item)| item).collect())
}

#[cfg(test)]
mod tests;
