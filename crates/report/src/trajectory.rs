//! A run as one file: CSV or Apache Parquet, the columns of a state after `step`; or GSD.

use std::io::Write;
use std::path::{Path, PathBuf};

use flock::{Boid, Parameters};

use super::atomic::AtomicFile;
use super::csv_input::Input;
use super::error::{Error, Result};
use super::gsd::Gsd;
use super::parquet::{ColumnKind, Item, Parquet};
use super::state_csv::{BoidRow, in_order, read_row, write_boid};
use cpu::state::{Numeric, State};

const COLUMNS: [&str; 11] = ["step", "id", "x", "y", "z", "vx", "vy", "vz", "group", "bias", "rest"];
/// Columns up to here must be there.
const REQUIRED: usize = 8;

/// A trajectory; dropped without [`Trajectory::finish`] it leaves no file.
#[derive(Debug)]
pub struct Trajectory(Format);

#[derive(Debug)]
enum Format {
    Csv { file: AtomicFile, numeric: Numeric },
    Gsd(Gsd),
    Parquet(Box<Parquet>),
}

/// True if a file's name ends so.
fn ends(path: &Path, with: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(with))
}

/// A boid's row in Parquet: numbers are doubles, which hold those of every number type.
fn items(step: u64, id: usize, boid: &Boid<f64>) -> [Item<'static>; COLUMNS.len()] {
    let whole = |number: u64| Item::Whole(number as i64);
    let real = |number| Item::Real(Some(number));
    let ([x, y, z], [vx, vy, vz]) = (boid.position.map(real), boid.velocity.map(real));
    let [group, rest] = [whole(boid.group.into()), Item::Whole(boid.rest.into())];
    [whole(step), whole(id as u64), x, y, z, vx, vy, vz, group, real(boid.bias), rest]
}

impl Trajectory {
    /// Starts a file. Where its name ends so it is GSD, in f32 and in the box of the parameters' world, or Parquet; else it
    /// is CSV, or stdout for `-`. Both have the columns `step,id,x,y,z,vx,vy,vz,group,bias,rest`.
    ///
    /// # Errors
    /// [`Error::Open`] and [`Error::Write`]; [`Error::Unfit`] where GSD has no regular file.
    pub fn create(path: &Path, numeric: Numeric, parameters: &Parameters) -> Result<Self> {
        if ends(path, "gsd") {
            return Ok(Self(Format::Gsd(Gsd::create(path, parameters)?)));
        }
        if ends(path, "parquet") {
            let whole = |name| matches!(name, "step" | "id" | "group" | "rest");
            let columns =
                COLUMNS.map(|name| (name, if whole(name) { ColumnKind::Whole } else { ColumnKind::Real }));
            let table = Parquet::new(AtomicFile::create_or_stdout(path)?, columns)?;
            return Ok(Self(Format::Parquet(Box::new(table))));
        }
        let mut file = AtomicFile::create_or_stdout(path)?;
        writeln!(file, "{}", COLUMNS.join(",")).map_err(|source| file.failed(source))?;
        Ok(Self(Format::Csv { file, numeric }))
    }

    /// Adds a frame: a row per boid, in id order.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn add(&mut self, state: &State) -> Result<()> {
        let (file, numeric) = match &mut self.0 {
            Format::Gsd(gsd) => return gsd.add(state),
            Format::Parquet(table) => {
                let mut boids = state.boids.iter().enumerate();
                return boids.try_for_each(|(id, boid)| table.row(items(state.step, id, boid)));
            }
            Format::Csv { file, numeric } => (file, numeric),
        };
        for (id, boid) in state.boids.iter().enumerate() {
            let row = write!(file, "{},", state.step).and_then(|()| write_boid(file, id, boid, *numeric));
            row.map_err(|source| file.failed(source))?;
        }
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Format::Gsd(gsd) => gsd.finish(),
            Format::Parquet(table) => table.finish(),
            Format::Csv { file, .. } => file.commit(),
        }
    }
}

/// The states of a trajectory, one after the other: those of a step stand together, in any order, and steps ascend.
/// No state has predators, as no trajectory has.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    input: Input,
    numeric: Numeric,
    /// The first row of the next state, and its step.
    next: Option<(u64, BoidRow)>,
}

impl Recording {
    /// Opens a file whose numbers are rounded to the nearest of `numeric`.
    ///
    /// # Errors
    /// [`Error::Open`] and [`Error::Input`]; a file without rows is refused.
    pub fn open(path: &Path, numeric: Numeric) -> Result<Self> {
        if ends(path, "gsd") || ends(path, "parquet") {
            return Err(Error::input(
                path,
                "only trajectories in CSV are read, neither GSD nor Parquet".into(),
            ));
        }
        let input = Input::open(path, &COLUMNS, REQUIRED)?;
        let mut recording = Recording { path: path.to_owned(), input, numeric, next: None };
        recording.next = recording.row()?;
        if recording.next.is_none() {
            return Err(Error::input(path, "it has no rows after its header".into()));
        }
        Ok(recording)
    }

    /// The next state; none at the end.
    ///
    /// # Errors
    /// [`Error::Input`].
    pub fn state(&mut self) -> Result<Option<State>> {
        let Some((step, first)) = self.next.take() else { return Ok(None) };
        let mut rows = vec![first];
        while let Some((here, row)) = self.row()? {
            if here != step {
                self.next = Some((here, row));
                break;
            }
            rows.push(row);
        }
        if let Some((next, (_, line, _))) = &self.next
            && *next < step
        {
            let problem = format!("line {line}, column step: {next} after {step}: steps must ascend");
            return Err(Error::input(&self.path, problem));
        }
        Ok(Some(State { step, boids: in_order(&self.path, rows)?, predators: Vec::new() }))
    }

    fn row(&mut self) -> Result<Option<(u64, BoidRow)>> {
        let Some(row) = self.input.row()? else { return Ok(None) };
        // Steps are counted in 32 bits where random numbers are drawn.
        let step = row.whole(0, 0..=u64::from(u32::MAX))?;
        Ok(Some((step, read_row(&row, 1, self.numeric)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_row_a_boid_a_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let mut state = State { boids: vec![Boid::default(); 2], ..State::default() };
        let mut trajectory = Trajectory::create(&path, Numeric::F64, &Parameters::default()).unwrap();
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
        let mut trajectory = Trajectory::create(&path, Numeric::F64, &Parameters::default()).unwrap();
        states.iter().for_each(|state| trajectory.add(state).unwrap());
        trajectory.finish().unwrap();
        let mut recording = Recording::open(&path, Numeric::F64).unwrap();
        let read: Vec<_> = std::iter::from_fn(|| recording.state().unwrap()).collect();
        assert_eq!(read, states);
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
            let message = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains(part) && message.contains("run.csv"), "{part}: {message}");
        }
    }
}
