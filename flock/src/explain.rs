//! One boid's next step, explained by the code that makes it: whom it perceives, and each of its requests.
//!
//! ```
//! use flock::explain::{self, Moment};
//! use flock::update::StepContext;
//! use flock::update::probe::Part;
//! use flock::{Boid, Parameters, Rule};
//!
//! let rule = Rule::<f64>::new(&Parameters::default());
//! let boid = |x: f64| Boid { position: [x, 50.0, 50.0], velocity: [0.8, 0.0, 0.0], ..Boid::default() };
//! let boids = [boid(50.0), boid(51.0), boid(90.0)];
//!
//! let context = StepContext::new(&rule, 0, None, &[]);
//! let mut seen = None;
//! let moment = Moment { context: &context, prepared: None, boids: &boids };
//! let explained = moment.explain(0, |id, by| seen = Some((id, by)));
//! // The boid ahead is too near; the far one is not perceived.
//! assert_eq!(seen, Some((1, explain::SEPARATION | explain::ALIGNMENT | explain::COHESION)));
//! assert!(explained.request(Part::Separation).x < 0.0 && explained.request(Part::Cohesion).x > 0.0);
//! ```

use core::ops::Range;

use crate::brute::observer;
use crate::formula::{Evaluator, MAX_TERMS, Perceiver, Prepared, Row, Table};
use crate::number::{Number, Requests, Vec3};
use crate::parameters::MAX_NEAREST;
use crate::perceive::{FieldOfView, NearestOnly, Policy, Senses, Sums, insert};
use crate::rule::Term;
use crate::state::Boid;
use crate::update::probe::{Part, Probe, Stage};
use crate::update::{BoidLanes, StepContext, update_lanes};

/// Bits of what perceives a boid.
pub const SEPARATION: u32 = 1;
/// See [`SEPARATION`].
pub const ALIGNMENT: u32 = 2;
/// See [`SEPARATION`].
pub const COHESION: u32 = 4;
/// See [`SEPARATION`].
pub const LINE_OF_SIGHT: u32 = 8;

/// The bit of a sum of a custom term, by its row: see [`Row`].
pub const fn row_bit(row: usize) -> u32 {
    16 << row
}

/// A step of one boid, in the units of the rule.
#[derive(Clone, Copy, Debug)]
pub struct Explained<T> {
    /// The boid, and the boid one step later.
    pub boid: Boid<T>,
    /// See [`Explained::boid`].
    pub next: Boid<T>,
    requests: [Vec3<T>; Part::COUNT],
    stages: [Vec3<T>; Stage::COUNT],
    /// The requests of the custom terms, one by one.
    pub terms: [Vec3<T>; MAX_TERMS],
}

impl<T: Number> Explained<T> {
    /// A weighted request, before the gain; zero where the rule does not have it, and of a boid that rests.
    pub fn request(&self, part: Part) -> Vec3<T> {
        self.requests[part as usize]
    }

    /// The velocity at a stage; zero for a boid that rests.
    pub fn velocity(&self, stage: Stage) -> Vec3<T> {
        self.stages[stage as usize]
    }
}

impl<T: Number> Probe<T> for Explained<T> {
    fn request(&mut self, part: Part, request: <T as Requests>::Wide) {
        self.requests[part as usize] = T::narrow(request);
    }

    fn velocity(&mut self, stage: Stage, velocity: Vec3<T>) {
        self.stages[stage as usize] = velocity;
    }
}

/// The inputs of an explanation.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a, T: Number> {
    /// The context of the step: predators have moved already.
    pub context: &'a StepContext<'a, T>,
    /// The custom terms, if there are any.
    pub prepared: Option<&'a Prepared<T>>,
    /// The boids before the step, in id order.
    pub boids: &'a [Boid<T>],
}

impl<T: Number> Moment<'_, T> {
    /// Explains the step of boid number `id`. `perceived` is called for each boid that something perceives, with its id
    /// and the bits of what does.
    pub fn explain(&self, id: usize, perceived: impl FnMut(u32, u32)) -> Explained<T> {
        let rule = self.context.rule;
        // The policy of general sums serves rules without fields of view, too.
        if rule.terms.has(Term::Nearest) {
            self.explain_by::<NearestOnly>(id, perceived)
        } else {
            self.explain_by::<FieldOfView>(id, perceived)
        }
    }

    fn explain_by<P: Policy>(&self, id: usize, mut perceived: impl FnMut(u32, u32)) -> Explained<T> {
        let Moment { context, prepared, boids } = *self;
        let boid = boids[id];
        let mut explained = Explained {
            boid,
            next: boid,
            requests: [Vec3::zero(); Part::COUNT],
            stages: [Vec3::zero(); Stage::COUNT],
            terms: [Vec3::zero(); MAX_TERMS],
        };
        let senses = Senses::new(context.rule);
        let me = observer::<P, T>(&senses, boids, id);
        let mut terms = prepared.map(|prepared| TermSums::new(self, prepared, id));
        let mut sums = Sums::new();
        for (other, neighbour) in self.others(id) {
            let before = sums;
            senses.add::<P>(&mut sums, &me, neighbour.position.into(), || neighbour.velocity.into(), None);
            if boid.resting() {
                continue;
            }
            let own = terms.as_mut().map_or(0, |terms| terms.seen_by(neighbour, other));
            let by = added_by(&before, &sums) | own;
            if by != 0 {
                perceived(other, by);
            }
        }
        let mut requested = None;
        if let Some(terms) = &mut terms {
            terms.requests(&mut explained.terms);
            // In the order in which a step adds them.
            let sum = |sum: Vec3<T>, request: &Vec3<T>| sum + *request;
            requested = Some(explained.terms.iter().fold(Vec3::zero(), sum));
        }
        let (position, velocity) = (Vec3::from(boid.position), Vec3::from(boid.velocity));
        let (mut next, requested) = ([boid], requested.as_slice());
        let flyers = BoidLanes { boids: &mut next, ids: &[id as u32], position, velocity, requested };
        update_lanes(context, &sums, flyers, &mut explained);
        [explained.next] = next;
        explained
    }

    /// The boids that may be perceived, with their ids.
    fn others(&self, id: usize) -> impl Iterator<Item = (u32, &Boid<T>)> {
        let all = self.boids.iter().enumerate().filter(move |(other, boid)| *other != id && !boid.resting());
        all.map(|(other, boid)| (other as u32, boid))
    }
}

/// The bits of the rules that have added a boid to their sums.
fn added_by<T: Number>(before: &Sums<T>, after: &Sums<T>) -> u32 {
    let counts = |sums: &Sums<T>| [sums.separation_count, sums.alignment_count, sums.cohesion_count];
    let mut by = 0;
    for (k, bit) in [SEPARATION, ALIGNMENT, COHESION].into_iter().enumerate() {
        if counts(before)[k] != counts(after)[k] {
            by |= bit;
        }
    }
    if before.line_of_sight == after.line_of_sight { by } else { by | LINE_OF_SIGHT }
}

/// The sums and requests of the custom terms, one by one.
struct TermSums<'a, T: Number> {
    moment: Moment<'a, T>,
    prepared: &'a Prepared<T>,
    evaluator: Evaluator<'a, T>,
    id: usize,
    /// Number of rows.
    count: usize,
    /// Per row, the largest square of the offset to a boid in its sum; `None` without a limit of their number.
    most: [Option<T>; MAX_TERMS],
}

impl<'a, T: Number> TermSums<'a, T> {
    fn new(moment: &Moment<'a, T>, prepared: &'a Prepared<T>, id: usize) -> Self {
        let context = moment.context;
        let evaluator = Evaluator::new(context.rule, prepared, context.step, Table::evaluate::<T>);
        let count = prepared.rows().count();
        let mut terms = TermSums { moment: *moment, prepared, evaluator, id, count, most: [None; MAX_TERMS] };
        for (k, row) in prepared.rows().enumerate() {
            if row.sum.used && row.sum.nearest > 0 {
                terms.most[k] = Some(terms.farthest(k, row.sum.nearest as usize));
            }
        }
        terms
    }

    /// The largest square among the nearest boids that a sum perceives.
    fn farthest(&mut self, row: usize, nearest: usize) -> T {
        let beyond = self.moment.context.rule.reach_square;
        let mut list = [beyond; MAX_NEAREST as usize];
        let list = &mut list[..nearest.min(MAX_NEAREST as usize)];
        let moment = self.moment;
        for (other, boid) in moment.others(self.id) {
            if self.perceives(row, boid, other) {
                insert(list, beyond, self.square(boid), true);
            }
        }
        list.first().copied().unwrap_or(beyond)
    }

    fn square(&self, other: &Boid<T>) -> T {
        let me = Vec3::from(self.moment.boids[self.id].position);
        T::square(self.moment.context.rule.coarse_offset(me, other.position.into()))
    }

    /// The bits of the rows that have another boid in their sums.
    fn seen_by(&mut self, other: &Boid<T>, id: u32) -> u32 {
        let mut by = 0;
        for row in 0..self.count {
            let near = self.most[row].is_none_or(|most| self.square(other).le(most));
            if near && self.perceives(row, other, id) {
                by |= row_bit(row);
            }
        }
        by
    }

    /// True if the sum of a row perceives another boid.
    fn perceives(&mut self, row: usize, other: &Boid<T>, other_id: u32) -> bool {
        let Some(Row { sum, number, .. }) = self.prepared.rows().nth(row) else { return false };
        let offset = Vec3::from(other.position) - Vec3::from(self.moment.boids[self.id].position);
        if !sum.used || !T::within(self.moment.context.rule.nearest_image(offset), sum.radius) {
            return false;
        }
        self.request(row..row + 1, &mut |me| me.offer(other.position.into(), || (*other, other_id)));
        T::ZERO < self.evaluator.counted(0, number)
    }

    /// Writes the request of each term.
    fn requests(&mut self, requests: &mut [Vec3<T>; MAX_TERMS]) {
        let (moment, id, prepared) = (self.moment, self.id, self.prepared);
        let ends = prepared.rows().enumerate().filter(|(_, row)| row.request.used);
        for ((end, row), request) in ends.zip(requests) {
            *request = self.request(end - row.number..end + 1, &mut |me| {
                for (other, boid) in moment.others(id) {
                    me.offer(boid.position.into(), || (*boid, other));
                }
            });
        }
    }

    /// The request of the term with these rows by the boids that are offered. A function of its own: the code is large.
    #[inline(never)]
    fn request(&mut self, rows: Range<usize>, offer: &mut dyn FnMut(&mut Perceiver<'_, T>)) -> Vec3<T> {
        let mut request = [Vec3::zero()];
        let boid = &self.moment.boids[self.id..=self.id];
        self.evaluator.only = Some(rows);
        self.evaluator.requests(boid, &[self.id as u32], &mut request, |_, me| offer(me));
        let [request] = request;
        request
    }
}
