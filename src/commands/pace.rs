//! How many steps are taken at once: many where they are short, so that little is lost between them; few where they
//! are long, so that Ctrl-C is heard.

use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineError};

/// How long to step before looking up.
const BREATH: Duration = Duration::from_millis(100);

/// Steps of a known length.
#[derive(Debug)]
pub(super) struct Pace {
    chunk: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { chunk: 1 }
    }
}

impl Pace {
    /// Takes as many steps as fit into a breath, at least one and at most `most`; returns how many.
    pub fn advance(&mut self, engine: &mut dyn Engine, most: u64) -> Result<u64, EngineError> {
        let steps = most.min(self.chunk);
        let begun = Instant::now();
        engine.advance(u32::try_from(steps).unwrap_or(u32::MAX))?;
        self.chunk =
            if begun.elapsed() < BREATH { (self.chunk * 2).min(1 << 20) } else { (self.chunk / 2).max(1) };
        Ok(steps)
    }
}
