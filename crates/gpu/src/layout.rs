//! The Rust twins of the structs in `shaders/`. A test compares them field by field.
//!
//! A [`Word`] holds the bits of a number of any type; [`super::number`] converts them.

use bytemuck::{Pod, Zeroable};

/// The most predators of a flock.
pub const MAX_PREDATORS: usize = 64;
/// Cells that one invocation of a scan takes.
pub const BLOCK_CELLS: u32 = 64;
/// Boids that one invocation sums up.
pub const BLOCK_BOIDS: u32 = 64;
/// Cells along x that a boid searches to either side of its own: see [`super::grid`].
pub const AROUND: u32 = 2;
/// Invocations of a workgroup.
pub const GROUP: u32 = 64;

/// Members of a cluster, as a power of two: boids on the first level, clusters of the level below on the others.
pub const FAN_SHIFT: u32 = 3;
/// Levels of clusters; the highest is only opened.
pub const LEVELS: u32 = 7;

/// The turn of a guard that stopped no step.
pub const NEVER: u32 = u32::MAX;

/// The bits of a number.
pub type Word = u32;

/// A struct for the test of the layouts: name, size, and name, offset and size of each field.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub name: &'static str,
    pub size: usize,
    pub fields: &'static [(&'static str, usize, usize)],
}

macro_rules! shared {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
            pub struct $name { $(pub $field: $type),* }

            impl Default for $name {
                fn default() -> Self {
                    Zeroable::zeroed()
                }
            }
        )*

        /// Every struct that Rust and WGSL share.
        pub const LAYOUTS: &[Layout] = &[$(Layout {
            name: stringify!($name),
            size: size_of::<$name>(),
            fields: &[$((
                stringify!($field),
                std::mem::offset_of!($name, $field),
                size_of::<$type>(),
            )),*],
        }),*];
    };
}

shared! {
    /// A field of view.
    View { radius_square: Word, cosine_square: Word, acute: u32, all_round: u32 }
    /// A request's weight and shape.
    Shape {
        weight: Word, max_force: Word, response: u32, include_self: u32,
        whole_flock: u32, unused_0: u32, unused_1: u32, unused_2: u32,
    }
    /// How integers lay out lengths and velocities; all zero in f32.
    Format {
        unit: i32, position_shift: u32, velocity_shift: u32, max_velocity: i32, separation_digits: u32, unused_0: u32, unused_1: u32, unused_2: u32,
    }
    /// The cells: see [`super::grid`].
    Grid { origin: [Word; 4], inverse: [Word; 4], dims: [u32; 4], fold: [u32; 4] }
    /// What differs from dispatch to dispatch.
    DispatchParameters {
        first: u32, end: u32, step: u32, turn: u32, round: u32, rounds: u32, unused_0: u32, unused_1: u32,
    }
    /// A predator.
    Predator { position: [Word; 4], velocity: [Word; 4] }
    /// What is the same for every boid of a step.
    StepContext { home: [Word; 4], mean_position: [Word; 4], mean_velocity: [Word; 4], predators: [Predator; MAX_PREDATORS] }
    /// How the flock is drawn: in f32 and users' units, whatever it is computed in.
    Scale { middle: [f32; 4], right: [f32; 4], left: [f32; 4], length: f32, boids: u32, unused_0: u32, unused_1: u32 }
    /// The load that stops a batch of steps, and the step that reached it.
    Guard { turn: u32, most: u32, squares_low: u32, squares_high: u32 }
    /// The load of the cells.
    Load { most: u32, squares_low: u32, squares_high: u32 }
}

/// Numbers that Rust and WGSL share, by the name they have in WGSL.
pub const CONSTANTS: &[(&str, u32)] = &[
    ("MAX_PREDATORS", MAX_PREDATORS as u32),
    ("MAX_SPHERES", flock::parameters::MAX_SPHERES as u32),
    ("BLOCK_CELLS", BLOCK_CELLS),
    ("BLOCK_BOIDS", BLOCK_BOIDS),
    ("GROUP", GROUP),
    ("FAN_SHIFT", FAN_SHIFT),
    ("LEVELS", LEVELS),
    ("NEVER", NEVER),
    ("LIMIT", flock::grid::LIMIT as u32),
    ("AROUND", AROUND),
    ("EDGES_OPEN", flock::parameters::Edges::Open as u32),
    ("EDGES_TURN", flock::parameters::Edges::Turn as u32),
    ("EDGES_WRAP", flock::parameters::Edges::Wrap as u32),
    ("RESPONSE_PROPORTIONAL", flock::parameters::Response::Proportional as u32),
    ("RESPONSE_LIMITED", flock::parameters::Response::Limited as u32),
    ("RESPONSE_STEER", flock::parameters::Response::Steer as u32),
    ("FALLOFF_NONE", flock::parameters::Falloff::None as u32),
    ("FALLOFF_INVERSE", flock::parameters::Falloff::Inverse as u32),
    ("FALLOFF_INVERSE_SQUARE", flock::parameters::Falloff::InverseSquare as u32),
    ("GROUP_NONE", flock::state::group::NONE),
    ("GROUP_RIGHT", flock::state::group::RIGHT),
    ("GROUP_LEFT", flock::state::group::LEFT),
    ("STREAM_NOISE", flock::random::stream::NOISE),
    ("STREAM_PERCH", flock::random::stream::PERCH),
    ("STREAM_TURN", flock::random::stream::TURN),
    ("STREAM_GAUSSIAN", flock::random::stream::GAUSSIAN),
];

impl Guard {
    /// A guard that never stops a batch.
    pub const OPEN: Guard =
        Guard { turn: NEVER, most: u32::MAX, squares_low: u32::MAX, squares_high: u32::MAX };

    /// A guard that stops a batch above so many boids in a cell, or above so large a sum of squares: see [`Load`].
    #[must_use]
    pub fn new(most: u32, squares: u64) -> Guard {
        Guard { turn: NEVER, most, squares_low: squares as u32, squares_high: (squares >> 32) as u32 }
    }

    /// The largest sum of squares that it allows.
    #[must_use]
    pub fn squares(&self) -> u64 {
        u64::from(self.squares_high) << 32 | u64::from(self.squares_low)
    }
}

impl Load {
    /// Sum over the cells of the squared number of boids: the ordered pairs of boids in the same cell, each boid with
    /// itself included.
    #[must_use]
    pub fn squares(&self) -> u64 {
        u64::from(self.squares_high) << 32 | u64::from(self.squares_low)
    }
}
