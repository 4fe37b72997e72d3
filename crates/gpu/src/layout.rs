//! The structs and constants shared by Rust and WGSL: each is written once, here, and `files` generates the WGSL, as
//! `//!include written/Guard.wgsl`. A test compares the layouts on both sides field by field.
//!
//! A [`Word`] holds the bits of a number of any type; [`super::number`] converts them.

use bytemuck::{Pod, Zeroable};
use flock::formula::{MAX_TERMS, MAX_VALUES};

/// Maximum number of predators of a flock.
pub const MAX_PREDATORS: usize = 64;
/// Length of `own` in the rule's uniform, in vec4: the values of formulas, the radius of each term, the limits of
/// positions and velocities, and each term's number of nearest neighbours.
pub const FORMULA_VALUES: usize = (MAX_VALUES + 2 * MAX_TERMS) / 4 + 4;
/// Cells per workgroup of the prefix sum.
pub const BLOCK_CELLS: u32 = 64 * GROUP;
/// Boids per workgroup of a sum.
pub const BLOCK_BOIDS: u32 = 16 * GROUP;
/// Cells that a boid searches along x on either side of its own: see [`super::grid`].
pub const AROUND: u32 = 2;
/// Invocations per workgroup.
pub const GROUP: u32 = 64;

/// The turn of a guard that stopped no step.
pub const NEVER: u32 = u32::MAX;

/// The bit pattern of a number.
pub type Word = u32;
/// Integers that shaders access atomically; 64 bits are two atomic words.
pub type Atomic = u32;
pub type Atomic64 = u64;

/// A struct: its size in bytes, and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub name: &'static str,
    pub size: usize,
    /// Name, Rust type, offset and size in bytes.
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

        /// Every struct, with the name of its generated WGSL file.
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
    /// A field of view; empty for radius zero. `acute`: the half angle is at most 90 degrees.
    View { radius_square: Word, cosine_square: Word, acute: u32, all_round: u32 }
    /// A request's weight and shape.
    Shape {
        weight: Word, max_force: Word, response: u32, include_self: u32,
        whole_flock: u32, unused_0: u32, unused_1: u32, unused_2: u32,
    }
    /// Fixed-point format of lengths and velocities, as [`flock::fixed::Layout`]; all zero in f32.
    Format {
        unit: i32, position_shift: u32, velocity_shift: u32, max_velocity: i32,
        separation_digits: u32, unused_0: u32, unused_1: u32, unused_2: u32,
    }
    /// The cells (see [`super::grid`]): the origin of cell 0, cells per unit of length, cells per axis and in total,
    /// and a multiple of `dims` that is at least LIMIT, to fold coordinates without negative numbers.
    Grid { origin: [Word; 4], inverse: [Word; 4], dims: [u32; 4], fold: [u32; 4] }
    /// Parameters of one dispatch: the elements `first..end`; the step, for the noise, and its index in the batch.
    DispatchParameters { first: u32, end: u32, step: u32, turn: u32 }
    /// A predator; each w is unused.
    Predator { position: [Word; 4], velocity: [Word; 4] }
    /// Values shared by all boids of a step: the home, which may wander, and the flock's means; w of the mean position
    /// is 1 if there are means.
    StepContext { home: [Word; 4], mean_position: [Word; 4], mean_velocity: [Word; 4], predators: [Predator; MAX_PREDATORS] }
    /// Scale for drawing, in f32 and users' units for any number type: the world's centre, and the length of an
    /// integer's last digit.
    Scale { middle: [f32; 4], length: f32, boids: u32, unused_0: u32, unused_1: u32 }
    /// The load that a batch of steps was planned for, and the turn whose load exceeded it and whose boids are not
    /// sorted: [`NEVER`] if none did.
    Guard { turn: u32, most: u32, squares: u64 }
    /// The load of the cells: the sum of the squared cell occupancies, which counts the ordered pairs of boids in the
    /// same cell, self-pairs included; and the highest occupancy.
    Load { squares: Atomic64, most: Atomic, unused: u32 }
    /// The sum of the hashes of boids, as [`flock::hash`]; `not_finite` is nonzero if a number is not finite.
    HashSum { sum: Atomic64, not_finite: Atomic, unused: u32 }
}

/// Constants by their WGSL names.
const CONSTANTS: &[(&str, u32)] = &[
    ("MAX_PREDATORS", MAX_PREDATORS as u32),
    ("MAX_SPHERES", flock::parameters::MAX_SPHERES as u32),
    ("FORMULA_VALUES", FORMULA_VALUES as u32),
    ("BLOCK_CELLS", BLOCK_CELLS),
    ("BLOCK_BOIDS", BLOCK_BOIDS),
    ("GROUP", GROUP),
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

/// The generated WGSL files: name and text.
pub(crate) fn files() -> impl Iterator<Item = (&'static str, String)> {
    let constants = CONSTANTS.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
    let structs = LAYOUTS.iter().map(|(file, layout)| {
        let fields = layout.fields.iter().map(|(name, rust, ..)| format!("    {name}: {},\n", wgsl(rust)));
        (*file, format!("struct {} {{\n{}}}\n", layout.name, fields.collect::<String>()))
    });
    std::iter::once(("written/constants.wgsl", constants.collect())).chain(structs)
}

/// The WGSL type of a field.
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
