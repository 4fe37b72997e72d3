//! The state at an intermediate step, so that a run that was killed can be continued.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::cli::run::RunOptions;
use crate::commands::outputs::{Named, keep_existing, plain};
use engine::{Engine, Numeric, State};
use files::{Existing, Failure, Result, StateFile, path_with, write_state};

/// The last state that was written before the end of a run: for `flock.csv` and step 100 `flock.100.csv`.
pub(super) struct Checkpoints<'a> {
    out: &'a Path,
    /// Steps from one to the next; as many as no run has where none is asked for.
    every: u64,
    existing: Existing,
    pub last: Option<PathBuf>,
}

impl<'a> Checkpoints<'a> {
    pub fn of(options: &'a RunOptions) -> Self {
        let out = options.out.as_deref().unwrap_or(Path::new("."));
        let existing = Existing::replaced_if(options.yes);
        Checkpoints { out, every: options.checkpoint.unwrap_or(u64::MAX), existing, last: None }
    }

    fn name(&self, step: u64) -> PathBuf {
        path_with(self.out, step)
    }

    /// True if a run over these steps may write a state to this path.
    fn writes(&self, path: &Path, steps: &RangeInclusive<u64>) -> bool {
        // The rest of the name is compared as a whole.
        let step = path.file_stem().and_then(|stem| stem.to_str()?.rsplit('.').next()?.parse().ok());
        match step {
            Some(step) if step > *steps.start() && steps.contains(&step) => {
                plain(&self.name(step)) == plain(path)
            }
            _ => false,
        }
    }

    /// Checks that a run over these steps writes no state by the name of one of these files, and replaces none unless
    /// the call allows it.
    pub fn check(&self, files: &[Named], steps: RangeInclusive<u64>, yes: bool) -> Result {
        if self.every == u64::MAX {
            return Ok(());
        }
        if let Some((option, path)) = files.iter().find(|(_, path)| self.writes(path, &steps)) {
            return Err(Failure::usage(format!(
                "--checkpoint and {option} cannot both be {}",
                path.display()
            )));
        }
        let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Ok(there) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Ok(()) };
        let mut there = there.flatten().map(|file| self.out.with_file_name(file.file_name()));
        let existing = there.find(|path| self.writes(path, &steps));
        keep_existing(existing.map(|path| ("--checkpoint", path)).as_slice(), yes)
    }

    /// Called `since` steps after the first of the run: writes a due checkpoint. Returns the steps to the next.
    pub fn pass(&mut self, engine: &mut dyn Engine, since: u64) -> Result<u64> {
        if since > 0 && since.is_multiple_of(self.every) {
            self.write(&engine.state()?, engine.numeric())?;
        }
        Ok(self.every - since % self.every)
    }

    /// Writes a state. The one before is removed once this one is whole.
    fn write(&mut self, state: &State, numeric: Numeric) -> Result {
        let path = self.name(state.step);
        write_state(&path, state, numeric, self.existing)?;
        self.remove();
        self.last = Some(path);
        Ok(())
    }

    /// Writes the last state of a run to its file, or as a checkpoint where the run was stopped.
    pub fn finish(mut self, file: StateFile, state: &State, numeric: Numeric, stopped: bool) -> Result {
        if stopped && self.every < u64::MAX {
            return self.write(state, numeric);
        }
        file.fill(state, numeric)?;
        self.remove();
        Ok(())
    }

    /// Removes the last one: a later state is whole.
    fn remove(&mut self) {
        if let Some(path) = self.last.take() {
            // A file that stays is whole.
            let _ = std::fs::remove_file(path);
        }
    }
}
