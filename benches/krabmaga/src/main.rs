//! The declared flock (docs/reference.md, `agents`) in krABMaga, written like the `flockers` of its examples.
//!
//!     krabmaga-agents SIDE RADIUS STEPS REPEATS near|over < START > STATE
//!
//! Lines are `x y vx vy`, one bird each. Each repeat begins at the start. `near` searches as the library's documentation
//! says; `over` searches beyond the edges, too. Its numbers are f32, and its field keeps the old state while birds move.

use krabmaga::engine::agent::Agent;
use krabmaga::engine::fields::field::Field as _;
use krabmaga::engine::fields::field_2d::{Field2D, Location2D, toroidal_distance, toroidal_transform};
use krabmaga::engine::location::Real2D;
use krabmaga::engine::schedule::Schedule;
use krabmaga::engine::state::State;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::Read as _;

const COHERE: f32 = 0.03;
const SEPARATE: f32 = 0.015;
const ALIGN: f32 = 0.05;
const CLOSE: f32 = 1.0;

#[derive(Clone, Copy)]
struct Bird {
    id: u32,
    loc: Real2D,
    heading: Real2D,
}

struct Flock {
    start: Vec<Bird>,
    field: Field2D<Bird>,
    side: f32,
    radius: f32,
    beyond_edges: bool,
}

impl Flock {
    fn new_field(side: f32, radius: f32) -> Field2D<Bird> {
        Field2D::new(side, side, side / (side / radius).floor(), true)
    }

    /// The birds that may be near: `Field2D` never searches beyond an edge of its torus.
    fn near(&self, loc: Real2D) -> Vec<Bird> {
        if !self.beyond_edges {
            return self.field.get_neighbors_within_distance(loc, self.radius);
        }
        let mut found = Vec::new();
        let cell = self.field.discretization;
        for x in images(loc.x, self.side, cell).into_iter().flatten() {
            for y in images(loc.y, self.side, cell).into_iter().flatten() {
                found.extend(self.field.get_neighbors_within_relax_distance(Real2D { x, y }, cell));
            }
        }
        found
    }
}

/// A coordinate, and its image beyond the other edge if it is within a cell of one.
fn images(along: f32, side: f32, cell: f32) -> [Option<f32>; 2] {
    if along < cell {
        [Some(along), Some(along + side)]
    } else if along >= side - cell {
        [Some(along), Some(along - side)]
    } else {
        [Some(along), None]
    }
}

impl Agent for Bird {
    fn step(&mut self, state: &mut dyn State) {
        let flock = state.as_any().downcast_ref::<Flock>().expect("a flock");
        let (mut x, mut y, mut count) = (0.0, 0.0, 0.0);
        for other in flock.near(self.loc) {
            let dx = toroidal_distance(other.loc.x, self.loc.x, flock.side);
            let dy = toroidal_distance(other.loc.y, self.loc.y, flock.side);
            let square = dx * dx + dy * dy;
            if other.id == self.id || square >= flock.radius * flock.radius {
                continue;
            }
            let pull = if square < CLOSE * CLOSE { COHERE - SEPARATE } else { COHERE };
            x += pull * dx + ALIGN * other.heading.x;
            y += pull * dy + ALIGN * other.heading.y;
            count += 1.0;
        }
        let share = f32::max(count, 1.0);
        let (x, y) = (self.heading.x + x / share, self.heading.y + y / share);
        let length = (x * x + y * y).sqrt();
        self.heading = Real2D { x: x / length, y: y / length };
        self.loc = Real2D {
            x: toroidal_transform(self.loc.x + self.heading.x, flock.side),
            y: toroidal_transform(self.loc.y + self.heading.y, flock.side),
        };
        flock.field.set_object_location(*self, self.loc);
    }
}

impl State for Flock {
    fn init(&mut self, schedule: &mut Schedule) {
        for bird in &self.start {
            self.field.set_object_location(*bird, bird.loc);
            schedule.schedule_repeating(Box::new(*bird), 0.0, 0);
        }
    }

    fn reset(&mut self) {
        self.field = Flock::new_field(self.side, self.radius);
    }

    fn update(&mut self, _step: u64) {
        self.field.lazy_update();
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn as_state(&self) -> &dyn State {
        self
    }

    fn as_state_mut(&mut self) -> &mut dyn State {
        self
    }
}

impl Location2D<Real2D> for Bird {
    fn get_location(self) -> Real2D {
        self.loc
    }

    fn set_location(&mut self, loc: Real2D) {
        self.loc = loc;
    }
}

impl Hash for Bird {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Eq for Bird {}

impl PartialEq for Bird {
    fn eq(&self, other: &Bird) -> bool {
        self.id == other.id
    }
}

impl fmt::Display for Bird {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.loc.x, self.loc.y, self.heading.x, self.heading.y)
    }
}

fn read_start() -> Vec<Bird> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("a start");
    let mut birds = Vec::new();
    for (line, id) in text.lines().zip(0..) {
        let numbers: Vec<f32> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
        let loc = Real2D { x: numbers[0], y: numbers[1] };
        birds.push(Bird { id, loc, heading: Real2D { x: numbers[2], y: numbers[3] } });
    }
    birds
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| -> f32 { words[place].parse().expect("SIDE RADIUS STEPS REPEATS near|over") };
    let (side, radius) = (number(0), number(1));
    let field = Flock::new_field(side, radius);
    let mut flock = Flock { start: read_start(), field, side, radius, beyond_edges: words[4] == "over" };
    for _ in 0..number(3) as usize {
        flock.reset();
        let mut schedule = Schedule::new();
        flock.init(&mut schedule);
        for _ in 0..number(2) as usize {
            schedule.step(&mut flock);
        }
    }
    let birds = std::cell::RefCell::new(flock.start.clone());
    flock.field.iter_objects(|_, bird| birds.borrow_mut()[bird.id as usize] = *bird);
    for bird in birds.borrow().iter() {
        println!("{bird}");
    }
}
