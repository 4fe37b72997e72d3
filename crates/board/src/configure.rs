//! Puts a rule on a board through its console: a batch of parameters, and then the custom terms.
//!
//! Custom terms are sent as the words that the CPU's integer engine prepares from the formulas.

use flock::formula::Prepared;
use flock::parameters::{PARAMETERS, Parameter, Value};
use flock::{Fixed, Parameters};

use super::board::{Board, BoardError, Link};
use engine::{EngineError, PreparedRule, Result};

/// Maximum length of a console line in bytes.
const LONGEST: usize = 1024;

/// Words of custom terms per line, few enough for the longest line.
const WORDS: usize = 100;

/// Puts a rule on a board. The flock restarts.
///
/// # Errors
/// When the firmware is too old or does not answer; when the flock does not fit the memory or the board refuses a
/// parameter, and then it keeps its former rule; when it refuses the terms, and then it flies without them.
pub(super) fn configure(
    board: &mut Board<impl Link>,
    parameters: &Parameters,
    prepared: &PreparedRule<Fixed>,
) -> Result {
    send(board, &set_all(parameters), parameters.flock.boids, prepared)
}

/// True if the board restarts its flock where the parameters change from one set to the other.
pub(super) fn restarts(before: &Parameters, new: &Parameters) -> bool {
    let mut of_start = PARAMETERS.iter().filter(|parameter| parameter.restarts_board());
    of_start.any(|parameter| parameter.get(before) != parameter.get(new))
}

/// Changes the rule of a board that does not restart by it, and keeps its flock; see [`restarts`]. `before` are the
/// parameters that it has; all are sent if they are not known.
///
/// # Errors
/// See [`configure`].
pub(super) fn adjust(
    board: &mut Board<impl Link>,
    before: Option<&Parameters>,
    new: &Parameters,
    prepared: &PreparedRule<Fixed>,
) -> Result {
    let mut lines = Vec::new();
    for parameter in PARAMETERS {
        let changes = before.is_none_or(|before| parameter.get(before) != parameter.get(new));
        if changes && !parameter.restarts_board() {
            set(parameter, new, &mut lines);
        }
    }
    send(board, &lines, new.flock.boids, prepared)
}

/// Sends the lines of parameters as a batch, and then the custom terms.
fn send(
    board: &mut Board<impl Link>,
    parameters: &[String],
    boids: u32,
    prepared: &PreparedRule<Fixed>,
) -> Result {
    let formulas = prepared.formulas.as_deref();
    begin(board, if formulas.is_some() { "begin terms" } else { "begin" }, parameters)?;
    let most = capacity(board)?;
    let committed = board.ask("commit");
    if matches!(committed, Err(BoardError::Refused(_))) && boids > most {
        return Err(too_many(boids, most));
    }
    committed?;
    if let Some(formulas) = formulas {
        for line in terms(formulas, prepared.rule.formula_values.terms.reach()) {
            board.ask(&line)?;
        }
    }
    Ok(())
}

/// The largest number of boids that a board holds whatever the terms, on a plane.
pub(super) fn most(board: &mut Board<impl Link>) -> Result<u32> {
    let mut parameters = Parameters::default();
    parameters.flock.dimensions = 2;
    begin(board, "begin", &set_all(&parameters))?;
    capacity(board)
}

/// Starts a batch of changes.
fn begin(board: &mut Board<impl Link>, begin: &str, changes: &[String]) -> Result {
    match board.ask(begin) {
        Err(BoardError::Refused(_)) => {
            let why = "the firmware is too old (no command `begin`); build it again with `cargo xtask firmware`, or update a board with `cargo xtask flash`";
            return Err(BoardError::Failed(why.to_owned()).into());
        }
        begun => drop(begun?),
    }
    for line in changes {
        board.ask(line)?;
    }
    Ok(())
}

/// The number of boids that fit with the parameters of the batch.
fn capacity(board: &mut Board<impl Link>) -> Result<u32> {
    let answer = board.ask_one("capacity")?;
    answer.parse().map_err(|_| BoardError::strange("capacity", &answer).into())
}

/// The lines that set all parameters. The number of boids comes first: it may change the size of the world, which comes
/// after it.
fn set_all(parameters: &Parameters) -> Vec<String> {
    let mut lines = Vec::new();
    for parameter in PARAMETERS {
        set(parameter, parameters, &mut lines);
    }
    lines
}

/// The lines that set a parameter: a list of obstacles too long for one line is set entry by entry.
fn set(parameter: &Parameter, parameters: &Parameters, lines: &mut Vec<String>) {
    let value = parameter.get(parameters);
    let line = format!("set {} {value}", parameter.name);
    match value {
        Value::Spheres(spheres) if line.len() > LONGEST => {
            lines.push(format!("set {} []", parameter.name));
            for sphere in spheres.as_slice() {
                let position = Value::Vector(sphere.position);
                lines.push(format!("obstacle {{ position = {position}, radius = {:?} }}", sphere.radius));
            }
        }
        _ => lines.push(line),
    }
}

/// The lines that send custom terms and put them into use. `reach` is the greatest radius of a sum.
fn terms(prepared: &Prepared<Fixed>, reach: f64) -> Vec<String> {
    let words: Vec<String> =
        (0..Prepared::<Fixed>::WORDS).map(|at| format!(" {:x}", prepared.word(at))).collect();
    let mut lines = Vec::new();
    for (chunk, words) in words.chunks(WORDS).enumerate() {
        lines.push(format!("terms {}{}", chunk * WORDS, words.concat()));
    }
    lines.push(format!("terms fly {reach:?} {:x}", prepared.checksum(reach)));
    lines
}

/// The error for more boids than fit in memory.
pub fn too_many(asked: u32, most: u32) -> EngineError {
    EngineError::TooMany {
        asked: asked.into(),
        most: most.into(),
        device: "rp2040".to_owned(),
        limit: "memory".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;
    use std::time::Duration;

    use engine::rule;
    use flock::parameters::Density;

    use super::*;

    /// A firmware that answers every line with the next of its answers.
    #[derive(Debug)]
    struct Script(VecDeque<&'static str>);

    impl Link for Script {
        fn name(&self) -> String {
            "script".to_owned()
        }

        fn send(&mut self, _: &str) -> io::Result<()> {
            Ok(())
        }

        fn line(&mut self, _: Duration) -> io::Result<Option<String>> {
            Ok(self.0.pop_front().map(str::to_owned))
        }
    }

    #[test]
    fn a_firmware_without_batches_is_called_too_old() {
        let answers = ["ok", "0.1.0", "ok", "error: `begin` is no command: `help` lists them"];
        let mut board = Board::running(Script(answers.into())).expect("it answers");
        let parameters = Parameters::default();
        let prepared = rule(&parameters, 0).expect("it fits");
        let error = configure(&mut board, &parameters, &prepared).expect_err("an old firmware");
        assert!(error.to_string().contains("the firmware is too old"), "{error}");
        // Negative control: a firmware that falls silent is not.
        let mut board = Board::running(Script(["ok", "0.1.0", "ok", "ok"].into())).expect("it answers");
        let error = configure(&mut board, &parameters, &prepared).expect_err("silence");
        assert!(error.to_string().contains("does not answer `set flock.boids 500`"), "{error}");
    }

    #[test]
    fn the_size_of_the_world_is_set_after_the_number_of_boids() {
        let mut parameters = Parameters::default();
        parameters.flock.density = Density::Keep;
        let before = parameters;
        parameters.set_boids(9);
        let lines = set_all(&parameters);
        let at = |name: &str| lines.iter().position(|line| line.starts_with(&format!("set {name} ")));
        for parameter in PARAMETERS {
            let scales =
                parameter.name != "flock.boids" && parameter.get(&before) != parameter.get(&parameters);
            assert!(!scales || at("flock.boids") < at(parameter.name), "{}", parameter.name);
        }
        assert_eq!(lines.len(), PARAMETERS.len());
        assert_ne!(parameters.world.max, before.world.max);
    }
}
