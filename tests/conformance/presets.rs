//! Every preset, in two and three dimensions, as published and crowded, at its start and fifty steps on.

use std::sync::OnceLock;

use config::presets::PRESETS;
use conform::flocks::{CROWD, crowd, neighbours};
use engine::State;
use flock::Parameters;

use crate::cases::{Case, Limits};
use crate::flocks::{self, quantised};

pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        // The reference looks at all pairs.
        let most = 500;
        let mut cases = Vec::new();
        for preset in PRESETS {
            let published = preset.parameters().expect("presets hold");
            for dimensions in [2, 3] {
                let mut parameters = published;
                parameters.flock.dimensions = dimensions;
                parameters.set_boids(published.flock.boids.min(most));
                let name = format!("{} {dimensions}-D", preset.name);
                let near = neighbours(&parameters);
                add(&mut cases, &name, &quantised(&parameters), near >= CROWD);
                if near < CROWD {
                    crowd(&mut parameters);
                    add(&mut cases, &format!("{name} crowded"), &quantised(&parameters), true);
                }
            }
        }
        cases
    })
}

fn add(cases: &mut Vec<Case>, name: &str, parameters: &Parameters, crowded: bool) {
    let start = State::start(parameters);
    // Each boid of couzin decides on all 299 others at three radii.
    let open = if name.starts_with("couzin") { 0.02 } else { 0.01 };
    // More than half of a crowded flock must have neighbours.
    let limits = Limits { social: if crowded { 0.5 } else { 0.0 }, open, turned: 0.001, undecided: 0.001 };
    for steps in [0, 50] {
        let state = flocks::advance::<f32>(parameters, &start, steps).expect("it steps");
        cases.push(Case::new(format!("{name} step {steps}"), *parameters, state, limits));
    }
}
