//! The console: a command is one line; its answer is any number of lines, the last of which is `ok` or `error: …`. Each
//! command is a row of [`COMMANDS`].

use crate::cores::Cores;
use crate::engine::{self, Engine};
use crate::image::{self, Flight, PRESETS};
use crate::session::{Refusal, Session};
use crate::value;
use core::fmt;
use flock::parameters::{PARAMETERS, Parameter, Value, find};

mod arguments;
mod line;
mod raw;

pub use line::Line;

use arguments::{Call, Done, Error};

/// Frames for which the end of a flight is shown: three seconds.
const FRAMES_AT_END: u32 = 180;

type Execute = for<'a> fn(&mut Call<'a, '_, '_>) -> Done<'a>;

/// The name, arguments and description of each command, and its function.
const COMMANDS: &[(&str, &str, &str, Execute)] = &[
    ("help", "", "list the commands", help),
    ("list", "[TABLE]", "list the parameters: value, unit and range", list),
    ("get", "TABLE.KEY", "print a parameter", get),
    ("set", "TABLE.KEY VALUE", "set a parameter while the flock runs", set),
    ("obstacle", "{ position = [X, Y, Z], radius = R }", "add an obstacle to obstacles.spheres", obstacle),
    ("begin", "[terms]", "collect changes until `commit`; `terms` leaves memory for custom terms", begin),
    ("commit", "", "apply the changes since `begin` at once, or none of them", |call| {
        Ok(call.session.commit()?)
    }),
    ("capacity", "", "print how many boids fit, with the changes since `begin`", capacity),
    ("boids", "N", "restart with N boids", |call| set_named(call, "boids", "flock.boids")),
    ("seed", "S", "restart with another seed", |call| set_named(call, "seed", "flock.seed")),
    ("preset", "[NAME]", "restart with a preset; without a name, list the presets", preset),
    ("run", "", "step the flock continuously", |call| running(call, true)),
    ("pause", "", "stop stepping", |call| running(call, false)),
    ("step", "[K]", "pause, then step K times", step),
    ("hash", "", "print the step and the flock's hash", hash),
    ("hashes", "K", "step K times; print step and hash before the first and after each step", hashes),
    ("state", "", "print every boid and predator as raw words", state),
    ("put", "boid ID W*9 | predator I W*6 | step K", "set raw words, in the format of `state`", raw::put),
    ("steer", "I W*3", "move a predator to raw words", raw::steer),
    ("terms", "[K W* | fly REACH CHECKSUM | off]", "count, send or drop custom terms", raw::terms),
    ("cycles", "", "print the cycles of the last step, per core, and of the last picture", cycles),
    ("kernel", "assembly|plain", "choose the innermost loop; both give the same bits", kernel),
    ("status", "", "print the preset, boids, step, and whether the flock runs", status),
    ("version", "", "print the version", |call| Ok(writeln!(call.out, "{}", env!("CARGO_PKG_VERSION"))?)),
];

/// Executes lines, and discards their answers.
///
/// # Errors
/// The first refused line; the lines after it are not executed.
#[inline(never)]
pub fn execute_all<'a>(session: &mut Session<'_>, cores: &impl Cores, lines: &'a str) -> Result<(), &'a str> {
    let step = |engine: &mut Engine<'_>| engine.step(cores);
    lines.lines().try_for_each(|line| execute_quietly(session, &step, line))
}

/// Executes a line, and discards its answer.
///
/// # Errors
/// The line, if it is refused.
fn execute_quietly<'a, 'm>(
    session: &mut Session<'m>,
    step: &dyn Fn(&mut Engine<'m>),
    line: &'a str,
) -> Result<(), &'a str> {
    let words = line.split_whitespace();
    let mut call = Call { session, step, key: &|| false, line, words, out: &mut Nowhere };
    execute(&mut call).map_err(|_| line)
}

/// Executes the lines of an image: those that set up a flock or the start of a flight. [`play`] makes its changes.
///
/// # Errors
/// See [`execute_all`].
pub fn begin_script(
    session: &mut Session<'_>,
    cores: &impl Cores,
    script: &'static str,
) -> Result<(), &'static str> {
    let flight = Flight::new(script);
    execute_all(session, cores, flight.as_ref().map_or(script, |flight| flight.start))?;
    session.flight = flight;
    Ok(())
}

/// A frame of a flock that runs: one step, with the changes of the flight before it. The end of a flight is shown for
/// three seconds; then it starts again. Returns true if the flock has changed.
///
/// # Errors
/// A line of the flight that is refused.
pub fn play(session: &mut Session<'_>, cores: &impl Cores) -> Result<bool, &'static str> {
    if !session.running {
        return Ok(false);
    }
    let now = session.engine.step_number;
    if let Some(flight) = session.flight.as_mut().filter(|flight| flight.end <= now) {
        flight.frames_at_end += 1;
        if flight.frames_at_end < FRAMES_AT_END {
            return Ok(false);
        }
        let mut flight = flight.clone();
        execute_all(session, cores, flight.start)?;
        flight.rewind();
        session.flight = Some(flight);
        return Ok(true);
    }
    make_step(session, &|engine| engine.step(cores))?;
    Ok(true)
}

/// Makes a step, with the changes of the flight before it.
#[inline(never)]
fn make_step<'m>(session: &mut Session<'m>, step: &dyn Fn(&mut Engine<'m>)) -> Result<(), &'static str> {
    // Taken out: a change that is not its own ends it.
    if let Some(mut flight) = session.flight.take() {
        while let Some(line) = flight.next_line(session.engine.step_number) {
            execute_quietly(session, step, line)?;
        }
        session.flight = Some(flight);
    }
    step(&mut session.engine);
    Ok(())
}

/// An output that discards its text.
struct Nowhere;

impl fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

/// Executes a line and writes the answer, which ends with `ok` or `error: …`. `key` returns true if a key was pressed
/// since its last call, which stops the command between steps.
#[inline(never)]
pub fn answer(
    session: &mut Session<'_>,
    cores: &impl Cores,
    key: &dyn Fn() -> bool,
    line: &str,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let step = |engine: &mut Engine<'_>| engine.step(cores);
    let words = line.split_whitespace();
    let mut call = Call { session, step: &step, key, line, words, out };
    match execute(&mut call) {
        Ok(()) => call.out.write_str("ok\n"),
        Err(error) => {
            call.session.spoil();
            complain(&mut call, &error)
        }
    }
}

/// Writes the line of a refused command.
fn complain(call: &mut Call<'_, '_, '_>, error: &Error<'_>) -> fmt::Result {
    if let Error::Refused(Refusal::Parameter { name, why }) = error
        && let Some(parameter) = find(name)
    {
        return match parameter.get(call.session.refused()) {
            // A list would be too long for a line.
            Value::Spheres(_) | Value::Shares(_) => writeln!(call.out, "error: {name} must be {why}"),
            value => writeln!(call.out, "error: {name} must be {why}, not {value}"),
        };
    }
    writeln!(call.out, "error: {error}")
}

fn execute<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let name = call.next();
    let command = COMMANDS.iter().find(|(known, ..)| *known == name);
    let (_, arguments, _, execute) = command.ok_or(Error::Unknown(name))?;
    if arguments.is_empty() {
        call.end()?;
    }
    execute(call)
}

fn help<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    for (name, arguments, what, _) in COMMANDS {
        let gap = if arguments.is_empty() { "" } else { " " };
        writeln!(call.out, "{name}{gap}{arguments}: {what}")?;
    }
    Ok(())
}

// Commands that only print.

fn list<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let table = call.words.next();
    call.end()?;
    if let Some(name) = table.filter(|table| PARAMETERS.iter().all(|parameter| parameter.table != *table)) {
        return Err(Error::NoSuch { what: "table", name, hint: "try `list`" });
    }
    for parameter in PARAMETERS.iter().filter(|one| table.is_none_or(|table| table == one.table)) {
        let unit = if parameter.unit.is_empty() { "" } else { " " };
        let (name, value) = (parameter.name, parameter.get(call.session.newest()));
        writeln!(call.out, "{name} = {value}{unit}{}; {}", parameter.unit, parameter.kind)?;
    }
    Ok(())
}

fn get<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let parameter = call.parameter()?;
    call.end()?;
    Ok(writeln!(call.out, "{} = {}", parameter.name, parameter.get(call.session.newest()))?)
}

/// Prints the hash in the format of `murmuration run --hash`.
fn hash<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let engine = &call.session.engine;
    Ok(writeln!(call.out, "{},{:016x}", engine.step_number, engine.hash())?)
}

fn state<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let (engine, out) = (&call.session.engine, &mut *call.out);
    writeln!(out, "step {}", engine.step_number)?;
    for (index, predator) in engine.predators().iter().enumerate() {
        write!(out, "predator {index}")?;
        for word in predator.position.iter().chain(&predator.velocity) {
            write!(out, " {:08x}", word.0)?;
        }
        out.write_str("\n")?;
    }
    for id in 0..engine.boids() {
        let boid = engine.boid(id);
        write!(out, "boid {id}")?;
        for word in boid.position.iter().chain(&boid.velocity).chain([&boid.bias]) {
            write!(out, " {:08x}", word.0)?;
        }
        writeln!(out, " {:08x} {:08x}", boid.group, boid.rest)?;
    }
    Ok(())
}

fn cycles<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    for (core, cost) in call.session.engine.costs.iter().enumerate() {
        writeln!(call.out, "core {core}: {cost}")?;
    }
    Ok(writeln!(call.out, "drawing {}", call.session.drawing)?)
}

fn status<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let session = &*call.session;
    let (engine, flock) = (&session.engine, &session.parameters().flock);
    let most = engine::capacity(engine.words(), session.parameters());
    write!(call.out, "preset {} boids {} of {} ", session.preset, engine.boids(), most)?;
    let (dimensions, seed, step) = (flock.dimensions, flock.seed, engine.step_number);
    let flying = if session.running { "running" } else { "paused" };
    Ok(writeln!(call.out, "dimensions {dimensions} seed {seed} step {step} {flying}")?)
}

fn capacity<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    Ok(writeln!(call.out, "{}", call.session.capacity())?)
}

// Commands that change the flock.

fn begin<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let terms = call.next();
    call.end()?;
    if !matches!(terms, "" | "terms") {
        return Err(Error::Extra(terms));
    }
    call.session.begin(terms == "terms");
    Ok(())
}

/// Sets a parameter to a parsed value.
fn assign<'a>(
    call: &mut Call<'a, '_, '_>,
    parameter: &'static Parameter,
    value: Option<Value>,
    given: &'a str,
) -> Done<'a> {
    let value = value.and_then(|value| parameter.kind.check(value).ok());
    Ok(call.session.set(parameter, value.ok_or(Error::Value { parameter, given })?)?)
}

fn set<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let parameter = call.parameter()?;
    // The value is the rest of the line with its spaces, after an optional `=`.
    let given = call.after(parameter.name);
    let given = given.strip_prefix('=').unwrap_or(given).trim();
    assign(call, parameter, value::parse(parameter.kind, given), given)
}

/// Sets the parameter `name` to the rest of the line after a command's word.
fn set_named<'a>(call: &mut Call<'a, '_, '_>, command: &str, name: &str) -> Done<'a> {
    let Some(parameter) = find(name) else { return Ok(()) };
    let given = call.after(command);
    assign(call, parameter, value::parse(parameter.kind, given), given)
}

/// Adds an obstacle: the list of all obstacles may be too long for a line.
#[inline(never)]
fn obstacle<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let Some(parameter) = find("obstacles.spheres") else { return Ok(()) };
    let given = call.after("obstacle");
    let allowed = "{ position = [x, y, z], radius = r }";
    let sphere = value::parse_sphere(given).ok_or(Error::Argument { name: "obstacle", given, allowed })?;
    let mut spheres = call.session.newest().obstacles.spheres;
    let added = spheres.push(sphere).is_ok();
    assign(call, parameter, added.then_some(Value::Spheres(spheres)), given)
}

fn preset<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let Some(name) = call.words.next() else {
        return Ok(PRESETS.iter().try_for_each(|preset| writeln!(call.out, "{}", preset.name))?);
    };
    call.end()?;
    let hint = "try `preset`";
    let preset = image::find(name).ok_or(Error::NoSuch { what: "preset", name, hint })?;
    Ok(call.session.load(preset)?)
}

fn running<'a>(call: &mut Call<'a, '_, '_>, running: bool) -> Done<'a> {
    call.session.running = running;
    Ok(())
}

fn kernel<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let assembly = match call.next() {
        "assembly" => true,
        "plain" => false,
        given => return Err(Error::Argument { name: "kernel", given, allowed: "assembly or plain" }),
    };
    call.end()?;
    call.session.engine.assembly = assembly;
    Ok(())
}

fn step<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let once = call.words.clone().next().is_none();
    make_steps(call, if once { Some(1) } else { None }, |_| Ok(()))
}

fn hashes<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    make_steps(call, None, hash)
}

/// Makes `count` steps, or the number in the next word, and calls `report` before the first and after each. A key
/// pressed after the first step stops them.
fn make_steps<'a>(call: &mut Call<'a, '_, '_>, count: Option<u32>, report: Execute) -> Done<'a> {
    let count = match count {
        Some(count) => count,
        None => call.number("steps", "0 to 1000000", ..=1_000_000)?,
    };
    call.end()?;
    call.session.running = false;
    report(call)?;
    for made in 0..count {
        if made > 0 && (call.key)() {
            return Err(Error::Stopped(call.session.engine.step_number));
        }
        make_step(call.session, call.step).map_err(Error::Image)?;
        report(call)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
