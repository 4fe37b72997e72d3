//! The fixed-point layout of a flock's lengths and velocities.

use super::{FRACTION, Fixed, WIDE_BITS};
use crate::parameters::{Falloff, Parameters, Refused, Response, Sphere, Value, Why, find};
use crate::rule::{SOURCES, Scale, Term, Terms};
use crate::{Number, Rule};

/// Additional binary digits after the point for o·f(d) where f has a pole: there the terms of S nearly cancel.
pub const FALLOFF_BITS: i32 = 16;

/// Exponent of the scale from a unit vector with 30 fraction bits to a sum with a pole, without the unit of length.
pub const UNIT_SHIFT: i32 = FRACTION as i32 - 30 + FALLOFF_BITS;

/// The scales of a flock. All are powers of two, so they round nothing by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Lengths and velocities are multiplied by 2 to this power.
    pub unit: i32,
    /// A coarse unit of length is 2 to this power of the last digit of a position.
    pub position_shift: u32,
    /// The coarse radius of the reach, below `MAX_POSITION`.
    pub reach: i32,
    /// Offsets for cohesion are summed to the last digit of a position, not only in coarse units.
    pub exact_cohesion: bool,
    /// A coarse unit of velocity is 2 to this power of the last digit of a velocity.
    pub velocity_shift: u32,
    /// Alignment takes velocities, or their headings, to the last digit, not only in coarse units.
    pub exact_alignment: bool,
    /// No component of a coarse velocity is larger.
    pub max_velocity: i32,
    /// The most digits of o·f(d) where f has a pole, so that the sum over the flock fits two words.
    pub separation_digits: u32,
}

/// The reach in coarse units is at most this: offsets between boids of neighbouring cells fit 16 bits, the squares of
/// those within reach 28.
const MAX_POSITION: i32 = 16_000;

/// Components of coarse velocities fit 15 bits.
const MAX_VELOCITY: i32 = (1 << 14) - 1;

/// The bounds on the reach and on the greatest speed, in coarse units, are at least this.
const MIN: i32 = 64;

/// Margin for the remainders, which add to the sums of coarse units.
const SPARE: i32 = 2;

/// The largest coordinate is scaled to at most 32: this leaves room for boids 32 times as far away, and for requests.
const COORDINATE: f64 = 32.0;

/// The exponent of the unit: as large as the world and the places in it allow.
fn exponent(p: &Parameters) -> i32 {
    let axes = if p.flat() { 2 } else { 3 };
    let mut largest = 0.0_f64;
    let mut include = |point: &[f64; 3], around: f64| {
        largest = point[..axes].iter().fold(largest, |most, c| f64::max(most, c.abs() + around));
    };
    include(&p.world.min, 0.0);
    include(&p.world.max, 0.0);
    if p.home.weight != 0.0 {
        include(&p.home.position, p.home.half_extent + p.home.wander);
    }
    if p.attractor.weight != 0.0 || p.attractor.avoid {
        include(&p.attractor.position, 0.0);
    }
    for sphere in p.obstacles.spheres.as_slice() {
        include(&sphere.position, sphere.radius);
    }
    // The largest unit is 2¹⁰, which a word still represents.
    let mut exponent = 10;
    let mut scaled = largest.min(f64::MAX / 1024.0) * 1024.0;
    while scaled > COORDINATE {
        scaled /= 2.0;
        exponent -= 1;
    }
    exponent
}

/// The least shift that brings a length down to `most` coarse units.
fn coarse(length: i32, most: i32) -> u32 {
    let mut shift = 0;
    while length >> shift >= most && shift < 31 {
        shift += 1;
    }
    shift
}

impl Layout {
    /// The layout for the parameters' number of boids and a rule of this reach, in users' units.
    pub fn new(p: &Parameters, reach: f64) -> Self {
        let unit = exponent(p);
        let scaled = |length: f64| Fixed::from_f64(length * libm::exp2(f64::from(unit))).0;
        // A sum over all boids must fit a word.
        let share = (i32::MAX as u32 / p.flock.boids.max(1)) as i32 - SPARE;
        let position_shift = coarse(scaled(reach), share.clamp(MIN, MAX_POSITION));
        let max_velocity = share.clamp(MIN, MAX_VELOCITY);
        // An error of half a coarse unit in a mean is accepted where it changes no velocity by more than 2⁻¹³ of the
        // greatest speed and nothing amplifies it.
        let velocity_shift = coarse(scaled(p.motion.max_speed), max_velocity);
        let matters = |weight: f64, response: Response, shift: u32| {
            let half = libm::exp2(f64::from(shift as i32 - FRACTION as i32 - 1 - unit));
            // With little of the own velocity left, the least speed amplifies a mean of headings that nearly cancel.
            let own = p.motion.inertia - p.alignment.weight * p.motion.gain;
            let sped_up = p.motion.min_speed > 0.0 && own.abs() < 0.5;
            let enlarged = response != Response::Proportional || p.motion.normalize_goal || sped_up;
            enlarged || (weight * p.motion.gain).abs() * half > p.motion.max_speed / 8192.0
        };
        // Headings follow from exact velocities.
        let headings = p.alignment.unit && p.alignment.weight != 0.0;
        Layout {
            unit,
            position_shift,
            exact_cohesion: matters(p.cohesion.weight, p.cohesion.response, position_shift),
            exact_alignment: headings || matters(p.alignment.weight, p.alignment.response, velocity_shift),
            reach: super::word::shift_right_word(scaled(reach), position_shift),
            velocity_shift,
            max_velocity,
            separation_digits: 62 - (u32::BITS - p.flock.boids.leading_zeros()),
        }
    }
}

/// The factor of lengths and velocities: a power of two.
pub fn unit(p: &Parameters) -> f64 {
    libm::exp2(f64::from(exponent(p)))
}

/// The largest magnitude of a number in a value; none if it holds no number.
fn largest(value: Value) -> Option<f64> {
    let most = |numbers: &[f64]| numbers.iter().fold(0.0, |most, number| f64::max(most, number.abs()));
    match value {
        Value::Real(number) => Some(number.abs()),
        Value::Vector(vector) => Some(most(&vector)),
        Value::Spheres(spheres) => {
            let sphere = |s: &Sphere| f64::max(most(&s.position), s.radius);
            Some(spheres.as_slice().iter().map(sphere).fold(0.0, f64::max))
        }
        Value::Count(_) | Value::Flag(_) | Value::Choice(_) | Value::Shares(_) => None,
    }
}

/// The least positive values of parameters of motion, in units of the last digit. No time step may be rounded to zero;
/// a velocity that is brought to its limits errs by up to a digit, and a whole step is to stay within 1/1,000 of the
/// largest one.
pub(super) const MIN_DIGITS: [(&str, i32); 2] = [("motion.time_step", 1), ("motion.max_speed", 1 << 11)];

/// Checks that every number that a used term of the rule reads fits a word.
///
/// # Errors
/// Names the first number that does not fit, and what is allowed.
pub fn check(p: &Parameters) -> Result<(), Refused> {
    Rule::<Fixed>::check_world(p)?;
    let ((terms, fit), unit) = (sums(p), unit(p));
    for source in SOURCES.iter().filter(|source| terms.has(source.term)) {
        let (Some(scale), Some(parameter)) = (source.scale, find(source.parameter)) else { continue };
        // Half of a word's range, which leaves room for small sums.
        let (factor, room) = match scale {
            Scale::Pure => (1.0, f64::from(1_u32 << (31 - FRACTION))),
            Scale::Length => (unit, f64::from(1_u32 << (WIDE_BITS - FRACTION - 1))),
        };
        let Some(value) = largest(parameter.get(p)) else { continue };
        if value > room / factor {
            return Err(Refused { name: Some(parameter.name), why: Why::Most(room / factor) });
        }
        let least =
            MIN_DIGITS.iter().find(|(name, _)| *name == parameter.name).map_or(0, |(_, digits)| *digits);
        if value > 0.0 && Fixed::from_f64(value * factor).0 < least {
            let least = Fixed(least).to_f64() / factor;
            return Err(Refused { name: Some(parameter.name), why: Why::Least(least) });
        }
    }
    // A cell, as wide as the greatest radius and a little more, fits a word.
    let most = f64::from(1_u32 << (30 - FRACTION)) / unit;
    if let Some((name, _)) = p.terms.radii().find(|(_, radius)| *radius > most) {
        return Err(Refused { name: Some(name), why: Why::Most(most) });
    }
    if !fit {
        // The largest number that fits, by bisection.
        let (mut fits, mut fails) = (0, p.flock.boids);
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            let mut p = *p;
            p.flock.boids = middle;
            *(if sums(&p).1 { &mut fits } else { &mut fails }) = middle;
        }
        return Err(Refused { name: Some("flock.boids"), why: Why::Most(fits.into()) });
    }
    Ok(())
}

/// The used terms, and true if sums over the flock fit: sums of coarse units and of remainders one word, sums of unit
/// vectors two. Not inlined, for the board's stack.
#[inline(never)]
fn sums(p: &Parameters) -> (Terms, bool) {
    let rule = Rule::<Fixed>::new(p);
    let layout = rule.format;
    let rest = |used: bool, shift: u32| if used { 2_u64 << shift } else { 0 };
    let [headings, directions] = [Term::AlignmentUnit, Term::CohesionUnit].map(|term| rule.terms.has(term));
    let unit_vectors_fit =
        !(headings || directions) || layout.unit + UNIT_SHIFT <= layout.separation_digits as i32 - 30;
    let rests = [
        rest(rule.separation.used && rule.falloff == Falloff::None, layout.position_shift),
        rest(rule.cohesion.used && !directions && layout.exact_cohesion, layout.position_shift),
        rest(rule.alignment.used && !headings && layout.exact_alignment, layout.velocity_shift),
        (MIN + SPARE) as u64,
    ];
    let boids = u64::from(p.flock.boids);
    (rule.terms, unit_vectors_fit && rests.iter().all(|rest| boids * rest <= i32::MAX as u64))
}
