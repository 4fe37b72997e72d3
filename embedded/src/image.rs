//! The contents of the image: the presets, as the text of the parameters that differ from their defaults; and the lines that
//! are executed after a reset, which may be a flight.

use crate::value;
use core::str::Lines;
use flock::Parameters;
use flock::parameters;

/// A preset from `presets/`.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    /// Pairs of `table.key` and the value in TOML.
    pub values: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// The parameters.
    #[inline(never)]
    pub fn parameters(&self) -> Parameters {
        let mut all = Parameters::default();
        for (name, text) in self.values {
            // A test ensures that every preset parses.
            if let Some(parameter) = parameters::find(name)
                && let Some(value) = value::parse(parameter.kind, text)
            {
                let _ = parameter.set(&mut all, value);
            }
        }
        all
    }
}

/// All presets, in alphabetical order.
pub static PRESETS: &[Preset] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// The preset that runs after a reset.
pub const START: &str = env!("FIRMWARE_PRESET");

/// Console lines executed after a reset, once that preset is loaded: empty, or those of a custom flock.
pub const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/script.txt"));

/// The preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// Word of the lines that name a step.
const AT: &str = "at ";

/// The flight that the image shows: console lines that set up its start, and then `at STEP` before the lines of each step
/// at which something changes. The last `at STEP` is its end.
#[derive(Clone, Debug)]
pub struct Flight {
    /// The lines that set up its start.
    pub start: &'static str,
    changes: &'static str,
    /// The lines that are not executed yet.
    rest: Lines<'static>,
    /// The last step.
    pub end: u64,
    /// Number of frames for which the end has been shown.
    pub frames_at_end: u32,
}

impl Flight {
    /// The flight in a script; `None` if all lines of it set up a start.
    pub fn new(script: &'static str) -> Option<Self> {
        let begin = if script.starts_with(AT) { 0 } else { script.find("\nat ")? + 1 };
        let (start, changes) = script.split_at(begin);
        let end = changes.lines().filter_map(step).next_back()?;
        Some(Flight { start, changes, rest: changes.lines(), end, frames_at_end: 0 })
    }

    /// Returns to its first change.
    pub fn rewind(&mut self) {
        self.rest = self.changes.lines();
        self.frames_at_end = 0;
    }

    /// The next line to execute before the step after this one.
    pub fn next_line(&mut self, now: u64) -> Option<&'static str> {
        loop {
            let line = self.rest.clone().next()?;
            match step(line) {
                Some(step) if step > now => return None,
                found => {
                    self.rest.next();
                    if found.is_none() {
                        return Some(line);
                    }
                }
            }
        }
    }
}

/// The step that a line names.
fn step(line: &str) -> Option<u64> {
    line.strip_prefix(AT)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Flight;
    use std::vec::Vec;

    #[test]
    fn lines_are_due_at_their_steps_and_again_after_a_rewind() {
        let mut flight = Flight::new("set a\nat 2\nb\nc\nat 5\nd\nat 9").expect("a flight");
        assert_eq!((flight.start, flight.end), ("set a\n", 9));
        for _ in 0..2 {
            let mut lines = Vec::new();
            for now in 0..10 {
                while let Some(line) = flight.next_line(now) {
                    lines.push((now, line));
                }
            }
            assert_eq!(lines, [(2, "b"), (2, "c"), (5, "d")]);
            flight.rewind();
        }
        assert!(Flight::new("set a\nset at 3").is_none() && Flight::new("").is_none());
        assert_eq!(Flight::new("at 7").map(|flight| (flight.start, flight.end)), Some(("", 7)));
    }
}
