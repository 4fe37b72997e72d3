//! Looking around: the sums over the neighbours of sorted boids, a register of observers at a time.
//!
//! As many consecutive boids of one row of cells as a register has lanes look at one other boid after the next,
//! which is the same for all lanes. Whom a lane does not perceive adds nothing to it, bit for bit: so each boid
//! meets its own neighbours in the order of the sorted flock, whoever looks with it.
//!
//! First the others are sifted, a register of them at a time: those out of reach of the box around the observers need
//! not be met.

use std::ops::Range;

use flock::parameters::{Edges, Falloff};
use flock::perceive::{Observer, Senses, Sums};
use flock::{Grid, Number, Rule, Vec3};

use super::bins::Bins;
use super::crowd::Crowd;
use super::seen::{Places, Seen};
use super::sieve::Sieve;
use super::vector::Vector;
use super::walk::{Row, Walk};
use groups::look_at_groups;

mod groups;

/// A sorted flock to look around in.
#[derive(Debug)]
pub struct Flock<'a, T: Number> {
    pub rule: &'a Rule<T>,
    pub grid: &'a Grid<T>,
    pub bins: &'a Bins,
    /// Cell, appearance and place of the boid at each place.
    pub cells: &'a [u32],
    pub seen: &'a [Seen<T>],
    pub places: &'a Places<T>,
    /// The groups of a crowded flock.
    pub crowd: Option<&'a Crowd<T>>,
    /// Every boid is inside the world.
    pub inside: bool,
}

/// What becomes of the sums.
pub trait Use<T: Number> {
    /// Takes those of the boids in a range of places, and what they see from, one a lane.
    fn take<V: Vector<Scalar = T>>(&mut self, run: Range<usize>, me: &Observer<V>, sums: &Sums<V>);
}

/// What is known of a rule while the program is compiled: it costs nothing in the innermost loop.
trait Kind {
    const FLAT: bool;
    const DETAILED: bool;
    /// The rule is [`Rule::alike`].
    const ALIKE: bool;
    /// Separation is used, has this falloff, and is exclusive or not.
    const SEPARATION: Option<(Falloff, bool)>;
}

/// Alignment and cohesion perceive the same, separation without falloff.
struct Plain<const FLAT: bool, const EXCLUSIVE: bool>;

impl<const FLAT: bool, const EXCLUSIVE: bool> Kind for Plain<FLAT, EXCLUSIVE> {
    const FLAT: bool = FLAT;
    const DETAILED: bool = false;
    const ALIKE: bool = true;
    const SEPARATION: Option<(Falloff, bool)> = Some((Falloff::None, EXCLUSIVE));
}

/// Alignment and cohesion perceive the same, separation weakens with the square of the distance and is not exclusive.
struct Weakened;

impl Kind for Weakened {
    const FLAT: bool = false;
    const DETAILED: bool = false;
    const ALIKE: bool = true;
    const SEPARATION: Option<(Falloff, bool)> = Some((Falloff::InverseSquare, false));
}

/// Alignment and cohesion perceive the same.
struct Alike;

impl Kind for Alike {
    const FLAT: bool = false;
    const DETAILED: bool = false;
    const ALIKE: bool = true;
    const SEPARATION: Option<(Falloff, bool)> = None;
}

/// Any rule, [`Rule::detailed`] or not.
struct Any<const DETAILED: bool>;

impl<const DETAILED: bool> Kind for Any<DETAILED> {
    const FLAT: bool = false;
    const DETAILED: bool = DETAILED;
    const ALIKE: bool = false;
    const SEPARATION: Option<(Falloff, bool)> = None;
}

/// The sums of the boids in a range of places.
#[inline(always)]
pub fn look<V: Vector>(flock: &Flock<'_, V::Scalar>, range: Range<usize>, sink: &mut impl Use<V::Scalar>) {
    let rule = flock.rule;
    let separates = rule.alike() && rule.separation.used;
    match (rule.falloff, rule.exclusive) {
        (Falloff::None, true) if separates && rule.flat => {
            look_around::<V, Plain<true, true>>(flock, range, sink);
        }
        (Falloff::None, false) if separates && rule.flat => {
            look_around::<V, Plain<true, false>>(flock, range, sink);
        }
        (Falloff::None, true) if separates => look_around::<V, Plain<false, true>>(flock, range, sink),
        (Falloff::None, false) if separates => look_around::<V, Plain<false, false>>(flock, range, sink),
        (Falloff::InverseSquare, false) if separates => look_around::<V, Weakened>(flock, range, sink),
        _ if rule.alike() => look_around::<V, Alike>(flock, range, sink),
        _ if rule.detailed => look_around::<V, Any<true>>(flock, range, sink),
        _ => look_around::<V, Any<false>>(flock, range, sink),
    }
}

#[inline(always)]
fn look_around<V: Vector, K: Kind>(
    flock: &Flock<'_, V::Scalar>,
    range: Range<usize>,
    sink: &mut impl Use<V::Scalar>,
) {
    let wraps = flock.rule.edges == Edges::Wrap;
    let width = flock.grid.dims[0];
    if range.is_empty() {
        return;
    }
    let mut first = range.start;
    let mut row = Row::of(flock, flock.cells[first]);
    while first < range.end {
        let cell = flock.cells[first];
        if cell >= row.first + width {
            row = Row::of(flock, cell);
        }
        let run = first..flock.bins.start(row.first + width).min(first + V::LANES).min(range.end);
        first = run.end;
        let (low, high) = (flock.cells[run.start], flock.cells[run.end - 1]);
        let seam = wraps && (!flock.inside || flock.grid.at_seam(low, high, flock.rule.flat));
        let (me, sums) = if let Some(crowd) = flock.crowd {
            look_at_groups::<V, K>(flock, crowd, seam, &row, run.clone())
        } else if seam {
            look_together::<V, K, true>(flock, &row, run.clone())
        } else {
            look_together::<V, K, false>(flock, &row, run.clone())
        };
        sink.take(run, &me, &sums);
    }
}

/// The sums of a run of boids whose cells lie in a row.
#[inline(always)]
fn look_together<V: Vector, K: Kind, const SEAM: bool>(
    flock: &Flock<'_, V::Scalar>,
    row: &Row,
    run: Range<usize>,
) -> (Observer<V>, Sums<V>) {
    let mut senses = Senses::<V>::new(flock.rule);
    if let Some((falloff, exclusive)) = K::SEPARATION {
        senses = senses.separating(falloff, exclusive);
    }
    if !SEAM {
        senses = senses.away_from_seams();
    }
    let me = observer::<V, K>(flock, &senses, run.clone());
    let number = V::numbers();

    let mut sums = Sums::new();
    let mut sieve = Sieve::<V>::new(flock.places, run.clone(), K::FLAT);
    let mut walk = Walk::new(flock, row, run.clone());
    let mut more = true;
    while more {
        // Until the sieve is full, or at our own run, or at the end.
        loop {
            if SEAM {
                sieve.keep(&mut walk.others);
            } else {
                sieve.sift(&senses, &mut walk.others, K::FLAT);
            }
            if !walk.others.is_empty() || !walk.us.is_empty() {
                break;
            }
            more = walk.go_on();
            if !more {
                break;
            }
        }
        for place in sieve.empty() {
            meet::<V, K>(&senses, &mut sums, &me, &flock.seen[*place as usize], None);
        }
        if walk.others.is_empty() {
            for place in walk.pass_us() {
                let others = others::<V>(number, place, run.start);
                meet::<V, K>(&senses, &mut sums, &me, &flock.seen[place], Some(others));
            }
        }
    }
    (me, sums)
}

/// All lanes but that of the boid at a place, in a run that begins at `first`: none must meet itself.
#[inline(always)]
fn others<V: Vector>(number: V, place: usize, first: usize) -> V::Mask {
    let k = V::splat(V::Scalar::from_f64(place as f64 - first as f64));
    number.lt(k) | k.lt(number)
}

#[inline(always)]
fn observer<V: Vector, K: Kind>(
    flock: &Flock<'_, V::Scalar>,
    senses: &Senses<V>,
    run: Range<usize>,
) -> Observer<V> {
    let us = &flock.seen[run];
    let (position, velocity) = (lanes::<V, K>(us, |s| s.position), lanes::<V, K>(us, |s| s.velocity));
    senses.observer(position, velocity, K::DETAILED)
}

#[inline(always)]
fn meet<V: Vector, K: Kind>(
    senses: &Senses<V>,
    sums: &mut Sums<V>,
    me: &Observer<V>,
    other: &Seen<V::Scalar>,
    present: Option<V::Mask>,
) {
    let Seen { mut position, mut velocity } = *other;
    if K::FLAT {
        (position.z, velocity.z) = (V::Scalar::ZERO, V::Scalar::ZERO);
    }
    let (position, velocity) = (Vec3::splat(position), Vec3::splat(velocity));
    if K::ALIKE {
        senses.add_alike(sums, me, position, velocity, present);
    } else if K::DETAILED {
        senses.add::<true>(sums, me, position, || velocity, present);
    } else {
        senses.add::<false>(sums, me, position, || velocity, present);
    }
}

/// A vector a lane; lanes left over stay zero.
#[inline(always)]
fn lanes<V: Vector, K: Kind>(
    us: &[Seen<V::Scalar>],
    vector: fn(&Seen<V::Scalar>) -> Vec3<V::Scalar>,
) -> Vec3<V> {
    let mut arrays = [V::Array::default(), V::Array::default(), V::Array::default()];
    for (k, seen) in us.iter().enumerate() {
        let Vec3 { x, y, z } = vector(seen);
        arrays[0].as_mut()[k] = x;
        arrays[1].as_mut()[k] = y;
        arrays[2].as_mut()[k] = z;
    }
    let [x, y, z] = arrays.map(V::from_array);
    Vec3::new(x, y, if K::FLAT { V::splat(V::Scalar::ZERO) } else { z })
}
