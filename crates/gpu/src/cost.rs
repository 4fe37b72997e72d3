//! The cost model: the time of a step on this device, measured while stepping. It decides how steps are cut into
//! submits, never what they compute.

/// Safety factor on a measured time.
const MARGIN: f64 = 1.5;
/// Maximum ratio between a learned cost and the initial one.
const RANGE: f64 = 64.0;

/// Costs of a step, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Per candidate: a boid tested for being within another boid's reach.
    pub candidate: f64,
    /// Per boid, for everything else.
    pub boid: f64,
}

/// The costs of one device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    initial: Costs,
    known: Costs,
    /// Set by the caller; measurements no longer change them.
    fixed: bool,
}

impl CostModel {
    /// Initial costs: a small GPU takes 0.5 ns per candidate, a software adapter about 6 ns.
    pub fn new(hardware: bool) -> CostModel {
        let (candidate, boid) = if hardware { (0.5e-9, 10e-9) } else { (10e-9, 100e-9) };
        let initial = Costs { candidate, boid };
        CostModel { initial, known: initial, fixed: false }
    }

    /// The current costs.
    pub fn costs(&self) -> Costs {
        self.known
    }

    /// Fixes the costs: measurements no longer change them.
    pub fn fix(&mut self, costs: Costs) {
        (self.known, self.fixed) = (costs, true);
    }

    /// Learns from a step of at most `candidates` candidates: `search` is the time of its neighbour search in seconds,
    /// `rest` of all else. A higher cost is taken at once; a lower one at most halves the known cost.
    pub fn learn(&mut self, candidates: f64, boids: f64, search: f64, rest: f64) {
        if self.fixed || boids < 1.0 || search + rest <= 0.0 {
            return;
        }
        let update = |known: f64, initial: f64, measured: f64| {
            let measured = (MARGIN * measured).clamp(initial / RANGE, initial * RANGE);
            measured.max(0.5 * known)
        };
        if candidates >= boids {
            self.known.candidate = update(self.known.candidate, self.initial.candidate, search / candidates);
        }
        self.known.boid = update(self.known.boid, self.initial.boid, rest / boids);
    }

    /// Learns from the total time of a step, divided between the two costs as the model predicts.
    pub fn learn_total(&mut self, candidates: f64, boids: f64, seconds: f64) {
        let (search, rest) = (candidates * self.known.candidate, boids * self.known.boid);
        let search = seconds * search / (search + rest).max(f64::MIN_POSITIVE);
        self.learn(candidates, boids, search, seconds - search);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(model: &CostModel, candidate: f64, boid: f64) -> bool {
        let found = model.costs();
        (found.candidate / candidate - 1.0).abs() < 1e-9 && (found.boid / boid - 1.0).abs() < 1e-9
    }

    #[test]
    fn a_higher_cost_is_taken_at_once_and_a_lower_one_gradually() {
        let mut model = CostModel::new(false);
        model.learn(1e6, 1e3, 40e-3, 1e-3);
        assert!(near(&model, 60e-9, 1.5e-6), "{model:?}");
        model.learn(1e6, 1e3, 1e-3, 1e-5);
        assert!(near(&model, 30e-9, 0.75e-6), "{model:?}");
        for _ in 0..50 {
            model.learn(1e6, 1e3, 1e-9, 1e-9);
        }
        assert!(near(&model, 10e-9 / RANGE, 100e-9 / RANGE), "beyond the range: {model:?}");
    }
}
