//! States as CSV, from which a run can be continued.
//!
//! ```text
//! FILE.csv             id,x,y,z,vx,vy,vz,group,bias,rest     a row per boid, in id order
//! FILE.predators.csv   step,id,x,y,z,vx,vy,vz                a row per predator, with the step
//! ```
//!
//! A number is written with the fewest digits that read back as the same bits.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flock::{Boid, Predator};

use super::atomic::AtomicFile;
use super::csv_input::{Input, Row};
use super::error::{Error, Result};
use cpu::state::{Numeric, State};

const COLUMNS: [&str; 10] = ["id", "x", "y", "z", "vx", "vy", "vz", "group", "bias", "rest"];
/// Columns up to here must be there.
const REQUIRED: usize = 7;
/// The longest rest that a perch allows (`perching.steps`).
const LONGEST_REST: i32 = 65_535;
const PREDATOR_COLUMNS: [&str; 8] = ["step", "id", "x", "y", "z", "vx", "vy", "vz"];

/// Where the predators of the state in `path` are: `flock.csv` has them in `flock.predators.csv`.
#[must_use]
pub fn predators_path(path: &Path) -> PathBuf {
    let stem = match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("csv") => path.with_extension(""),
        _ => path.to_owned(),
    };
    let mut name = stem.into_os_string();
    name.push(".predators.csv");
    name.into()
}

/// Writes `state` to `path`, with the digits that `numeric` needs, and its predators beside it.
///
/// # Errors
/// As [`StateFile::create`] and [`StateFile::fill`].
pub fn write_state(path: &Path, state: &State, numeric: Numeric) -> Result<()> {
    StateFile::create(path, !state.predators.is_empty())?.fill(state, numeric)
}

/// The file of a state and that of its predators, begun before there is a state to write: a file that cannot be written
/// costs no steps.
///
/// Without predators there is no file for them; one that is there from before becomes empty.
#[derive(Debug)]
pub struct StateFile {
    boids: AtomicFile,
    predators: Option<AtomicFile>,
}

impl StateFile {
    /// Starts the files of a state that will be called `path`, or stdout for `-`; `hunted` tells whether it has predators.
    ///
    /// # Errors
    /// [`Error::Open`]; [`Error::Unfit`] where `path` is no regular file and there are predators.
    pub fn create(path: &Path, hunted: bool) -> Result<Self> {
        let boids = AtomicFile::create_or_stdout(path)?;
        let beside = predators_path(path);
        let predators = match (hunted, boids.is_direct()) {
            (true, true) => {
                let problem = "the predators need a file beside it; name a regular file".into();
                return Err(Error::unfit(path, problem));
            }
            (false, true) => None,
            (false, false) if !beside.exists() => None,
            _ => Some(AtomicFile::create(&beside)?),
        };
        Ok(Self { boids, predators })
    }

    /// Writes a state, and gives the files their names.
    ///
    /// # Errors
    /// [`Error::Write`]. [`Error::Unfit`] for predators where none were announced.
    pub fn fill(self, state: &State, numeric: Numeric) -> Result<()> {
        let Self { mut boids, predators } = self;
        let written = write_boids(&mut boids, state, numeric).and_then(|()| boids.flush());
        // A full disk is met before the predators are replaced, so that both files stay of one step.
        written.map_err(|source| boids.failed(source))?;
        match predators {
            Some(mut file) => {
                write_predators(&mut file, state, numeric).map_err(|source| file.failed(source))?;
                file.commit()?;
            }
            None if state.predators.is_empty() => {}
            None => return Err(Error::unfit(boids.path(), "it was begun without predators".into())),
        }
        boids.commit()
    }
}

/// A state's boids and its predators as the texts of the two files.
#[must_use]
pub fn state_texts(state: &State, numeric: Numeric) -> [String; 2] {
    let (mut boids, mut predators) = (Vec::new(), Vec::new());
    // A vector takes all that is written.
    let _ = write_boids(&mut boids, state, numeric);
    let _ = write_predators(&mut predators, state, numeric);
    [boids, predators].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn write_boids(out: &mut impl Write, state: &State, numeric: Numeric) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))?;
    for (id, boid) in state.boids.iter().enumerate() {
        write_boid(out, id, boid, numeric)?;
    }
    Ok(())
}

/// One row.
pub(super) fn write_boid(
    out: &mut impl Write,
    id: usize,
    boid: &Boid<f64>,
    numeric: Numeric,
) -> io::Result<()> {
    write!(out, "{id}")?;
    write_numbers(out, &boid.position, numeric)?;
    write_numbers(out, &boid.velocity, numeric)?;
    write!(out, ",{}", boid.group)?;
    write_numbers(out, &[boid.bias], numeric)?;
    writeln!(out, ",{}", boid.rest)
}

fn write_predators(out: &mut impl Write, state: &State, numeric: Numeric) -> io::Result<()> {
    writeln!(out, "{}", PREDATOR_COLUMNS.join(","))?;
    for (id, predator) in state.predators.iter().enumerate() {
        write!(out, "{},{id}", state.step)?;
        write_numbers(out, &predator.position, numeric)?;
        write_numbers(out, &predator.velocity, numeric)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_numbers(out: &mut impl Write, numbers: &[f64], numeric: Numeric) -> io::Result<()> {
    for &number in numbers {
        match numeric {
            Numeric::F32 => write!(out, ",{:?}", number as f32)?,
            // An integer times a power of two is an f64.
            Numeric::F64 | Numeric::Fixed => write!(out, ",{number:?}")?,
        }
    }
    Ok(())
}

/// Reads a state, each number rounded to the nearest of `numeric`, with the predators beside it.
///
/// Rows may come in any order. Missing columns mean group 0, bias 0 and no rest. The step is that of
/// the predators, and 0 where there is no file of them.
///
/// # Errors
/// [`Error::Open`] and [`Error::Input`].
pub fn read_state(path: &Path, numeric: Numeric) -> Result<State> {
    let mut input = Input::open(path, &COLUMNS, REQUIRED)?;
    let mut rows = Vec::new();
    while let Some(row) = input.row()? {
        rows.push(read_row(&row, 0, numeric)?);
    }
    let boids = in_order(path, rows)?;
    let beside = predators_path(path);
    let (step, predators) = if beside.exists() { read_predators(&beside, numeric)? } else { (0, Vec::new()) };
    Ok(State { step, boids, predators })
}

/// Id, line and boid of a row.
pub(super) type BoidRow = (u32, u64, Boid<f64>);

/// Reads a row whose columns from `first` on are those of a state.
pub(super) fn read_row(row: &Row<'_>, first: usize, numeric: Numeric) -> Result<BoidRow> {
    let mut boid = Boid {
        position: read_vector(row, first + 1, numeric)?,
        velocity: read_vector(row, first + 4, numeric)?,
        ..Boid::default()
    };
    if row.has(first + 7) {
        boid.group = row.whole(first + 7, 0..=2)?;
    }
    if row.has(first + 8) {
        boid.bias = row.number(first + 8, numeric)?;
        if !(0.0..=1.0).contains(&boid.bias) {
            return Err(row.wrong(first + 8, "a number from 0 to 1"));
        }
    }
    if row.has(first + 9) {
        boid.rest = row.whole(first + 9, flock::state::TAKEN_OFF..=LONGEST_REST)?;
    }
    Ok((row.whole(first, 0..=u32::MAX)?, row.line(), boid))
}

fn read_vector(row: &Row<'_>, first: usize, numeric: Numeric) -> Result<[f64; 3]> {
    let number = |k| row.number(first + k, numeric);
    Ok([number(0)?, number(1)?, number(2)?])
}

fn read_predators(path: &Path, numeric: Numeric) -> Result<(u64, Vec<Predator<f64>>)> {
    let mut input = Input::open(path, &PREDATOR_COLUMNS, PREDATOR_COLUMNS.len())?;
    let mut rows = Vec::new();
    let mut step = None;
    while let Some(row) = input.row()? {
        // Steps are counted in 32 bits where random numbers are drawn.
        let here = row.whole(0, 0..=u64::from(u32::MAX))?;
        let first = *step.get_or_insert(here);
        if here != first {
            return Err(row.wrong(0, &format!("{first} as in the rows before: predators stand at one step")));
        }
        let position = read_vector(&row, 2, numeric)?;
        let velocity = read_vector(&row, 5, numeric)?;
        rows.push((row.whole(1, 0..=u32::MAX)?, row.line(), Predator { position, velocity }));
    }
    Ok((step.unwrap_or(0), in_order(path, rows)?))
}

/// Puts rows of (id, line, what it is) in id order; the ids must be 0…N−1, each once.
pub(super) fn in_order<T: Clone>(path: &Path, rows: Vec<(u32, u64, T)>) -> Result<Vec<T>> {
    let count = rows.len();
    let mut lines = vec![0; count];
    let mut ordered: Vec<Option<T>> = vec![None; count];
    for (id, line, item) in rows {
        let place = id as usize;
        if place >= count {
            let last = count - 1;
            let problem = format!("line {line}, column id: {id}; {count} rows must have the ids 0 to {last}");
            return Err(Error::input(path, problem));
        }
        if ordered[place].replace(item).is_some() {
            let first = lines[place];
            let problem = format!("line {line}, column id: {id} is there twice, first in line {first}");
            return Err(Error::input(path, problem));
        }
        lines[place] = line;
    }
    Ok(ordered.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
