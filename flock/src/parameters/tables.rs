//! The tables themselves: one line per parameter.

use super::Parameter;
use super::value::{Refused, Shares, Spheres, Value, ValueKind, Why};
use crate::formula::FormulaTerms;

/// Coordinates and lengths stay within this many units, so that sums and squares stay finite in f32.
const FAR: f64 = 1e6;

/// The maximum of `Neighbours::nearest`.
pub const MAX_NEAREST: u32 = 32;

const fn real(min: f64, max: f64) -> ValueKind {
    ValueKind::Real { min, max }
}
const fn count(min: u32, max: u32) -> ValueKind {
    ValueKind::Count { min, max }
}
const LENGTH: ValueKind = real(0.0, FAR);
const WEIGHT: ValueKind = real(-1000.0, 1000.0);
const ANGLE: ValueKind = real(0.0, 180.0);
const POINT: ValueKind = ValueKind::Vector { min: -FAR, max: FAR };

/// A type a parameter can have.
trait Field: Copy {
    fn get(self) -> Value;
    fn from(value: Value) -> Option<Self>;
}

macro_rules! field {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl Field for $type {
            fn get(self) -> Value {
                Value::$variant(self)
            }
            fn from(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(v) => Some(v),
                    _ => None,
                }
            }
        }
    )*};
}

field! { f64 => Real, u32 => Count, bool => Flag, [f64; 3] => Vector, Spheres => Spheres, Shares => Shares }

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($words:tt)* }) => {
        crate::named! { $(#[$doc])* $name { $($words)* } }

        impl Field for $name {
            fn get(self) -> Value {
                Value::Choice(self.name())
            }

            fn from(value: Value) -> Option<Self> {
                let Value::Choice(word) = value else { return None };
                Self::ALL.into_iter().find(|(_, name)| *name == word).map(|(choice, _)| choice)
            }
        }
    };
}

choice! {
    /// The positions and velocities at step 0.
    Start {
        /// Uniform in the world, random directions, speeds uniform within the limits.
        Uniform = "uniform",
        /// Uniform in the world, at rest.
        Rest = "rest",
        /// In the largest disc or ball about the world's centre, the distance from the centre uniform (so denser
        /// within), at speed 1 in random directions.
        Disc = "disc",
        /// Uniform in the largest disc or ball about the world's centre, random directions, speeds within the limits.
        Ball = "ball",
        /// All at the world's centre, random directions, speeds within the limits.
        Point = "point",
        /// A bent sheet in the middle of the world, neighbours with like headings, speeds uniform within the limits.
        Flight = "flight",
    }
}

choice! {
    /// The size of the world when the number of boids changes.
    Density {
        /// The world keeps its size.
        World = "world",
        /// The world grows or shrinks so that the density stays.
        Keep = "keep",
    }
}

choice! {
    /// The edges of the world.
    Edges {
        /// There are none.
        Open = "open",
        /// Boids within the margin are turned back.
        Turn = "turn",
        /// Opposite edges are connected.
        Wrap = "wrap",
    }
}

choice! {
    /// The shape of a request.
    Response {
        /// Unchanged.
        Proportional = "proportional",
        /// Its length cut to 1.
        Limited = "limited",
        /// Towards a desired velocity of full speed, cut to `max_force` (Reynolds 1999).
        Steer = "steer",
    }
}

choice! {
    /// The falloff of separation with the distance d.
    Falloff {
        /// Not at all: the offset itself.
        None = "none",
        /// Offset / d.
        Inverse = "inverse",
        /// Offset / d².
        InverseSquare = "inverse_square",
    }
}

choice! {
    /// The boids whose mean a rule follows.
    Scope {
        /// The mean of the boids perceived.
        Neighbours = "neighbours",
        /// The mean of the whole flock, the boid included.
        Flock = "flock",
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident: $struct:ident {
        $($key:ident: $type:ty = $default:expr, $kind:expr, $unit:literal, $help:literal $(, needs [$($need:literal),*])?;)*
    })*) => {
        /// Every parameter of a flock, by table and key.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Parameters {
            $($(#[$doc])* pub $table: $struct,)*
            /// Custom terms.
            pub terms: FormulaTerms,
        }

        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $struct { $(#[doc = concat!($help, " Unit: `", $unit, "` (empty: a pure number); default: `", stringify!($default), "`.")] pub $key: $type),* }

        impl Default for $struct {
            fn default() -> Self {
                $struct { $($key: $default),* }
            }
        })*

        /// All parameters, table by table.
        pub static PARAMETERS: &[Parameter] = &[$($(Parameter {
            name: concat!(stringify!($table), ".", stringify!($key)),
            table: stringify!($table),
            key: stringify!($key),
            kind: $kind,
            unit: $unit,
            help: $help,
            needs: &[$($($need),*)?],
            get: |p| p.$table.$key.get(),
            set: |p, value| {
                p.$table.$key = <$type as Field>::from(value)
                    .ok_or(Refused { name: None, why: Why::Text("a value of the parameter's own type") })?;
                Ok(())
            },
        }),*),*];
    };
}

tables! {
    /// The flock as a whole.
    flock: Flock {
        boids: u32 = 500, count(0, 2_000_000_000), "boids", "Number of boids.";
        dimensions: u32 = 3, count(2, 3), "", "Number of dimensions; with 2, all z are zero.";
        seed: u32 = 1, count(0, u32::MAX), "", "Seed of the start and of the noise; the same seed gives the same flock.";
        start: Start = Start::Uniform, ValueKind::Choice(Start::NAMES), "", "Positions and velocities at step 0; flight is a flock that already flies.";
        density: Density = Density::World, ValueKind::Choice(Density::NAMES), "", "Whether the world keeps its size or its density when the number of boids changes.";
        groups: Shares = Shares::default(), ValueKind::Shares { max: FAR }, "", "Relative sizes of groups 0, 1, 2 and so on, assigned by id: [2, 1, 1] makes one half and two quarters. If empty, all boids except scouts are in group 0. Scouts, which are groups 1 and 2, are chosen first; with scouts, those two must have no share here.";
    }
    /// The box in which the flock starts, and its edges.
    world: World {
        min: [f64; 3] = [0.0; 3], POINT, "length", "The corner with the smallest coordinates; boids start between min and max.";
        max: [f64; 3] = [100.0; 3], POINT, "length", "The corner with the largest coordinates.";
        edges: Edges = Edges::Open, ValueKind::Choice(Edges::NAMES), "", "What happens at the edges: nothing, boids turn back, or they wrap around to the other side.";
        margin: f64 = 10.0, LENGTH, "length", "Distance from an edge, inside the world, at which boids begin to turn back.", needs ["world.edges=turn"];
        turn: f64 = 0.1, real(0.0, FAR), "length/time", "Velocity away from the edge that is added per step within the margin.", needs ["world.edges=turn"];
    }
    /// Steering away from boids that are too near.
    separation: Separation {
        radius: f64 = 5.0, LENGTH, "length", "Distance below which a boid is too near.", needs ["separation.weight|separation.exclusive|separation.priority"];
        angle: f64 = 180.0, ANGLE, "degrees", "Half angle of the field of view around the heading; 180 sees in all directions.", needs ["separation.weight|separation.exclusive|separation.priority"];
        weight: f64 = 1.0, WEIGHT, "", "Weight of the request.";
        response: Response = Response::Proportional, ValueKind::Choice(Response::NAMES), "", "Shape of the request: unchanged, its length limited to 1, or a steering force.", needs ["separation.weight"];
        max_force: f64 = 1.0, real(0.0, FAR), "length/time", "Largest request of the response steer.", needs ["separation.weight", "separation.response=steer"];
        falloff: Falloff = Falloff::None, ValueKind::Choice(Falloff::NAMES), "", "How the push decreases with the distance.", needs ["separation.weight"];
        average: bool = false, ValueKind::Flag, "", "Whether the request is the mean of the pushes instead of their sum.", needs ["separation.weight"];
        exclusive: bool = false, ValueKind::Flag, "", "Whether boids that are too near are excluded from alignment and cohesion.";
        priority: bool = false, ValueKind::Flag, "", "Whether a boid with another too near ignores alignment and cohesion: the zone of repulsion of Couzin et al. 2002.";
        include_self: bool = false, ValueKind::Flag, "", "Whether the boid counts itself in the mean.", needs ["separation.weight"];
    }
    /// Matching the neighbours' velocity.
    alignment: Alignment {
        radius: f64 = 10.0, LENGTH, "length", "Distance below which a boid is a neighbour.", needs ["alignment.weight", "alignment.scope=neighbours"];
        inner_radius: f64 = 0.0, LENGTH, "length", "Smallest distance of a neighbour: a zone can begin where another one ends.", needs ["alignment.weight", "alignment.scope=neighbours"];
        angle: f64 = 180.0, ANGLE, "degrees", "Half angle of the field of view around the heading; 180 sees in all directions.", needs ["alignment.weight", "alignment.scope=neighbours"];
        weight: f64 = 0.1, WEIGHT, "", "Weight of the request.";
        response: Response = Response::Proportional, ValueKind::Choice(Response::NAMES), "", "Shape of the request: unchanged, its length limited to 1, or a steering force.", needs ["alignment.weight"];
        max_force: f64 = 1.0, real(0.0, FAR), "length/time", "Largest request of the response steer.", needs ["alignment.weight", "alignment.response=steer"];
        scope: Scope = Scope::Neighbours, ValueKind::Choice(Scope::NAMES), "", "Whether the mean is that of the neighbours or of the whole flock.", needs ["alignment.weight"];
        include_self: bool = false, ValueKind::Flag, "", "Whether the boid counts itself in the mean.", needs ["alignment.weight"];
        unit: bool = false, ValueKind::Flag, "", "Whether the request is the sum of the neighbours' headings as unit vectors (Couzin et al. 2002), instead of their mean velocity minus the boid's own; not with the scope flock.", needs ["alignment.weight", "alignment.scope=neighbours"];
    }
    /// Staying with the neighbours.
    cohesion: Cohesion {
        radius: f64 = 10.0, LENGTH, "length", "Distance below which a boid is a neighbour.", needs ["cohesion.weight", "cohesion.scope=neighbours"];
        inner_radius: f64 = 0.0, LENGTH, "length", "Smallest distance of a neighbour: a zone can begin where another one ends.", needs ["cohesion.weight", "cohesion.scope=neighbours"];
        angle: f64 = 180.0, ANGLE, "degrees", "Half angle of the field of view around the heading; 180 sees in all directions.", needs ["cohesion.weight", "cohesion.scope=neighbours"];
        weight: f64 = 0.01, WEIGHT, "", "Weight of the request.";
        response: Response = Response::Proportional, ValueKind::Choice(Response::NAMES), "", "Shape of the request: unchanged, its length limited to 1, or a steering force.", needs ["cohesion.weight"];
        max_force: f64 = 1.0, real(0.0, FAR), "length/time", "Largest request of the response steer.", needs ["cohesion.weight", "cohesion.response=steer"];
        scope: Scope = Scope::Neighbours, ValueKind::Choice(Scope::NAMES), "", "Whether the mean is that of the neighbours or of the whole flock. The centre of the flock is the mean of its coordinates: not available in a world that wraps.", needs ["cohesion.weight"];
        include_self: bool = false, ValueKind::Flag, "", "Whether the boid counts itself in the mean.", needs ["cohesion.weight"];
        unit: bool = false, ValueKind::Flag, "", "Whether the request is the sum of the directions to the neighbours as unit vectors (Couzin et al. 2002), instead of the offset to their mean position; not with the scope flock.", needs ["cohesion.weight", "cohesion.scope=neighbours"];
    }
    /// The motion that follows from the requests.
    motion: Motion {
        inertia: f64 = 1.0, real(-10.0, 10.0), "", "Factor of the old velocity in the new one.";
        gain: f64 = 1.0, WEIGHT, "", "Factor of the combined requests in the new velocity.";
        normalize_goal: bool = false, ValueKind::Flag, "", "Whether the combined requests are scaled to length 1.";
        time_step: f64 = 1.0, real(0.0, 1000.0), "time", "Duration of a step.";
        min_speed: f64 = 0.0, real(0.0, FAR), "length/time", "Minimum speed; a boid at rest stays at rest.";
        max_speed: f64 = 1.0, real(0.0, FAR), "length/time", "Maximum speed.";
        max_turn: f64 = 180.0, ANGLE, "degrees", "Maximum turn per step; 180 does not limit turns. To a direction within 1e-4 rad of straight back, a boid turns left.";
    }
    /// A place boids return to.
    home: Home {
        weight: f64 = 0.0, WEIGHT, "", "Weight of the pull towards home.";
        position: [f64; 3] = [0.0; 3], POINT, "length", "Position of home.", needs ["home.weight"];
        half_extent: f64 = 0.0, LENGTH, "length", "Half the side of a cube around home in which it does not pull; 0: it always pulls.", needs ["home.weight"];
        wander: f64 = 0.0, LENGTH, "length", "How far home wanders along x and y in either direction, on a horizontal figure of eight around its position; 0: it stays.", needs ["home.weight"];
        wander_period: f64 = 10_000.0, real(1.0, 1e9), "steps", "Number of steps of one round of the wandering home.", needs ["home.weight", "home.wander"];
    }
    /// A point that attracts the flock: the carrot.
    attractor: Attractor {
        weight: f64 = 0.0, WEIGHT, "", "Weight of the pull, whose length is at most 1.";
        position: [f64; 3] = [0.0; 3], POINT, "length", "Position of the attractor.", needs ["attractor.weight|attractor.avoid"];
        avoid: bool = false, ValueKind::Flag, "", "Whether separation keeps boids away from it.", needs ["separation.weight"];
    }
    /// Predators.
    predators: Predators {
        count: u32 = 0, count(0, 64), "predators", "Number of predators.";
        weight: f64 = 1.0, WEIGHT, "", "Weight of fleeing from predators.", needs ["predators.count"];
        radius: f64 = 25.0, LENGTH, "length", "Distance below which boids flee a predator.", needs ["predators.count"];
        sight: f64 = 10.0, LENGTH, "length", "Distance below which a predator attacks boids.", needs ["predators.count", "predators.attack_weight"];
        attack_weight: f64 = 0.0, WEIGHT, "", "Weight of a predator's attack on the boids in sight.", needs ["predators.count"];
        chase_weight: f64 = 0.0, WEIGHT, "", "Weight of a predator's chase of the flock's centre, which is the mean of the coordinates even in a world that wraps.", needs ["predators.count"];
        knot_weight: f64 = 0.0, WEIGHT, "", "Weight of following a trefoil knot.", needs ["predators.count"];
        knot_period: f64 = 960.0, real(1.0, 1e9), "steps", "Number of steps in which the angle of the knot grows by 4 pi.", needs ["predators.count", "predators.knot_weight"];
        max_speed: f64 = 1.0, real(0.0, FAR), "length/time", "Maximum speed of a predator.", needs ["predators.count"];
        inertia: f64 = 0.0, real(0.0, 1.0), "", "Share of a predator's old velocity in its new one; a large share makes wide turns.", needs ["predators.count"];
        stoop_period: f64 = 0.0, real(0.0, 1e9), "steps", "Number of steps from one stoop of a predator to the next: for two fifths of them it leaves what it chases and attacks, then it comes back; 0: it never leaves.", needs ["predators.count", "predators.attack_weight|predators.chase_weight"];
    }
    /// Boids with a bias to one side (after Couzin et al. 2005).
    scouts: Scouts {
        right: f64 = 0.0, real(0.0, 1.0), "of the flock", "Probability that a boid is a scout to the right (larger x).";
        left: f64 = 0.0, real(0.0, 1.0), "of the flock", "Probability that a boid is a scout to the left (smaller x).";
        bias: f64 = 0.001, real(0.0, 1.0), "", "Strength of the scouts' bias to their side at the start.", needs ["scouts.right|scouts.left"];
        dynamic: bool = false, ValueKind::Flag, "", "Whether the bias grows while a scout moves to its side, and shrinks otherwise.", needs ["scouts.right|scouts.left"];
        max_bias: f64 = 0.01, real(0.0, 1.0), "", "Maximum of a dynamic bias.", needs ["scouts.dynamic"];
        bias_step: f64 = 0.00004, real(0.0, 1.0), "per step", "Change of a dynamic bias per step, and its minimum.", needs ["scouts.dynamic"];
        pull: f64 = 0.0, WEIGHT, "", "Weight of a request of length 1 in a scout's preferred direction.";
        right_direction: [f64; 3] = [1.0, 0.0, 0.0], POINT, "", "Preferred direction of right scouts, of any length except 0.", needs ["scouts.pull"];
        left_direction: [f64; 3] = [-1.0, 0.0, 0.0], POINT, "", "Preferred direction of left scouts, of any length except 0.", needs ["scouts.pull"];
    }
    /// Random pushes.
    noise: Noise {
        weight: f64 = 0.0, WEIGHT, "", "Weight of a random request, uniform in [-1, 1] per component.";
        angle: f64 = 0.0, ANGLE, "degrees", "Maximum angle of a random turn per step: uniform to either side in 2-D, uniform over the cap around the heading in 3-D.";
        gaussian: f64 = 0.0, real(0.0, 0.5), "radians", "Standard deviation of a normal error of the requested heading, applied before the turn is limited: to either side in 2-D, around a random axis perpendicular to the heading in 3-D (Couzin et al. 2002); at most 6 deviations.";
    }
    /// A constant acceleration of every boid.
    wind: Wind {
        acceleration: [f64; 3] = [0.0; 3], POINT, "length/time²", "Acceleration of every boid, regardless of what it perceives.";
    }
    /// Moving aside for a clear view ahead (after Flake).
    line_of_sight: LineOfSight {
        radius: f64 = 1.0, LENGTH, "length", "Distance below which a boid ahead blocks the view.", needs ["line_of_sight.weight"];
        angle: f64 = 10.0, ANGLE, "degrees", "Half angle of the view ahead.", needs ["line_of_sight.weight"];
        weight: f64 = 0.0, WEIGHT, "", "Weight of the sideways request.";
    }
    /// Spheres to fly around.
    obstacles: Obstacles {
        weight: f64 = 1.0, WEIGHT, "", "Weight of the push away from obstacles.", needs ["obstacles.spheres"];
        margin: f64 = 5.0, LENGTH, "length", "Distance from a surface at which the push begins.", needs ["obstacles.weight", "obstacles.spheres"];
        spheres: Spheres = Spheres::default(), ValueKind::Spheres { min: -FAR, max: FAR }, "length", "The obstacles, each { position, radius }.", needs ["obstacles.weight"];
    }
    /// Resting at the bottom of the world.
    perching: Perching {
        height: f64 = 0.0, LENGTH, "length", "Height above the bottom of the world below which a boid may perch; 0: off.", needs ["perching.steps"];
        steps: u32 = 0, count(0, 65_535), "steps", "Maximum rest on a perch; 0: off.", needs ["perching.height"];
    }
    /// The number of neighbours perceived (Ballerini et al. 2008).
    neighbours: Neighbours {
        nearest: u32 = 0, count(0, MAX_NEAREST), "boids", "Maximum number of boids that separation, alignment and cohesion each perceive: the nearest within their radius and angle, including ties; 0: all.";
    }
}
