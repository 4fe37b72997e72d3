//! Commands that only print.

use super::arguments::{Error, Out, Words, none, parameter};
use crate::session::Session;
use flock::parameters::PARAMETERS;
use flock::{Boid, Fixed};

pub fn list<'a>(session: &Session<'_>, mut words: Words<'a>, out: Out<'_>) -> Result<(), Error<'a>> {
    let table = words.next();
    none(words)?;
    let wanted = |name: &str| table.is_none_or(|table| table == name);
    if let Some(name) = table.filter(|table| PARAMETERS.iter().all(|parameter| parameter.table != *table)) {
        return Err(Error::NoSuch { what: "table", name, hint: "`list` alone lists all parameters" });
    }
    for parameter in PARAMETERS.iter().filter(|parameter| wanted(parameter.table)) {
        let unit = if parameter.unit.is_empty() { "" } else { " " };
        let (name, value) = (parameter.name, parameter.get(session.parameters()));
        writeln!(out, "{name} = {value}{unit}{}; {}", parameter.unit, parameter.kind)?;
    }
    Ok(())
}

pub fn get<'a>(session: &Session<'_>, mut words: Words<'a>, out: Out<'_>) -> Result<(), Error<'a>> {
    let parameter = parameter(words.next().unwrap_or_default())?;
    none(words)?;
    Ok(writeln!(out, "{} = {}", parameter.name, parameter.get(session.parameters()))?)
}

/// As `murmuration run --hash` prints it.
pub fn hash<'a>(session: &Session<'_>, out: Out<'_>) -> Result<(), Error<'a>> {
    let engine = &session.engine;
    Ok(writeln!(out, "{},{:016x}", engine.step_number(), engine.hash())?)
}

pub fn state<'a>(session: &Session<'_>, out: Out<'_>) -> Result<(), Error<'a>> {
    let engine = &session.engine;
    writeln!(out, "step {}", engine.step_number())?;
    for (index, predator) in engine.predators().iter().enumerate() {
        write!(out, "predator {index}")?;
        for word in predator.position.iter().chain(&predator.velocity) {
            write!(out, " {:08x}", word.0)?;
        }
        out.write_str("\n")?;
    }
    for id in 0..engine.boids() {
        let boid: Boid<Fixed> = engine.boid(id);
        write!(out, "boid {id}")?;
        for word in boid.position.iter().chain(&boid.velocity).chain([&boid.bias]) {
            write!(out, " {:08x}", word.0)?;
        }
        writeln!(out, " {:08x} {:08x}", boid.group, boid.rest)?;
    }
    Ok(())
}

pub fn cycles<'a>(session: &Session<'_>, out: Out<'_>) -> Result<(), Error<'a>> {
    for (core, cost) in session.engine.costs().iter().enumerate() {
        writeln!(
            out,
            "core {core}: total {} sort {} search {} update {} boids {} candidates {} neighbours {}",
            cost.total, cost.sort, cost.search, cost.update, cost.boids, cost.candidates, cost.neighbours
        )?;
    }
    Ok(writeln!(out, "drawing {}", session.drawing)?)
}

pub fn status<'a>(session: &Session<'_>, out: Out<'_>) -> Result<(), Error<'a>> {
    let engine = &session.engine;
    let flying = if session.running { "running" } else { "paused" };
    let dimensions = session.parameters().flock.dimensions;
    writeln!(
        out,
        "preset {} boids {} of {} dimensions {dimensions} seed {} step {} {flying}",
        session.preset,
        engine.boids(),
        engine.capacity(session.parameters()),
        session.parameters().flock.seed,
        engine.step_number(),
    )?;
    Ok(())
}
