//! The commands: each has a line in [`COMMANDS`] and a function.

use super::value;
use crate::cores::Cores;
use crate::presets::{self, PRESETS};
use crate::session::{Refusal, Session};
use core::fmt;
use flock::parameters::{Value, find};

mod arguments;
mod inspect;
mod put;

use arguments::{Error, Out, Words, none, only, parameter, steps};

/// Returns whether a key was pressed since the last call.
type Key<'a> = &'a dyn Fn() -> bool;

/// The name, arguments and description of each command.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("help", "", "list the commands"),
    ("list", "[TABLE]", "list the parameters: value, unit and range"),
    ("get", "TABLE.KEY", "print a parameter"),
    ("set", "TABLE.KEY VALUE", "set a parameter while the flock runs"),
    ("obstacle", "{ position = [X, Y, Z], radius = R }", "add an obstacle to obstacles.spheres"),
    ("boids", "N", "restart with N boids"),
    ("seed", "S", "restart with another seed"),
    ("preset", "[NAME]", "restart with a preset; without a name list them"),
    ("run", "", "step the flock continuously"),
    ("pause", "", "stop stepping"),
    ("step", "[K]", "pause, and make K steps"),
    ("hash", "", "print the step and the flock's hash"),
    ("hashes", "K", "make K steps, and print step and hash before the first and after each"),
    ("state", "", "print every boid and predator as raw words"),
    ("put", "boid ID W*9 | predator I W*6 | step K", "set raw words, as `state` prints them"),
    ("cycles", "", "print what the last step cost, core by core, and the last picture"),
    ("kernel", "assembly|plain", "choose the innermost loop; both have the same bits"),
    ("status", "", "print preset, boids, step and whether the flock runs"),
    ("version", "", "print the version"),
];

/// Executes a line and writes the answer, which ends with `ok` or `error: …`. A pressed key stops it between steps.
#[inline(never)]
pub fn answer(
    session: &mut Session<'_>,
    cores: &impl Cores,
    key: Key<'_>,
    line: &str,
    out: Out<'_>,
) -> fmt::Result {
    match execute(session, cores, key, line, out) {
        Ok(()) => out.write_str("ok\n"),
        // The refusal is about another parameter than the one being set, which keeps its value.
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
    cores: &impl Cores,
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
        "obstacle" => obstacle(session, line),
        "boids" => Ok(session.set_boids(only("boids", "a whole number", words)?)?),
        "seed" => set_seed(session, words),
        "preset" => preset(session, words, out),
        "run" => running(session, true, words),
        "pause" => running(session, false, words),
        "step" => step(session, cores, key, words),
        "hash" => none(words).and_then(|()| inspect::hash(session, out)),
        "hashes" => hashes(session, cores, key, words, out),
        "state" => none(words).and_then(|()| inspect::state(session, out)),
        "put" => put::put(session, words),
        "cycles" => none(words).and_then(|()| inspect::cycles(session, out)),
        "kernel" => kernel(session, words),
        "status" => none(words).and_then(|()| inspect::status(session, out)),
        "version" => none(words).and_then(|()| Ok(writeln!(out, "{}", env!("CARGO_PKG_VERSION"))?)),
        other => Err(Error::Unknown(other)),
    }
}

fn help<'a>(words: Words<'a>, out: Out<'_>) -> Result<(), Error<'a>> {
    none(words)?;
    for (name, arguments, what) in COMMANDS {
        let gap = if arguments.is_empty() { "" } else { " " };
        writeln!(out, "{name}{gap}{arguments}: {what}")?;
    }
    Ok(())
}

fn set<'a>(session: &mut Session<'_>, line: &'a str, mut words: Words<'a>) -> Result<(), Error<'a>> {
    let name = words.next().unwrap_or_default();
    let parameter = parameter(name)?;
    // The value is the rest of the line with its spaces, after an optional `=`.
    let given = line.split_once(name).map_or("", |(_, rest)| rest).trim_start();
    let given = given.strip_prefix('=').unwrap_or(given).trim();
    let value = value::parse(parameter.kind, given).ok_or(Error::Value { parameter, given })?;
    session.set(parameter, value).map_err(|refusal| {
        let itself = matches!(&refusal, Refusal::Parameter { name, .. } if *name == parameter.name);
        Error::Refused { refusal, given: itself.then_some(given) }
    })
}

/// Adds an obstacle: the list of all may be too long for a line.
#[inline(never)]
fn obstacle<'a>(session: &mut Session<'_>, line: &'a str) -> Result<(), Error<'a>> {
    let given = line.split_once("obstacle").map_or("", |(_, rest)| rest).trim();
    let allowed = "{ position = [x, y, z], radius = r }";
    let sphere = value::parse_sphere(given).ok_or(Error::Argument { name: "obstacle", given, allowed })?;
    let parameter = parameter("obstacles.spheres")?;
    let mut spheres = session.parameters().obstacles.spheres;
    let added = spheres.push(sphere).map_err(|why| Refusal::Parameter { name: parameter.name, why });
    added.and_then(|()| session.set(parameter, Value::Spheres(spheres))).map_err(|refusal| {
        let itself = matches!(&refusal, Refusal::Parameter { name, .. } if *name == parameter.name);
        Error::Refused { refusal, given: itself.then_some(given) }
    })
}

fn set_seed<'a>(session: &mut Session<'_>, words: Words<'a>) -> Result<(), Error<'a>> {
    let seed = only("seed", "a whole number from 0 to 4294967295", words)?;
    let parameter = parameter("flock.seed")?;
    Ok(session.set(parameter, Value::Count(seed))?)
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
    cores: &impl Cores,
    key: Key<'_>,
    words: Words<'a>,
) -> Result<(), Error<'a>> {
    let count = if words.clone().next().is_some() { steps(words)? } else { 1 };
    session.running = false;
    (0..count).try_for_each(|made| one_step(session, cores, key, made))
}

fn hashes<'a>(
    session: &mut Session<'_>,
    cores: &impl Cores,
    key: Key<'_>,
    words: Words<'a>,
    out: Out<'_>,
) -> Result<(), Error<'a>> {
    let count = steps(words)?;
    session.running = false;
    inspect::hash(session, out)?;
    for made in 0..count {
        one_step(session, cores, key, made)?;
        inspect::hash(session, out)?;
    }
    Ok(())
}

/// Makes a step, unless a key was pressed since the command made `made` steps.
fn one_step(
    session: &mut Session<'_>,
    cores: &impl Cores,
    key: Key<'_>,
    made: u32,
) -> Result<(), Error<'static>> {
    if made > 0 && key() {
        return Err(Error::Stopped(session.engine.step_number()));
    }
    session.engine.step(cores);
    Ok(())
}

#[cfg(test)]
mod tests;
