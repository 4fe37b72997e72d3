//! The look of a flock: colours, sizes, haze.

use super::camera::Camera;
use config::{Shape, View};
use flock::Parameters;

pub use config::{Colour, Scenery};

/// Steps in which the light of dusk moves from gold to blue and back: eight minutes at 60 steps per second.
const LIGHT_PERIOD: f64 = 28_800.0;
/// Number of levels of the moving light.
const LIGHT_LEVELS: f64 = 512.0;

/// Pitch of the initial camera, in radians: birds are seen from below, against the sky.
pub fn first_pitch(scenery: Scenery) -> f32 {
    match scenery {
        Scenery::Dusk => 0.28,
        Scenery::Cones | Scenery::Paper => 0.1,
        Scenery::Water => -0.12,
    }
}

/// The sceneries available for a flat flock or a flock in space, with their names.
pub fn sceneries(flat: bool) -> impl Iterator<Item = (Scenery, &'static str)> {
    Scenery::ALL.into_iter().filter(move |(scenery, _)| drawn_scenery(*scenery, flat) == *scenery)
}

/// The effective scenery: a flat flock has no sky and no depth.
pub fn drawn_scenery(scenery: Scenery, flat: bool) -> Scenery {
    match scenery {
        Scenery::Dusk | Scenery::Water if flat => Scenery::Cones,
        other => other,
    }
}

/// True if all boids have one speed, but for rounding.
pub fn one_speed(parameters: &Parameters) -> bool {
    let (slow, fast) = (parameters.motion.min_speed, parameters.motion.max_speed);
    fast - slow <= 1e-5 * fast
}

/// The appearance of a flock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// The quantity that colours a boid.
    pub colour: Colour,
    /// The background, and the drawing style of the boids.
    pub scenery: Scenery,
    /// Length of a boid, in units of length.
    pub size: f32,
    /// Haze in space: 0 none, 1 thick.
    pub fog: f32,
    /// The light of dusk that is held, from 0 (gold) to 1 (blue); `None` while it moves with the steps.
    pub light: Option<f32>,
    /// Number of neighbours at the middle of the colour scale for density.
    pub typical_neighbours: f32,
    /// True if the edges of a bounded world are drawn.
    pub edges: bool,
    /// Number of steps in which a boid's trail fades to a twentieth; 0 for no trails.
    pub trails: f32,
    /// The shapes in the world.
    pub shapes: &'static [Shape],
}

impl Look {
    /// The default appearance for a flock.
    ///
    /// A boid is shorter than its separation radius, and between 0.16 and 0.3 (on a plane 0.22 and 0.45) of the spacing
    /// `(volume / N)^(1/3)`.
    pub fn new(parameters: &Parameters) -> Self {
        Look {
            colour: Colour::first(parameters),
            scenery: Scenery::default(),
            size: size(parameters) as f32,
            fog: 0.55,
            light: None,
            typical_neighbours: typical_neighbours(parameters) as f32,
            edges: true,
            trails: 0.0,
            shapes: &[],
        }
    }

    /// The light of dusk at a time in steps, from 0 (gold) to 1 (blue): held, or moving there and back. It moves in
    /// levels that the eye cannot tell apart, so that the sky is not drawn anew for every picture.
    pub fn light_at(&self, moment: f64) -> f32 {
        let turn = (moment / LIGHT_PERIOD).rem_euclid(1.0);
        let way = 1.0 - (2.0 * turn - 1.0).abs();
        let moving = (way * way * (3.0 - 2.0 * way) * LIGHT_LEVELS).round() / LIGHT_LEVELS;
        self.light.unwrap_or(moving as f32)
    }

    /// True if boids are drawn as birds before a bright sky, which bank in their turns.
    pub fn dusk(&self, flat: bool) -> bool {
        drawn_scenery(self.scenery, flat) == Scenery::Dusk
    }
}

/// The initial camera and the appearance of a view. Fields that the view does not set keep their value in `before` or
/// take the default for the flock.
pub fn of_view(view: &View, before: Look, parameters: &Parameters) -> (Camera, Look) {
    let number = |said: Option<f64>, usual: f32| said.map_or(usual, |number| number as f32);
    let angle = |said: Option<f64>, usual| said.map_or(usual, |degrees| (degrees as f32).to_radians());
    let (camera, usual) = (Camera::new(parameters.flat()), Look::new(parameters));
    let look = Look {
        scenery: before.scenery,
        colour: view.colour.unwrap_or(before.colour),
        size: number(view.length, usual.size),
        fog: number(view.fog, before.fog),
        light: view.light.map(|light| light as f32).or(before.light),
        trails: number(view.trails, before.trails),
        // In space the edges would hide a part of the flock.
        edges: camera.flat,
        shapes: view.shapes,
        ..usual
    };
    let pitch = angle(view.pitch, first_pitch(look.scenery));
    (Camera { yaw: angle(view.yaw, camera.yaw), pitch, ..camera }, look)
}

/// Spacing of the boids at the start: the side of the cube (square) of one boid's share of the world.
fn spacing(p: &Parameters) -> f64 {
    let side = |k: usize| p.world.max[k] - p.world.min[k];
    let boids = f64::from(p.flock.boids.max(1));
    if p.flat() { (side(0) * side(1) / boids).sqrt() } else { (side(0) * side(1) * side(2) / boids).cbrt() }
}

fn size(p: &Parameters) -> f64 {
    let room = spacing(p);
    // On a plane no boid hides another, so they can be larger.
    let (near, least, most) = if p.flat() { (0.75, 0.22, 0.45) } else { (0.6, 0.16, 0.3) };
    (near * p.separation.radius).clamp(least * room, most * room)
}

/// Twice the number of neighbours within the greatest radius at a uniform start: a settled flock is denser.
fn typical_neighbours(p: &Parameters) -> f64 {
    let radius = p.alignment.radius.max(p.cohesion.radius).max(p.separation.radius) / spacing(p);
    let within = if p.flat() { radius.powi(2) } else { 4.0 / 3.0 * radius.powi(3) } * std::f64::consts::PI;
    (2.0 * within).clamp(4.0, 200.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_moves_from_gold_to_blue_and_back_unless_it_is_held() {
        let mut look = Look::default();
        let half = 0.5 * LIGHT_PERIOD;
        for (moment, light) in
            [(0.0, 0.0), (0.5 * half, 0.5), (half, 1.0), (2.0 * half, 0.0), (3.0 * half, 1.0)]
        {
            assert_eq!(look.light_at(moment), light, "at {moment}");
        }
        for moment in (0..28_800).step_by(7).map(f64::from) {
            let moved = look.light_at(moment + 7.0) - look.light_at(moment);
            assert!(moved.abs() <= 1.01 / 512.0, "{moved} at {moment}");
        }
        look.light = Some(0.3);
        assert_eq!((look.light_at(0.0), look.light_at(half)), (0.3, 0.3));
    }

    #[test]
    fn boids_are_neither_too_small_nor_too_large() {
        let mut p = Parameters::default();
        for (radius, share) in [(1e-3, 0.16), (1e3, 0.3)] {
            p.separation.radius = radius;
            let size = f64::from(Look::new(&p).size);
            assert!((size / spacing(&p) - share).abs() < 1e-6);
        }
        (p.flock.boids, p.flock.dimensions) = (0, 2);
        assert!(Look::new(&p).size > 0.0);
    }
}
