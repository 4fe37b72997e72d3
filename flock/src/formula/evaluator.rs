//! Requests by custom terms, for a chunk of boids at a time.
//!
//! Boids are evaluated side by side, so that an operation is decoded once per chunk; so are the pairs of a boid and a
//! neighbour, for several boids at once. Their results are summed per boid in the order of its neighbours.

use core::ops::Range;

use super::MAX_INSTRUCTIONS;
use super::code::{Input, Instruction, SLOTS, WHOLE};
use super::evaluate::{Draws, evaluate, store};
use super::prepared::{OF_OTHERS, Prepared, PreparedFormula, Row, reads};
use crate::number::{Lanes, Number, Requests, Vec3};
use crate::parameters::MAX_NEAREST;
use crate::perceive::insert;
use crate::random::stream;
use crate::rule::Rule;
use crate::state::Boid;

/// Boids, or pairs, that are evaluated side by side; one on a board, for its stack. No bit depends on it.
pub const CHUNK: usize = if cfg!(any(test, feature = "std")) { 128 } else { 1 };

/// Streams of random numbers per row of terms.
pub const STREAMS: u32 = 4;

/// The slots of a chunk.
#[derive(Debug)]
pub struct Table<T> {
    /// The inputs by slot, a number per boid or pair.
    pub known: [[T; CHUNK]; SLOTS],
    ids: [u32; CHUNK],
    /// Number of boids or pairs in the table.
    used: usize,
}

/// The registers of a chunk.
pub type Registers<T> = [[T; CHUNK]; MAX_INSTRUCTIONS];

/// Runs a code on a table: [`Table::evaluate`], compiled with the machine's vector instructions.
pub type Run<T> = fn(&Table<T>, &mut Registers<T>, &[Instruction], &[T], Draws);

impl<T: Number> Table<T> {
    #[inline(always)]
    fn new() -> Self {
        Table { known: [[T::ZERO; CHUNK]; SLOTS], ids: [0; CHUNK], used: 0 }
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

    /// Fills the registers: see [`evaluate`].
    #[inline(always)]
    pub fn evaluate<V: Lanes<Scalar = T>>(
        &self,
        registers: &mut Registers<T>,
        code: &[Instruction],
        values: &[T],
        draws: Draws,
    ) {
        evaluate::<V, CHUNK>(code, values, &self.known, &self.ids, draws, registers, self.used);
    }

    /// Fills slots from the vectors in a slot.
    #[inline(always)]
    fn fill<V: Lanes<Scalar = T>, const N: usize>(
        &mut self,
        into: Input,
        vector: Input,
        f: impl Fn(Vec3<V>) -> [V; N],
    ) {
        for first in (0..self.used.min(CHUNK)).step_by(V::LANES) {
            let [x, y, z, ..] = &self.known[vector as usize..] else { return };
            let found = f(Vec3::from([x, y, z].map(|axis| V::load(&axis[first..]))));
            for (slot, lanes) in self.known[into as usize..].iter_mut().zip(found) {
                store(slot, first, lanes);
            }
        }
    }

    /// The inputs of a [`Run`]: the slots, and the ids of the boids or pairs in the table.
    #[must_use]
    pub fn open(&self) -> (&[[T; CHUNK]; SLOTS], &[u32]) {
        (&self.known, &self.ids[..self.used.min(CHUNK)])
    }

    /// The result of a formula; for a sum also the register that is 0 for pairs not perceived, where there is one.
    #[inline(always)]
    fn run<'r>(
        &self,
        scene: &Scene<'_, T>,
        formula: &PreparedFormula<T>,
        row: usize,
        registers: &'r mut Registers<T>,
    ) -> ([&'r [T; CHUNK]; 3], Option<&'r [T; CHUNK]>) {
        let (code, values) = (scene.prepared.code_of(formula), &scene.prepared.values[formula.values()]);
        let stream = stream::OWN + STREAMS * row as u32;
        let draws = Draws { seed: scene.rule.seed, step: scene.step, stream };
        (scene.run)(self, registers, code, values, draws);
        let of = |register| &registers[usize::from(register) % MAX_INSTRUCTIONS];
        (formula.result.map(of), formula.perceived.map(|register| of(register.get())))
    }
}

/// The inputs that all boids of a step share.
#[derive(Clone, Copy, Debug)]
struct Scene<'a, T: Number> {
    rule: &'a Rule<T>,
    prepared: &'a Prepared<T>,
    step: u32,
    run: Run<T>,
    /// Bit set of the slots that the formulas read.
    reads: u32,
}

/// Evaluates the requests of a step by custom terms. It holds the registers of a chunk: tens of kilobytes, on a
/// board one.
#[derive(Debug)]
pub struct Evaluator<'a, V: Lanes> {
    scene: Scene<'a, V::Scalar>,
    /// The inputs of each boid of the chunk, and those of the pairs.
    me: Table<V::Scalar>,
    others: Table<V::Scalar>,
    /// The registers of the formula that is being evaluated.
    registers: Registers<V::Scalar>,
    nearest: Nearest<V::Scalar>,
    /// The only rows that are evaluated, if not all are.
    pub(crate) only: Option<Range<usize>>,
}

/// Squared distances for a sum over the nearest.
#[derive(Debug)]
struct Nearest<T> {
    /// The squares of the pairs in the table.
    squares: [T; CHUNK],
    /// Per boid of the chunk: the least squares that it has perceived, in descending order.
    least: [[T; MAX_NEAREST as usize]; CHUNK],
}

impl<'a, T: Number, V: Lanes<Scalar = T>> Evaluator<'a, V> {
    /// An evaluator for step number `step`; `run` evaluates the formulas.
    #[inline(always)]
    pub fn new(rule: &'a Rule<T>, prepared: &'a Prepared<T>, step: u32, run: Run<T>) -> Self {
        let mut me = Table::new();
        me.known[Input::Step as usize] = [T::whole(step % WHOLE); CHUNK];
        me.known[Input::Time as usize] = [T::time(step % WHOLE, rule.time_step, prepared.time_digits); CHUNK];
        let nearest = Nearest { squares: [T::ZERO; CHUNK], least: [[T::ZERO; MAX_NEAREST as usize]; CHUNK] };
        let scene = Scene { rule, prepared, step, run, reads: prepared.reads() };
        let registers = [[T::ZERO; CHUNK]; MAX_INSTRUCTIONS];
        Evaluator { scene, me, others: Table::new(), registers, nearest, only: None }
    }

    /// The number of boids in the last sum of a boid of the chunk; `sum` is its number among those of its term.
    pub(crate) fn counted(&self, k: usize, sum: usize) -> T {
        self.me.known[Input::Count.of_sum(sum)][k]
    }

    /// The requests of at most [`CHUNK`] boids, a vector each. `others` offers boid number k of them the boids that it
    /// perceives, without resting ones and itself. It is called for each k in turn, once or twice a sum.
    #[inline(always)]
    pub fn requests(
        &mut self,
        boids: &[Boid<T>],
        ids: &[u32],
        requests: &mut [Vec3<T>],
        mut others: impl FnMut(usize, &mut Perceiver<'_, V>),
    ) {
        self.know(boids, ids);
        requests.fill(Vec3::zero());
        let Evaluator { scene, me, others: table, registers, nearest, only } = self;
        for (row, Row { sum, request, number }) in scene.prepared.rows().enumerate() {
            if only.as_ref().is_some_and(|only| !only.contains(&row)) {
                continue;
            }
            if sum.used {
                if sum.nearest > 0 {
                    nearest.least = [[scene.rule.reach_square; MAX_NEAREST as usize]; CHUNK];
                }
                let mut perceiver = Perceiver {
                    scene,
                    me,
                    table,
                    registers,
                    formula: sum,
                    row,
                    owner: 0,
                    position: Vec3::zero(),
                    first: 0,
                    ends: [0; CHUNK],
                    held: 0,
                    ranks: false,
                    nearest,
                    counts: [0; CHUNK],
                    totals: [T::widen(Vec3::zero()); CHUNK],
                };
                // A sum over the nearest ranks them first.
                let walks: &[bool] = if sum.nearest > 0 { &[true, false] } else { &[false] };
                for ranks in walks {
                    perceiver.ranks = *ranks;
                    perceiver.first = 0;
                    for (k, boid) in boids.iter().enumerate() {
                        perceiver.owner = k;
                        perceiver.position = boid.position.into();
                        if !boid.resting() {
                            others(k, &mut perceiver);
                        }
                        perceiver.ends[k] = perceiver.held;
                    }
                    perceiver.add();
                }
                let Perceiver { totals, counts, .. } = perceiver;
                for (k, (total, count)) in totals.into_iter().zip(counts).enumerate() {
                    let Vec3 { x, y, z } = T::sum_of(total, sum.shift);
                    let numbers = [x, y, z, T::whole(count.min(WHOLE / 4))];
                    let slots = &mut me.known[Input::Sum.of_sum(number)..];
                    slots.iter_mut().zip(numbers).for_each(|(slot, number)| slot[k] = number);
                }
            }
            if !request.used {
                continue;
            }
            let ([x, y, z], _) = me.run(scene, request, row, registers);
            let [by_x, by_y, by_z] = request.shift;
            for (k, total) in requests.iter_mut().enumerate() {
                *total = *total + Vec3::new(x[k].shifted(by_x), y[k].shifted(by_y), z[k].shifted(by_z));
            }
        }
        if scene.rule.flat {
            requests.iter_mut().for_each(|request| request.z = T::ZERO);
        }
    }

    /// Fills the slots of the boids themselves.
    fn know(&mut self, boids: &[Boid<T>], ids: &[u32]) {
        let Evaluator { scene: Scene { prepared, reads: slots, .. }, me, .. } = self;
        let read = |input| reads(*slots, input);
        let moves = read(Input::Velocity) || read(Input::Heading) || read(Input::Speed);
        me.used = boids.len();
        for (k, (boid, id)) in boids.iter().zip(ids).enumerate() {
            me.ids[k] = *id;
            if read(Input::Position) {
                me.vector(Input::Position, k, prepared.cut(boid.position.into(), Input::Position));
            }
            if moves {
                me.vector(Input::Velocity, k, prepared.cut(boid.velocity.into(), Input::Velocity));
            }
            if read(Input::Id) {
                me.number(Input::Id, k, T::whole(id % WHOLE));
            }
            if read(Input::Group) {
                me.number(Input::Group, k, T::whole(boid.group));
            }
            if read(Input::Bias) {
                me.number(Input::Bias, k, boid.bias);
            }
        }
        if read(Input::Heading) {
            me.fill(Input::Heading, Input::Velocity, |velocity| V::direction_of(velocity).to_array());
        }
        if read(Input::Speed) {
            me.fill(Input::Speed, Input::Velocity, |velocity| [V::length_of(velocity)]);
        }
    }
}

/// A boid of a chunk that sums over its neighbours.
#[derive(Debug)]
pub struct Perceiver<'a, V: Lanes> {
    scene: &'a Scene<'a, V::Scalar>,
    me: &'a Table<V::Scalar>,
    /// The pairs.
    pub table: &'a mut Table<V::Scalar>,
    registers: &'a mut Registers<V::Scalar>,
    /// The sum.
    pub formula: &'a PreparedFormula<V::Scalar>,
    /// The row of the sum: the boids found in a walk of one sum serve no other.
    pub row: usize,
    /// The boid's number in the chunk, and its position.
    owner: usize,
    position: Vec3<V::Scalar>,
    /// The first boid whose pairs are in the table, and per boid the end of its pairs.
    first: usize,
    ends: [usize; CHUNK],
    /// Number of pairs; a caller that adds pairs increases it.
    pub held: usize,
    /// The walk only ranks the pairs: it adds nothing.
    pub ranks: bool,
    nearest: &'a mut Nearest<V::Scalar>,
    /// Per boid of the chunk.
    counts: [u32; CHUNK],
    totals: [<V::Scalar as Requests>::Wide; CHUNK],
}

impl<T: Number, V: Lanes<Scalar = T>> Perceiver<'_, V> {
    /// Takes another boid and its id, if the observer perceives it at its position.
    #[inline(always)]
    pub fn offer(&mut self, position: Vec3<T>, other: impl FnOnce() -> (Boid<T>, u32)) {
        let offset = self.scene.rule.nearest_image(position - self.position);
        if !T::within(offset, self.formula.radius) {
            return;
        }
        if self.held == CHUNK {
            self.add();
        }
        self.table.vector(Input::Offset, self.held, offset);
        let (boid, id) = other();
        for slot in OF_OTHERS {
            if self.formula.reads >> slot & 1 == 1 {
                self.table.known[slot][self.held] = self.scene.prepared.known_of(slot, &boid, id);
            }
        }
        if self.identifies() {
            self.identify(self.held, boid.position.into(), id);
        }
        self.held += 1;
    }

    /// True if the sum needs [`Perceiver::identify`] for each pair.
    #[inline(always)]
    pub fn identifies(&self) -> bool {
        self.formula.nearest > 0 || self.formula.reads(Input::TheirId)
    }

    /// Stores the id of the other boid of a pair, and the squared distance to it.
    #[inline(always)]
    pub fn identify(&mut self, pair: usize, position: Vec3<T>, id: u32) {
        self.table.ids[pair] = id;
        self.nearest.squares[pair] = T::square(self.scene.rule.coarse_offset(self.position, position));
    }

    /// Adds the results of the pairs in the table, in their order, and empties the table.
    #[inline(always)]
    pub fn add(&mut self) {
        let (table, formula, me) = (&mut *self.table, self.formula, self.me);
        let (held, first) =
            (core::mem::take(&mut self.held), core::mem::replace(&mut self.first, self.owner));
        if held == 0 {
            return;
        }
        self.ends[self.owner] = held;
        let pairs = |k: usize| (if k == first { 0 } else { self.ends[k - 1] })..self.ends[k];
        table.used = held;
        if formula.reads(Input::Distance) {
            table.fill(
                Input::Distance,
                Input::Offset,
                #[inline(always)]
                |offset| [V::length_of(offset)],
            );
        }
        for slot in (0..Input::Offset as usize).filter(|slot| formula.reads >> slot & 1 == 1) {
            for k in first..=self.owner {
                // Registers may write beyond the pairs of a boid: those of the next are written after.
                let (to, number) = (&mut table.known[slot], me.known[slot][k]);
                for pair in pairs(k).step_by(V::LANES) {
                    if pair + V::LANES <= CHUNK {
                        store(to, pair, V::splat(number));
                    } else {
                        to[pair..].fill(number);
                    }
                }
            }
        }
        let ([x, y, z], perceived) = table.run(self.scene, formula, self.row, self.registers);
        let nearest = &mut *self.nearest;
        let most = (formula.nearest as usize).min(MAX_NEAREST as usize);
        for k in first..=self.owner {
            let list = &mut nearest.least[k][..most];
            let perceives = |pair: usize| perceived.is_none_or(|register| T::ZERO.lt(register[pair]));
            if self.ranks {
                for pair in pairs(k) {
                    insert(list, self.scene.rule.reach_square, nearest.squares[pair], perceives(pair));
                }
                continue;
            }
            let (mut total, mut count) = (self.totals[k], 0);
            let mut add = |vector: Vec3<T>| {
                total = total + T::widen(vector);
                count += 1;
            };
            if most == 0 && perceived.is_none() {
                let vectors = x[pairs(k)].iter().zip(&y[pairs(k)]).zip(&z[pairs(k)]);
                vectors.for_each(|((x, y), z)| add(Vec3::new(*x, *y, *z)));
            } else {
                let near = |pair: usize| list.first().is_none_or(|most| nearest.squares[pair].le(*most));
                let pairs = pairs(k).filter(|pair| near(*pair) && perceives(*pair));
                pairs.for_each(|pair| add(Vec3::new(x[pair], y[pair], z[pair])));
            }
            self.totals[k] = total;
            self.counts[k] += count;
        }
    }
}
