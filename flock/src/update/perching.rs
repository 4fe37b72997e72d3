//! Perches at the bottom of the world: one boid at a time, since few flocks have them.

use crate::number::{Number, Vec3};
use crate::random::{self, stream};
use crate::rule::Rule;
use crate::state::{Boid, TAKEN_OFF};

/// Height above the bottom: on a flat screen y points down, in space z points up.
fn height<T: Number>(rule: &Rule<T>, position: Vec3<T>) -> T {
    if rule.flat { rule.world_max.y - position.y } else { position.z - rule.world_min.z }
}

/// A boid on its perch: it waits, then takes off upwards.
pub(super) fn rest<T: Number>(rule: &Rule<T>, boid: &Boid<T>) -> Boid<T> {
    if boid.rest > 1 {
        return Boid { velocity: [T::ZERO; 3], rest: boid.rest - 1, ..*boid };
    }
    let up = if rule.flat {
        Vec3::new(T::ZERO, -rule.min_speed, T::ZERO)
    } else {
        Vec3::new(T::ZERO, T::ZERO, rule.min_speed)
    };
    let position = rule.wrap(Vec3::from(boid.position) + up * rule.time_step);
    Boid { position: position.to_array(), velocity: up.to_array(), rest: TAKEN_OFF, ..*boid }
}

/// Perching begins where a free boid has come near the bottom, and is allowed again once it has risen.
pub(super) fn perch<T: Number>(rule: &Rule<T>, step: u32, id: u32, boid: &mut Boid<T>) {
    let low = height(rule, Vec3::from(boid.position)) <= rule.perch_height;
    if boid.rest == TAKEN_OFF {
        boid.rest = if low { TAKEN_OFF } else { 0 };
    } else if low {
        let word = random::draw(rule.seed, step, id, stream::PERCH)[0];
        let steps = random::up_to(word, rule.perch_steps);
        if steps == 0 {
            // The boid does not perch this time.
            boid.rest = TAKEN_OFF;
        } else {
            boid.rest = steps as i32;
            boid.velocity = [T::ZERO; 3];
        }
    }
}
