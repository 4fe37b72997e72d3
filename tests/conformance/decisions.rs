//! The outcomes of a boid's comparisons: the neighbours that each rule perceives, and the sides of borders.

use flock::parameters::Edges;
use flock::perceive::{FieldOfView, NearestOnly, Policy, Senses, Sums};
use flock::rule::Term;
use flock::{Boid, Number, Parameters, Predator, Rule, Vec3, brute, home};

use engine::{Result, State};

/// The decisions of every boid of a state in a number type. They are equal where two computations perceive the same
/// boids and borders.
///
/// # Errors
/// When a custom term does not fit the number type.
pub fn of_flock<T: Number>(parameters: &Parameters, state: &State) -> Result<Vec<Vec<u8>>> {
    let rule = state.rule::<T>(parameters);
    let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
    let mut predators: Vec<Predator<T>> = state.predators.iter().map(|p| rule.take_predator(p)).collect();
    // The predators move first.
    brute::step(&rule, state.step, &boids, &mut predators, &mut boids.clone())?;
    let of_boid =
        if rule.terms.has(Term::Nearest) { of_boid::<NearestOnly, T> } else { of_boid::<FieldOfView, T> };
    let home = home::position(&rule, state.step);
    Ok((0..boids.len()).map(|id| of_boid(&rule, home, &boids, &predators, id)).collect())
}

fn of_boid<P: Policy, T: Number>(
    rule: &Rule<T>,
    home: Vec3<T>,
    boids: &[Boid<T>],
    predators: &[Predator<T>],
    id: usize,
) -> Vec<u8> {
    let senses = Senses::new(rule);
    let (position, velocity) = (Vec3::from(boids[id].position), Vec3::from(boids[id].velocity));
    let me = brute::observer::<P, T>(&senses, boids, id);
    let perceived = boids.iter().enumerate().map(|(j, other)| {
        let present = Some(j != id && !other.resting());
        let mut sums = Sums::new();
        let seen = || other.velocity.into();
        senses.add::<P>(&mut sums, &me, other.position.into(), seen, present);
        bits(&sums)
    });
    let object = {
        let me = senses.observer(position, velocity, true);
        let mut sums = Sums::new();
        senses.add_object(&mut sums.separation, &mut sums.separation_count, &me, rule.attractor);
        if rule.attractor_avoid { bits(&sums) } else { 0 }
    };
    let fled = predators.iter().map(|predator| {
        let offset = rule.nearest_image(Vec3::from(predator.position) - position);
        u8::from(T::within(offset, rule.predator_radius))
    });
    perceived.chain([object, borders(rule, home, position)]).chain(fled).collect()
}

fn bits<T: Number>(sums: &Sums<T>) -> u8 {
    let counts = [sums.separation_count, sums.alignment_count, sums.cohesion_count];
    let aside = sums.line_of_sight.largest();
    counts.into_iter().chain([aside]).fold(0, |bits, count| bits << 1 | u8::from(T::ZERO < count))
}

/// The sides of the borders where the world turns boids back, and of the border of home.
fn borders<T: Number>(rule: &Rule<T>, home: Vec3<T>, position: Vec3<T>) -> u8 {
    let turns = rule.edges == Edges::Turn;
    let (p, low, high) = (position, rule.turn_low, rule.turn_high);
    let sides = [p.x < low.x, high.x < p.x, p.y < low.y, high.y < p.y, p.z < low.z, high.z < p.z];
    let outside = rule.home_half_extent < rule.nearest_image(home - position).largest();
    let sides = sides.into_iter().map(|side| side && turns);
    sides.chain([outside]).fold(0, |bits, side| bits << 1 | u8::from(side))
}
