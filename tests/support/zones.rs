//! Zones that follow each other.

use flock::Parameters;

/// Gives a flock zones that follow each other, the first with priority, angular noise, and two groups with preferred
/// directions, as in the models of Couzin et al. (J. theor. Biol. 218, 2002; Nature 433, 2005).
pub fn zone(p: &mut Parameters) {
    let near = 0.25 * p.alignment.radius;
    (p.separation.priority, p.separation.radius) = (true, near);
    (p.alignment.inner_radius, p.cohesion.inner_radius) = (near, 0.75 * p.cohesion.radius);
    (p.noise.angle, p.motion.max_turn) = (12.0, 40.0);
    (p.scouts.right, p.scouts.left, p.scouts.pull) = (0.2, 0.1, 0.3);
    (p.scouts.right_direction, p.scouts.left_direction) = ([0.2, 1.0, -0.4], [-3.0, 2.0, 0.5]);
}
