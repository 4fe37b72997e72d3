//! The states that one step is compared from: natural ones that a flock reaches, and hostile ones that are contrived.

use flock::parameters::Edges;
use flock::random::draw;
use flock::{Boid, Parameters};

use super::flocks;
use cpu::state::State;

/// Boids of each state.
pub const BOIDS: u32 = 120;

/// Steps after which a flock counts as settled.
pub const SETTLED: u32 = 200;

/// The start and the settled flock.
pub fn natural(parameters: &Parameters) -> [(&'static str, State); 2] {
    let start = State::start(parameters);
    let settled = flocks::advance::<f64>(parameters, &start, SETTLED);
    [("start", start), ("settled", settled)]
}

/// States made from a settled one: collapsed, on one point, at the distance of a radius, on the borders of the world.
pub fn hostile(parameters: &Parameters, settled: &State) -> Vec<(&'static str, State)> {
    let changed = |change: &dyn Fn(usize, &mut Boid<f64>)| {
        let mut state = settled.clone();
        state.boids.iter_mut().enumerate().for_each(|(id, boid)| change(id, boid));
        state
    };
    let world = &parameters.world;
    let centre: [f64; 3] = std::array::from_fn(|k| 0.5 * (world.min[k] + world.max[k]));
    let axes = parameters.flock.dimensions as usize;
    let toward_centre = |scale: f64| {
        changed(&|_, boid| {
            for (place, centre) in boid.position.iter_mut().zip(centre).take(axes) {
                *place = centre + (*place - centre) * scale;
            }
        })
    };
    let first = settled.boids.first().map_or([0.0; 3], |boid| boid.position);
    let partner = |id: usize| settled.boids[id - id % 2].position;
    vec![
        ("collapsed to a tenth", toward_centre(0.1)),
        ("collapsed to a hundredth", toward_centre(0.01)),
        ("collapsed to a thousandth", toward_centre(0.001)),
        ("on one point", changed(&|_, boid| boid.position = first)),
        ("in pairs on one point", changed(&|id, boid| boid.position = partner(id))),
        (
            "in pairs a radius apart",
            changed(&|id, boid| {
                if id % 2 == 1 {
                    boid.position = apart(parameters, partner(id), id / 2);
                }
            }),
        ),
        ("on borders", changed(&|id, boid| on_border(parameters, id as u32, &mut boid.position))),
    ]
}

/// A position at the distance of one of the rule's radii, changed by up to 5·10⁻⁵ of it.
fn apart(parameters: &Parameters, from: [f64; 3], k: usize) -> [f64; 3] {
    let p = parameters;
    let radii = [p.separation.radius, p.alignment.radius, p.cohesion.radius].map(f64::abs);
    let used: Vec<f64> = radii.into_iter().filter(|radius| *radius > 0.0).collect();
    let radius = used.get(k % used.len().max(1)).copied().unwrap_or(1.0);
    let off = (k / 3 % 13) as f64 - 6.0;
    let distance = radius * (1.0 + off * f64::exp2(-17.0));
    let [x, y, z] = from;
    if k.is_multiple_of(2) { [x + distance, y, z] } else { [x - 0.6 * distance, y + 0.8 * distance, z] }
}

/// Puts each coordinate on a border of the world or of its margin, or 2⁻²⁰ of the world's size to either side.
fn on_border(parameters: &Parameters, id: u32, position: &mut [f64; 3]) {
    let world = &parameters.world;
    let words = draw(11, 0, id, 0);
    for k in 0..parameters.flock.dimensions as usize {
        let word = words[k];
        let margin = if world.edges == Edges::Turn { world.margin } else { 0.0 };
        let (low, high) = (world.min[k], world.max[k]);
        let borders = [low, high, low + margin, high - margin, position[k], position[k]];
        let border = borders[(word >> 8) as usize % borders.len()];
        let hair = (high - low) * f64::exp2(-20.0);
        position[k] = border + hair * f64::from(word % 3) - hair;
    }
}
