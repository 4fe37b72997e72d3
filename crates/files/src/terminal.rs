//! Text for a terminal: tables, which also fit a pipe, and a progress bar.

use std::fmt;

#[cfg(not(target_arch = "wasm32"))]
pub use indicatif::ProgressBar;
#[cfg(not(target_arch = "wasm32"))]
use indicatif::{ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Rows of cells in aligned columns: numbers to the right, text to the left, two spaces between.
///
/// ```
/// use files::Table;
/// let mut table = Table::new(&["name", "boids"]);
/// table.row(["swarm", "500"]);
/// table.row(["think", "100"]);
/// assert_eq!(table.to_string(), "name   boids\nswarm    500\nthink    100\n");
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    /// The names over the columns, then the rows.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these names over its columns.
    pub fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row. Missing cells at its end are empty.
    pub fn row<T: ToString>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(|cell| cell.to_string()).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut layout = Vec::new();
        for k in 0..count {
            let column = self.rows.iter().map(|row| row.get(k).map_or("", String::as_str));
            let width = column.clone().map(|cell| cell.chars().count()).max().unwrap_or(0);
            layout.push((width, numeric(column.skip(1))));
        }
        for row in &self.rows {
            let cells = row.iter().zip(&layout).map(|(cell, &(width, right))| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// True if at least one cell is not empty, and all such cells begin like a number.
fn numeric<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let mut cells = cells.filter(|cell| !cell.is_empty() && *cell != "-").peekable();
    let number = |cell: &str| cell.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
    cells.peek().is_some() && cells.all(number)
}

#[cfg(not(target_arch = "wasm32"))]
/// A bar of `total` units of work, called `unit` ("steps", "frames"), with the time left: on stderr, only on a
/// terminal, and hidden if `quiet`. It is cleared when it is dropped, so that further output starts on a clean line.
pub fn progress(total: u64, unit: &str, quiet: bool) -> ProgressBar {
    // indicatif draws nothing if stderr is not a terminal.
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} {msg}, {eta} left");
    ProgressBar::with_draw_target(Some(total), target)
        .with_message(unit.to_owned())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_finish(ProgressFinish::AndClear)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns_numbers_right_and_text_left() {
        let mut table = Table::new(&["adapter", "memory", "driver"]);
        table.row(["llvmpipe", "128 MiB", "Mesa"]);
        table.row(["Grün", "1024 MiB"]);
        table.row(["", "-", "x"]);
        assert_eq!(
            table.to_string(),
            "adapter     memory  driver\nllvmpipe   128 MiB  Mesa\nGrün      1024 MiB\n                 -  x\n"
        );
    }
}
