//! Times of the phases of a step.

use web_time::Instant;

use engine::PassEvent;

/// A clock that runs only once it is started.
#[derive(Debug, Default)]
pub struct Clock {
    /// The times of its start and of the last phase's end; none while it is stopped.
    times: Option<[Instant; 2]>,
    events: Vec<PassEvent>,
}

impl Clock {
    /// Starts or stops the clock, and clears it.
    pub fn run(&mut self, on: bool) {
        *self = Clock { times: on.then(|| [Instant::now(); 2]), events: Vec::new() };
    }

    /// The phases since the last call.
    pub fn take(&mut self) -> Vec<PassEvent> {
        std::mem::take(&mut self.events)
    }

    /// The first phase of a step begins.
    pub fn begin(&mut self) {
        if let Some([_, last]) = &mut self.times {
            *last = Instant::now();
        }
    }

    /// A phase of a step has ended, and the next begins.
    pub fn end(&mut self, pass: &'static str, step: u64) {
        if let Some([zero, last]) = &mut self.times {
            let now = Instant::now();
            let since = |at: Instant| at.duration_since(*zero).as_nanos() as f64;
            self.events.push(PassEvent { pass, step, begin: since(*last), end: since(now) });
            *last = now;
        }
    }
}
