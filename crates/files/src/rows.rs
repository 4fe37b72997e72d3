//! Rows of CSV, of any table and of a state.
//!
//! A number is written with the fewest digits that read back as the same bits.

use std::io::{self, Write};

use engine::{Numeric, State};

/// The columns of a state and of a trajectory.
pub(crate) const COLUMNS: [&str; 12] =
    ["step", "id", "kind", "x", "y", "z", "vx", "vy", "vz", "group", "bias", "rest"];

/// The kinds of rows. A predator has no group, bias and rest: these cells are empty.
pub(crate) const BOID: &str = "boid";
pub(crate) const PREDATOR: &str = "predator";

/// A cell of a table.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    Whole(i64),
    /// Empty if there is no number.
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

/// Writes the header and the rows of a state.
pub(crate) fn write_state_csv(out: &mut impl Write, state: &State, numeric: Numeric) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))?;
    write_state_rows(out, state, numeric)
}

/// Writes the rows of a state: those of the boids and then those of the predators, in id order.
pub(crate) fn write_state_rows(out: &mut impl Write, state: &State, numeric: Numeric) -> io::Result<()> {
    for (id, boid) in state.boids.iter().enumerate() {
        let last =
            [Item::Whole(boid.group.into()), Item::Real(Some(boid.bias)), Item::Whole(boid.rest.into())];
        let numbers = [boid.position, boid.velocity];
        write_row(out, state_row(state.step, id, BOID, numbers, last), numeric)?;
    }
    for (id, predator) in state.predators.iter().enumerate() {
        let numbers = [predator.position, predator.velocity];
        write_row(out, state_row(state.step, id, PREDATOR, numbers, [Item::Real(None); 3]), numeric)?;
    }
    Ok(())
}

fn state_row(
    step: u64,
    id: usize,
    kind: &'static str,
    [position, velocity]: [[f64; 3]; 2],
    [group, bias, rest]: [Item<'static>; 3],
) -> [Item<'static>; COLUMNS.len()] {
    let real = |number| Item::Real(Some(number));
    let ([x, y, z], [vx, vy, vz]) = (position.map(real), velocity.map(real));
    let [step, id] = [step as i64, id as i64].map(Item::Whole);
    [step, id, Item::Text(kind), x, y, z, vx, vy, vz, group, bias, rest]
}

/// A state as the text of its file.
pub fn state_text(state: &State, numeric: Numeric) -> String {
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let _ = write_state_csv(&mut text, state, numeric);
    String::from_utf8_lossy(&text).into_owned()
}
