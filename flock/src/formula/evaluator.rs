//! What the terms of one's own request, of a chunk of boids at a time.
//!
//! Boids stand side by side, so that an operation is looked up once a chunk. A sum over neighbours takes the neighbours of one
//! boid side by side, and adds them up in the order in which they come.

use super::MOST_INSTRUCTIONS;
use super::code::{Input, SLOTS};
use super::evaluate::{Draws, Formulas, evaluate};
use super::prepared::{Part, Prepared};
use crate::random::stream;
use crate::rule::Rule;
use crate::state::Boid;
use crate::vector::Vec3;

/// So many boids are evaluated side by side, and so many neighbours of one: on a board's stack one. No bit depends on it.
pub const CHUNK: usize = if cfg!(any(test, feature = "std")) { 32 } else { 1 };
const NEIGHBOURS: usize = if cfg!(any(test, feature = "std")) { 16 } else { 1 };

/// Ids and steps are known modulo this: so many are exact in every number type, with a half.
const WHOLE: u32 = 1 << 22;

/// The random numbers of a term are in so many streams.
pub const STREAMS: u32 = 4;

/// The slots, and the registers, of N boids.
#[derive(Debug)]
struct Table<T, const N: usize> {
    known: [[T; N]; SLOTS],
    ids: [u32; N],
    registers: [[T; N]; MOST_INSTRUCTIONS],
}

impl<T: Formulas, const N: usize> Table<T, N> {
    fn new() -> Self {
        Table { known: [[T::ZERO; N]; SLOTS], ids: [0; N], registers: [[T::ZERO; N]; MOST_INSTRUCTIONS] }
    }

    /// Puts a number in a slot.
    #[inline(always)]
    fn number(&mut self, input: Input, k: usize, number: T) {
        self.known[input as usize][k] = number;
    }

    #[inline(always)]
    fn vector(&mut self, input: Input, k: usize, Vec3 { x, y, z }: Vec3<T>) {
        let slot = input as usize;
        (self.known[slot][k], self.known[slot + 1][k], self.known[slot + 2][k]) = (x, y, z);
    }

    #[inline(always)]
    fn run(&mut self, scene: &Scene<'_, T>, part: &Part<T>, term: usize) {
        let (code, values) = (scene.prepared.code_of(part), &scene.prepared.values()[part.values()]);
        let stream = stream::OWN + STREAMS * term as u32;
        let draws = Draws { seed: scene.rule.seed, step: scene.step, stream };
        evaluate(code, values, &self.known, &self.ids, draws, &mut self.registers);
    }

    /// What a formula has given for number k.
    #[inline(always)]
    fn result(&self, part: &Part<T>, k: usize) -> Vec3<T> {
        let [x, y, z] =
            part.result.map(|register| self.registers[usize::from(register) % MOST_INSTRUCTIONS][k]);
        Vec3::new(x, y, z)
    }
}

/// What is the same for all boids of a step.
#[derive(Clone, Copy, Debug)]
struct Scene<'a, T: Formulas> {
    rule: &'a Rule<T>,
    prepared: &'a Prepared<T>,
    step: u32,
}

/// What the boids of a step request by terms of one's own. It has room for the registers of a chunk: tens of kilobytes, on a
/// board one.
#[derive(Debug)]
pub struct Evaluator<'a, T: Formulas> {
    scene: Scene<'a, T>,
    /// What each boid of the chunk knows of itself; and what one of them knows of its neighbours.
    me: Table<T, CHUNK>,
    others: Table<T, NEIGHBOURS>,
}

impl<'a, T: Formulas> Evaluator<'a, T> {
    /// For step number `step`.
    pub fn new(rule: &'a Rule<T>, prepared: &'a Prepared<T>, step: u32) -> Self {
        let mut me = Table::new();
        me.known[Input::Step as usize] = [T::whole(step % WHOLE); CHUNK];
        me.known[Input::Time as usize] = [T::time(step % WHOLE, rule.time_step, prepared.time_digits); CHUNK];
        Evaluator { scene: Scene { rule, prepared, step }, me, others: Table::new() }
    }

    /// What boids request, a vector each. There are at most [`CHUNK`]. `others` has number k of them take the boids that it
    /// perceives, but none that rests and not itself.
    #[inline]
    pub fn requests(
        &mut self,
        boids: &[Boid<T>],
        ids: &[u32],
        requests: &mut [Vec3<T>],
        mut others: impl FnMut(usize, &mut Perceiver<'_, T>),
    ) {
        self.know(boids, ids);
        requests.fill(Vec3::zero());
        let Evaluator { scene, me, others: table } = self;
        for (term, [sum, request]) in scene.prepared.parts().enumerate() {
            for (k, boid) in boids.iter().enumerate().filter(|(_, boid)| sum.used && !boid.resting()) {
                let mut perceiver = Perceiver::new(scene, table, sum, term, boid.position.into());
                perceiver.know(me, k);
                others(k, &mut perceiver);
                perceiver.add();
                let count = T::whole(perceiver.count.min(WHOLE / 4));
                let total = T::sum_of(perceiver.total, sum.shift);
                me.vector(Input::Sum, k, total);
                me.number(Input::Count, k, count);
            }
            me.run(scene, request, term);
            for (k, total) in requests.iter_mut().enumerate() {
                let Vec3 { x, y, z } = me.result(request, k);
                let [by_x, by_y, by_z] = request.shift;
                *total = *total + Vec3::new(x.shifted(by_x), y.shifted(by_y), z.shifted(by_z));
            }
        }
        if scene.rule.flat {
            requests.iter_mut().for_each(|request| request.z = T::ZERO);
        }
    }

    /// What the boids know of themselves.
    fn know(&mut self, boids: &[Boid<T>], ids: &[u32]) {
        let Evaluator { scene: Scene { prepared, .. }, me, .. } = self;
        let (heading, speed) = (prepared.reads(Input::Heading), prepared.reads(Input::Speed));
        for (k, (boid, id)) in boids.iter().zip(ids).enumerate() {
            let velocity = prepared.cut(boid.velocity.into(), Input::Velocity);
            me.ids[k] = *id;
            me.vector(Input::Position, k, prepared.cut(boid.position.into(), Input::Position));
            me.vector(Input::Velocity, k, velocity);
            if heading {
                me.vector(Input::Heading, k, T::direction_of(velocity));
            }
            if speed {
                me.number(Input::Speed, k, T::length_of(velocity));
            }
            me.number(Input::Id, k, T::whole(id % WHOLE));
            me.number(Input::Group, k, T::whole(boid.group));
            me.number(Input::Bias, k, boid.bias);
        }
    }
}

/// A boid that adds up what its neighbours give.
#[derive(Debug)]
pub struct Perceiver<'a, T: Formulas> {
    scene: &'a Scene<'a, T>,
    table: &'a mut Table<T, NEIGHBOURS>,
    part: &'a Part<T>,
    term: usize,
    position: Vec3<T>,
    held: usize,
    count: u32,
    total: T::Wide,
}

impl<'a, T: Formulas> Perceiver<'a, T> {
    fn new(
        scene: &'a Scene<'a, T>,
        table: &'a mut Table<T, NEIGHBOURS>,
        part: &'a Part<T>,
        term: usize,
        position: Vec3<T>,
    ) -> Self {
        let total = T::widen(Vec3::zero());
        Perceiver { scene, table, part, term, position, held: 0, count: 0, total }
    }

    /// What the boid knows of itself: the same beside each neighbour.
    fn know(&mut self, me: &Table<T, CHUNK>, k: usize) {
        for slot in (0..Input::Offset as usize).filter(|slot| self.part.reads >> slot & 1 == 1) {
            self.table.known[slot] = [me.known[slot][k]; NEIGHBOURS];
        }
    }

    /// Whether it perceives a position.
    #[inline(always)]
    pub fn perceives(&self, position: Vec3<T>) -> bool {
        T::within(self.scene.rule.nearest_image(position - self.position), self.part.radius)
    }

    /// Takes another boid that it perceives.
    pub fn take(&mut self, boid: &Boid<T>, id: u32) {
        let (table, part, k) = (&mut *self.table, self.part, self.held);
        let offset = self.scene.rule.nearest_image(Vec3::from(boid.position) - self.position);
        table.ids[k] = id;
        table.vector(Input::Offset, k, offset);
        if part.reads(Input::Distance) {
            table.number(Input::Distance, k, T::length_of(offset));
        }
        if part.reads(Input::TheirVelocity) {
            let velocity = self.scene.prepared.cut(boid.velocity.into(), Input::TheirVelocity);
            table.vector(Input::TheirVelocity, k, velocity);
        }
        if part.reads(Input::TheirGroup) {
            table.number(Input::TheirGroup, k, T::whole(boid.group));
        }
        if part.reads(Input::TheirId) {
            table.number(Input::TheirId, k, T::whole(id % WHOLE));
        }
        (self.held, self.count) = (self.held + 1, self.count + 1);
        if self.held == NEIGHBOURS {
            self.add();
        }
    }

    /// Adds what the neighbours that are held give, one after the other.
    fn add(&mut self) {
        let held = core::mem::take(&mut self.held);
        if held > 0 {
            self.table.run(self.scene, self.part, self.term);
        }
        for k in 0..held {
            self.total = self.total + T::widen(self.table.result(self.part, k));
        }
    }
}
