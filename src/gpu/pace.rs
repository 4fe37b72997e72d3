//! How fast a device is: seconds that it takes for a candidate and for a boid, measured while it steps. They decide how
//! steps are cut into submits, never what comes out.

/// How much slower than measured a step may turn out.
const CAUTION: f64 = 1.5;
/// How far a measurement may lead from what is assumed at first.
const RANGE: f64 = 64.0;

/// Seconds a candidate and seconds a boid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    assumed: (f64, f64),
    known: (f64, f64),
    /// It was set, and is measured no more.
    set: bool,
}

impl Pace {
    /// Where nothing is known but whether it is hardware: small GPUs take half a nanosecond for a candidate, programs on
    /// the CPU about 6 ns.
    #[must_use]
    pub fn of(hardware: bool) -> Pace {
        let assumed = if hardware { (0.5e-9, 10e-9) } else { (10e-9, 100e-9) };
        Pace { assumed, known: assumed, set: false }
    }

    /// Seconds a candidate and seconds a boid.
    #[must_use]
    pub fn seconds(&self) -> (f64, f64) {
        self.known
    }

    /// Sets it for good.
    pub fn set(&mut self, candidate: f64, boid: f64) {
        (self.known, self.set) = ((candidate, boid), true);
    }

    /// Learns from a step that met at most so many candidates: its seconds with the neighbours, and with all the rest.
    /// Slower is believed at once, faster by and by.
    pub fn learn(&mut self, candidates: f64, boids: f64, neighbours: f64, rest: f64) {
        if self.set || boids < 1.0 || neighbours + rest <= 0.0 {
            return;
        }
        let towards = |known: f64, assumed: f64, measured: f64| {
            let measured = (CAUTION * measured).clamp(assumed / RANGE, assumed * RANGE);
            measured.max(0.5 * known)
        };
        if candidates >= boids {
            self.known.0 = towards(self.known.0, self.assumed.0, neighbours / candidates);
        }
        self.known.1 = towards(self.known.1, self.assumed.1, rest / boids);
    }

    /// Learns from steps that took so many seconds each, where it is not known what of them.
    pub fn learn_whole(&mut self, candidates: f64, boids: f64, seconds: f64) {
        let (candidate, boid) = (candidates * self.known.0, boids * self.known.1);
        let neighbours = seconds * candidate / (candidate + boid).max(f64::MIN_POSITIVE);
        self.learn(candidates, boids, neighbours, seconds - neighbours);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_device_is_believed_at_once_and_a_faster_one_by_and_by() {
        let near = |pace: &Pace, candidate: f64, boid: f64| {
            let (found, other) = pace.seconds();
            (found / candidate - 1.0).abs() < 1e-9 && (other / boid - 1.0).abs() < 1e-9
        };
        let mut pace = Pace::of(false);
        pace.learn(1e6, 1e3, 40e-3, 1e-3);
        assert!(near(&pace, 60e-9, 1.5e-6), "{pace:?}");
        pace.learn(1e6, 1e3, 1e-3, 1e-5);
        assert!(near(&pace, 30e-9, 0.75e-6), "{pace:?}");
        for _ in 0..50 {
            pace.learn(1e6, 1e3, 1e-9, 1e-9);
        }
        // Never out of all proportion.
        assert!(near(&pace, 10e-9 / RANGE, 100e-9 / RANGE), "{pace:?}");
    }

    #[test]
    fn a_step_as_a_whole_is_shared_out_as_it_was_before() {
        let mut pace = Pace::of(false);
        pace.learn_whole(1e6, 1e5, 2.0 * (10e-3 + 10e-3));
        let (candidate, boid) = pace.seconds();
        assert!((candidate / 30e-9 - 1.0).abs() < 1e-9 && (boid / 300e-9 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_set_stays() {
        let mut pace = Pace::of(true);
        pace.set(1.0, 2.0);
        pace.learn(1e6, 1e3, 1.0, 1.0);
        assert_eq!(pace.seconds(), (1.0, 2.0));
    }
}
