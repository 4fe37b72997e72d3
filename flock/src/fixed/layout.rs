//! How the lengths and velocities of one flock are laid out in words.

use super::wide::ROOM;
use super::{FRACTION, Fixed};
use crate::parameters::{
    Edges, Falloff, PARAMETERS, Parameter, Parameters, Refused, Response, Scope, Value, find,
};
use crate::{Number, Rule};

/// The scales of a flock. All are powers of two, so they round nothing by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Lengths and velocities are multiplied by 2 to this power.
    pub unit: i32,
    /// A coarse unit of length is 2 to this power of the last digit of a position.
    pub place: u32,
    /// The coarse radius of the reach, below [`MOST_PLACE`].
    pub reach: i32,
    /// Offsets for cohesion are summed to the last digit of a position, not only in coarse units.
    pub exact_pull: bool,
    /// A coarse unit of velocity is 2 to this power of the last digit of a velocity.
    pub pace: u32,
    /// Velocities for alignment are summed to the last digit, not only in coarse units.
    pub exact_join: bool,
    /// No component of a coarse velocity is larger.
    pub most_pace: i32,
    /// The most binary digits that o·f(d) may have where f has a pole: as many flockmates cannot overflow two words.
    pub push: u32,
}

/// The reach in coarse units is at most this: offsets between boids of neighbouring cells fit 16 bits, the squares of
/// those within reach 28.
const MOST_PLACE: i32 = 16_000;

/// Components of coarse velocities fit 15 bits.
const MOST_PACE: i32 = (1 << 14) - 1;

/// Coarse units are never coarser than this many within the reach, nor than the greatest speed.
const LEAST: i32 = 64;

/// Room for what the rests of coarse units add to their sums.
const SPARE: i32 = 2;

/// The largest coordinate is brought to 32 at most: room for boids 32 times as far away, and for requests.
const COORDINATE: f64 = 32.0;

/// The exponent of the unit: as large as the world and the places in it allow.
fn exponent(p: &Parameters) -> i32 {
    let axes = if p.flat() { 2 } else { 3 };
    let mut largest = 0.0_f64;
    let mut reckon = |point: &[f64; 3], around: f64| {
        largest = point[..axes].iter().fold(largest, |most, c| f64::max(most, c.abs() + around));
    };
    reckon(&p.world.min, 0.0);
    reckon(&p.world.max, 0.0);
    if p.home.weight != 0.0 {
        reckon(&p.home.position, p.home.half_extent);
    }
    if p.attractor.weight != 0.0 || p.attractor.avoid {
        reckon(&p.attractor.position, 0.0);
    }
    for sphere in p.obstacles.spheres.as_slice() {
        reckon(&sphere.position, sphere.radius);
    }
    // From a unit of 2¹⁰ down, which still has its own place in a word.
    let mut exponent = 10;
    while largest * libm::exp2(f64::from(exponent)) > COORDINATE {
        exponent -= 1;
    }
    exponent
}

/// The least shift that brings a length down to `most` coarse units.
fn coarse(length: i32, most: i32) -> u32 {
    let mut shift = 0;
    while (length >> shift) + 1 > most && shift < 31 {
        shift += 1;
    }
    shift
}

impl Layout {
    /// For a flock of the parameters' size whose rule reaches so far, in users' units.
    #[must_use]
    pub fn new(p: &Parameters, reach: f64) -> Self {
        let unit = exponent(p);
        let scaled = |length: f64| Fixed::from_f64(length * libm::exp2(f64::from(unit))).0;
        // As many as there are boids must fit a word.
        let share = (i32::MAX as u32 / p.flock.boids.max(1)) as i32 - SPARE;
        let place = coarse(scaled(reach), share.clamp(LEAST, MOST_PLACE));
        let most_pace = share.clamp(LEAST, MOST_PACE);
        // Half a coarse unit in a mean may stand where that moves no velocity by more than 2⁻¹³ of the greatest speed,
        // and nothing enlarges it.
        let pace = coarse(scaled(p.motion.max_speed), most_pace);
        let matters = |weight: f64, response: Response, shift: u32| {
            let half = libm::exp2(f64::from(shift as i32 - FRACTION as i32 - 1 - unit));
            let enlarged = response != Response::Proportional || p.motion.normalize_goal;
            enlarged || (weight * p.motion.gain).abs() * half > p.motion.max_speed / 8192.0
        };
        Layout {
            unit,
            place,
            exact_pull: matters(p.cohesion.weight, p.cohesion.response, place),
            exact_join: matters(p.alignment.weight, p.alignment.response, pace),
            reach: super::word::shift_right_word(scaled(reach), place),
            pace,
            most_pace,
            push: 62 - (u32::BITS - p.flock.boids.leading_zeros()),
        }
    }
}

/// What lengths and velocities are multiplied by: a power of two.
#[must_use]
pub fn unit(p: &Parameters) -> f64 {
    libm::exp2(f64::from(exponent(p)))
}

/// Whether a parameter has a say, with the others as they are.
fn used(p: &Parameters, parameter: &Parameter) -> bool {
    let steers = |response: Response| response == Response::Steer;
    let local = |weight: f64, scope: Scope| weight != 0.0 && scope == Scope::Neighbours;
    match parameter.name {
        "world.margin" | "world.turn" => p.world.edges == Edges::Turn,
        "separation.radius" => p.separation.weight != 0.0 || p.separation.exclusive,
        "alignment.radius" => local(p.alignment.weight, p.alignment.scope),
        "cohesion.radius" => local(p.cohesion.weight, p.cohesion.scope),
        "separation.max_force" => steers(p.separation.response),
        "alignment.max_force" => steers(p.alignment.response),
        "cohesion.max_force" => steers(p.cohesion.response),
        "home.half_extent" => p.home.weight != 0.0,
        "line_of_sight.radius" => p.line_of_sight.weight != 0.0,
        "perching.height" => p.perching.steps > 0,
        _ => match parameter.table {
            "predators" => p.predators.count > 0,
            "obstacles" => !p.obstacles.spheres.as_slice().is_empty(),
            _ => true,
        },
    }
}

/// What a parameter is brought to, where that depends on the unit of length: a length, a velocity, or the weight of
/// a unit vector, which makes a velocity of it.
fn scales(parameter: &Parameter) -> bool {
    parameter.unit.starts_with("length")
        || matches!(
            parameter.name,
            "noise.weight" | "obstacles.weight" | "predators.attack_weight" | "predators.knot_weight"
        )
}

/// Whether the parameters fit words.
///
/// # Errors
/// Names the first that does not, and what is allowed.
pub fn check(p: &Parameters) -> Result<(), Refused> {
    let most = f64::from(1_u32 << (ROOM - FRACTION - 1)) / unit(p);
    for parameter in PARAMETERS.iter().filter(|parameter| scales(parameter) && used(p, parameter)) {
        if matches!(parameter.get(p), Value::Real(value) if value.abs() > most) {
            return Err(Refused::too_large(parameter.name, most));
        }
    }
    for name in ["motion.time_step", "motion.max_speed"] {
        let Some(parameter) = find(name) else { continue };
        let scale = if scales(parameter) { unit(p) } else { 1.0 };
        if matches!(parameter.get(p), Value::Real(value) if value > 0.0 && Fixed::from_f64(value * scale).0 == 0)
        {
            return Err(Refused::too_small(parameter.name, Fixed::TINY.to_f64() / scale));
        }
    }
    if !sums_fit(p, p.flock.boids) {
        // The largest number that fits, by halving the interval.
        let (mut fits, mut fails) = (0, p.flock.boids);
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            *(if sums_fit(p, middle) { &mut fits } else { &mut fails }) = middle;
        }
        return Err(Refused::too_large("flock.boids", fits.into()));
    }
    Ok(())
}

/// Whether sums over so many boids fit a word: of coarse units, and of what those leave.
fn sums_fit(p: &Parameters, boids: u32) -> bool {
    let mut p = *p;
    p.flock.boids = boids;
    let rule = Rule::<Fixed>::new(&p);
    let layout = rule.format;
    let rest = |used: bool, shift: u32| if used { 2_u64 << shift } else { 0 };
    let rests = [
        rest(rule.separation.used && rule.falloff == Falloff::None, layout.place),
        rest(rule.cohesion.used && layout.exact_pull, layout.place),
        rest(rule.alignment.used && layout.exact_join, layout.pace),
        (LEAST + SPARE) as u64,
    ];
    rests.iter().all(|rest| u64::from(boids) * rest <= i32::MAX as u64)
}
