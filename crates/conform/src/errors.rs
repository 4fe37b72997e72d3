//! Errors of a step, in three measures.

use flock::parameters::Edges;
use flock::{Boid, Parameters};

use super::Guarantee;

/// Errors over some boids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    /// Boids that the figures below cover.
    pub boids: usize,
    /// Boids excluded because they took another outcome of an open decision than the rule in f64.
    pub turned: usize,
    /// Boids excluded because they have no bound.
    pub undecided: usize,
    /// The largest error, as a share of the largest step a boid can take.
    pub share: f64,
    /// The largest error in units in the last place of the largest component of its vector.
    pub ulps: f64,
    /// Σ|v|² and Σ|v̂ − v|² over the velocities.
    pub signal: f64,
    pub noise: f64,
}

impl Errors {
    /// Adds a boid that was found in place of the exact one.
    pub fn add(
        &mut self,
        parameters: &Parameters,
        guarantee: Guarantee,
        found: &Boid<f64>,
        exact: &Boid<f64>,
    ) {
        self.boids += 1;
        self.share = self.share.max(deviation(parameters, found, exact));
        let [position, velocity] = differences(parameters, found, exact);
        for (vector, off) in [(exact.position, position), (exact.velocity, velocity)] {
            let longest = vector.into_iter().chain(off).fold(0.0, |most: f64, c| most.max(c.abs()));
            let worst = off.into_iter().fold(0.0, f64::max);
            if worst > 0.0 {
                self.ulps = self.ulps.max(worst / last_place(guarantee, longest));
            }
        }
        self.signal += exact.velocity.iter().map(|c| c * c).sum::<f64>();
        self.noise += velocity.iter().map(|c| c * c).sum::<f64>();
    }

    /// Adds the figures of other boids.
    pub fn merge(&mut self, other: &Errors) {
        self.boids += other.boids;
        self.turned += other.turned;
        self.undecided += other.undecided;
        self.share = self.share.max(other.share);
        self.ulps = self.ulps.max(other.ulps);
        self.signal += other.signal;
        self.noise += other.noise;
    }

    /// Signal-to-noise ratio of the velocities, dB; infinite without error.
    pub fn decibels(&self) -> f64 {
        10.0 * (self.signal / self.noise).log10()
    }
}

/// A unit in the last place of a number of this magnitude.
fn last_place(guarantee: Guarantee, magnitude: f64) -> f64 {
    let exponent = magnitude.log2().floor();
    match guarantee {
        Guarantee::Ieee32 | Guarantee::Wgsl32 => f64::exp2(exponent.max(-126.0) - 23.0),
        Guarantee::Ieee64 => f64::exp2(exponent.max(-1022.0) - 52.0),
    }
}

/// The largest error of a boid as a share of the largest step; errors of positions are divided by the time step.
/// Infinite for NaN, and where group or rest differ.
pub fn deviation(parameters: &Parameters, found: &Boid<f64>, exact: &Boid<f64>) -> f64 {
    let [position, velocity] = differences(parameters, found, exact);
    let step = parameters.motion.time_step.abs().max(f64::MIN_POSITIVE);
    let all = position.into_iter().map(|c| c / step).chain(velocity);
    let worst = all.fold(0.0, |most, c| if c <= most { most } else { c });
    if worst.is_nan() || (found.group, found.rest) != (exact.group, exact.rest) {
        return f64::INFINITY;
    }
    worst / parameters.motion.max_speed.max(f64::MIN_POSITIVE)
}

/// Absolute differences of positions, to the nearest image in a wrapping world, and of velocities.
pub fn differences(parameters: &Parameters, found: &Boid<f64>, exact: &Boid<f64>) -> [[f64; 3]; 2] {
    let world = &parameters.world;
    let position = std::array::from_fn(|k| {
        let off = (found.position[k] - exact.position[k]).abs();
        let round = (world.max[k] - world.min[k] - off).abs();
        if world.edges == Edges::Wrap && round < off { round } else { off }
    });
    [position, std::array::from_fn(|k| (found.velocity[k] - exact.velocity[k]).abs())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shares_units_and_decibels() {
        let mut parameters = Parameters::default();
        (parameters.motion.max_speed, parameters.motion.time_step) = (2.0, 1.0);
        let exact = Boid { velocity: [1.0, 0.0, 0.0], ..Boid::default() };
        let found = Boid { velocity: [1.0 + f64::exp2(-20.0), 0.0, 0.0], ..exact };
        let mut errors = Errors::default();
        errors.add(&parameters, Guarantee::Ieee32, &found, &exact);
        assert_eq!((errors.boids, errors.ulps, errors.share), (1, 8.0, f64::exp2(-21.0)));
        assert!((errors.decibels() - 20.0 * f64::exp2(20.0).log10()).abs() < 1e-9);
        let no_number = Boid { velocity: [f64::NAN; 3], ..exact };
        assert_eq!(deviation(&parameters, &no_number, &exact), f64::INFINITY);
        assert_eq!(deviation(&parameters, &Boid { rest: 1, ..exact }, &exact), f64::INFINITY);
    }
}
