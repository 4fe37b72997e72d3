//! The table of the rule: every quantised field with its kind, the parameter it comes from and its term.
//!
//! [`Rule`], its quantisation, the layout of the uniform and its WGSL struct, and the range checks of the integers are
//! all made from this table. A row that copies a parameter reads `field: kind(Type) = table.key, Term;`, where a kind
//! is a function of the [`Quantiser`] — a row that is computed reads `field: uniform(Type) from [the parameters that it
//! quantises, and their kinds] = |q| value;`, or `host(Type)`.

use super::quantise::{FormulaValues, QuantisedParameter, Quantiser, Value, scale_of};
use super::terms::{Term, Terms};
use super::{Obstacle, Shape, View};
use crate::number::{Number, Vec3};
use crate::parameters::{Edges, Falloff, MAX_SPHERES, Parameters, Scope};

/// The uniform's value of a field; none for a field that only the host reads.
macro_rules! uniform {
    (host $value:expr) => {
        None
    };
    (uniform $value:expr) => {
        Some(Value::from($value))
    };
}

/// The shape of a rule's request.
macro_rules! shape {
    ($q:ident, $rule:ident, $scope:expr) => {{
        let (p, whole_flock) = (&$q.p.$rule, $scope == Scope::Flock);
        let (weight, max_force) = ($q.pure(p.weight), $q.length(p.max_force));
        Shape { weight, response: p.response, max_force, include_self: p.include_self, whole_flock }
    }};
}

macro_rules! rule {
    (
        parameters {$(
            $(#[$doc:meta])*
            $field:ident: $kind:ident($type:ty) = $table:ident.$key:ident, $term:ident;
        )*}
        computed {$(
            $(#[$computed_doc:meta])*
            $computed:ident: $how:ident($computed_type:ty)
                from [$($from_table:ident.$from_key:ident: $from_kind:ident in $from_term:ident),* $(,)?]
                = |$q:ident| $value:expr;
        )*}
    ) => {
        /// The inputs of a step that do not change from step to step, in its number type. Lengths and velocities are in
        /// the users' units times [`Rule::unit`]; weights and other pure numbers are as they are.
        ///
        /// A rule of weight zero has a view of radius zero, so no engine searches its neighbours.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Rule<T: Number> {
            /// The terms that the rule uses.
            pub terms: Terms,
            $($(#[$doc])* pub $field: $type,)*
            $($(#[$computed_doc])* pub $computed: $computed_type,)*
        }

        impl<T: Number> Rule<T> {
            /// Quantises the parameters; the terms are left to be found.
            pub(super) fn quantised(p: &Parameters) -> Self {
                let q = Quantiser::<T>::new(p);
                Rule {
                    terms: Terms::NONE,
                    $($field: q.$kind(p.$table.$key),)*
                    $($computed: { let $q = &q; $value },)*
                }
            }

            /// The fields that the uniform holds, in its order.
            pub fn uniform(&self) -> impl Iterator<Item = (&'static str, Value<T>)> {
                let all = [
                    $((stringify!($field), Some(Value::from(self.$field))),)*
                    $((stringify!($computed), uniform!($how self.$computed)),)*
                ];
                all.into_iter().filter_map(|(name, value)| Some((name, value?)))
            }
        }

        /// The parameters that the rows of the table quantise, in their order.
        pub static SOURCES: &[QuantisedParameter] = &[
            $(QuantisedParameter {
                parameter: concat!(stringify!($table), ".", stringify!($key)),
                scale: scale_of::$kind,
                term: Term::$term,
            },)*
            $($(QuantisedParameter {
                parameter: concat!(stringify!($from_table), ".", stringify!($from_key)),
                scale: scale_of::$from_kind,
                term: Term::$from_term,
            },)*)*
        ];
    };
}

rule! {
    parameters {
        /// Seed of the random numbers.
        seed: word(u32) = flock.seed, Motion;
        /// The edges of the world.
        edges: word(Edges) = world.edges, Motion;
        /// The corner of the world with the smallest coordinates (length).
        world_min: point(Vec3<T>) = world.min, Motion;
        /// The corner of the world with the largest coordinates (length).
        world_max: point(Vec3<T>) = world.max, Motion;
        /// Velocity added at each step within the margin (length/time).
        turn: length(T) = world.turn, Turn;

        /// The falloff of separation with the distance.
        falloff: word(Falloff) = separation.falloff, Separation;
        /// Separation by the mean of the offsets, not their sum.
        average: word(bool) = separation.average, Average;
        /// Neighbours within the separation radius are left out of alignment and cohesion.
        exclusive: word(bool) = separation.exclusive, Exclusion;
        /// With a neighbour inside the separation radius, alignment and cohesion are off.
        priority: word(bool) = separation.priority, Priority;
        /// Alignment by the sum of the neighbours' headings, unit vectors.
        alignment_unit: word(bool) = alignment.unit, AlignmentUnit;
        /// Cohesion by the sum of the directions to the neighbours, unit vectors.
        cohesion_unit: word(bool) = cohesion.unit, CohesionUnit;
        /// Number of nearest boids that each rule perceives; 0: all.
        nearest: word(u32) = neighbours.nearest, Nearest;
        /// Weight of the request of the line of sight (pure).
        line_of_sight_weight: pure(T) = line_of_sight.weight, LineOfSight;

        /// Weight of the pull towards home (pure).
        home_weight: pure(T) = home.weight, Home;
        /// Position of home (length); inside a world that wraps.
        home: place(Vec3<T>) = home.position, Home;
        /// Half the side of the cube within which home does not pull (length); 0 pulls always.
        home_half_extent: length(T) = home.half_extent, Home;
        /// Amplitude of home's motion along x and y (length); 0 stays. See [`mod@crate::home`].
        wander: length(T) = home.wander, Wander;
        /// Weight of the pull towards the attractor (pure).
        attractor_weight: pure(T) = attractor.weight, Attractor;
        /// Position of the attractor (length); inside a world that wraps.
        attractor: place(Vec3<T>) = attractor.position, Attractor;
        /// Separation perceives the attractor.
        attractor_avoid: word(bool) = attractor.avoid, AvoidAttractor;
        /// Weight of a random request, whose components are pure numbers in ±1 (length/time).
        noise_weight: length(T) = noise.weight, Noise;
        /// Weight of a scout's preferred direction, a pure vector of length 1 (length/time).
        scout_pull: length(T) = scouts.pull, Preference;
        /// Weight of the push away from obstacles, a pure number up to 1 each (length/time).
        obstacle_weight: length(T) = obstacles.weight, Obstacles;
        /// Distance from a surface at which the push begins (length).
        obstacle_margin: length(T) = obstacles.margin, Obstacles;

        /// Number of predators at the start.
        predator_count: word(u32) = predators.count, Predators;
        /// Weight of the flight from predators (pure).
        predator_weight: pure(T) = predators.weight, Predators;
        /// Distance below which boids flee a predator (length).
        predator_radius: length(T) = predators.radius, Predators;
        /// Distance below which a predator attacks boids (length).
        predator_sight: length(T) = predators.sight, Predators;
        /// Weight of the unit vectors towards boids in sight (length/time).
        attack_weight: length(T) = predators.attack_weight, Predators;
        /// Weight of the offset to the flock's mean position (pure).
        chase_weight: pure(T) = predators.chase_weight, Predators;
        /// Weight of the trefoil knot, a pure number (length/time).
        knot_weight: length(T) = predators.knot_weight, Predators;
        /// Share of a predator's old velocity in its new one (pure).
        predator_inertia: pure(T) = predators.inertia, Predators;
        /// Greatest speed of a predator (length/time).
        predator_max_speed: length(T) = predators.max_speed, Predators;

        /// Share of the old velocity in the new one (pure).
        inertia: pure(T) = motion.inertia, Motion;
        /// Share of the combined requests in the new velocity (pure).
        gain: pure(T) = motion.gain, Motion;
        /// The combined request is brought to length 1.
        normalize_goal: word(bool) = motion.normalize_goal, NormalizeGoal;
        /// Time that a step takes (time).
        time_step: pure(T) = motion.time_step, Motion;
        /// Least speed (length/time); a boid at rest stays at rest.
        min_speed: length(T) = motion.min_speed, Motion;
        /// Greatest speed (length/time).
        max_speed: length(T) = motion.max_speed, Motion;
        /// Acceleration of every boid (length/time²).
        wind: point(Vec3<T>) = wind.acceleration, Wind;

        /// The bias of scouts grows and shrinks.
        bias_dynamic: word(bool) = scouts.dynamic, Motion;
        /// The most that a dynamic bias grows to (pure).
        max_bias: pure(T) = scouts.max_bias, Motion;
        /// Change of a dynamic bias a step, and the least that it shrinks to (pure).
        bias_step: pure(T) = scouts.bias_step, Motion;
    }
    computed {
        /// The number type's layout of lengths and velocities.
        format: host(T::Format) from [] = |q| q.format;
        /// The factor of lengths and velocities: a power of two (pure).
        unit: uniform(T) from [] = |q| q.pure(q.unit);
        /// Two dimensions: every z is zero.
        flat: uniform(bool) from [] = |q| q.p.flat();
        /// World size (length).
        size: uniform(Vec3<T>) from [] = |q| q.size();
        /// Half the world size (length).
        half_size: uniform(Vec3<T>) from [] = |q| q.half_size();
        /// World size in the unit of offsets between boids: see [`crate::Lanes::coarse_position`].
        coarse_size: uniform(Vec3<T>) from [] = |q| q.size().map(|c| c.coarse(&q.format));
        /// Half the world size in the unit of offsets between boids.
        coarse_half_size: uniform(Vec3<T>) from [] = |q| q.half_size().map(|c| c.coarse(&q.format));
        /// Boids below `min + margin` turn (length).
        turn_low: uniform(Vec3<T>) from [world.margin: length in Turn] = |q| q.point(q.p.world.min) + q.margins();
        /// Boids above `max − margin` turn (length).
        turn_high: uniform(Vec3<T>) from [world.margin: length in Turn] = |q| q.point(q.p.world.max) - q.margins();

        /// The view of separation.
        separation: uniform(View<T>) from [separation.radius: length in Separation] = |q| q.views[0];
        /// The view of alignment.
        alignment: uniform(View<T>) from [alignment.radius: length in Alignment] = |q| q.views[1];
        /// The view of cohesion.
        cohesion: uniform(View<T>) from [cohesion.radius: length in Cohesion] = |q| q.views[2];
        /// The square of the distance from which on alignment perceives, as in [`View::radius_square`].
        alignment_inner_square: uniform(T) from [alignment.inner_radius: length in Zones] = |q| {
            q.inner_square(q.p.alignment.inner_radius)
        };
        /// The square of the distance from which on cohesion perceives.
        cohesion_inner_square: uniform(T) from [cohesion.inner_radius: length in Zones] = |q| {
            q.inner_square(q.p.cohesion.inner_radius)
        };
        /// The view ahead, of boids in the line of sight.
        line_of_sight: uniform(View<T>) from [line_of_sight.radius: length in LineOfSight] = |q| q.views[3];
        /// The greatest radius at which a rule perceives a boid (length); 0 where none does. Cells are as wide.
        reach: host(T) from [] = |q| T::reach(q.length(q.reach), &q.format);
        /// The square of the reach, as in [`View::radius_square`].
        reach_square: uniform(T) from [] = |q| q.reach_square();
        /// The sums need more than one distance a rule: a field of view narrower than all round, a line of sight,
        /// zones, or unit vectors.
        needs_general_sums: host(bool) from [] = |q| q.needs_general_sums;

        /// The request of separation.
        separation_request: uniform(Shape<T>) from [
            separation.weight: pure in Separation,
            separation.max_force: length in Steer,
        ] = |q| shape!(q, separation, Scope::Neighbours);
        /// The request of alignment.
        alignment_request: uniform(Shape<T>) from [
            alignment.weight: pure in Alignment,
            alignment.max_force: length in Steer,
        ] = |q| shape!(q, alignment, q.p.alignment.scope);
        /// The request of cohesion.
        cohesion_request: uniform(Shape<T>) from [
            cohesion.weight: pure in Cohesion,
            cohesion.max_force: length in Steer,
        ] = |q| shape!(q, cohesion, q.p.cohesion.scope);
        /// Cosine of the greatest angle of a turn (pure).
        turn_cosine: uniform(T) from [motion.max_turn: pure in MaxTurn] = |q| q.pure(q.greatest_turn()[0]);
        /// Sine of the greatest angle of a turn (pure).
        turn_sine: uniform(T) from [motion.max_turn: pure in MaxTurn] = |q| q.pure(q.greatest_turn()[1]);
        /// The factor of a random number in ±1: in 2-D the greatest random turn over 180°, in 3-D the sine of half the
        /// greatest turn (pure).
        noise_turn: uniform(T) from [noise.angle: pure in AngularNoise] = |q| q.pure(q.random_turn());
        /// The standard deviation of the error of a heading, over 180° (pure).
        gaussian_turn: uniform(T) from [noise.gaussian: pure in GaussianNoise] = |q| {
            q.pure(q.p.noise.gaussian / core::f64::consts::PI)
        };
        /// The unit vector that right scouts prefer (pure).
        right_direction: uniform(Vec3<T>) from [scouts.right_direction: direction in Preference] = |q| {
            q.unit_vector(q.p.scouts.right_direction)
        };
        /// The unit vector that left scouts prefer (pure).
        left_direction: uniform(Vec3<T>) from [scouts.left_direction: direction in Preference] = |q| {
            q.unit_vector(q.p.scouts.left_direction)
        };
        /// Groups 1 and 2 are scouts.
        scouts: host(bool) from [] = |q| q.p.has_scouts();
        /// The flock's mean position and velocity are needed: by a rule of scope `flock` or by chasing predators.
        means: uniform(bool) from [] = |q| q.means();
        /// Number of obstacles.
        obstacle_count: uniform(u32) from [] = |q| q.p.obstacles.spheres.as_slice().len() as u32;
        /// The obstacles; those beyond the count are zero.
        obstacles: uniform([Obstacle<T>; MAX_SPHERES]) from [obstacles.spheres: point in Obstacles] = |q| q.obstacles();
        /// Custom terms and their values, in users' units.
        formula_values: host(FormulaValues) from [] = |q| FormulaValues::new(q.p);
        /// Steps in which the angle of the knot grows by 4π.
        knot_period: host(f64) from [] = |q| q.p.predators.knot_period;
        /// Steps from one stoop of a predator to the next; 0 never leaves.
        stoop_period: host(f64) from [] = |q| q.p.predators.stoop_period;
        /// Period of home's motion (steps).
        wander_period: host(f64) from [] = |q| q.p.home.wander_period;
        /// Height below which a boid may perch (length); 0 where it never does.
        perch_height: uniform(T) from [perching.height: length in Perching] = |q| {
            if q.perches() { q.length(q.p.perching.height) } else { T::ZERO }
        };
        /// The longest rest (steps); 0 where no boid perches.
        perch_steps: uniform(u32) from [] = |q| if q.perches() { q.p.perching.steps } else { 0 };
    }
}
