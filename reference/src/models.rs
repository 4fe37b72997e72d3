//! The models by brute force: each boid looks at every other. A step can make mistakes on purpose.

use conform::bounds::paths::explore;
use flock::{Lanes as _, Number as _};

use crate::number::{Number, UNIT, Vector, direction, exact, sum, vector, widened};
use crate::{Bird, Mistake, Start, starts};

/// A model: its constants, its formula for the new velocity, and the mistakes that programs make in it.
#[derive(Debug)]
pub struct Model {
    pub name: &'static str,
    /// The world is a square or rectangle from 0 to these lengths.
    pub world: [f64; 2],
    /// True if the world is a torus.
    pub wraps: bool,
    /// The distance below which a boid perceives another.
    pub radius: f64,
    /// The greatest speed.
    pub speed: f64,
    /// True if a boid is one of its neighbours.
    pub counts_itself: bool,
    /// True if alignment is the mean velocity of the neighbours relative to the boid's own.
    pub subtracts_velocity: bool,
    /// The new velocity of a boid, from itself and its neighbours.
    velocity: fn(&Model, &Bird, &[Neighbour], &[Mistake]) -> Vector,
    pub mistakes: &'static [Mistake],
    /// A start that a person can follow, and one with 200 boids.
    pub starts: [Start; 2],
}

/// All models, by name.
pub static MODELS: [Model; 4] = [AGENTS, CORNELL, NETLOGO, VICSEK];

const AGENTS: Model = Model {
    name: "agents",
    world: [100.0, 100.0],
    wraps: true,
    radius: 5.0,
    speed: 1.0,
    counts_itself: false,
    subtracts_velocity: false,
    velocity: agents,
    mistakes: &[
        Mistake::UnwrappedOffsets,
        Mistake::UnwrappedPositions,
        Mistake::SignedRemainder,
        Mistake::WholeCells,
        Mistake::Square,
        Mistake::SquareDistance,
        Mistake::Itself,
        Mistake::InTurn,
        Mistake::TurnInTurn,
        Mistake::OldVelocity,
        Mistake::WideSeparation,
        Mistake::NotAveraged,
        Mistake::OwnVelocity,
        Mistake::SeparationSign,
        Mistake::AlignmentSign,
        Mistake::CohesionSign,
        Mistake::FreeSpeed,
    ],
    starts: starts!("agents"),
};

const CORNELL: Model = Model {
    name: "cornell",
    world: [640.0, 480.0],
    wraps: false,
    radius: 40.0,
    speed: 6.0,
    counts_itself: false,
    subtracts_velocity: true,
    velocity: cornell,
    mistakes: &[
        Mistake::NoTurn,
        Mistake::WholeCells,
        Mistake::Square,
        Mistake::SquareDistance,
        Mistake::Itself,
        Mistake::InTurn,
        Mistake::TurnInTurn,
        Mistake::OldVelocity,
        Mistake::WideSeparation,
        Mistake::NotExclusive,
        Mistake::MeanSeparation,
        Mistake::NotAveraged,
        Mistake::OwnVelocity,
        Mistake::SeparationSign,
        Mistake::AlignmentSign,
        Mistake::CohesionSign,
        Mistake::FreeSpeed,
    ],
    starts: starts!("cornell"),
};

const NETLOGO: Model = Model {
    name: "netlogo",
    world: [71.0, 71.0],
    wraps: true,
    radius: 5.0,
    speed: 1.0,
    counts_itself: false,
    subtracts_velocity: false,
    velocity: netlogo,
    mistakes: &[
        Mistake::UnwrappedOffsets,
        Mistake::UnwrappedPositions,
        Mistake::SignedRemainder,
        Mistake::WholeCells,
        Mistake::Square,
        Mistake::InTurn,
        Mistake::TurnInTurn,
        Mistake::OldVelocity,
        Mistake::WideSeparation,
        Mistake::NotExclusive,
        Mistake::SeparationSign,
        Mistake::AlignmentSign,
        Mistake::CohesionSign,
        Mistake::MeanOfAngles,
        Mistake::TurnsFromOldHeading,
        Mistake::AwayFromPlace,
    ],
    starts: starts!("netlogo"),
};

const VICSEK: Model = Model {
    name: "vicsek",
    world: [7.0, 7.0],
    wraps: true,
    radius: 1.0,
    speed: 0.03,
    counts_itself: true,
    subtracts_velocity: false,
    velocity: vicsek,
    mistakes: &[
        Mistake::UnwrappedOffsets,
        Mistake::UnwrappedPositions,
        Mistake::SignedRemainder,
        Mistake::WholeCells,
        Mistake::Square,
        Mistake::Itself,
        Mistake::InTurn,
        Mistake::OldVelocity,
        Mistake::AlignmentSign,
        Mistake::FreeSpeed,
        Mistake::MeanOfAngles,
        Mistake::SwappedAngle,
    ],
    starts: starts!("vicsek"),
};

/// A boid as another perceives it.
struct Neighbour {
    /// True of the boid itself, if it is counted.
    itself: bool,
    /// The way to it.
    offset: Vector,
    /// Its distance, squared.
    square: Number,
    position: Vector,
    velocity: Vector,
}

/// A flock after some steps.
#[derive(Debug)]
pub struct Reached {
    pub birds: Vec<Bird>,
    /// True if no comparison on the way was open: rounding changes nobody's neighbours.
    pub decided: bool,
}

/// The flock after some steps from a start.
pub fn after(model: &Model, start: &[Bird], steps: u32, mistakes: &[Mistake]) -> Reached {
    let mut explored = explore(1, || {
        let mut birds = start.to_vec();
        for _ in 0..steps {
            birds = step(model, &birds, mistakes);
        }
        birds
    });
    Reached { birds: explored.results.pop().unwrap_or_default(), decided: explored.complete }
}

/// A step: every boid reads the old state, and then all move.
fn step(model: &Model, birds: &[Bird], mistakes: &[Mistake]) -> Vec<Bird> {
    let mut read = birds.to_vec();
    let mut next = birds.to_vec();
    for id in 0..birds.len() {
        next[id] = moved(model, &read, id, mistakes);
        if mistakes.contains(&Mistake::InTurn) {
            read[id].position = next[id].position;
        }
        if mistakes.contains(&Mistake::InTurn) || mistakes.contains(&Mistake::TurnInTurn) {
            read[id].velocity = next[id].velocity;
        }
    }
    next
}

/// The next state of a boid.
fn moved(model: &Model, birds: &[Bird], id: usize, mistakes: &[Mistake]) -> Bird {
    let bird = &birds[id];
    let near = neighbours(model, birds, id, mistakes);
    let velocity = (model.velocity)(model, bird, &near, mistakes);
    let by = if mistakes.contains(&Mistake::OldVelocity) { bird.velocity } else { velocity };
    let mut position = bird.position + by;
    if model.wraps && !mistakes.contains(&Mistake::UnwrappedPositions) {
        position.x = wrapped(position.x, model.world[0], mistakes);
        position.y = wrapped(position.y, model.world[1], mistakes);
    }
    Bird { position: widened(position, model.world[0]), velocity: widened(velocity, model.speed) }
}

/// A coordinate in the world.
fn wrapped(along: Number, side: f64, mistakes: &[Mistake]) -> Number {
    if along.value < 0.0 && mistakes.contains(&Mistake::SignedRemainder) {
        return along;
    }
    along - exact(side) * (along / exact(side)).floor()
}

/// The boids that a boid perceives.
fn neighbours(model: &Model, birds: &[Bird], id: usize, mistakes: &[Mistake]) -> Vec<Neighbour> {
    let counts_itself = model.counts_itself != mistakes.contains(&Mistake::Itself);
    let mut near = Vec::new();
    for (other, bird) in birds.iter().enumerate() {
        if other == id {
            if counts_itself {
                let (offset, square) = (vector([0.0; 2]), exact(0.0));
                let Bird { position, velocity } = *bird;
                near.push(Neighbour { itself: true, offset, square, position, velocity });
            }
            continue;
        }
        let Some(offset) = offset(model, &birds[id], bird, mistakes) else { continue };
        let square = if mistakes.contains(&Mistake::SquareDistance) {
            let greater = offset.largest();
            greater * greater
        } else {
            offset.dot(offset)
        };
        let radius = exact(model.radius);
        let perceived = if mistakes.contains(&Mistake::WholeCells) {
            in_cells_around(model, &birds[id], bird)
        } else if mistakes.contains(&Mistake::Square) {
            offset.x.abs() < radius && offset.y.abs() < radius
        } else {
            square < radius * radius
        };
        if perceived {
            let Bird { position, velocity } = *bird;
            near.push(Neighbour { itself: false, offset, square, position, velocity });
        }
    }
    near
}

/// The way from one boid to another; none if it is beyond all cells that are looked at.
fn offset(model: &Model, from: &Bird, to: &Bird, mistakes: &[Mistake]) -> Option<Vector> {
    let mut offset = to.position - from.position;
    for (along, side) in [(&mut offset.x, model.world[0]), (&mut offset.y, model.world[1])] {
        // How many times the other is seen around the torus has no open decision among boids that are near.
        let around = if model.wraps { (along.value / side).round() * side } else { 0.0 };
        if (along.value - around).abs() > 2.01 * model.radius {
            return None;
        }
        if !mistakes.contains(&Mistake::UnwrappedOffsets) {
            *along = *along - exact(around);
        }
    }
    Some(widened(offset, model.world[0]))
}

/// True if two boids are in the same cell or in adjacent ones of a grid as wide as the radius.
fn in_cells_around(model: &Model, a: &Bird, b: &Bird) -> bool {
    let adjacent = |a: Number, b: Number, side: f64| {
        let apart = ((a.value / model.radius).floor() - (b.value / model.radius).floor()).abs();
        apart <= 1.0 || model.wraps && apart >= (side / model.radius).ceil() - 1.0
    };
    adjacent(a.position.x, b.position.x, model.world[0])
        && adjacent(a.position.y, b.position.y, model.world[1])
}

/// 1, or -1 where the mistake is made.
fn sign(mistakes: &[Mistake], mistake: Mistake) -> f64 {
    if mistakes.contains(&mistake) { -1.0 } else { 1.0 }
}

/// The velocity with its length within limits. Minimum and maximum have no open decision; equal limits leave no error.
fn limited(velocity: Vector, least: f64, most: f64, mistakes: &[Mistake]) -> Vector {
    if mistakes.contains(&Mistake::FreeSpeed) {
        return velocity;
    }
    let (heading, speed) = direction(velocity);
    let speed = if least == most { exact(most) } else { speed.max(exact(least)).min(exact(most)) };
    heading * speed
}

/// ABMFrameworksComparison, Flocking/DECLARATION.md, the small version.
fn agents(model: &Model, bird: &Bird, near: &[Neighbour], mistakes: &[Mistake]) -> Vector {
    let has = |mistake| mistakes.contains(&mistake);
    let too_near = |n: &&Neighbour| has(Mistake::WideSeparation) || n.square < exact(1.0);
    let own = if has(Mistake::OwnVelocity) { bird.velocity } else { vector([0.0; 2]) };
    let cohesion = sum(near.iter().map(|n| n.offset));
    let separation = sum(near.iter().filter(too_near).map(|n| -n.offset));
    let alignment = sum(near.iter().map(|n| n.velocity - own));
    let count = if has(Mistake::NotAveraged) { 1.0 } else { near.len().max(1) as f64 };
    let request = cohesion * exact(0.03 * sign(mistakes, Mistake::CohesionSign))
        + separation * exact(0.015 * sign(mistakes, Mistake::SeparationSign))
        + alignment * exact(0.05 * sign(mistakes, Mistake::AlignmentSign));
    limited(bird.velocity + request / exact(count), model.speed, model.speed, mistakes)
}

/// Reynolds' three rules as in Cornell's course ECE 5730, without scouts.
fn cornell(model: &Model, bird: &Bird, near: &[Neighbour], mistakes: &[Mistake]) -> Vector {
    let has = |mistake| mistakes.contains(&mistake);
    let mut too_near = Vec::new();
    let mut seen = Vec::new();
    for n in near {
        let close = n.square < exact(8.0 * 8.0);
        if close || has(Mistake::WideSeparation) {
            too_near.push(n);
        }
        if !close || n.itself || has(Mistake::WideSeparation) || has(Mistake::NotExclusive) {
            seen.push(n);
        }
    }
    let mut velocity = bird.velocity;
    let away = sum(too_near.iter().map(|n| -n.offset));
    let share = if has(Mistake::MeanSeparation) { too_near.len().max(1) as f64 } else { 1.0 };
    velocity = velocity + away * exact(0.05 * sign(mistakes, Mistake::SeparationSign)) / exact(share);
    if !seen.is_empty() {
        let count = exact(if has(Mistake::NotAveraged) { 1.0 } else { seen.len() as f64 });
        let place = sum(seen.iter().map(|n| n.position)) / count;
        let mean = sum(seen.iter().map(|n| n.velocity)) / count;
        let own = if has(Mistake::OwnVelocity) { vector([0.0; 2]) } else { bird.velocity };
        velocity = velocity
            + (place - bird.position) * exact(0.0005 * sign(mistakes, Mistake::CohesionSign))
            + (mean - own) * exact(0.05 * sign(mistakes, Mistake::AlignmentSign));
    }
    if !has(Mistake::NoTurn) {
        velocity.x = velocity.x + turn(bird.position.x, model.world[0]);
        velocity.y = velocity.y + turn(bird.position.y, model.world[1]);
    }
    limited(velocity, 3.0, model.speed, mistakes)
}

/// The change of velocity within 100 of an edge.
fn turn(position: Number, side: f64) -> Number {
    if position < exact(100.0) {
        exact(0.2)
    } else if position > exact(side - 100.0) {
        exact(-0.2)
    } else {
        exact(0.0)
    }
}

/// U. Wilensky's NetLogo model Flocking, all birds at once.
fn netlogo(_: &Model, bird: &Bird, near: &[Neighbour], mistakes: &[Mistake]) -> Vector {
    let has = |mistake| mistakes.contains(&mistake);
    let heading = bird.velocity;
    let Some((mut nearest, others)) = near.split_first() else { return heading };
    for n in others {
        if n.square < nearest.square {
            nearest = n;
        }
    }
    let is_close = has(Mistake::WideSeparation) || nearest.square < exact(1.0);
    let mut velocity = heading;
    if is_close {
        let from = if has(Mistake::AwayFromPlace) { nearest.offset } else { nearest.velocity };
        velocity = turned(heading, from, -1.5 * sign(mistakes, Mistake::SeparationSign));
    }
    if !is_close || has(Mistake::NotExclusive) {
        let mean = if has(Mistake::MeanOfAngles) {
            mean_of_angles(near)
        } else {
            sum(near.iter().map(|n| direction(n.velocity).0))
        };
        let towards = sum(near.iter().map(|n| direction(n.offset).0));
        let before = velocity;
        velocity = turned(velocity, mean, 5.0 * sign(mistakes, Mistake::AlignmentSign));
        let most = 3.0 * sign(mistakes, Mistake::CohesionSign);
        velocity = if has(Mistake::TurnsFromOldHeading) {
            rotated(velocity, turn_between(before, turned(before, towards, most)))
        } else {
            turned(velocity, towards, most)
        };
    }
    limited(velocity, 1.0, 1.0, &[])
}

/// A rotation in the plane: the x and y of what the unit vector along x becomes.
fn turn_between(from: Vector, to: Vector) -> Vector {
    let (from, to) = (direction(from).0, direction(to).0);
    Vector::new(from.x * to.x + from.y * to.y, from.x * to.y - from.y * to.x, exact(0.0))
}

fn rotated(v: Vector, by: Vector) -> Vector {
    Vector::new(v.x * by.x - v.y * by.y, v.x * by.y + v.y * by.x, exact(0.0))
}

/// A vector turned towards the direction of another, at most by so many degrees; away from it by as many if they are
/// negative.
fn turned(v: Vector, towards: Vector, degrees: f64) -> Vector {
    if towards.largest().value == 0.0 {
        return v;
    }
    let between = turn_between(v, towards);
    let (sine, cosine) = degrees.abs().to_radians().sin_cos();
    let mut by = between;
    if between.x < exact(cosine) {
        let left = exact(0.0) < between.y;
        let part = |value: f64| Number::within(value, UNIT);
        by = Vector::new(part(cosine), part(if left { sine } else { -sine }), exact(0.0));
    }
    if degrees < 0.0 {
        by.y = -by.y;
    }
    rotated(v, by)
}

/// Vicsek et al. 1995 without noise; positions move by the new velocity.
fn vicsek(model: &Model, _: &Bird, near: &[Neighbour], mistakes: &[Mistake]) -> Vector {
    let mean = if mistakes.contains(&Mistake::MeanOfAngles) {
        mean_of_angles(near)
    } else {
        sum(near.iter().map(|n| widened(n.velocity, model.speed))) / exact(near.len().max(1) as f64)
    };
    let mut velocity = limited(mean, model.speed, model.speed, mistakes);
    velocity = velocity * exact(sign(mistakes, Mistake::AlignmentSign));
    if mistakes.contains(&Mistake::SwappedAngle) {
        std::mem::swap(&mut velocity.x, &mut velocity.y);
    }
    velocity
}

/// The unit vector at the mean of the angles, from -180 to 180 degrees.
fn mean_of_angles(near: &[Neighbour]) -> Vector {
    let mut total = exact(0.0);
    for n in near {
        let (heading, _) = direction(n.velocity);
        let error = heading.x.error.max(heading.y.error);
        let angle = heading.y.value.atan2(heading.x.value);
        total = total + Number::within(angle, 2.0 * error + UNIT);
    }
    let mean = total / exact(near.len().max(1) as f64);
    let (y, x) = mean.value.sin_cos();
    let part = |value: f64| Number::within(value, mean.error + UNIT);
    Vector::new(part(x), part(y), exact(0.0))
}
