//! A run as one file: CSV, as of a state with more steps; or GSD.

use std::path::Path;

use flock::Parameters;

use super::TableFile;
use super::gsd::Gsd;
use crate::rows::COLUMNS;
use crate::{Existing, Result, check_ending, extension};
use engine::{Numeric, State};

/// An open trajectory; if dropped without [`Trajectory::finish`] or [`Trajectory::keep_samples`], it leaves no file.
#[derive(Debug)]
pub enum Trajectory {
    Table(TableFile),
    Gsd(Gsd),
}

impl Trajectory {
    /// Starts a file. The extension selects GSD (f32, in the world of the parameters) or CSV with the columns
    /// of a state; `-` is stdout.
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

    /// Adds a state, which is a sample; see [`TableFile::end_sample`].
    ///
    /// # Errors
    /// When the frame cannot be written.
    pub fn add(&mut self, state: &State) -> Result<()> {
        match self {
            Self::Table(table) => {
                table.state(state)?;
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

#[cfg(test)]
mod tests {
    use flock::{Boid, Predator};

    use super::*;

    #[test]
    fn has_a_row_a_boid_and_a_predator_a_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        let boids = vec![Boid::default(); 2];
        let mut state = State { step: 0, boids, predators: vec![Predator::default()] };
        let mut trajectory =
            Trajectory::create(&path, Numeric::F64, &Parameters::default(), Existing::Keep).unwrap();
        trajectory.add(&state).unwrap();
        (state.step, state.boids[1].position[0]) = (10, 0.1);
        trajectory.add(&state).unwrap();
        assert!(!path.exists());
        trajectory.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[0], "step,id,kind,x,y,z,vx,vy,vz,group,bias,rest");
        assert_eq!(lines[1], "0,0,boid,0.0,0.0,0.0,0.0,0.0,0.0,0,0.0,0");
        assert_eq!(lines[3], "0,0,predator,0.0,0.0,0.0,0.0,0.0,0.0,,,");
        assert_eq!(lines[5], "10,1,boid,0.1,0.0,0.0,0.0,0.0,0.0,0,0.0,0");
    }
}
