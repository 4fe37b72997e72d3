//! The structs and constants that Rust and WGSL share: each is written once, here, and [`files`] are their texts for the
//! shaders, as `//!include written/Guard.wgsl`. A test compares the layouts on both sides field by field.
//!
//! A [`Word`] holds the bits of a number of any type; [`super::number`] converts them.

use bytemuck::{Pod, Zeroable};
use flock::formula::{MOST_TERMS, MOST_VALUES};

/// The most predators of a flock.
pub const MAX_PREDATORS: usize = 64;
/// Vectors of four numbers that hold the values of formulas, the radius of each term, the limits of positions and velocities, and
/// how many of the nearest each term is a sum over.
pub const OWN_VALUES: usize = (MOST_VALUES + 2 * MOST_TERMS) / 4 + 4;
/// Cells that a workgroup scans.
pub const BLOCK_CELLS: u32 = 64 * GROUP;
/// Boids that a workgroup sums up.
pub const BLOCK_BOIDS: u32 = 16 * GROUP;
/// Cells along x that a boid searches to either side of its own: see [`super::grid`].
pub const AROUND: u32 = 2;
/// Invocations of a workgroup.
pub const GROUP: u32 = 64;

/// Members of a cluster, as a power of two: boids on the first level, clusters of the level below on the others.
pub const FAN_SHIFT: u32 = 3;
/// Levels of clusters; the highest is only opened. A subgroup has a lane for each.
pub const LEVELS: u32 = 7;

/// The turn of a guard that stopped no step.
pub const NEVER: u32 = u32::MAX;

/// The bits of a number.
pub type Word = u32;
/// What shaders access by atomics; the 64 bits as two words.
pub type Atomic = u32;
pub type Atomic64 = u64;

/// A struct: its name, its size in bytes, and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub name: &'static str,
    pub size: usize,
    /// Name, type in Rust, offset and size.
    pub fields: &'static [(&'static str, &'static str, usize, usize)],
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

        /// Every struct, with the name of its file for the shaders.
        pub const LAYOUTS: &[(&str, Layout)] = &[$((
            concat!("written/", stringify!($name), ".wgsl"),
            Layout {
                name: stringify!($name),
                size: size_of::<$name>(),
                fields: &[$((
                    stringify!($field),
                    stringify!($type),
                    std::mem::offset_of!($name, $field),
                    size_of::<$type>(),
                )),*],
            },
        )),*];
    };
}

shared! {
    /// A field of view; of radius zero it sees nothing. `acute`: the half angle is at most 90 degrees.
    View { radius_square: Word, cosine_square: Word, acute: u32, all_round: u32 }
    /// A request's weight and shape.
    Shape {
        weight: Word, max_force: Word, response: u32, include_self: u32,
        whole_flock: u32, unused_0: u32, unused_1: u32, unused_2: u32,
    }
    /// How integers lay out lengths and velocities, as [`flock::fixed::Layout`]; all zero in f32.
    Format {
        unit: i32, position_shift: u32, velocity_shift: u32, max_velocity: i32,
        separation_digits: u32, unused_0: u32, unused_1: u32, unused_2: u32,
    }
    /// The cells (see [`super::grid`]): where cell 0 begins, cells a unit of length, cells an axis and all of them, and a
    /// multiple of those at least as large as LIMIT, to fold without negative numbers.
    Grid { origin: [Word; 4], inverse: [Word; 4], dims: [u32; 4], fold: [u32; 4] }
    /// What differs from dispatch to dispatch: the elements from `first` on, before `end`; the step, for the noise, and its
    /// index in the batch; and the round of a pass that takes several, with their number.
    DispatchParameters {
        first: u32, end: u32, step: u32, turn: u32, round: u32, rounds: u32, unused_0: u32, unused_1: u32,
    }
    /// A predator; each w is unused.
    Predator { position: [Word; 4], velocity: [Word; 4] }
    /// What is the same for every boid of a step: where home is, if it wanders, and the flock's means; w of the mean
    /// position is 1 where there are means.
    StepContext { home: [Word; 4], mean_position: [Word; 4], mean_velocity: [Word; 4], predators: [Predator; MAX_PREDATORS] }
    /// How the flock is drawn, in f32 and users' units, whatever it is computed in: the world's centre, and units
    /// of length in the last digit of an integer.
    Scale { middle: [f32; 4], length: f32, boids: u32, unused_0: u32, unused_1: u32 }
    /// The load that a batch of steps was planned for, and the step of the batch that exceeded it, whose boids are not
    /// sorted: [`NEVER`] while none has.
    Guard { turn: u32, most: u32, squares: u64 }
    /// The load of the cells: the sum over the cells of the squared number of boids, which is the ordered pairs of boids in
    /// the same cell, each boid with itself included; and boids in the fullest cell.
    Load { squares: Atomic64, most: Atomic, unused: u32 }
    /// How a part is split (see `split.wgsl`): the cells inside, from `first` on, before `end`; boids, and ids of the halo; not 0
    /// where the halo alone is asked for; and how many boids are inside and outside.
    Split {
        first: [u32; 4], end: [u32; 4], boids: u32, halo: u32, only_halo: u32, unused_0: u32,
        inside: Atomic, outside: Atomic, unused_1: u32, unused_2: u32,
    }
    /// The sum of the hashes of boids, as [`flock::hash`]; not 0 where some number is not finite.
    HashSum { sum: Atomic64, not_finite: Atomic, unused: u32 }
}

/// Constants by their names in WGSL.
const CONSTANTS: &[(&str, u32)] = &[
    ("MAX_PREDATORS", MAX_PREDATORS as u32),
    ("MAX_SPHERES", flock::parameters::MAX_SPHERES as u32),
    ("OWN_VALUES", OWN_VALUES as u32),
    ("BLOCK_CELLS", BLOCK_CELLS),
    ("BLOCK_BOIDS", BLOCK_BOIDS),
    ("GROUP", GROUP),
    ("FAN_SHIFT", FAN_SHIFT),
    ("LEVELS", LEVELS),
    ("NEVER", NEVER),
    ("LIMIT", flock::grid::LIMIT as u32),
    ("AROUND", AROUND),
    ("EDGES_TURN", flock::parameters::Edges::Turn as u32),
    ("EDGES_WRAP", flock::parameters::Edges::Wrap as u32),
    ("RESPONSE_PROPORTIONAL", flock::parameters::Response::Proportional as u32),
    ("RESPONSE_LIMITED", flock::parameters::Response::Limited as u32),
    ("RESPONSE_STEER", flock::parameters::Response::Steer as u32),
    ("FALLOFF_NONE", flock::parameters::Falloff::None as u32),
    ("FALLOFF_INVERSE", flock::parameters::Falloff::Inverse as u32),
    ("GROUP_BITS", flock::state::GROUP_BITS),
    ("GROUP_RIGHT", flock::state::group::RIGHT),
    ("GROUP_LEFT", flock::state::group::LEFT),
    ("STREAM_NOISE", flock::random::stream::NOISE),
    ("STREAM_PERCH", flock::random::stream::PERCH),
    ("STREAM_TURN", flock::random::stream::TURN),
    ("STREAM_GAUSSIAN", flock::random::stream::GAUSSIAN),
];

/// The files of the shaders that are written from here: name and text.
pub(crate) fn files() -> impl Iterator<Item = (&'static str, String)> {
    let constants = CONSTANTS.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
    let structs = LAYOUTS.iter().map(|(file, layout)| {
        let fields = layout.fields.iter().map(|(name, rust, ..)| format!("    {name}: {},\n", wgsl(rust)));
        (*file, format!("struct {} {{\n{}}}\n", layout.name, fields.collect::<String>()))
    });
    std::iter::once(("written/constants.wgsl", constants.collect())).chain(structs)
}

/// The type of a field in WGSL.
fn wgsl(rust: &str) -> String {
    let array = rust.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.split_once("; "));
    match (rust, array) {
        (_, Some((of, "4"))) => format!("vec4<{}>", wgsl(of)),
        (_, Some((of, length))) => format!("array<{}, {length}>", wgsl(of)),
        ("Word", _) => "Number".to_owned(),
        ("u64", _) => "vec2<u32>".to_owned(),
        ("Atomic", _) => "atomic<u32>".to_owned(),
        ("Atomic64", _) => "array<atomic<u32>, 2>".to_owned(),
        _ => rust.to_owned(),
    }
}

impl Guard {
    /// A guard that never stops a batch.
    pub const OPEN: Guard = Guard { turn: NEVER, most: u32::MAX, squares: u64::MAX };
}
