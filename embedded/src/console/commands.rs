//! The commands: one line each in [`COMMANDS`], one function each below it.

use super::value;
use crate::crew::Crew;
use crate::presets::{self, PRESETS};
use crate::session::{Refusal, Session};
use core::fmt::{self, Write};
use flock::parameters::{PARAMETERS, Parameter, find};

mod inspect;
mod put;

/// The arguments of a command.
type Words<'a> = core::str::SplitWhitespace<'a>;

/// Where an answer goes.
type Out<'a> = &'a mut dyn Write;

/// Whether a key was pressed since the last time it was asked.
type Key<'a> = &'a dyn Fn() -> bool;

/// Why a command was not carried out.
#[derive(Debug)]
pub enum Error<'a> {
    /// No command begins with this word.
    Unknown(&'a str),
    /// No parameter, table or preset is called so.
    NoSuch { what: &'static str, name: &'a str, hint: &'static str },
    /// An argument of the command is no good.
    Argument { name: &'static str, given: &'a str, allowed: &'static str },
    /// A value that fits no kind of the parameter.
    Value { parameter: &'static Parameter, given: &'a str },
    /// A value that does not fit, as it was given where it is the one that was set.
    Refused { refusal: Refusal, given: Option<&'a str> },
    /// Somebody pressed a key: it stopped after the step of this number.
    Stopped(u64),
    /// The line that the answer goes to broke.
    Line,
}

impl From<fmt::Error> for Error<'_> {
    fn from(_: fmt::Error) -> Self {
        Error::Line
    }
}

impl From<Refusal> for Error<'_> {
    fn from(refusal: Refusal) -> Self {
        Error::Refused { refusal, given: None }
    }
}

/// What was typed, not longer than an error line can bear.
fn short(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unknown(word) => write!(f, "`{}` is no command: `help` lists them", short(word)),
            Error::NoSuch { what, name, hint } => write!(f, "no {what} is called `{}`: {hint}", short(name)),
            Error::Argument { name, given, allowed } => {
                write!(f, "{name} = `{}`: allowed is {allowed}", short(given))
            }
            Error::Value { parameter, given } => {
                write!(f, "{} = `{}`: allowed is {}", parameter.name, short(given), parameter.kind)
            }
            Error::Refused { refusal: Refusal::Parameter { name, why }, given: Some(given) } => {
                write!(f, "{name} = `{}`: allowed is {why}", short(given))
            }
            Error::Refused { refusal, .. } => refusal.fmt(f),
            Error::Stopped(step) => write!(f, "stopped after step {step}: a key was pressed"),
            Error::Line => f.write_str("the line broke"),
        }
    }
}

/// A command: its name, what follows it, and what it does.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("help", "", "list the commands"),
    ("list", "[TABLE]", "list the parameters: value, unit and range"),
    ("get", "TABLE.KEY", "print a parameter"),
    ("set", "TABLE.KEY VALUE", "set a parameter while the flock flies"),
    ("boids", "N", "start anew with N boids"),
    ("seed", "S", "start anew with another seed"),
    ("preset", "[NAME]", "start anew with a preset; without a name list them"),
    ("run", "", "let the flock fly by itself"),
    ("pause", "", "stop it"),
    ("step", "[K]", "pause, and make K steps"),
    ("hash", "", "print the step and the flock's hash"),
    ("hashes", "K", "make K steps, and print step and hash before the first and after each"),
    ("state", "", "print every boid and predator as raw words"),
    ("put", "boid ID W*9 | predator I W*6 | step K", "put raw words in, as `state` prints them"),
    ("cycles", "", "print what the last step cost, core by core, and the last picture"),
    ("kernel", "assembly|plain", "choose the innermost loop; both have the same bits"),
    ("status", "", "print preset, boids, step and whether the flock flies"),
    ("version", "", "print the version"),
];

/// The most steps of one command.
const STEPS: &str = "a whole number from 0 to 1000000";

/// Carries out a line and answers it; the answer ends with `ok` or `error: …`. Between steps it asks `key` whether
/// somebody wants it to stop.
#[inline(never)]
pub fn answer(
    session: &mut Session<'_>,
    crew: &impl Crew,
    key: Key<'_>,
    line: &str,
    out: Out<'_>,
) -> fmt::Result {
    match execute(session, crew, key, line, out) {
        Ok(()) => out.write_str("ok\n"),
        // Another parameter than the one that was set: its value is as it was.
        Err(Error::Refused { refusal: Refusal::Parameter { name, why }, given: None }) => {
            match find(name).map(|parameter| parameter.get(session.parameters())) {
                Some(value) => writeln!(out, "error: {name} = {value}: allowed is {why}"),
                None => writeln!(out, "error: {name}: allowed is {why}"),
            }
        }
        Err(error) => writeln!(out, "error: {error}"),
    }
}

fn execute<'a>(
    session: &mut Session<'_>,
    crew: &impl Crew,
    key: Key<'_>,
    line: &'a str,
    out: Out<'_>,
) -> Result<(), Error<'a>> {
    let mut words = line.split_whitespace();
    let command = words.next().unwrap_or_default();
    match command {
        "help" => help(words, out),
        "list" => inspect::list(session, words, out),
        "get" => inspect::get(session, words, out),
        "set" => set(session, line, words),
        "boids" => Ok(session.set_boids(only("boids", "a whole number", words)?)?),
        "seed" => set_seed(session, words),
        "preset" => preset(session, words, out),
        "run" => running(session, true, words),
        "pause" => running(session, false, words),
        "step" => step(session, crew, key, words),
        "hash" => none(words).and_then(|()| inspect::hash(session, out)),
        "hashes" => hashes(session, crew, key, words, out),
        "state" => none(words).and_then(|()| inspect::state(session, out)),
        "put" => put::put(session, words),
        "cycles" => none(words).and_then(|()| inspect::cycles(session, out)),
        "kernel" => kernel(session, words),
        "status" => none(words).and_then(|()| inspect::status(session, out)),
        "version" => none(words).and_then(|()| Ok(writeln!(out, "{}", env!("CARGO_PKG_VERSION"))?)),
        other => Err(Error::Unknown(other)),
    }
}

/// Refuses arguments where there are none.
fn none(mut words: Words<'_>) -> Result<(), Error<'_>> {
    match words.next() {
        None => Ok(()),
        Some(given) => Err(Error::Argument { name: "the rest of the line", given, allowed: "nothing" }),
    }
}

/// The next argument, as a number.
fn number<'a, T: core::str::FromStr>(
    name: &'static str,
    allowed: &'static str,
    words: &mut Words<'a>,
) -> Result<T, Error<'a>> {
    let given = words.next().unwrap_or_default();
    given.parse().map_err(|_| Error::Argument { name, given, allowed })
}

/// The only argument, as a number.
fn only<'a>(name: &'static str, allowed: &'static str, mut words: Words<'a>) -> Result<u32, Error<'a>> {
    let number = number(name, allowed, &mut words)?;
    none(words).map(|()| number)
}

/// A number of steps.
fn steps(words: Words<'_>) -> Result<u32, Error<'_>> {
    let given = words.clone().next().unwrap_or_default();
    let steps = only("steps", STEPS, words)?;
    if steps > 1_000_000 {
        return Err(Error::Argument { name: "steps", given, allowed: STEPS });
    }
    Ok(steps)
}

fn help<'a>(words: Words<'a>, out: Out<'_>) -> Result<(), Error<'a>> {
    none(words)?;
    for (name, arguments, what) in COMMANDS {
        let gap = if arguments.is_empty() { "" } else { " " };
        writeln!(out, "{name}{gap}{arguments}: {what}")?;
    }
    Ok(())
}

/// The parameter of this name.
fn parameter(name: &str) -> Result<&'static Parameter, Error<'_>> {
    find(name).ok_or(Error::NoSuch { what: "parameter", name, hint: "`list` lists them" })
}

fn set<'a>(session: &mut Session<'_>, line: &'a str, mut words: Words<'a>) -> Result<(), Error<'a>> {
    let name = words.next().unwrap_or_default();
    let parameter = parameter(name)?;
    // The value is the rest of the line, its blanks included; `=` may stand before it.
    let given = line.split_once(name).map_or("", |(_, rest)| rest).trim_start();
    let given = given.strip_prefix('=').unwrap_or(given).trim();
    let value = value::parse(parameter.kind, given).ok_or(Error::Value { parameter, given })?;
    session.set(parameter, value).map_err(|refusal| {
        let itself = matches!(&refusal, Refusal::Parameter { name, .. } if *name == parameter.name);
        Error::Refused { refusal, given: itself.then_some(given) }
    })
}

fn set_seed<'a>(session: &mut Session<'_>, words: Words<'a>) -> Result<(), Error<'a>> {
    let seed = only("seed", "a whole number from 0 to 4294967295", words)?;
    let parameter = parameter("flock.seed")?;
    Ok(session.set(parameter, flock::parameters::Value::Count(seed))?)
}

fn preset<'a>(session: &mut Session<'_>, mut words: Words<'a>, out: Out<'_>) -> Result<(), Error<'a>> {
    let Some(name) = words.next() else {
        for preset in PRESETS {
            writeln!(out, "{}", preset.name)?;
        }
        return Ok(());
    };
    none(words)?;
    let hint = "`preset` lists them";
    let preset = presets::find(name).ok_or(Error::NoSuch { what: "preset", name, hint })?;
    Ok(session.load(preset)?)
}

fn running<'a>(session: &mut Session<'_>, running: bool, words: Words<'a>) -> Result<(), Error<'a>> {
    none(words)?;
    session.running = running;
    Ok(())
}

fn kernel<'a>(session: &mut Session<'_>, mut words: Words<'a>) -> Result<(), Error<'a>> {
    let assembly = match words.next().unwrap_or_default() {
        "assembly" => true,
        "plain" => false,
        given => return Err(Error::Argument { name: "kernel", given, allowed: "assembly or plain" }),
    };
    none(words)?;
    session.engine.assembly = assembly;
    Ok(())
}

fn step<'a>(
    session: &mut Session<'_>,
    crew: &impl Crew,
    key: Key<'_>,
    words: Words<'a>,
) -> Result<(), Error<'a>> {
    let count = if words.clone().next().is_some() { steps(words)? } else { 1 };
    session.running = false;
    (0..count).try_for_each(|made| one_step(session, crew, key, made))
}

fn hashes<'a>(
    session: &mut Session<'_>,
    crew: &impl Crew,
    key: Key<'_>,
    words: Words<'a>,
    out: Out<'_>,
) -> Result<(), Error<'a>> {
    let count = steps(words)?;
    session.running = false;
    inspect::hash(session, out)?;
    for made in 0..count {
        one_step(session, crew, key, made)?;
        inspect::hash(session, out)?;
    }
    Ok(())
}

/// The step after so many of a command, unless a key was pressed.
fn one_step(
    session: &mut Session<'_>,
    crew: &impl Crew,
    key: Key<'_>,
    made: u32,
) -> Result<(), Error<'static>> {
    if made > 0 && key() {
        return Err(Error::Stopped(session.engine.step_number()));
    }
    session.engine.step(crew);
    Ok(())
}

#[cfg(test)]
mod tests;
