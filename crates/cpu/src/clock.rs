//! When the phases of a step ran.

use web_time::Instant;

use crate::engine::PassEvent;

/// A clock that runs only once it is started.
#[derive(Debug, Default)]
pub struct Clock {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    zero: Instant,
    last: Instant,
    events: Vec<PassEvent>,
}

impl Clock {
    /// Starts or stops it; what it knew is gone.
    pub fn run(&mut self, on: bool) {
        let now = Instant::now();
        self.running = on.then(|| Running { zero: now, last: now, events: Vec::new() });
    }

    /// What ran since it was last asked.
    pub fn take(&mut self) -> Vec<PassEvent> {
        self.running.as_mut().map_or_else(Vec::new, |running| std::mem::take(&mut running.events))
    }

    /// The first phase of a step begins.
    pub fn begin(&mut self) {
        if let Some(running) = &mut self.running {
            running.last = Instant::now();
        }
    }

    /// A phase of a step has ended, and the next begins.
    pub fn end(&mut self, pass: &'static str, step: u64) {
        if let Some(Running { zero, last, events }) = &mut self.running {
            let now = Instant::now();
            let since = |at: Instant| at.duration_since(*zero).as_nanos() as f64;
            events.push(PassEvent { pass, step, begin: since(*last), end: since(now) });
            *last = now;
        }
    }
}
