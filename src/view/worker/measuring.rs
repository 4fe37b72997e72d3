//! Measures for the charts that take longer than a frame: of a state that is read back now and then, on a thread of their
//! own.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use flock::Parameters;
use web_time::Instant;

use crate::view::frame::{Frame, Measured};
use cpu::engine::{Engine, EngineError};
use cpu::measures;
use cpu::state::State;
use cpu::system::spawn;

/// The least time from one measurement to the next, and how many times longer than one takes the pause after it is.
const INTERVAL: Duration = Duration::from_millis(400);
const TIME_FRACTION: u32 = 4;

/// What a measurement found, and how long it took.
type Found = (Measured, Duration);

/// Measures a flock while somebody looks.
#[derive(Debug, Default)]
pub struct Measurer {
    pub wanted: bool,
    due: Option<Instant>,
    running: Option<Receiver<Found>>,
    last: Option<Measured>,
}

impl Measurer {
    /// Tells the frame what was measured last, and begins another measurement where it is time.
    ///
    /// # Errors
    /// When the device failed.
    pub fn look(
        &mut self,
        engine: &mut dyn Engine,
        parameters: &Parameters,
        frame: &mut Frame,
    ) -> Result<(), EngineError> {
        self.take();
        if !self.wanted {
            self.last = None;
            return Ok(());
        }
        let now = Instant::now();
        let due = self.due.is_none_or(|due| due <= now) && self.running.is_none();
        if due && State::check_capacity(engine.boids()).is_ok() {
            let state = engine.state()?;
            self.running = Some(begin(frame.generation, *parameters, state, now.elapsed()));
        }
        frame.measured = self.last.filter(|last| last.generation == frame.generation);
        Ok(())
    }

    /// Takes what a measurement found.
    fn take(&mut self) {
        let Some(running) = &self.running else { return };
        match running.try_recv() {
            Ok((found, took)) => {
                self.last = Some(found);
                self.due = Some(Instant::now() + INTERVAL.max(TIME_FRACTION * took));
                self.running = None;
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => self.running = None,
        }
    }
}

/// Measures a state that took so long to read. Without a thread nothing is found.
fn begin(generation: u64, parameters: Parameters, state: State, read: Duration) -> Receiver<Found> {
    let (send, found) = channel();
    let measure = move || {
        let begun = Instant::now();
        let measures = measures::measure_only(&parameters, &state, &Measured::FAMILIES);
        let measured = Measured { generation, measures };
        // The window may be closed meanwhile.
        let _ = send.send((measured, read + begun.elapsed()));
    };
    if let Err(why) = spawn("measures", measure) {
        log::warn!("the flock is not measured: {why}");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::CpuEngine;

    #[test]
    fn a_flock_is_measured_while_it_is_wanted() {
        let mut parameters = Parameters::default();
        parameters.flock.boids = 50;
        let state = State::start(&parameters);
        let mut engine = CpuEngine::<f32>::new(&parameters, &state, Some(1)).expect("a thread");
        let mut measurer = Measurer { wanted: true, ..Measurer::default() };
        let mut look = |measurer: &mut Measurer| {
            let mut frame = Frame::empty(3);
            measurer.look(&mut engine, &parameters, &mut frame).expect("looks");
            frame.measured
        };
        let begun = Instant::now();
        let found = loop {
            if let Some(found) = look(&mut measurer) {
                break found;
            }
            assert!(begun.elapsed() < Duration::from_secs(60));
        };
        let expected = measures::measure(&parameters, &state);
        assert_eq!((found.generation, found.measures.groups), (3, expected.groups));
        assert_eq!(found.measures.angular_momentum, expected.angular_momentum);
        assert_eq!(found.measures.nearest_mean, expected.nearest_mean);
        measurer.wanted = false;
        assert_eq!(look(&mut measurer), None);
    }
}
