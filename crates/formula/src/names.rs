//! The names of formulas: quantities of a boid, the parameters of the flock, and those of the term itself.

use flock::formula::Input;
use flock::parameters::{MAX_NEAREST, PARAMETERS, Parameter, ValueKind};

use crate::units::Unit;

/// The two formulas of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaKind {
    /// The summand of a neighbour; summed over those that are perceived.
    Each,
    /// The request of the boid.
    Request,
}

/// A formula of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaPlace {
    /// The summand of a sum, by its number among those of the term.
    Each(usize),
    Request,
}

impl FormulaPlace {
    #[must_use]
    pub fn kind(self) -> FormulaKind {
        match self {
            FormulaPlace::Each(_) => FormulaKind::Each,
            FormulaPlace::Request => FormulaKind::Request,
        }
    }
}

/// The names that a formula knows besides those that all know.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub kind: FormulaKind,
    /// The parameters of the term; in a named sum those of the sum, too.
    pub parameters: &'a [TermParameter],
    /// The sums that a request can read.
    pub sums: &'a [TermSum],
}

impl Names<'_> {
    /// The quantities of a boid.
    pub fn quantities(&self) -> impl Iterator<Item = &'static Quantity> {
        quantities(self.kind, !self.has_named_sums())
    }

    /// True if the term has its sums by names.
    #[must_use]
    pub fn has_named_sums(&self) -> bool {
        self.sums.iter().any(|sum| !sum.name.is_empty())
    }
}

/// A sum of a term.
#[derive(Clone, Debug, PartialEq)]
pub struct TermSum {
    /// Empty for the only sum of a term, its `each`.
    pub name: String,
    /// The unit of its summands; none if any unit fits.
    pub unit: Option<Unit>,
}

/// The parameters that select the boids of `each`: those nearer than the radius, from the inner radius on, within an
/// angle to either side of the heading, in degrees; of these the given number of the nearest.
pub const RADIUS: &str = "radius";
pub const INNER_RADIUS: &str = "inner_radius";
pub const ANGLE: &str = "angle";
pub const NEAREST: &str = "nearest";
/// Their names, units, maximum values (the minimum is 0), and the range in words.
pub const PERCEPTION: [(&str, Unit, f64, &str); 4] = [
    (RADIUS, Unit::LENGTH, f64::INFINITY, A_LENGTH),
    (INNER_RADIUS, Unit::LENGTH, f64::INFINITY, A_LENGTH),
    (ANGLE, Unit::NONE, 180.0, "0 to 180 (degrees to either side of the heading)"),
    (NEAREST, Unit::NONE, MAX_NEAREST as f64, "0 to 32 (number of nearest boids; 0: all)"),
];
const A_LENGTH: &str = "at least 0";

/// A parameter of the term: its name and unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TermParameter {
    pub name: String,
    pub unit: Unit,
    /// The number of its first number among those of all terms.
    pub first: usize,
    /// The rows of a table; 0 of a number.
    pub side: usize,
}

/// A quantity with its WGSL type.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    pub name: &'static str,
    pub input: Input,
    pub wgsl: &'static str,
    pub unit: Unit,
    /// The formula that knows it; none if both do.
    pub kind: Option<FormulaKind>,
}

const fn quantity(name: &'static str, input: Input, wgsl: &'static str, unit: Unit) -> Quantity {
    Quantity { name, input, wgsl, unit, kind: None }
}

const fn of_each(name: &'static str, input: Input, wgsl: &'static str, unit: Unit) -> Quantity {
    Quantity { name, input, wgsl, unit, kind: Some(FormulaKind::Each) }
}

/// The quantities of a boid. The unit of `sum` is that of the summands.
pub const QUANTITIES: &[Quantity] = &[
    quantity("position", Input::Position, "vec3<f32>", Unit::LENGTH),
    quantity("velocity", Input::Velocity, "vec3<f32>", Unit::VELOCITY),
    quantity("heading", Input::Heading, "vec3<f32>", Unit::NONE),
    quantity("speed", Input::Speed, "f32", Unit::VELOCITY),
    quantity("id", Input::Id, "u32", Unit::NONE),
    quantity("group", Input::Group, "u32", Unit::NONE),
    quantity("bias", Input::Bias, "f32", Unit::NONE),
    quantity("step", Input::Step, "u32", Unit::NONE),
    quantity("time", Input::Time, "f32", Unit::TIME),
    of_each("offset", Input::Offset, "vec3<f32>", Unit::LENGTH),
    of_each("distance", Input::Distance, "f32", Unit::LENGTH),
    Quantity { kind: Some(FormulaKind::Request), ..quantity("count", Input::Count, "f32", Unit::NONE) },
    Quantity { kind: Some(FormulaKind::Request), ..quantity("sum", Input::Sum, "vec3<f32>", Unit::NONE) },
];

/// The quantities that a part can use; `sum` and `count` only with `each`.
pub fn quantities(kind: FormulaKind, each: bool) -> impl Iterator<Item = &'static Quantity> {
    let here = move |of| of == kind && (each || of == FormulaKind::Each);
    QUANTITIES.iter().filter(move |quantity| quantity.kind.is_none_or(here))
}

/// The quantities of a neighbour, as `their.NAME`.
pub const THEIRS: &[Quantity] = &[
    of_each("velocity", Input::TheirVelocity, "vec3<f32>", Unit::VELOCITY),
    of_each("group", Input::TheirGroup, "u32", Unit::NONE),
    of_each("id", Input::TheirId, "u32", Unit::NONE),
];

/// The quantities of a sum, as `NAME.sum` and `NAME.count`.
pub const OF_SUM: [(&str, Input, &str); 2] =
    [("sum", Input::Sum, "vec3<f32>"), ("count", Input::Count, "f32")];

/// The functions, apart from constructors of vectors and conversions.
pub const FUNCTIONS: &[&str] = &[
    "abs",
    "all",
    "any",
    "clamp",
    "cos",
    "cross",
    "distance",
    "dot",
    "exp",
    "floor",
    "fract",
    "length",
    "max",
    "min",
    "mix",
    "normalize",
    "random",
    "saturate",
    "select",
    "sign",
    "sin",
    "smoothstep",
    "sqrt",
    "step",
    "table",
    "turn",
    "turn_away",
];

/// Functions whose names terms, parameters and values may have, too: they had them before there were these functions.
const ALSO_NAMES: [&str; 2] = ["turn", "turn_away"];

/// Words and signs of other languages, and their replacement here.
const INSTEAD: [(&str, &str); 11] = [
    ("if", CHOICE),
    ("?", CHOICE),
    ("for", "there are no loops: 'each' is summed over the neighbours"),
    ("^", "write a power as a product: x * x"),
    ("pow", "write a power as a product: x * x"),
    ("tan", "use sin(x) / cos(x)"),
    ("pi", "use 3.14159265"),
    ("[", "use .x, .y and .z for a vector, and table(NAME, row, column) for a table of the term"),
    ("their.position", "use position + offset"),
    ("their.heading", "use normalize(their.velocity)"),
    ("their.speed", "use length(their.velocity)"),
];
const CHOICE: &str = "use select(OTHERWISE, VALUE, CONDITION)";

/// The likely replacement of an unknown word or sign.
pub fn instead(word: &str) -> Option<String> {
    INSTEAD.iter().find(|(wrong, _)| *wrong == word).map(|(_, right)| (*right).to_owned())
}

/// Constructors and types.
pub const TYPES: &[&str] = &["bool", "f32", "i32", "u32", "vec2", "vec2f", "vec3", "vec3f"];

/// The tables of the flock's parameters, in their order.
pub fn tables() -> Vec<&'static str> {
    let mut tables: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.table).collect();
    tables.dedup();
    tables
}

/// The parameters of a table that are numbers, with their WGSL types.
pub fn numbers(table: &str) -> impl Iterator<Item = (&'static Parameter, &'static str)> {
    let typed = |parameter: &'static Parameter| match parameter.kind {
        ValueKind::Real { .. } | ValueKind::Count { .. } => Some((parameter, "f32")),
        ValueKind::Flag => Some((parameter, "bool")),
        ValueKind::Vector { .. } => Some((parameter, "vec3<f32>")),
        ValueKind::Choice(_) | ValueKind::Spheres { .. } | ValueKind::Shares { .. } => None,
    };
    PARAMETERS.iter().filter(move |parameter| parameter.table == table).filter_map(typed)
}

/// The reason why a term, one of its parameters or sums, or a value cannot have a name, if it cannot.
#[must_use]
pub fn refused(name: &str) -> Option<String> {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.contains("__");
    if !plain {
        return Some("a name must begin with a letter and have only a to z, 0 to 9 and single _".to_owned());
    }
    if tables().contains(&name) {
        return Some(format!("the flock has a table with this name; try my_{name}"));
    }
    let known = QUANTITIES.iter().any(|quantity| quantity.name == name)
        || FUNCTIONS.contains(&name) && !ALSO_NAMES.contains(&name)
        || TYPES.contains(&name)
        || ["let", "true", "false", "their", "each", "request", "help"].contains(&name)
        || naga::keywords::wgsl::RESERVED.contains(&name);
    known.then(|| format!("this name is reserved in formulas; try my_{name}"))
}
