//! The flocks that the backends are compared on.

use flock::parameters::{PARAMETERS, Sphere, Spheres, Value};
use flock::{Fixed, Parameters, Requests, Rule};

use super::brute::{Brute, Mutation};
use config::ConfigError;
use config::presets::Preset;
use cpu::Real;
use cpu::state::{Numeric, State};

/// Mean number of boids within reach of each at the start of a crowded flock.
pub const CROWD: f64 = 10.0;

/// A preset with other dimensions and another number of boids; `crowded` applies [`crowd`].
///
/// # Errors
/// When the preset's file is not valid.
pub fn preset(
    preset: &Preset,
    dimensions: u32,
    boids: u32,
    crowded: bool,
) -> Result<Parameters, ConfigError> {
    let mut parameters = preset.parameters()?;
    parameters.flock.dimensions = dimensions;
    if boids > 1 {
        parameters.set_boids(boids);
    } else {
        // At the preset's density the world would be smaller than its margins.
        parameters.flock.boids = boids;
    }
    if crowded {
        crowd(&mut parameters);
    }
    Ok(parameters)
}

/// Shrinks the world about its centre until each boid has [`CROWD`] others within reach at the start.
pub fn crowd(parameters: &mut Parameters) {
    let share = neighbours(parameters) / CROWD;
    if share >= 1.0 {
        return;
    }
    let scale = share.powf(1.0 / f64::from(parameters.flock.dimensions));
    let world = &mut parameters.world;
    for k in 0..3 {
        let (centre, half) = (0.5 * (world.min[k] + world.max[k]), 0.5 * (world.max[k] - world.min[k]));
        (world.min[k], world.max[k]) = (centre - scale * half, centre + scale * half);
    }
    world.margin *= scale;
}

/// Gives a flock zones that follow each other, the first with priority, angular noise, and two groups with preferred
/// directions, as in the models of Couzin et al. (J. theor. Biol. 218, 2002; Nature 433, 2005).
pub fn zone(p: &mut Parameters) {
    let near = 0.25 * p.alignment.radius;
    (p.separation.priority, p.separation.radius) = (true, near);
    (p.alignment.inner_radius, p.cohesion.inner_radius) = (near, 0.75 * p.cohesion.radius);
    (p.noise.angle, p.motion.max_turn) = (12.0, 40.0);
    (p.scouts.right, p.scouts.left, p.scouts.pull) = (0.2, 0.1, 0.3);
    (p.scouts.right_direction, p.scouts.left_direction) = ([0.2, 1.0, -0.4], [-3.0, 2.0, 0.5]);
}

/// The mean number of boids within reach of each at uniform density.
pub fn neighbours(parameters: &Parameters) -> f64 {
    let reach = Rule::<f64>::new(parameters).reach;
    let axes = parameters.flock.dimensions as usize;
    let ball = if axes == 2 { reach.powi(2) } else { reach.powi(3) * 4.0 / 3.0 } * std::f64::consts::PI;
    let world = &parameters.world;
    let size: f64 = (0..axes).map(|k| world.max[k] - world.min[k]).product();
    f64::from(parameters.flock.boids) * ball / size
}

/// The parameters with each number rounded to f32, so that engines of all floating-point types follow the same rule
/// and only their arithmetic differs. A number that rounding would move out of its range is kept.
pub fn quantised(parameters: &Parameters) -> Parameters {
    let near = |value: f64| f64::from(value as f32);
    let mut rounded = *parameters;
    for parameter in PARAMETERS {
        let value = match parameter.get(parameters) {
            Value::Real(v) => Value::Real(near(v)),
            Value::Vector(v) => Value::Vector(v.map(near)),
            Value::Spheres(spheres) => {
                let mut all = Spheres::default();
                let near = |s: &Sphere| Sphere { position: s.position.map(near), radius: near(s.radius) };
                let rounded = spheres.as_slice().iter().try_for_each(|sphere| all.push(near(sphere)));
                Value::Spheres(if rounded.is_ok() { all } else { spheres })
            }
            other => other,
        };
        let mut next = rounded;
        if parameter.set(&mut next, value).is_ok() {
            rounded = next;
        }
    }
    rounded
}

/// The state with each number rounded to a number type.
pub fn representable(parameters: &Parameters, state: &State, numeric: Numeric) -> State {
    match numeric {
        Numeric::F32 => advance::<f32>(parameters, state, 0),
        Numeric::F64 => state.clone(),
        Numeric::Fixed => advance::<Fixed>(parameters, state, 0),
    }
}

/// The flock after some steps, by brute force in the number type `T`.
pub fn advance<T: Real + Requests>(parameters: &Parameters, state: &State, steps: u32) -> State {
    let mut brute = Brute::<T>::new(parameters, state, Mutation::none());
    brute.run(steps);
    brute.snapshot()
}
