//! What the terms of one's own request, of a chunk of boids at a time.
//!
//! Boids stand side by side, so that an operation is looked up once a chunk. A sum over neighbours takes the neighbours of one
//! boid side by side, and adds them up in the order in which they come.

use super::MOST_INSTRUCTIONS;
use super::code::{Input, SLOTS};
use super::evaluate::{Draws, Formulas, evaluate};
use super::prepared::{Part, Prepared};
use super::terms::Each;
use crate::random::stream;
use crate::rule::Rule;
use crate::state::Boid;
use crate::vector::Vec3;

/// So many boids are evaluated side by side. No bit depends on it.
pub const CHUNK: usize = 32;

/// Ids and steps are known modulo this: so many are exact in every number type, with a half.
const WHOLE: u32 = 1 << 22;

/// The random numbers of a term are in so many streams.
const STREAMS: u32 = 4;

/// What is known of another boid.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour<T> {
    /// Where it is.
    pub position: Vec3<T>,
    /// Its velocity.
    pub velocity: Vec3<T>,
    /// Its group.
    pub group: u32,
    /// Its id.
    pub id: u32,
}

impl<T: Copy> Neighbour<T> {
    /// A boid as others know it.
    pub fn of(boid: &Boid<T>, id: u32) -> Self {
        let Boid { position, velocity, group, .. } = *boid;
        Neighbour { position: position.into(), velocity: velocity.into(), group, id }
    }
}

type Known<T> = [[T; CHUNK]; SLOTS];

/// What the boids of a step request by terms of one's own. It has room for the registers of a chunk: tens of kilobytes.
#[derive(Debug)]
pub struct Evaluator<'a, T: Formulas> {
    rule: &'a Rule<T>,
    prepared: &'a Prepared<T>,
    step: u32,
    /// What each boid of the chunk knows of itself; and what one of them knows of its neighbours.
    me: Known<T>,
    pair: Known<T>,
    registers: [[T; CHUNK]; MOST_INSTRUCTIONS],
}

impl<'a, T: Formulas> Evaluator<'a, T> {
    /// For step number `step`.
    pub fn new(rule: &'a Rule<T>, prepared: &'a Prepared<T>, step: u32) -> Self {
        let none = [[T::ZERO; CHUNK]; SLOTS];
        let mut me = none;
        me[Input::Step as usize] = [T::word((step % WHOLE).into(), 0); CHUNK];
        let time = f64::from(step % WHOLE) * rule.time_step.to_f64();
        me[Input::Time as usize] = [T::word(time, prepared.time_digits); CHUNK];
        Evaluator { rule, prepared, step, me, pair: none, registers: [[T::ZERO; CHUNK]; MOST_INSTRUCTIONS] }
    }

    /// What boids request, a vector each. There are at most [`CHUNK`]. `others` visits the boids about number k of them: all
    /// within reach, more if need be, but no boid that rests and not the boid itself.
    #[inline]
    pub fn requests(
        &mut self,
        boids: &[Boid<T>],
        ids: &[u32],
        requests: &mut [Vec3<T>],
        others: impl Fn(usize, &mut dyn FnMut(Neighbour<T>)),
    ) {
        let mut all_ids = [0; CHUNK];
        all_ids.iter_mut().zip(ids).for_each(|(place, id)| *place = *id);
        self.know(boids, &all_ids);
        requests.fill(Vec3::zero());
        for (k, term) in self.rule.own.terms().iter().enumerate() {
            let [sum, request] = *self.prepared.parts(k);
            if let Some(each) = &term.each {
                for (index, boid) in boids.iter().enumerate().filter(|(_, boid)| !boid.resting()) {
                    self.sum(k, each, &sum, (index, boid), &others);
                }
            }
            self.run(&request, k, &all_ids, |all| &all.me);
            for (index, total) in requests.iter_mut().enumerate() {
                let part = |axis: usize| {
                    self.registers[usize::from(request.result[axis]) % MOST_INSTRUCTIONS][index]
                        .shifted(request.shift[axis])
                };
                *total = *total + Vec3::new(part(0), part(1), part(2));
            }
        }
        if self.rule.flat {
            requests.iter_mut().for_each(|request| request.z = T::ZERO);
        }
    }

    fn run(&mut self, part: &Part<T>, term: usize, ids: &[u32; CHUNK], known: fn(&Self) -> &Known<T>) {
        let (code, values) = self.prepared.code_of(part);
        let stream = stream::OWN + STREAMS * term as u32;
        let draws = Draws { seed: self.rule.seed, step: self.step, stream };
        let mut registers = core::mem::replace(&mut self.registers, [[T::ZERO; CHUNK]; MOST_INSTRUCTIONS]);
        evaluate(code, values, known(self), ids, draws, &mut registers);
        self.registers = registers;
    }

    /// What the boids know of themselves.
    fn know(&mut self, boids: &[Boid<T>], ids: &[u32; CHUNK]) {
        let limits = &self.prepared.limits;
        for (k, (boid, id)) in boids.iter().zip(ids).enumerate() {
            let velocity = cut(boid.velocity.into(), limits, Input::Velocity);
            set(&mut self.me, Input::Position, k, cut(boid.position.into(), limits, Input::Position));
            set(&mut self.me, Input::Velocity, k, velocity);
            set(&mut self.me, Input::Heading, k, T::direction_of(velocity));
            let numbers = [
                (Input::Speed, T::length_of(velocity)),
                (Input::Id, T::word((id % WHOLE).into(), 0)),
                (Input::Group, T::word(boid.group.into(), 0)),
                (Input::Bias, boid.bias),
            ];
            numbers.into_iter().for_each(|(input, number)| self.me[input as usize][k] = number);
        }
    }

    /// The sum of a term over the neighbours of a boid of the chunk.
    fn sum(
        &mut self,
        term: usize,
        each: &Each,
        part: &Part<T>,
        (index, boid): (usize, &Boid<T>),
        others: &impl Fn(usize, &mut dyn FnMut(Neighbour<T>)),
    ) {
        let _ = each;
        for slot in 0..Input::Offset as usize {
            if part.reads >> slot & 1 == 1 {
                self.pair[slot] = [self.me[slot][index]; CHUNK];
            }
        }
        let position = Vec3::from(boid.position);
        let (mut held, mut count, mut ids) = (0, 0_u32, [0; CHUNK]);
        let mut total = T::widen(Vec3::zero());
        others(index, &mut |other| {
            let offset = self.rule.nearest_image(other.position - position);
            if !T::within(offset, part.radius) {
                return;
            }
            self.know_other(part, held, offset, &other);
            ids[held] = other.id;
            (held, count) = (held + 1, count + 1);
            if held == CHUNK {
                total = self.add_each(part, term, held, &ids, total);
                held = 0;
            }
        });
        total = self.add_each(part, term, held, &ids, total);
        set(&mut self.me, Input::Sum, index, T::sum_of(total, part.shift));
        self.me[Input::Count as usize][index] = T::word(count.min(WHOLE / 4).into(), 0);
    }

    fn know_other(&mut self, part: &Part<T>, k: usize, offset: Vec3<T>, other: &Neighbour<T>) {
        set(&mut self.pair, Input::Offset, k, offset);
        if part.reads(Input::Distance) {
            self.pair[Input::Distance as usize][k] = T::length_of(offset);
        }
        let velocity = cut(other.velocity, &self.prepared.limits, Input::Velocity);
        set(&mut self.pair, Input::TheirVelocity, k, velocity);
        self.pair[Input::TheirGroup as usize][k] = T::word(other.group.into(), 0);
        self.pair[Input::TheirId as usize][k] = T::word((other.id % WHOLE).into(), 0);
    }

    /// Adds what so many neighbours give, one after the other.
    fn add_each(
        &mut self,
        part: &Part<T>,
        term: usize,
        held: usize,
        ids: &[u32; CHUNK],
        mut total: T::Wide,
    ) -> T::Wide {
        if held == 0 {
            return total;
        }
        self.run(part, term, ids, |all| &all.pair);
        let [x, y, z] = part.result.map(|register| usize::from(register) % MOST_INSTRUCTIONS);
        for k in 0..held {
            let registers = &self.registers;
            total = total + T::widen(Vec3::new(registers[x][k], registers[y][k], registers[z][k]));
        }
        total
    }
}

fn set<T>(known: &mut Known<T>, input: Input, k: usize, Vec3 { x, y, z }: Vec3<T>) {
    let slot = input as usize;
    (known[slot][k], known[slot + 1][k], known[slot + 2][k]) = (x, y, z);
}

/// A vector whose components are cut to the limits of a slot.
fn cut<T: Formulas>(vector: Vec3<T>, limits: &[[T; 2]; SLOTS], input: Input) -> Vec3<T> {
    let slot = input as usize;
    let part = |number: T, axis: usize| number.cut(limits[slot + axis]);
    Vec3::new(part(vector.x, 0), part(vector.y, 1), part(vector.z, 2))
}
