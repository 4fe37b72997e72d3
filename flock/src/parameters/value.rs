//! Values, types and ranges of parameters.

use core::fmt;

/// Maximum number of obstacles.
pub const MAX_SPHERES: usize = 16;

/// A spherical obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sphere {
    /// The centre (length).
    pub position: [f64; 3],
    /// The radius (length), 0 or more.
    pub radius: f64,
}

/// Maximum number of groups.
pub const MAX_GROUPS: usize = 8;

/// Up to [`MAX_SPHERES`] obstacles.
pub type Spheres = List<Sphere, MAX_SPHERES>;

/// The ratio of the groups' sizes, for up to [`MAX_GROUPS`] groups.
pub type Shares = List<f64, MAX_GROUPS>;

/// A list that holds at most N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct List<T, const N: usize> {
    all: [T; N],
    count: usize,
}

impl<T: Copy + Default, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        List { all: [T::default(); N], count: 0 }
    }
}

impl<T: Copy + Default, const N: usize> List<T, N> {
    /// The items as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.all[..self.count]
    }

    /// Appends an item.
    ///
    /// # Errors
    /// When the list is full.
    #[inline]
    pub fn push(&mut self, one: T) -> Result<(), Refused> {
        if self.count == N {
            return Err(Refused { name: None, why: Why::Many(N) });
        }
        self.all[self.count] = one;
        self.count += 1;
        Ok(())
    }

    /// Removes the last item.
    pub fn pop(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        // The default fills its place: lists of equal items are equal.
        Some(core::mem::take(&mut self.all[self.count]))
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A value of a parameter.
#[expect(clippy::large_enum_variant, reason = "values are few and short-lived, and a box needs an allocator")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A real number.
    Real(f64),
    /// A whole number.
    Count(u32),
    /// A truth value.
    Flag(bool),
    /// One of a few words.
    Choice(&'static str),
    /// Three real numbers x, y, z.
    Vector([f64; 3]),
    /// A list of obstacles.
    Spheres(Spheres),
    /// The groups' parts of the flock.
    Shares(Shares),
}

/// Type and range of a parameter. Ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind {
    /// A real number.
    Real {
        /// The smallest allowed.
        min: f64,
        /// The largest allowed.
        max: f64,
    },
    /// A whole number.
    Count {
        /// The smallest allowed.
        min: u32,
        /// The largest allowed.
        max: u32,
    },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Three real numbers.
    Vector {
        /// The smallest component allowed.
        min: f64,
        /// The largest component allowed.
        max: f64,
    },
    /// A list of at most [`MAX_SPHERES`] obstacles.
    Spheres {
        /// The smallest coordinate allowed.
        min: f64,
        /// The largest coordinate and radius allowed.
        max: f64,
    },
    /// A list of at most [`MAX_GROUPS`] numbers from 0 on, of which one is above 0; or none.
    Shares {
        /// The largest allowed.
        max: f64,
    },
}

impl ValueKind {
    /// The value, if it is of this kind and within the range. A whole number serves where a real one is wanted.
    ///
    /// # Errors
    /// Says what is allowed.
    pub fn check(self, value: Value) -> Result<Value, Refused> {
        let inside = |v: f64, min: f64, max: f64| (min..=max).contains(&v);
        let fits = match (self, value) {
            (ValueKind::Real { .. }, Value::Count(v)) => return self.check(Value::Real(f64::from(v))),
            (ValueKind::Real { min, max }, Value::Real(v)) => inside(v, min, max),
            (ValueKind::Count { min, max }, Value::Count(v)) => (min..=max).contains(&v),
            (ValueKind::Flag, Value::Flag(_)) => true,
            (ValueKind::Choice(words), Value::Choice(word)) => words.contains(&word),
            (ValueKind::Vector { min, max }, Value::Vector(v)) => v.iter().all(|c| inside(*c, min, max)),
            (ValueKind::Spheres { min, max }, Value::Spheres(s)) => s
                .as_slice()
                .iter()
                .all(|s| s.position.iter().all(|c| inside(*c, min, max)) && inside(s.radius, 0.0, max)),
            (ValueKind::Shares { max }, Value::Shares(shares)) => {
                let shares = shares.as_slice();
                shares.iter().all(|share| inside(*share, 0.0, max))
                    && (shares.is_empty() || shares.iter().any(|share| *share > 0.0))
            }
            _ => false,
        };
        if fits { Ok(value) } else { Err(Refused { name: None, why: Why::Kind(self) }) }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueKind::Real { min, max } => write!(f, "{min} to {max}"),
            ValueKind::Count { min, max } => write!(f, "a whole number from {min} to {max}"),
            ValueKind::Flag => f.write_str("true or false"),
            ValueKind::Choice(words) => {
                f.write_str("one of")?;
                words
                    .iter()
                    .enumerate()
                    .try_for_each(|(i, w)| write!(f, "{} \"{w}\"", if i == 0 { "" } else { "," }))
            }
            ValueKind::Vector { min, max } => write!(f, "[x, y, z], each {min} to {max}"),
            ValueKind::Spheres { min, max } => write!(
                f,
                "a list of at most {MAX_SPHERES} {{ position = [x, y, z], radius = r }}, each {min} to {max}, radius 0 or more"
            ),
            ValueKind::Shares { max } => {
                write!(f, "[] or up to {MAX_GROUPS} shares, each 0 to {max}, at least one above 0")
            }
        }
    }
}

impl fmt::Display for Value {
    /// The value as in a TOML file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Real(v) => write!(f, "{v:?}"),
            Value::Count(v) => write!(f, "{v}"),
            Value::Flag(v) => write!(f, "{v}"),
            Value::Choice(word) => write!(f, "\"{word}\""),
            Value::Vector([x, y, z]) => write!(f, "[{x:?}, {y:?}, {z:?}]"),
            Value::Spheres(spheres) => {
                f.write_str("[")?;
                for (i, s) in spheres.as_slice().iter().enumerate() {
                    let [x, y, z] = s.position;
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{{ position = [{x:?}, {y:?}, {z:?}], radius = {:?} }}", s.radius)?;
                }
                f.write_str("]")
            }
            Value::Shares(shares) => write!(f, "{:?}", shares.as_slice()),
        }
    }
}

/// Why a value was not taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refused {
    pub(crate) name: Option<&'static str>,
    pub(crate) why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Why {
    Kind(ValueKind),
    Text(&'static str),
    /// A list has more than this many items.
    Many(usize),
    /// More than this does not fit a word.
    Most(f64),
    /// A word cannot distinguish less than this from zero.
    Least(f64),
}

impl Refused {
    pub(crate) fn between(name: &'static str, allowed: &'static str) -> Self {
        Refused { name: Some(name), why: Why::Text(allowed) }
    }

    /// The parameter, if it is not the one that was being set.
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }
}

impl fmt::Display for Refused {
    /// The allowed values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            Why::Kind(kind) => kind.fmt(f),
            Why::Text(text) => f.write_str(text),
            Why::Many(most) => write!(f, "a list of at most {most}"),
            Why::Least(least) if least < 1e-3 => {
                write!(f, "at least {least:e} in fixed point in a world of this size, or 0")
            }
            Why::Least(least) => write!(f, "at least {least} in fixed point in a world of this size, or 0"),
            Why::Most(most) => write!(f, "at most {most} in fixed point in a world of this size"),
        }
    }
}

impl core::error::Error for Refused {}
