//! The parameters quantised, once and in one place, into the number type of an engine.

use crate::number::Number;
use crate::parameters::{Edges, Falloff, MAX_SPHERES, Parameters, Response, Scope};
use crate::state::{Boid, Predator};
use crate::vector::Vec3;

/// A field of view: which offsets it holds is decided without trigonometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View<T> {
    /// Radius squared, as [`crate::Lanes::square`] squares offsets; zero sees nothing.
    pub radius_square: T,
    /// Squared cosine of the half angle.
    pub cosine_square: T,
    pub cosine: T,
    pub sine: T,
    /// Whether the half angle is at most 90°, the cosine then not negative.
    pub acute: bool,
    /// Whether it sees all round.
    pub all_round: bool,
    /// Whether it sees anything: the radius squared is above zero.
    pub used: bool,
}

/// A request's weight and shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape<T> {
    pub weight: T,
    pub response: Response,
    pub max_force: T,
    /// The boid counts itself in the mean.
    pub include_self: bool,
    /// The mean is of the whole flock.
    pub whole_flock: bool,
}

/// A spherical obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Obstacle<T> {
    pub position: Vec3<T>,
    pub radius: T,
}

/// Everything a step needs to know, in the number type it computes in.
///
/// A rule that weighs nothing has a view of radius zero, so that no engine looks for its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule<T: Number> {
    /// How lengths and velocities are laid out, and what they are scaled by.
    pub format: T::Format,
    pub unit: T,
    pub seed: u32,
    /// Two dimensions: every z is zero.
    pub flat: bool,
    pub edges: Edges,
    pub world_min: Vec3<T>,
    pub world_max: Vec3<T>,
    /// World size, and half of it, for the minimum image.
    pub size: Vec3<T>,
    pub half_size: Vec3<T>,
    /// The same between places, as [`crate::Lanes::place`] gives them.
    pub place_size: Vec3<T>,
    pub place_half_size: Vec3<T>,
    /// Where turning begins: `min + margin` and `max − margin`.
    pub turn_low: Vec3<T>,
    pub turn_high: Vec3<T>,
    pub turn: T,

    pub separation: View<T>,
    pub alignment: View<T>,
    pub cohesion: View<T>,
    pub line_of_sight: View<T>,
    /// The greatest radius at which any rule perceives a boid, and its square as in [`View`]; zero where none does.
    pub reach: T,
    pub reach_square: T,
    pub falloff: Falloff,
    pub average: bool,
    pub exclusive: bool,
    /// Some rule has a field of view narrower than all round, or a line of sight: the sums then need more than
    /// distances.
    pub detailed: bool,

    pub separate: Shape<T>,
    pub align: Shape<T>,
    pub cohere: Shape<T>,
    pub line_of_sight_weight: T,
    /// The flock's mean position and velocity are needed: by a rule of scope `flock` or by chasing predators.
    pub means: bool,

    pub home_weight: T,
    pub home: Vec3<T>,
    pub home_half_extent: T,
    pub attractor_weight: T,
    pub attractor: Vec3<T>,
    pub attractor_avoid: bool,
    pub noise_weight: T,
    pub obstacle_weight: T,
    pub obstacle_margin: T,
    pub obstacles: [Obstacle<T>; MAX_SPHERES],
    pub obstacle_count: usize,

    pub predator_weight: T,
    pub predator_radius: T,
    pub predator_sight: T,
    pub attack_weight: T,
    pub chase_weight: T,
    pub knot_weight: T,
    pub knot_period: f64,
    pub predator_max_speed: T,

    pub inertia: T,
    pub gain: T,
    pub normalize_goal: bool,
    pub time_step: T,
    pub min_speed: T,
    pub max_speed: T,

    pub bias_dynamic: bool,
    pub max_bias: T,
    pub bias_step: T,
    pub perch_height: T,
    pub perch_steps: u32,
}

impl<T: Number> Rule<T> {
    /// Quantises the parameters.
    #[must_use]
    pub fn new(p: &Parameters) -> Self {
        let unit = T::unit(p);
        let n = T::from_f64;
        let length = |value: f64| n(value * unit);
        let flat = p.flat();
        let vector =
            |v: [f64; 3]| Vec3::new(length(v[0]), length(v[1]), if flat { T::ZERO } else { length(v[2]) });
        let (sep, ali, coh, los) = (&p.separation, &p.alignment, &p.cohesion, &p.line_of_sight);
        let local = |weight: f64, scope: Scope| weight != 0.0 && scope == Scope::Neighbours;
        let align_locally = local(ali.weight, ali.scope);
        let cohere_locally = local(coh.weight, coh.scope);
        // An exclusive separation shapes the neighbourhoods of the others even where it weighs nothing itself.
        let separate = sep.weight != 0.0 || sep.exclusive && (align_locally || cohere_locally);
        let views = [
            (sep.radius, sep.angle, separate),
            (ali.radius, ali.angle, align_locally),
            (coh.radius, coh.angle, cohere_locally),
            (los.radius, los.angle, los.weight != 0.0),
        ];
        let reach = views.iter().filter(|v| v.2).map(|v| v.0).fold(0.0, f64::max);
        let format = T::format(p, reach);
        let view = |radius: f64, angle: f64, used: bool| {
            // Exactly −1, 0 and 1 where they are meant.
            let cosine = if angle == 90.0 { 0.0 } else { libm::cos(angle.to_radians()) };
            let radius_square = if used { T::radius_square(length(radius), &format) } else { T::ZERO };
            View {
                radius_square,
                cosine_square: T::cosine_square(cosine * cosine),
                cosine: n(cosine),
                sine: n(libm::sin(angle.to_radians())),
                acute: angle <= 90.0,
                all_round: angle >= 180.0,
                used: T::ZERO < radius_square,
            }
        };
        let perching = p.perching.height > 0.0 && p.perching.steps > 0;
        let narrow = views.iter().any(|v| v.2 && v.1 < 180.0);
        let [separation, alignment, cohesion, line_of_sight] = views.map(|(r, a, used)| view(r, a, used));
        let whole = |scope: Scope| scope == Scope::Flock;
        let means = whole(ali.scope) && ali.weight != 0.0
            || whole(coh.scope) && coh.weight != 0.0
            || p.predators.count > 0 && p.predators.chase_weight != 0.0;

        let (world_min, world_max) = (vector(p.world.min), vector(p.world.max));
        let size = world_max - world_min;
        let margin = length(p.world.margin);
        let margins = Vec3::new(margin, margin, if flat { T::ZERO } else { margin });
        let mut obstacles = [Obstacle::default(); MAX_SPHERES];
        let spheres = p.obstacles.spheres.as_slice();
        for (slot, sphere) in obstacles.iter_mut().zip(spheres) {
            *slot = Obstacle { position: vector(sphere.position), radius: length(sphere.radius) };
        }
        let half_size = size * n(0.5);

        Rule {
            format,
            unit: n(unit),
            seed: p.flock.seed,
            flat,
            edges: p.world.edges,
            world_min,
            world_max,
            size,
            half_size,
            place_size: T::place(size, &format),
            place_half_size: T::place(half_size, &format),
            turn_low: world_min + margins,
            turn_high: world_max - margins,
            turn: length(p.world.turn),
            separation,
            alignment,
            cohesion,
            line_of_sight,
            reach: T::reach(length(reach), &format),
            reach_square: T::radius_square(length(reach), &format),
            falloff: sep.falloff,
            average: sep.average,
            exclusive: sep.exclusive,
            detailed: narrow || los.weight != 0.0,
            separate: Shape {
                weight: n(sep.weight),
                response: sep.response,
                max_force: length(sep.max_force),
                include_self: sep.include_self,
                whole_flock: false,
            },
            align: Shape {
                weight: n(ali.weight),
                response: ali.response,
                max_force: length(ali.max_force),
                include_self: ali.include_self,
                whole_flock: whole(ali.scope),
            },
            cohere: Shape {
                weight: n(coh.weight),
                response: coh.response,
                max_force: length(coh.max_force),
                include_self: coh.include_self,
                whole_flock: whole(coh.scope),
            },
            line_of_sight_weight: n(los.weight),
            means,
            home_weight: n(p.home.weight),
            home: vector(p.home.position),
            home_half_extent: length(p.home.half_extent),
            attractor_weight: n(p.attractor.weight),
            attractor: vector(p.attractor.position),
            attractor_avoid: p.attractor.avoid,
            noise_weight: length(p.noise.weight),
            obstacle_weight: length(p.obstacles.weight),
            obstacle_margin: length(p.obstacles.margin),
            obstacles,
            obstacle_count: spheres.len(),
            predator_weight: n(p.predators.weight),
            predator_radius: length(p.predators.radius),
            predator_sight: length(p.predators.sight),
            attack_weight: length(p.predators.attack_weight),
            chase_weight: n(p.predators.chase_weight),
            knot_weight: length(p.predators.knot_weight),
            knot_period: p.predators.knot_period,
            predator_max_speed: length(p.predators.max_speed),
            inertia: n(p.motion.inertia),
            gain: n(p.motion.gain),
            normalize_goal: p.motion.normalize_goal,
            time_step: n(p.motion.time_step),
            min_speed: length(p.motion.min_speed),
            max_speed: length(p.motion.max_speed),
            bias_dynamic: p.scouts.dynamic,
            max_bias: n(p.scouts.max_bias),
            bias_step: n(p.scouts.bias_step),
            perch_height: if perching { length(p.perching.height) } else { T::ZERO },
            perch_steps: if perching { p.perching.steps } else { 0 },
        }
    }

    /// Whether alignment and cohesion perceive the same boids: all within reach, whatever the angle.
    #[must_use]
    pub fn alike(&self) -> bool {
        let far = |view: &View<T>| view.used && view.radius_square == self.reach_square;
        !self.detailed && far(&self.alignment) && far(&self.cohesion)
    }

    /// A boid in users' units brought into the scaled ones of this rule, each number rounded to the nearest.
    #[must_use]
    pub fn take_boid(&self, boid: &Boid<f64>) -> Boid<T> {
        Boid {
            position: boid.position.map(|c| self.scaled(c).confine()),
            velocity: boid.velocity.map(|c| self.scaled(c).confine()),
            bias: T::from_f64(boid.bias),
            group: boid.group,
            rest: boid.rest,
        }
    }

    /// Back again, exactly.
    #[must_use]
    pub fn give_boid(&self, boid: &Boid<T>) -> Boid<f64> {
        Boid {
            position: boid.position.map(|c| self.unscaled(c)),
            velocity: boid.velocity.map(|c| self.unscaled(c)),
            bias: boid.bias.to_f64(),
            group: boid.group,
            rest: boid.rest,
        }
    }

    /// As [`Rule::take_boid`].
    #[must_use]
    pub fn take_predator(&self, predator: &Predator<f64>) -> Predator<T> {
        Predator {
            position: predator.position.map(|c| self.scaled(c).confine()),
            velocity: predator.velocity.map(|c| self.scaled(c).confine()),
        }
    }

    /// As [`Rule::give_boid`].
    #[must_use]
    pub fn give_predator(&self, predator: &Predator<T>) -> Predator<f64> {
        Predator {
            position: predator.position.map(|c| self.unscaled(c)),
            velocity: predator.velocity.map(|c| self.unscaled(c)),
        }
    }

    /// A length or velocity from users' units.
    #[must_use]
    pub fn scaled(&self, value: f64) -> T {
        T::from_f64(value * self.unit.to_f64())
    }

    /// A length or velocity in users' units, exactly.
    #[must_use]
    pub fn unscaled(&self, value: T) -> f64 {
        value.to_f64() / self.unit.to_f64()
    }

    /// The offset's nearest image where the world wraps; the offset itself elsewhere.
    #[inline]
    #[must_use]
    pub fn nearest_image(&self, offset: Vec3<T>) -> Vec3<T> {
        if self.edges != Edges::Wrap {
            return offset;
        }
        let axis = |o: T, size: T, half: T| {
            if half < o {
                o - size
            } else if o < -half {
                o + size
            } else {
                o
            }
        };
        Vec3::new(
            axis(offset.x, self.size.x, self.half_size.x),
            axis(offset.y, self.size.y, self.half_size.y),
            axis(offset.z, self.size.z, self.half_size.z),
        )
    }

    /// Whether a position lies inside the world.
    #[inline]
    #[must_use]
    pub fn inside(&self, position: Vec3<T>) -> bool {
        let axis = |p: T, min: T, max: T| min <= p && p < max;
        axis(position.x, self.world_min.x, self.world_max.x)
            && axis(position.y, self.world_min.y, self.world_max.y)
            && (self.flat || axis(position.z, self.world_min.z, self.world_max.z))
    }

    /// A position brought back into the world where it wraps.
    #[inline]
    #[must_use]
    pub fn wrap(&self, position: Vec3<T>) -> Vec3<T> {
        if self.edges != Edges::Wrap {
            return position.map(T::confine);
        }
        let axis = |p: T, min: T, max: T, size: T| {
            if min <= p && p < max || size <= T::ZERO {
                return p.confine();
            }
            let q = p - size * ((p - min) / size).floor();
            // Rounding may land on the far edge, which is the near one.
            if q < min || max <= q { min } else { q }
        };
        let (min, max, size) = (self.world_min, self.world_max, self.size);
        Vec3::new(
            axis(position.x, min.x, max.x, size.x),
            axis(position.y, min.y, max.y, size.y),
            axis(position.z, min.z, max.z, size.z),
        )
    }
}
