//! Every preset, in two and three dimensions, as published and crowded, at its start and fifty steps on.

use std::sync::OnceLock;

use flock::{Parameters, Rule};
use murmuration::presets::PRESETS;
use murmuration::state::State;

use crate::cases::Case;
use crate::compare::Limits;
use crate::flocks::{self, quantised};

/// At most as many boids: the reference looks at all pairs.
const MOST_BOIDS: u32 = 1000;
/// In a crowded flock so many boids are within reach of each at the start.
const CROWD: f64 = 10.0;

pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases = Vec::new();
        for preset in PRESETS {
            let published = preset.parameters().expect("presets hold");
            for dimensions in [2, 3] {
                let mut parameters = published;
                parameters.flock.dimensions = dimensions;
                parameters.set_boids(published.flock.boids.min(MOST_BOIDS));
                let name = format!("{} {dimensions}-D", preset.name);
                let near = neighbours(&parameters);
                add(&mut cases, &name, &quantised(&parameters), near >= CROWD);
                if near < CROWD {
                    shrink(&mut parameters, near / CROWD);
                    add(&mut cases, &format!("{name} crowded"), &quantised(&parameters), true);
                }
            }
        }
        cases
    })
}

fn add(cases: &mut Vec<Case>, name: &str, parameters: &Parameters, crowded: bool) {
    let start = State::start(parameters);
    let limits = if crowded { Limits::COMMON.social() } else { Limits::COMMON };
    for steps in [0, 50] {
        let state = flocks::advance::<f32>(parameters, &start, steps);
        cases.push(Case::new(format!("{name} step {steps}"), *parameters, state, limits));
    }
}

/// Boids within reach of each, if they are spread evenly over the world.
fn neighbours(parameters: &Parameters) -> f64 {
    let reach = Rule::<f64>::new(parameters).reach;
    let axes = parameters.flock.dimensions as usize;
    let ball = if axes == 2 { reach.powi(2) } else { reach.powi(3) * 4.0 / 3.0 } * std::f64::consts::PI;
    let world = &parameters.world;
    let size: f64 = (0..axes).map(|k| world.max[k] - world.min[k]).product();
    f64::from(parameters.flock.boids) * ball / size
}

/// Shrinks the world, about its centre, to a share of its size.
fn shrink(parameters: &mut Parameters, share: f64) {
    let scale = share.powf(1.0 / f64::from(parameters.flock.dimensions));
    let world = &mut parameters.world;
    for k in 0..3 {
        let (centre, half) = (0.5 * (world.min[k] + world.max[k]), 0.5 * (world.max[k] - world.min[k]));
        (world.min[k], world.max[k]) = (centre - scale * half, centre + scale * half);
    }
    world.margin *= scale;
}
