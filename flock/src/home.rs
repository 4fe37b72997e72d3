//! Home: a place that boids return to, as starlings to their roost, which may wander from step to step.
//!
//! ```
//! use flock::{Parameters, Rule, home};
//!
//! let mut parameters = Parameters::default();
//! (parameters.home.weight, parameters.home.wander, parameters.home.wander_period) = (0.1, 8.0, 400.0);
//! let rule = Rule::<f64>::new(&parameters);
//! assert_eq!(home::position(&rule, 0).x, 0.0);
//! assert_eq!(home::position(&rule, 100).x, 8.0);
//! ```

use crate::number::{Number, Vec3};
use crate::parameters::Edges;
use crate::rule::{Rule, Term};

/// The figure of eight (sin τ, sin 2τ, 0) at τ = 2π·step/period; pure numbers within ±1, `period` in steps. It is
/// computed outside the step, in f64 by `libm`, with the same bits on every machine.
pub fn wander(step: u64, period: f64) -> [f64; 3] {
    let tau = core::f64::consts::TAU * (step as f64 / period);
    [libm::sin(tau), libm::sin(2.0 * tau), 0.0]
}

/// The position of home in step number `step`; inside a world that wraps.
pub fn position<T: Number>(rule: &Rule<T>, step: u64) -> Vec3<T> {
    if !rule.terms.has(Term::Wander) {
        return rule.home;
    }
    let (unit, size) = (wander(step, rule.wander_period), rule.size.to_array());
    let [x, y, z] = core::array::from_fn(|k| {
        let (offset, size) = (unit[k] * rule.wander.to_f64(), size[k].to_f64());
        let round = rule.edges == Edges::Wrap && 0.0 < size;
        T::from_f64(if round { offset - size * libm::round(offset / size) } else { offset })
    });
    rule.wrap(rule.home + Vec3::new(x, y, z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fixed, Parameters};

    const PERIOD: f64 = 800.0;

    fn wandering() -> Parameters {
        let mut p = Parameters::default();
        (p.home.weight, p.home.position) = (0.1, [50.0, 20.0, 30.0]);
        (p.home.wander, p.home.wander_period) = (8.0, PERIOD);
        p
    }

    fn places<T: Number>(p: &Parameters, steps: [u64; 5]) -> [[f64; 3]; 5] {
        let rule = Rule::<T>::new(p);
        steps.map(|step| position(&rule, step).to_array().map(|c| rule.unscaled(c)))
    }

    #[test]
    fn home_wanders_on_a_closed_level_curve_in_every_number_type() {
        // At the far ends of the figure of eight, in its middle, and after a whole period.
        let expected = [[50.0, 20.0], [55.657, 28.0], [58.0, 20.0], [50.0, 20.0], [50.0, 20.0]];
        let p = wandering();
        for found in [places::<f32>, places::<f64>, places::<Fixed>].map(|of| of(&p, [0, 100, 200, 400, 800]))
        {
            for ([x, y, z], expected) in found.into_iter().zip(expected) {
                assert!((x - expected[0]).abs() < 1e-3 && (y - expected[1]).abs() < 1e-3, "{x} {y}");
                assert_eq!(z, 30.0);
            }
        }
    }

    #[test]
    fn home_stays_inside_a_world_that_wraps() {
        let mut p = wandering();
        p.world.edges = Edges::Wrap;
        p.home.wander = 330.0;
        for place in places::<f64>(&p, [0, 90, 200, 310, 601]) {
            assert!(place.iter().all(|c| (0.0..100.0).contains(c)), "{place:?}");
        }
        // 330 to the right of 50 in a world of 100.
        assert!((places::<f64>(&p, [200; 5])[0][0] - 80.0).abs() < 1e-9);
    }
}
