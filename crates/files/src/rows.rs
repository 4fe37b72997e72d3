//! Rows of CSV, of any table and of a state.
//!
//! A number is written with the fewest digits that read back as the same bits.

use std::io::{self, Write};

use flock::Boid;

use engine::{Numeric, State};

/// The columns of a trajectory; a state has the same without `step`.
pub(crate) const COLUMNS: [&str; 11] =
    ["step", "id", "x", "y", "z", "vx", "vy", "vz", "group", "bias", "rest"];
pub(crate) const PREDATOR_COLUMNS: [&str; 8] = ["step", "id", "x", "y", "z", "vx", "vy", "vz"];

/// A cell of a table.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    Whole(i64),
    /// Empty where there is no number.
    Real(Option<f64>),
    Text(&'a str),
}

impl Item<'_> {
    /// A number; an empty cell for NaN, such as the mean of an empty flock.
    pub fn real(number: f64) -> Self {
        Item::Real(Some(number).filter(|number| !number.is_nan()))
    }
}

/// Writes a row with the digits that `numeric` needs.
pub(crate) fn write_row<'a>(
    out: &mut impl Write,
    cells: impl IntoIterator<Item = Item<'a>>,
    numeric: Numeric,
) -> io::Result<()> {
    for (k, cell) in cells.into_iter().enumerate() {
        if k > 0 {
            out.write_all(b",")?;
        }
        match cell {
            Item::Whole(number) => write!(out, "{number}")?,
            Item::Real(None) => {}
            Item::Real(Some(number)) if numeric == Numeric::F32 => write!(out, "{:?}", number as f32)?,
            // The integers of `Fixed` times a power of two are doubles.
            Item::Real(Some(number)) => write!(out, "{number:?}")?,
            Item::Text(text) if text.contains([',', '"']) => {
                write!(out, "\"{}\"", text.replace('"', "\"\""))?;
            }
            Item::Text(text) => out.write_all(text.as_bytes())?,
        }
    }
    writeln!(out)
}

/// A boid's row, without `step`.
pub(crate) fn boid_row(id: usize, boid: &Boid<f64>) -> [Item<'static>; 10] {
    let real = |number| Item::Real(Some(number));
    let ([x, y, z], [vx, vy, vz]) = (boid.position.map(real), boid.velocity.map(real));
    let [id, group, rest] = [id as i64, boid.group.into(), boid.rest.into()].map(Item::Whole);
    [id, x, y, z, vx, vy, vz, group, real(boid.bias), rest]
}

/// Writes the boids of a state, in id order.
pub(crate) fn write_boids(out: &mut impl Write, state: &State, numeric: Numeric) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS[1..].join(","))?;
    let mut boids = state.boids.iter().enumerate();
    boids.try_for_each(|(id, boid)| write_row(out, boid_row(id, boid), numeric))
}

/// Writes the predators of a state, each with the step.
pub(crate) fn write_predators(out: &mut impl Write, state: &State, numeric: Numeric) -> io::Result<()> {
    writeln!(out, "{}", PREDATOR_COLUMNS.join(","))?;
    state.predators.iter().zip(0..).try_for_each(|(predator, id)| {
        let numbers = predator.position.into_iter().chain(predator.velocity);
        let numbers = numbers.map(|number| Item::Real(Some(number)));
        write_row(out, [Item::Whole(state.step as i64), Item::Whole(id)].into_iter().chain(numbers), numeric)
    })
}

/// A state's boids and its predators as the texts of the two files.
pub fn state_texts(state: &State, numeric: Numeric) -> [String; 2] {
    let (mut boids, mut predators) = (Vec::new(), Vec::new());
    // Writing to a vector cannot fail.
    let _ = write_boids(&mut boids, state, numeric);
    let _ = write_predators(&mut predators, state, numeric);
    [boids, predators].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
