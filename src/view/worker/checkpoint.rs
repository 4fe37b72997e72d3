//! What is held in memory of a flock that lies on a device, in case the device is lost.

use std::time::Duration;

use flock::Parameters;
use web_time::Instant;

use cpu::engine::{Engine, EngineError};
use cpu::state::State;

/// What a flock can go on from on another device.
#[derive(Debug)]
pub struct Checkpoint {
    /// The restart that it comes from.
    pub generation: u64,
    /// As the engine has them.
    pub parameters: Parameters,
    /// The last state that was read back; none where the flock has only just started from its seed.
    pub state: Option<State>,
}

impl Checkpoint {
    /// The least time between two states that are read back.
    pub const INTERVAL: Duration = Duration::from_secs(2);

    /// The step that it stands at.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.step)
    }
}

/// That time at least, as a multiple of what reading a state takes: it may slow the steps down by a hundredth.
const TIME_FRACTION: u32 = 100;

/// Reads states back now and then.
#[derive(Debug)]
pub struct Reader {
    due: Instant,
}

impl Default for Reader {
    fn default() -> Self {
        Reader { due: Instant::now() + Checkpoint::INTERVAL }
    }
}

impl Reader {
    /// Reads the state of an engine back, where it is time for it and memory has room.
    ///
    /// # Errors
    /// When the device failed; the state that was held before stays.
    pub fn read(&mut self, engine: &mut dyn Engine, held: &mut Checkpoint) -> Result<(), EngineError> {
        let begun = Instant::now();
        if begun < self.due || State::check_capacity(engine.boids()).is_err() {
            return Ok(());
        }
        held.state = Some(engine.state()?);
        let end = Instant::now();
        self.due = end + Checkpoint::INTERVAL.max((end - begun) * TIME_FRACTION);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::CpuEngine;

    #[test]
    fn a_state_is_read_back_only_now_and_then() {
        let mut parameters = Parameters::default();
        parameters.flock.boids = 10;
        let start = State::start(&parameters);
        let mut engine = CpuEngine::<f32>::new(&parameters, &start, Some(1)).expect("a thread");
        let mut held = Checkpoint { generation: 0, parameters, state: None };
        let mut reader = Reader::default();
        reader.read(&mut engine, &mut held).expect("read");
        assert!(held.state.is_none() && held.step() == 0);
        engine.advance(3).expect("steps");
        reader.due = Instant::now();
        reader.read(&mut engine, &mut held).expect("read");
        assert_eq!(held.step(), 3);
        assert!(reader.due > Instant::now() + Checkpoint::INTERVAL / 2);
        engine.advance(3).expect("steps");
        reader.read(&mut engine, &mut held).expect("read");
        assert_eq!(held.step(), 3);
    }
}
