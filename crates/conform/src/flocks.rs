//! The flocks that the backends are compared on, and the states that one step is compared from: natural ones that a
//! flock reaches, and hostile ones that are contrived.

use flock::parameters::{Edges, PARAMETERS, Sphere, Spheres, Value};
use flock::random::draw;
use flock::{Parameters, Rule};

use super::{Brute, Mutation};
use config::ConfigError;
use config::presets::{PRESETS, Preset};
use cpu::Real;
use engine::{Result, State};

/// Every preset that is not of the gallery is compared in two and in three dimensions.
pub(super) const DIMENSIONS: [u32; 2] = [2, 3];

/// Mean number of boids within reach of each at the start of a crowded flock.
pub const CROWD: f64 = 10.0;

/// A rule that backends are compared on.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the preset or file.
    pub name: String,
    /// The parameters of the preset or file.
    pub parameters: Parameters,
    /// True if its hashes are recorded: for a preset that is not of the gallery.
    pub kept: bool,
}

impl Model {
    /// The model of a preset.
    ///
    /// # Errors
    /// When the preset's file is not valid.
    pub fn preset(preset: &Preset) -> Result<Self, ConfigError> {
        let kept = PRESETS.iter().any(|other| other.name == preset.name);
        Ok(Model { name: preset.name.to_owned(), parameters: preset.parameters()?, kept })
    }

    /// The dimensions that the model is compared in. The world of a file or of the gallery may have no size in others.
    pub(super) fn dimensions(&self) -> Vec<u32> {
        if self.kept { DIMENSIONS.to_vec() } else { vec![self.parameters.flock.dimensions] }
    }
}

/// A model in 2 or 3 dimensions, with another number of boids; `crowded` applies [`crowd`].
pub fn flock(model: &Model, dimensions: u32, boids: u32, crowded: bool) -> Parameters {
    let mut parameters = model.parameters;
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
    parameters
}

/// Shrinks the world about its centre until each boid has [`CROWD`] others within reach at the start.
pub fn crowd(parameters: &mut Parameters) {
    let share = neighbours(parameters) / CROWD;
    // Without a reach no boid has neighbours, however small the world is.
    if share >= 1.0 || share == 0.0 {
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
    for (parameter, value) in parameters.terms.parameters() {
        // A number that rounding would move out of its range is kept.
        let _ = rounded.terms.set(parameter.name, near(value));
    }
    rounded
}

/// The state with each number rounded to the number type `T`.
pub fn representable<T: Real>(parameters: &Parameters, state: &State) -> State {
    Brute::<T>::new(parameters, state, Mutation::none()).snapshot()
}

/// The flock after some steps, by brute force in the number type `T`.
///
/// # Errors
/// When a custom term does not fit the number type.
pub fn advance<T: Real>(parameters: &Parameters, state: &State, steps: u32) -> Result<State> {
    let mut brute = Brute::<T>::new(parameters, state, Mutation::none());
    brute.run(steps)?;
    Ok(brute.snapshot())
}

/// Boids of each state that one step is compared from.
pub const BOIDS: u32 = 120;

/// Steps after which a flock counts as settled.
const SETTLED: u32 = 200;

/// A state that one step is compared from.
#[derive(Clone, Debug)]
pub struct NamedState {
    pub name: &'static str,
    /// True if the state is contrived, not one that a flock reaches by itself.
    pub hostile: bool,
    pub state: State,
}

/// The start of a flock, the flock settled, and the hostile states made from it.
///
/// # Errors
/// When a custom term does not fit f64.
pub fn states(parameters: &Parameters) -> Result<Vec<NamedState>> {
    let start = State::start(parameters);
    let settled = advance::<f64>(parameters, &start, SETTLED)?;
    let mut states = vec![
        NamedState { name: "start", hostile: false, state: start },
        NamedState { name: "settled", hostile: false, state: settled.clone() },
    ];
    states.extend(hostile(parameters, &settled));
    Ok(states)
}

/// States made from a settled one: collapsed, on one point, at the distance of a radius, on the borders of the world.
fn hostile(parameters: &Parameters, settled: &State) -> Vec<NamedState> {
    let mut states = Vec::new();
    let mut add = |name, moved: &dyn Fn(usize, [f64; 3]) -> [f64; 3]| {
        let mut state = settled.clone();
        for (id, boid) in state.boids.iter_mut().enumerate() {
            boid.position = moved(id, boid.position);
        }
        states.push(NamedState { name, hostile: true, state });
    };
    let partner = |id: usize| settled.boids[id - id % 2].position;
    add("collapsed to a tenth", &|_, position| toward_centre(parameters, position, 0.1));
    add("collapsed to a hundredth", &|_, position| toward_centre(parameters, position, 0.01));
    add("collapsed to a thousandth", &|_, position| toward_centre(parameters, position, 0.001));
    add("on one point", &|_, _| settled.boids[0].position);
    add("in pairs on one point", &|id, _| partner(id));
    add("in pairs a radius apart", &|id, position| match id % 2 {
        0 => position,
        _ => apart(parameters, partner(id), id / 2),
    });
    add("on borders", &|id, position| on_border(parameters, id as u32, position));
    states
}

/// A position whose distance from the world's centre is multiplied by `scale`.
fn toward_centre(parameters: &Parameters, position: [f64; 3], scale: f64) -> [f64; 3] {
    let world = &parameters.world;
    std::array::from_fn(|k| {
        let centre = 0.5 * (world.min[k] + world.max[k]);
        let flat = k >= parameters.flock.dimensions as usize;
        if flat { position[k] } else { centre + (position[k] - centre) * scale }
    })
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

/// The position with each coordinate on a border of the world or of its margin, or 2⁻²⁰ of the world's size to either
/// side; some are left as they are.
fn on_border(parameters: &Parameters, id: u32, mut position: [f64; 3]) -> [f64; 3] {
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
    position
}
