//! A run as one CSV file: the columns of a state after `step`.

use std::io::Write;
use std::path::Path;

use super::atomic::AtomicFile;
use super::error::Result;
use super::state_csv::{boid_header, write_boid};
use crate::state::{Numeric, State};

/// A trajectory; dropped without [`Trajectory::finish`] it leaves no file.
#[derive(Debug)]
pub struct Trajectory {
    file: AtomicFile,
    numeric: Numeric,
}

impl Trajectory {
    /// Starts a file, or stdout for `-`, and writes its header, `step,id,x,y,z,vx,vy,vz,group,bias,rest`.
    ///
    /// # Errors
    /// [`super::Error::Open`] and [`super::Error::Write`].
    pub fn create(path: &Path, numeric: Numeric) -> Result<Self> {
        let mut file = AtomicFile::create_or_stdout(path)?;
        writeln!(file, "step,{}", boid_header()).map_err(|source| file.failed(source))?;
        Ok(Self { file, numeric })
    }

    /// Adds a row per boid, in id order.
    ///
    /// # Errors
    /// [`super::Error::Write`].
    pub fn add(&mut self, state: &State) -> Result<()> {
        let Self { file, numeric } = self;
        for (id, boid) in state.boids.iter().enumerate() {
            let row = write!(file, "{},", state.step).and_then(|()| write_boid(file, id, boid, *numeric));
            row.map_err(|source| file.failed(source))?;
        }
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`super::Error::Write`].
    pub fn finish(self) -> Result<()> {
        self.file.commit()
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
        let mut trajectory = Trajectory::create(&path, Numeric::F64).unwrap();
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
}
