//! Commands that only print.

use super::arguments::{Call, Done, Error};
use flock::parameters::PARAMETERS;

pub fn list<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
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

pub fn get<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let parameter = call.parameter()?;
    call.end()?;
    Ok(writeln!(call.out, "{} = {}", parameter.name, parameter.get(call.session.newest()))?)
}

/// Prints the hash in the format of `murmuration run --hash`.
pub fn hash<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let engine = &call.session.engine;
    Ok(writeln!(call.out, "{},{:016x}", engine.step_number, engine.hash())?)
}

pub fn state<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
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

pub fn cycles<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    for (core, cost) in call.session.engine.costs.iter().enumerate() {
        writeln!(call.out, "core {core}: {cost}")?;
    }
    Ok(writeln!(call.out, "drawing {}", call.session.drawing)?)
}

pub fn status<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let session = &*call.session;
    let (engine, flock) = (&session.engine, &session.parameters().flock);
    let most = crate::engine::capacity(engine.words(), session.parameters());
    write!(call.out, "preset {} boids {} of {} ", session.preset, engine.boids(), most)?;
    let (dimensions, seed, step) = (flock.dimensions, flock.seed, engine.step_number);
    let flying = if session.running { "running" } else { "paused" };
    Ok(writeln!(call.out, "dimensions {dimensions} seed {seed} step {step} {flying}")?)
}

pub fn capacity<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    Ok(writeln!(call.out, "{}", call.session.capacity())?)
}
