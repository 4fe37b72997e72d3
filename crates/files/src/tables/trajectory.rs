//! A run as one file: CSV, the columns of a state after `step`; or GSD.

use std::path::{Path, PathBuf};

use flock::Parameters;

use super::TableFile;
use super::csv_input::Input;
use super::gsd::Gsd;
use super::state_csv::{BoidRow, OPTIONAL, boid, in_order};
use crate::rows::{COLUMNS, Item, boid_row};
use crate::{Existing, Failure, Result, check_ending, extension, is_part};
use engine::{Numeric, State};

/// An open trajectory; if dropped without [`Trajectory::finish`] or [`Trajectory::keep_samples`], it leaves no file.
#[derive(Debug)]
pub enum Trajectory {
    Table(TableFile),
    Gsd(Gsd),
}

impl Trajectory {
    /// Starts a file. The extension selects GSD (f32, in the world of the parameters) or CSV with the columns
    /// `step,id,x,y,z,vx,vy,vz,group,bias,rest`; `-` is stdout.
    ///
    /// # Errors
    /// When the file cannot be written, its extension belongs to another format, or it is GSD and not a regular file.
    pub fn create(
        path: &Path,
        numeric: Numeric,
        parameters: &Parameters,
        existing: Existing,
    ) -> Result<Self> {
        check_ending(path, &["csv", "gsd"])?;
        if extension(path) == "gsd" {
            return Ok(Self::Gsd(Gsd::create(path, parameters, existing)?));
        }
        Ok(Self::Table(TableFile::create(path, COLUMNS, numeric, existing)?))
    }

    /// Adds a frame: a row per boid, in id order. It is a sample; see [`TableFile::end_sample`].
    ///
    /// # Errors
    /// When the frame cannot be written.
    pub fn add(&mut self, state: &State) -> Result<()> {
        let step = Item::Whole(state.step as i64);
        let boids = state.boids.iter().enumerate();
        let mut rows = boids.map(|(id, boid)| std::iter::once(step).chain(boid_row(id, boid)));
        match self {
            Self::Table(table) => {
                rows.try_for_each(|row| table.row(row))?;
                table.end_sample()
            }
            Self::Gsd(gsd) => gsd.add(state),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// See [`AtomicFile::commit`].
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Table(table) => table.finish(),
            Self::Gsd(gsd) => gsd.finish(),
        }
    }

    /// See [`TableFile::keep_samples`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_samples(self) -> Result<bool> {
        match self {
            Self::Table(table) => table.keep_samples(),
            Self::Gsd(gsd) => gsd.keep_samples(),
        }
    }
}

/// Reads the states of a trajectory in order: the rows of a step are adjacent, in any order, and steps ascend.
/// A trajectory holds no predators, so no state has any. What a killed run has left is read up to its last whole state.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    input: Input,
    /// The first row of the next state, and its step.
    next: Option<(u64, BoidRow)>,
    /// The number of boids in the first state.
    boids: Option<usize>,
}

impl Recording {
    /// Opens a file whose numbers are rounded to the nearest of `numeric`.
    ///
    /// # Errors
    /// When the file cannot be read, or has no rows.
    pub fn open(path: &Path, numeric: Numeric) -> Result<Self> {
        if extension(path) == "gsd" {
            return Err(Failure::file(path, "only trajectories in CSV are read, not GSD"));
        }
        let input = Input::open(path, &COLUMNS, COLUMNS.len() - OPTIONAL, numeric)?;
        let mut recording = Recording { path: path.to_owned(), input, next: None, boids: None };
        recording.next = recording.row()?;
        match recording.next {
            Some(_) => Ok(recording),
            None => Err(Failure::file(path, "it has no rows after its header")),
        }
    }

    /// The next state; `None` at the end.
    ///
    /// # Errors
    /// When the file cannot be read, or the rows are not a state.
    pub fn state(&mut self) -> Result<Option<State>> {
        let Some((step, first)) = self.next.take() else { return Ok(None) };
        let mut rows = vec![first];
        while let Some((here, row)) = self.row()? {
            if here < step {
                let problem = format!("line {}, column step: {here} after {step}: steps must ascend", row.1);
                return Err(Failure::file(&self.path, problem));
            }
            if here > step {
                self.next = Some((here, row));
                break;
            }
            rows.push(row);
        }
        let (found, asked) = (rows.len(), *self.boids.get_or_insert(rows.len()));
        if found < asked && self.next.is_none() && is_part(&self.path) {
            return Ok(None);
        }
        let boids = in_order(&self.path, rows)?;
        if found != asked {
            let problem = format!("step {step}: {found} boids: allowed are {asked}, as in the first step");
            return Err(Failure::file(&self.path, problem));
        }
        Ok(Some(State { step, boids, predators: Vec::new() }))
    }

    fn row(&mut self) -> Result<Option<(u64, BoidRow)>> {
        if !self.input.next()? {
            return Ok(None);
        }
        Ok(Some((self.input.step(0)?, boid(&self.input, 1)?)))
    }
}

#[cfg(test)]
mod tests {
    use flock::Boid;

    use super::*;

    #[test]
    fn has_a_row_a_boid_a_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let mut state = State { boids: vec![Boid::default(); 2], ..State::default() };
        let mut trajectory =
            Trajectory::create(&path, Numeric::F64, &Parameters::default(), Existing::Keep).unwrap();
        trajectory.add(&state).unwrap();
        (state.step, state.boids[1].position[0]) = (10, 0.1);
        trajectory.add(&state).unwrap();
        assert!(!path.exists());
        trajectory.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[0], "step,id,x,y,z,vx,vy,vz,group,bias,rest");
        assert_eq!(lines[1], "0,0,0.0,0.0,0.0,0.0,0.0,0.0,0,0.0,0");
        assert_eq!(lines[4], "10,1,0.1,0.0,0.0,0.0,0.0,0.0,0,0.0,0");
    }
    #[test]
    fn what_was_written_is_read_state_by_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let boid = |x: f64| Boid { position: [x, 0.1, -2.5], velocity: [1.0, 0.0, 1e-9], ..Boid::default() };
        let states =
            [3, 10].map(|step| State { step, boids: vec![boid(step as f64), boid(0.3)], ..State::default() });
        let mut trajectory =
            Trajectory::create(&path, Numeric::F64, &Parameters::default(), Existing::Keep).unwrap();
        states.iter().for_each(|state| trajectory.add(state).unwrap());
        trajectory.finish().unwrap();
        let mut recording = Recording::open(&path, Numeric::F64).unwrap();
        let read: Vec<_> = std::iter::from_fn(|| recording.state().unwrap()).collect();
        assert_eq!(read, states);
    }

    /// A kill may come at any byte.
    #[test]
    fn what_a_killed_run_left_is_read_up_to_its_last_whole_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let boids = [0.1, -2.5, 1e-9].map(|x| Boid { position: [x; 3], ..Boid::default() });
        let states = [3, 10, 12].map(|step| State { step, boids: boids.to_vec(), ..State::default() });
        let mut trajectory =
            Trajectory::create(&path, Numeric::F64, &Parameters::default(), Existing::Keep).unwrap();
        states.iter().for_each(|state| trajectory.add(state).unwrap());
        trajectory.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let part = folder.path().join(".run.x1Y2z3.murmuration-part.csv");
        for length in ends[3]..=text.len() {
            std::fs::write(&part, &text[..length]).unwrap();
            let mut recording = Recording::open(&part, Numeric::F64).unwrap();
            let read: Vec<_> = std::iter::from_fn(|| recording.state().unwrap()).collect();
            let whole = [3, 6, 9].iter().filter(|rows| ends[**rows] <= length).count();
            assert_eq!(read, states[..whole], "{length} of {} bytes", text.len());
        }
    }

    #[test]
    fn a_file_that_is_cut_within_a_state_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let row = "0,0,0,1,0,0";
        std::fs::write(&path, format!("step,id,x,y,z,vx,vy,vz\n5,0,{row}\n5,1,{row}\n6,0,{row}\n")).unwrap();
        let mut recording = Recording::open(&path, Numeric::F64).unwrap();
        assert!(recording.state().unwrap().is_some());
        let message = recording.state().unwrap_err().message;
        assert!(
            message.ends_with("run.csv: step 6: 1 boids: allowed are 2, as in the first step"),
            "{message}"
        );
    }

    #[test]
    fn a_recording_that_is_not_one_is_refused_by_line_and_column() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let header = "step,id,x,y,z,vx,vy,vz\n";
        let row = "0,0,0,1,0,0";
        for (rows, part) in [
            (String::new(), "no rows"),
            (format!("5,0,{row}\n4,0,{row}\n"), "line 3, column step: 4 after 5"),
            (format!("5,0,{row}\n5,0,{row}\n"), "line 3, column id: 0 is there twice"),
            (format!("-1,0,{row}\n"), "column step: '-1'"),
            (format!("5,0,{row},7\n"), "line 2 is long"),
        ] {
            std::fs::write(&path, format!("{header}{rows}")).unwrap();
            let read = Recording::open(&path, Numeric::F64).and_then(|mut recording| recording.state());
            let message = read.err().map(|error| error.message).unwrap_or_default();
            assert!(message.contains(part) && message.contains("run.csv"), "{part}: {message}");
        }
    }
}
