//! Predators. In a step they move first, from the boids at time t; the boids then flee from their new positions.
//!
//! A predator's velocity is a share of its old one, its inertia, and a weighted sum of three requests: chase the
//! flock's mean position, attack the boids in sight, and follow a trefoil knot (that of YABI, see `presets/yabi.toml`).
//! A falcon that hunts without a pause carves a hole into the flock, which all then circle; one that stoops comes from
//! outside, passes through and leaves.
//!
//! ```
//! use flock::predators::{Schedule, advance};
//! use flock::{Parameters, Predator, Rule, Vec3};
//!
//! let mut parameters = Parameters::default();
//! parameters.predators.chase_weight = 0.1;
//! let rule = Rule::<f64>::new(&parameters);
//! let (predator, mean) = (Predator::default(), Vec3::new(10.0, 0.0, 0.0));
//! let next = advance(&rule, &predator, mean, Vec3::zero(), Schedule::new(&rule, 0, 0));
//! assert!(next.position[0] > 0.0);
//! ```

use crate::number::{Number, Vec3};
use crate::rule::Rule;
use crate::state::{Boid, Predator};

/// The request along a trefoil knot, K = ((2 + cos 3τ)·cos 2τ, (2 + cos 3τ)·sin 2τ, sin 3τ) at
/// τ = 4π·step/period + index·π/4; a pure number, `period` in steps. It is computed outside the step, in f64 by `libm`,
/// with the same bits on every machine.
pub fn knot(step: u64, index: usize, period: f64) -> [f64; 3] {
    use core::f64::consts::{FRAC_PI_4, PI};
    let tau = 4.0 * PI * (step as f64 / period) + index as f64 * FRAC_PI_4;
    let ring = 2.0 + libm::cos(3.0 * tau);
    [ring * libm::cos(2.0 * tau), ring * libm::sin(2.0 * tau), libm::sin(3.0 * tau)]
}

/// The motion of a predator that depends on the step number alone. It is computed outside the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Its request along the [`knot`].
    pub knot: [f64; 3],
    /// True if it leaves, so that it requests the opposite of its chase and attack.
    pub leaves: bool,
}

/// The share of a period in which a predator leaves. It comes back with time to pass through the flock.
const LEAVING: f64 = 0.4;

/// Phase shift between successive predators, in periods: the golden ratio spreads any number of them evenly.
const APART: f64 = 0.618_033_988_749_895;

impl Schedule {
    /// The motion of predator number `index` in step number `step`.
    pub fn new<T: Number>(rule: &Rule<T>, step: u64, index: usize) -> Self {
        let periods = step as f64 / rule.stoop_period + index as f64 * APART;
        let leaves = 0.0 < rule.stoop_period && periods - libm::floor(periods) < LEAVING;
        Schedule { knot: knot(step, index, rule.knot_period), leaves }
    }
}

/// A boid's term of the attack request: the unit vector from predator to boid; zero if the boid rests or is unseen.
#[inline]
pub fn prey<T: Number>(rule: &Rule<T>, predator: Vec3<T>, boid: &Boid<T>) -> Vec3<T> {
    if boid.resting() {
        return Vec3::zero();
    }
    let offset = rule.nearest_image(Vec3::from(boid.position) - predator);
    T::toward(offset, rule.predator_sight)
}

/// A predator's next state, from its state, the flock's mean position, the sum of [`prey`], and its schedule.
pub fn advance<T: Number>(
    rule: &Rule<T>,
    predator: &Predator<T>,
    mean_position: Vec3<T>,
    attack: T::Wide,
    schedule: Schedule,
) -> Predator<T> {
    let position = Vec3::from(predator.position);
    let [x, y, z] = schedule.knot.map(T::from_f64);
    let turned = |weight: T| if schedule.leaves { -weight } else { weight };
    let knot = Vec3::new(x, y, if rule.flat { T::ZERO } else { z });
    let chase = rule.nearest_image(mean_position - position);
    let weigh = |request: Vec3<T>, weight: T| T::weigh(T::widen(request), weight);
    let velocity = T::narrow(
        weigh(predator.velocity.into(), rule.predator_inertia)
            + weigh(chase, turned(rule.chase_weight))
            + T::weigh(attack, turned(rule.attack_weight))
            + weigh(knot, rule.knot_weight),
    )
    .limit(rule.predator_max_speed);
    Predator {
        position: rule.wrap(position + velocity * rule.time_step).to_array(),
        velocity: velocity.to_array(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fixed, Parameters};

    /// Distances from the flock at every step, of a predator that begins 5 units from it.
    fn chase<T: Number>(inertia: f64, stoop_period: f64) -> std::vec::Vec<f64> {
        let mut p = Parameters::default();
        (p.predators.count, p.predators.max_speed) = (1, 2.0);
        (p.predators.chase_weight, p.predators.inertia) = (0.125, inertia);
        p.predators.stoop_period = stoop_period;
        let rule = Rule::<T>::new(&p);
        let mut predator =
            rule.quantise_predator(&Predator { position: [5.0, 0.0, 0.0], velocity: [0.0; 3] });
        let step = |step| {
            let schedule = Schedule::new(&rule, step, 0);
            predator = advance(&rule, &predator, Vec3::zero(), T::widen(Vec3::zero()), schedule);
            let [x, y, z] = rule.dequantise_predator(&predator).position;
            assert_eq!((y, z), (0.0, 0.0));
            x
        };
        (0..200).map(step).collect()
    }

    /// 40 steps away, then 60 back and through.
    fn stoops<T: Number>() {
        let path = chase::<T>(0.75, 100.0);
        assert!(path[39] > 70.0 && path[99].abs() < 5.0 && path[139].abs() > 50.0, "{path:?}");
        assert!(path[60..100].iter().any(|x| *x < -0.5), "through the flock: {path:?}");
        // The control: one that never leaves comes to stay.
        assert!(chase::<T>(0.75, 0.0).iter().all(|x| x.abs() <= 5.0));
    }

    #[test]
    fn a_predator_that_stoops_leaves_and_comes_back() {
        stoops::<f32>();
        stoops::<f64>();
        stoops::<Fixed>();
    }
}
