//! The files of vectors: what stands in `NAME/START/stepK.csv`.

use std::fmt::Write as _;

use crate::check::numbers;
use crate::starts::Bird;

/// The first line of a file.
const HEADER: &str = "id,x,y,z,vx,vy,vz,x_bound,y_bound,z_bound,vx_bound,vy_bound,vz_bound\n";

/// A row per boid: its numbers, and how far another program's may be from each.
pub fn table(birds: &[Bird]) -> String {
    let mut text = HEADER.to_owned();
    for (id, bird) in birds.iter().enumerate() {
        let numbers = numbers(bird);
        let values = numbers.map(|number| number.value.to_string()).join(",");
        let bounds = numbers.map(|number| rounded_up(number.error)).join(",");
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{id},{values},{bounds}");
    }
    text
}

/// A bound with two digits. A sixteenth more than the bound is never rounded to less than it.
fn rounded_up(bound: f64) -> String {
    if bound == 0.0 { "0".to_owned() } else { format!("{:.1e}", bound * (1.0 + 1.0 / 16.0)) }
}
