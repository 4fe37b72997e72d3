//! States that are hard on an engine: on one point, on borders, far out, with a reach beyond the world.

use std::sync::OnceLock;

use config::presets::{self, Preset};
use conform::flocks::{advance, crowd, quantised};
use engine::State;
use flock::grid::Grid;
use flock::parameters::{Edges, Start};
use flock::random::draw;
use flock::{Boid, Parameters, Rule, Vec3};

use crate::cases::{Case, Limits};
use crate::zones::zone;

/// All special states that can be judged number by number.
pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases = Vec::new();
        for (preset, dimensions) in [("cornell", 2), ("think", 3), ("holoviews", 2), ("yabi", 3)] {
            tiny(&mut cases, preset, dimensions);
            on_one_point(&mut cases, preset, dimensions);
            outliers(&mut cases, preset, dimensions);
            for edges in [Edges::Open, Edges::Turn, Edges::Wrap] {
                borders(&mut cases, preset, dimensions, edges);
                far_sight(&mut cases, preset, dimensions, edges);
            }
        }
        for edges in [Edges::Open, Edges::Turn, Edges::Wrap] {
            for nearest in [0, 7] {
                lattice(&mut cases, edges, nearest);
            }
            few_nearest(&mut cases, edges);
            zones(&mut cases, edges);
        }
        cases
    })
}

/// A preset with so many boids.
pub fn preset(name: &str, dimensions: u32, boids: u32) -> Parameters {
    let mut parameters = presets::find(name).and_then(Preset::parameters).expect("it is built in");
    parameters.flock.dimensions = dimensions;
    parameters.set_boids(boids);
    parameters
}

fn push(cases: &mut Vec<Case>, name: String, parameters: &Parameters, state: State, social: bool) {
    let state = advance::<f32>(parameters, &state, 0).expect("it fits");
    // The states place boids on thresholds.
    let limits = Limits { social: if social { 0.5 } else { 0.0 }, open: 1.0, turned: 0.1, undecided: 0.15 };
    cases.push(Case::new(name, *parameters, state, limits));
}

/// Nobody, one, two, and two on one point.
fn tiny(cases: &mut Vec<Case>, name: &str, dimensions: u32) {
    for boids in 0..=2 {
        let parameters = quantised(&preset(name, dimensions, boids));
        push(
            cases,
            format!("{name} {dimensions}-D of {boids}"),
            &parameters,
            State::start(&parameters),
            false,
        );
    }
}

/// All boids where one is; in pairs; and each pair a hair apart.
fn on_one_point(cases: &mut Vec<Case>, name: &str, dimensions: u32) {
    let mut parameters = preset(name, dimensions, 100);
    parameters.flock.start = Start::Point;
    let parameters = quantised(&parameters);
    let start = State::start(&parameters);
    push(cases, format!("{name} {dimensions}-D on one point"), &parameters, start, true);

    let parameters = quantised(&preset(name, dimensions, 100));
    for (apart, what) in [(false, "in pairs"), (true, "in pairs an ulp apart")] {
        let mut state = State::start(&parameters);
        for k in (0..100).step_by(2) {
            let mut position = state.boids[k].position;
            if apart {
                position[0] = f64::from((position[0] as f32).next_up());
            }
            state.boids[k + 1].position = position;
        }
        push(cases, format!("{name} {dimensions}-D {what}"), &parameters, state, true);
    }
}

/// Some boids far away and fast.
fn outliers(cases: &mut Vec<Case>, name: &str, dimensions: u32) {
    let parameters = quantised(&preset(name, dimensions, 200));
    let mut state = State::start(&parameters);
    for (k, boid) in state.boids.iter_mut().enumerate().step_by(17) {
        let far = [1e4, -3e5, 1e6][k % 3];
        boid.position = [far, -far, if dimensions == 2 { 0.0 } else { 0.5 * far }];
        boid.velocity = [1e3, far, 0.0];
    }
    push(cases, format!("{name} {dimensions}-D with outliers"), &parameters, state, false);
}

/// Boids on the borders of cells, of the world and of the turning margin, and an ulp to either side.
fn borders(cases: &mut Vec<Case>, name: &str, dimensions: u32, edges: Edges) {
    let mut parameters = preset(name, dimensions, 250);
    parameters.world.edges = edges;
    let parameters = quantised(&parameters);
    let (rule, mut state) = (Rule::<f32>::new(&parameters), State::start(&parameters));
    let grid = Grid::new(&rule, parameters.flock.boids);
    let [origin, inverse] = [grid.origin, grid.inverse].map(Vec3::to_array);
    let [low, high] = [rule.world_min, rule.world_max].map(Vec3::to_array);
    let [turn_low, turn_high] = [rule.turn_low, rule.turn_high].map(Vec3::to_array);
    for (id, boid) in state.boids.iter_mut().enumerate() {
        let words = draw(99, 0, id as u32, 0);
        for k in 0..dimensions as usize {
            let word = words[k];
            let cells = grid.dims[k].min(((high[k] - low[k]) * inverse[k]) as u32 + 2);
            let cell =
                origin[k] + (word >> 16) as f32 % (cells as f32 + 1.0) / inverse[k].max(f32::MIN_POSITIVE);
            let border = match word % 8 {
                0..4 if inverse[k] > 0.0 => cell,
                0 => low[k],
                1 => high[k],
                4 => turn_low[k],
                5 => turn_high[k],
                _ => boid.position[k] as f32,
            };
            boid.position[k] =
                f64::from([border, border.next_up(), border.next_down()][(word >> 4) as usize % 3]);
        }
    }
    push(cases, format!("{name} {dimensions}-D {edges:?} on borders"), &parameters, state, false);
}

/// Everyone within the reach of everyone, which is three times the world.
fn far_sight(cases: &mut Vec<Case>, name: &str, dimensions: u32, edges: Edges) {
    let mut parameters = preset(name, dimensions, 80);
    parameters.world.edges = edges;
    let size = parameters.world.max[0] - parameters.world.min[0];
    parameters.separation.radius = 3.0 * size;
    parameters.alignment.radius = 2.0 * size;
    parameters.cohesion.radius = 2.5 * size;
    let parameters = quantised(&parameters);
    push(
        cases,
        format!("{name} {dimensions}-D {edges:?} far-sighted"),
        &parameters,
        State::start(&parameters),
        true,
    );
}

/// Boids on whole numbers, many exactly as far apart as the radius: every number is exact, so nobody's neighbours
/// are in doubt.
fn lattice(cases: &mut Vec<Case>, edges: Edges, nearest: u32) {
    let mut parameters = preset("cornell", 3, 512);
    parameters.neighbours.nearest = nearest;
    (parameters.world.min, parameters.world.max) = ([0.0; 3], [8.0; 3]);
    (parameters.world.edges, parameters.world.margin, parameters.world.turn) = (edges, 1.0, 0.25);
    parameters.separation.radius = 1.0;
    (parameters.alignment.radius, parameters.cohesion.radius) = (2.0, 2.0);
    let parameters = quantised(&parameters);
    let boid = |id: u32| {
        let place = [id % 8, id / 8 % 8, id / 64];
        let words = draw(5, 0, id, 0);
        let velocity = std::array::from_fn(|k| f64::from(words[k] % 9) - 4.0);
        Boid { position: place.map(f64::from), velocity, ..Boid::default() }
    };
    let state = State { step: 7, boids: (0..512).map(boid).collect(), predators: Vec::new() };
    push(cases, format!("lattice {edges:?}, nearest {nearest}"), &parameters, state, true);
}

/// Zones with priority, angular noise and preferred directions: of means, and of unit vectors with normal noise.
fn zones(cases: &mut Vec<Case>, edges: Edges) {
    for dimensions in [2, 3] {
        let mut parameters = preset("murmuration", dimensions, 300);
        // In flight all would be within the separation radius of others, which then has priority.
        (parameters.flock.start, parameters.world.edges) = (Start::Uniform, edges);
        crowd(&mut parameters);
        zone(&mut parameters);
        let mut parameters = quantised(&parameters);
        let state = State::start(&parameters);
        push(cases, format!("{dimensions}-D {edges:?}, zones"), &parameters, state.clone(), false);
        (parameters.alignment.unit, parameters.cohesion.unit) = (true, true);
        (parameters.noise.angle, parameters.noise.gaussian) = (0.0, 0.05);
        push(cases, format!("{dimensions}-D {edges:?}, unit vectors"), &parameters, state, false);
    }
}

/// Each boid perceives the seven nearest of some dozens, and in pairs on one point the two at a distance together.
fn few_nearest(cases: &mut Vec<Case>, edges: Edges) {
    for dimensions in [2, 3] {
        let mut parameters = preset("murmuration", dimensions, 300);
        crowd(&mut parameters);
        (parameters.world.edges, parameters.neighbours.nearest) = (edges, 7);
        let parameters = quantised(&parameters);
        let mut state = State::start(&parameters);
        push(cases, format!("{dimensions}-D {edges:?}, the seven nearest"), &parameters, state.clone(), true);
        for k in (0..300).step_by(2) {
            state.boids[k + 1].position = state.boids[k].position;
        }
        push(
            cases,
            format!("{dimensions}-D {edges:?}, the seven nearest in pairs"),
            &parameters,
            state,
            true,
        );
    }
}
