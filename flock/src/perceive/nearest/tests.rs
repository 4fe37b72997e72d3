use std::vec::Vec;

use super::*;
use crate::parameters::{Edges, Parameters};
use crate::perceive::{FieldOfView, Sums};
use crate::rule::Rule;
use crate::state::Boid;
use crate::tests::quad::Quad;
use crate::tests::random_flock;
use crate::{Fixed, Number, brute, start};

/// A rule with a limit, the same without, and a flock.
struct Case<T: Number> {
    limited: Rule<T>,
    free: Rule<T>,
    boids: Vec<Boid<T>>,
}

impl<T: Number> Case<T> {
    fn new(mut p: Parameters, nearest: u32, boid: impl Fn(u32) -> Boid<f64>) -> Self {
        p.neighbours.nearest = 0;
        let free = Rule::new(&p);
        p.neighbours.nearest = nearest;
        let boids = (0..p.flock.boids).map(|id| free.quantise(&boid(id))).collect();
        Case { limited: Rule::new(&p), free, boids }
    }

    /// The sums by the definition: of the boids that a rule perceives without a limit those are added of which fewer
    /// than k are nearer.
    fn defined(&self, id: usize) -> Sums<T> {
        let (senses, boids) = (Senses::new(&self.free), &self.boids);
        let me = senses.observer(boids[id].position.into(), boids[id].velocity.into(), true);
        let add = |sums: &mut Sums<T>, j: usize| {
            let (position, velocity) = (boids[j].position.into(), boids[j].velocity.into());
            let present = Some(j != id && !boids[j].resting());
            senses.add::<FieldOfView>(sums, &me, position, || velocity, present);
        };
        let square = |j: usize| T::square(senses.offset(&me, boids[j].position.into()));
        let counts: [fn(&Sums<T>) -> T; 3] =
            [|sums| sums.separation_count, |sums| sums.alignment_count, |sums| sums.cohesion_count];
        let [separation, alignment, cohesion] = counts.map(|count| {
            let candidates: Vec<usize> = (0..boids.len())
                .filter(|j| {
                    let mut sums = Sums::new();
                    add(&mut sums, *j);
                    T::ZERO < count(&sums)
                })
                .collect();
            let nearer = |j: usize| candidates.iter().filter(|other| square(**other) < square(j)).count();
            let mut sums = Sums::new();
            for j in candidates.iter().filter(|j| nearer(**j) < self.limited.nearest as usize) {
                add(&mut sums, *j);
            }
            sums
        });
        let mut all = Sums::new();
        (0..boids.len()).for_each(|j| add(&mut all, j));
        Sums {
            separation: separation.separation,
            separation_count: separation.separation_count,
            alignment: alignment.alignment,
            alignment_count: alignment.alignment_count,
            cohesion: cohesion.cohesion,
            cohesion_count: cohesion.cohesion_count,
            line_of_sight: all.line_of_sight,
        }
    }

    fn limited(&self, id: usize) -> Sums<T> {
        brute::sum_neighbours(&self.limited, &Senses::new(&self.limited), &self.boids, id)
    }

    fn free(&self, id: usize) -> Sums<T> {
        brute::sum_neighbours(&self.free, &Senses::new(&self.free), &self.boids, id)
    }

    /// Number of boids that perceive fewer than without the limit. All have the sums of the definition.
    fn hold(&self, name: &str) -> usize {
        let differs = |id: &usize| {
            let (found, defined) = (fields(&self.limited(*id)), fields(&self.defined(*id)));
            assert_eq!(found, defined, "{name}, boid {id}");
            found != fields(&self.free(*id))
        };
        (0..self.boids.len()).filter(differs).count()
    }
}

fn fields<T: Number>(sums: &Sums<T>) -> ([crate::number::Total<T>; 3], [T; 3], Vec3<T>) {
    let counts = [sums.separation_count, sums.alignment_count, sums.cohesion_count];
    ([sums.separation, sums.alignment, sums.cohesion], counts, sums.line_of_sight)
}

/// Boids on the points of a lattice: nearly every distance is that of several boids.
fn lattice(edges: Edges, dimensions: u32) -> (Parameters, impl Fn(u32) -> Boid<f64>) {
    let mut p = Parameters::default();
    let side: u32 = if dimensions == 2 { 9 } else { 5 };
    (p.flock.boids, p.flock.dimensions) = (side.pow(dimensions), dimensions);
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [f64::from(side); 3], edges);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.5, 2.5, 2.5);
    let boid = move |id: u32| {
        let place = [id % side, id / side % side, id / side / side];
        let velocity = [0.25, f64::from(id % 3) / 4.0, 0.0];
        Boid { position: place.map(f64::from), velocity, ..Boid::default() }
    };
    (p, boid)
}

fn rules_perceive_the_nearest<T: Number>() {
    let mut limited = 0;
    for number in 0..40 {
        let p = random_flock::parameters(number, 50);
        let case = Case::<T>::new(p, 1 + number % 8, |id| start::boid(&p, id));
        limited += case.hold(&std::format!("flock {number}"));
    }
    assert!(limited > 200, "only {limited} boids perceive fewer");
    for (edges, dimensions, nearest, exclusive) in [
        (Edges::Open, 2, 1, false),
        (Edges::Wrap, 2, 3, true),
        (Edges::Open, 3, 7, true),
        (Edges::Wrap, 3, 32, false),
    ] {
        let (mut p, boid) = lattice(edges, dimensions);
        p.separation.exclusive = exclusive;
        let name = std::format!("lattice {edges:?} {dimensions}-D, {nearest}");
        assert!(Case::<T>::new(p, nearest, boid).hold(&name) > 0, "{name}");
    }
}

#[test]
fn rules_perceive_the_nearest_in_every_number_type() {
    rules_perceive_the_nearest::<f32>();
    rules_perceive_the_nearest::<f64>();
    rules_perceive_the_nearest::<Fixed>();
}

#[test]
fn lanes_of_a_list_are_lists_of_their_own() {
    insert::<f64>(&mut [], 9.0, 1.0, true);
    let mut list = [Quad([9.0, 5.0, 9.0, 4.0]), Quad([3.0, 2.0, 8.0, 4.0])];
    insert(&mut list, Quad([9.0; 4]), Quad([4.0, 6.0, 7.0, 1.0]), 0b0111);
    assert_eq!(list.map(|lanes| lanes.0), [[4.0, 5.0, 8.0, 4.0], [3.0, 2.0, 7.0, 4.0]]);
}

#[test]
fn a_list_too_short_or_without_ties_would_be_noticed() {
    let (p, boid) = lattice(Edges::Wrap, 3);
    let case = Case::<f64>::new(p, 7, &boid);
    let fewer = Case::<f64>::new(p, 6, &boid);
    let mut strict = Senses::new(&case.limited);
    let me = brute::observer::<super::super::NearestOnly, f64>(&strict, &case.boids, 0);
    assert_eq!(me.most[1], 2.0, "the seventh is as far as a diagonal");
    assert_ne!(fields(&fewer.limited(0)), fields(&case.defined(0)));
    strict.nearest = 1;
    let me = brute::observer::<super::super::NearestOnly, f64>(&strict, &case.boids, 0);
    assert_eq!(me.most[1], 1.0);
}

#[test]
fn a_search_goes_as_far_as_a_boid_may_still_be_perceived() {
    let (p, boid) = lattice(Edges::Wrap, 3);
    let case = Case::<f64>::new(p, 7, boid);
    let senses = Senses::new(&case.limited);
    let mut ranking = senses.ranking();
    assert_eq!(senses.farthest(&ranking), 6.25, "the square of the largest radius");
    // With seven at 2, which separation does not see all, it has to look for more within 1.5.
    senses.rank_squares(&mut ranking, &[4.0; 7]);
    assert_eq!(senses.farthest(&ranking), 4.0);
    senses.rank_squares(&mut ranking, &[1.0; 6]);
    assert_eq!(senses.farthest(&ranking), 4.0);
    senses.rank_squares(&mut ranking, &[1.0]);
    assert_eq!(senses.farthest(&ranking), 1.0);
}
