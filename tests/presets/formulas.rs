//! The gallery in `presets/formulas/`: each flock does what it is known for, in f32. Its bits in integers
//! are recorded.

use std::path::Path;

use engine::State;
use engine::measures::measure;
use flock::{Boid, Parameters};

fn load(name: &str) -> Parameters {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets/formulas");
    config::load(&folder.join(format!("{name}.toml"))).unwrap_or_else(|error| panic!("{error}")).parameters
}

fn after(parameters: &Parameters, steps: u32) -> State {
    let mut engine = cpu::open_as::<f32>(parameters, &State::start(parameters), Some(1)).expect("an engine");
    engine.advance(steps).expect("steps");
    engine.state().expect("a state")
}

/// The share of a boid's neighbours within a radius that are of its group.
fn alike(state: &State, radius: f64) -> f64 {
    let (mut same, mut all) = (0_u32, 0_u32);
    for (k, a) in state.boids.iter().enumerate() {
        for b in state.boids.iter().skip(k + 1) {
            let square: f64 = (0..3).map(|axis| (a.position[axis] - b.position[axis]).powi(2)).sum();
            if square < radius * radius {
                all += 1;
                same += u32::from(a.group == b.group);
            }
        }
    }
    f64::from(same) / f64::from(all.max(1))
}

/// The mean of a number of those boids that it is asked of.
fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A unit vector along the velocity, or zero.
fn heading(boid: &Boid<f64>) -> [f64; 3] {
    let speed = length(boid.velocity).max(1e-9);
    boid.velocity.map(|c| c / speed)
}

/// The mean distance from a predator (any group but 0) to the nearest prey.
fn gap(state: &State) -> f64 {
    let (prey, predators): (Vec<_>, Vec<_>) = state.boids.iter().partition(|boid| boid.group == 0);
    let apart = |a: &Boid<f64>, b: &Boid<f64>| {
        length(std::array::from_fn(|axis| a.position[axis] - b.position[axis]))
    };
    mean(predators.iter().map(|one| prey.iter().map(|other| apart(one, other)).fold(f64::MAX, f64::min)))
}

/// The mean cosine of the angle between the headings of boids within a radius of each other; edges do not wrap.
fn local_order(state: &State, radius: f64) -> f64 {
    let pairs = state.boids.iter().enumerate().flat_map(|(k, a)| {
        state.boids.iter().skip(k + 1).filter_map(move |b| {
            let apart = length(std::array::from_fn(|axis| a.position[axis] - b.position[axis]));
            let (u, v) = (heading(a), heading(b));
            (apart < radius).then(|| (0..3).map(|axis| u[axis] * v[axis]).sum())
        })
    });
    mean(pairs)
}

/// A known property of a flock: name, boids, steps, measure, and range of its value.
type KnownProperty = (&'static str, u32, u32, fn(&Parameters, &State) -> f64, std::ops::Range<f64>);

const KNOWN: [KnownProperty; 14] = [
    ("vortex", 2000, 500, |p, state| measure(p, state).milling, 0.95..1.01),
    ("mill", 200, 600, |p, state| measure(p, state).milling, 0.7..1.01),
    ("consensus", 150, 600, |p, state| measure(p, state).polarization, 0.99..1.01),
    ("sorting", 400, 1000, |_, state| alike(state, 1.2), 0.75..1.01),
    // The mean of the headings along the direction that leaders prefer.
    ("leaders", 100, 600, |_, state| mean(state.boids.iter().map(|boid| heading(boid)[0])), 0.5..1.01),
    ("predators", 200, 200, |_, state| gap(state), 0.15..0.9),
    ("zones", 100, 800, |p, state| measure(p, state).milling, 0.4..1.01),
    ("vision", 1000, 300, |_, state| local_order(state, 1.0), 0.25..1.01),
    // Friction stops whoever nothing drives.
    ("life", 400, 300, |p, state| measure(p, state).mean_speed, 0.3..1.5),
    // The mean distance of sheep from the fold; it begins at 50.
    (
        "shepherd",
        60,
        250,
        |_, state| {
            mean(state.boids.iter().filter(|boid| boid.group == 0).map(|sheep| length(sheep.position)))
        },
        0.0..15.0,
    ),
    // The share behind the gate.
    (
        "gate",
        100,
        600,
        |_, state| mean(state.boids.iter().map(|boid| f64::from(boid.position[0] > 0.0))),
        0.99..1.01,
    ),
    ("tissue", 150, 1000, |p, state| measure(p, state).polarization, 0.8..1.01),
    ("agents", 200, 300, |_, state| local_order(state, 5.0), 0.6..1.01),
    ("netlogo", 300, 500, |_, state| local_order(state, 5.0), 0.9..1.01),
];

#[test]
fn each_flock_of_the_gallery_does_what_it_is_known_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets/formulas");
    let files = std::fs::read_dir(folder).expect("the gallery").count();
    assert_eq!(files, KNOWN.len(), "a flock of the gallery that is known for nothing");
    std::thread::scope(|scope| {
        for known in KNOWN {
            scope.spawn(|| check(known));
        }
    });
}

fn check((name, boids, steps, found, allowed): KnownProperty) {
    let mut p = load(name);
    p.set_boids(boids);
    let with = found(&p, &after(&p, steps));
    assert!(allowed.contains(&with), "{name}: {with}, not within {allowed:?}");
    // A negative control: without its terms a flock is known for nothing.
    let plain = Parameters { terms: Default::default(), ..p };
    let without = found(&plain, &after(&plain, steps));
    assert!(!allowed.contains(&without), "{name} without its terms: {without}");
}

/// A bird of the declared model: position and velocity.
type Bird = [f64; 4];

/// The variants of the declared model: as it is, and with a mistake that programs make.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variant {
    Declared,
    /// Offsets across an edge are not the shortest.
    NoWrap,
    /// Positions follow the velocities before the step.
    MovesFirst,
    /// A bird counts itself among its neighbours.
    CountsItself,
    /// Separation is added.
    WrongSign,
}

/// A step of the birds of ABMFrameworksComparison, Flocking/DECLARATION.md, small version, all at once.
fn declared_step(birds: &[Bird], variant: Variant) -> Vec<Bird> {
    let side = 100.0;
    let mut next = Vec::new();
    for (id, [x, y, vx, vy]) in birds.iter().enumerate() {
        let (mut n, mut cohere, mut separate, mut align) = (0.0, [0.0; 2], [0.0; 2], [0.0; 2]);
        for (_, [ox, oy, ovx, ovy]) in
            birds.iter().enumerate().filter(|(other, _)| *other != id || variant == Variant::CountsItself)
        {
            let mut offset = [ox - x, oy - y];
            if variant != Variant::NoWrap {
                offset = offset.map(|along| along - side * (along / side).round());
            }
            let distance = offset[0].hypot(offset[1]);
            if distance < 5.0 {
                n += 1.0;
                for (axis, velocity) in [ovx, ovy].into_iter().enumerate() {
                    cohere[axis] += offset[axis];
                    align[axis] += velocity;
                    if distance < 1.0 {
                        separate[axis] -= offset[axis];
                    }
                }
            }
        }
        let sign = if variant == Variant::WrongSign { -1.0 } else { 1.0 };
        let turned: [f64; 2] = std::array::from_fn(|axis| {
            let request = 0.03 * cohere[axis] + sign * 0.015 * separate[axis] + 0.05 * align[axis];
            [vx, vy][axis] + request / f64::max(n, 1.0)
        });
        let speed = turned[0].hypot(turned[1]);
        let [u, v] = turned.map(|along| along / speed);
        let by = if variant == Variant::MovesFirst { [*vx, *vy] } else { [u, v] };
        next.push([(x + by[0]).rem_euclid(side), (y + by[1]).rem_euclid(side), u, v]);
    }
    next
}

fn birds(state: &State) -> Vec<Bird> {
    state.boids.iter().map(|b| [b.position[0], b.position[1], b.velocity[0], b.velocity[1]]).collect()
}

/// The greatest difference on a torus of this side.
fn apart(a: &[Bird], b: &[Bird], side: f64) -> f64 {
    let differences = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
    // The same place may be written at either edge.
    differences.map(|difference| difference.min((side - difference).abs())).fold(0.0, f64::max)
}

#[test]
fn agents_is_the_declared_model_and_no_mistake_passes_for_it() {
    let p = load("agents");
    let start = State::start(&p);
    let apart = |a: &[Bird], b: &[Bird]| apart(a, b, 100.0);
    let mut engine = cpu::open_as::<f64>(&p, &start, Some(1)).expect("an engine");
    let mut declared = birds(&start);
    for (steps, bound) in [(1, 1e-12), (99, 1e-9)] {
        engine.advance(steps).expect("steps");
        for _ in 0..steps {
            declared = declared_step(&declared, Variant::Declared);
        }
        let found = apart(&birds(&engine.state().expect("a state")), &declared);
        assert!(found < bound, "{found} after {steps} more steps");
    }
    // The controls, in one step of a flock that has neighbours, at the edges too.
    let before = declared.clone();
    let right = declared_step(&before, Variant::Declared);
    for mistake in [Variant::NoWrap, Variant::MovesFirst, Variant::CountsItself, Variant::WrongSign] {
        let found = apart(&declared_step(&before, mistake), &right);
        assert!(found > 1e-5, "{mistake:?}: {found}");
    }
}

/// The greatest turns of NetLogo's birds in degrees: towards a heading, towards the others, away from a heading.
type Turns = [f64; 3];

/// A tick of NetLogo's Flocking, all birds at once, by headings in radians as its procedures have them.
fn netlogo_tick(birds: &[Bird], turns: Turns) -> Vec<Bird> {
    let side = 71.0;
    let mut next = Vec::new();
    for (id, [x, y, vx, vy]) in birds.iter().enumerate() {
        let (mut nearest, mut nearest_heading, mut flockmates) = (f64::INFINITY, 0.0, 0);
        let (mut headings, mut directions) = ([0.0; 2], [0.0; 2]);
        for (_, [ox, oy, ovx, ovy]) in birds.iter().enumerate().filter(|(other, _)| *other != id) {
            let [dx, dy] = [ox - x, oy - y].map(|along| along - side * (along / side).round());
            let distance = dx.hypot(dy);
            if distance >= 5.0 {
                continue;
            }
            flockmates += 1;
            let heading = ovy.atan2(*ovx);
            if distance < nearest {
                (nearest, nearest_heading) = (distance, heading);
            }
            headings = [headings[0] + heading.cos(), headings[1] + heading.sin()];
            let direction = dy.atan2(dx);
            directions = [directions[0] + direction.cos(), directions[1] + direction.sin()];
        }
        let mut heading = vy.atan2(*vx);
        let [align, cohere, separate] = turns.map(f64::to_radians);
        // The turn from one heading to another, from -180 to 180 degrees.
        let between = |from: f64, to: f64| {
            let turn = to - from;
            turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round()
        };
        if flockmates > 0 && nearest < 1.0 {
            heading += between(nearest_heading, heading).clamp(-separate, separate);
        } else if flockmates > 0 {
            heading += between(heading, headings[1].atan2(headings[0])).clamp(-align, align);
            heading += between(heading, directions[1].atan2(directions[0])).clamp(-cohere, cohere);
        }
        let [u, v] = [heading.cos(), heading.sin()];
        let inside = |along: f64| (along + 35.5).rem_euclid(side) - 35.5;
        next.push([inside(x + u), inside(y + v), u, v]);
    }
    next
}

#[test]
fn netlogo_turns_as_its_procedures_say() {
    let p = load("netlogo");
    let start = State::start(&p);
    let mut engine = cpu::open_as::<f64>(&p, &start, Some(1)).expect("an engine");
    let (mut by_headings, turns) = (birds(&start), [5.0, 3.0, 1.5]);
    // A bird at the edge of a radius is decided by rounding: some hundreds of steps later flocks differ.
    for (steps, bound) in [(1, 1e-12), (49, 1e-8)] {
        engine.advance(steps).expect("steps");
        for _ in 0..steps {
            by_headings = netlogo_tick(&by_headings, turns);
        }
        let found = apart(&birds(&engine.state().expect("a state")), &by_headings, 71.0);
        assert!(found < bound, "{found} after {steps} more steps");
    }
    // The controls: each of the turns is part of it.
    let right = netlogo_tick(&by_headings, turns);
    for other in [[4.5, 3.0, 1.5], [5.0, 2.5, 1.5], [5.0, 3.0, 1.0]] {
        let found = apart(&netlogo_tick(&by_headings, other), &right, 71.0);
        assert!(found > 1e-3, "{other:?}: {found}");
    }
}
