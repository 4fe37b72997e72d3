//! Sets raw words: of the state, so that a flock can start from any, and of custom terms, which a computer prepares.

use super::arguments::{Call, Done, Error};
use flock::formula::Prepared;
use flock::state::GROUP_BITS;
use flock::{Boid, Fixed, Predator};

/// The largest magnitude of a coordinate or velocity: the difference of two fits a word.
const COORDINATE: u32 = (1 << 30) - 1;

/// The largest magnitude of the rest counter.
const REST: u32 = (1 << (31 - GROUP_BITS)) - 1;

pub fn put<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    match call.next() {
        "boid" => {
            let id = index(call, "boid", call.session.engine.boids())?;
            let [position, velocity] = place(call)?;
            let bias = Fixed(raw(call, "bias", u32::MAX)?);
            let given = call.words.clone().next().unwrap_or_default();
            let group = raw(call, "group", u32::MAX)? as u32;
            if group >> GROUP_BITS > 0 {
                return Err(Error::Argument { name: "group", given, allowed: "0 to 7" });
            }
            let rest = raw(call, "rest", REST)?;
            call.end()?;
            call.session.engine.put_boid(id, &Boid { position, velocity, bias, group, rest });
        }
        "predator" => {
            let index = index(call, "predator", call.session.engine.predators().len())?;
            let [position, velocity] = place(call)?;
            call.end()?;
            call.session.engine.put_predator(index, Predator { position, velocity });
        }
        "step" => {
            let step = call.number("step", "0 to 18446744073709551615", ..)?;
            call.end()?;
            call.session.engine.step_number = step;
        }
        given => return Err(Error::Argument { name: "put", given, allowed: "boid, predator or step" }),
    }
    call.session.flight = None;
    Ok(())
}

/// Moves a predator, whose velocity stays.
pub fn steer<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let index = index(call, "predator", call.session.engine.predators().len())?;
    let position = vector(call, ["x", "y", "z"])?;
    call.end()?;
    let predator = Predator { position, ..call.session.engine.predators()[index] };
    call.session.engine.put_predator(index, predator);
    call.session.flight = None;
    Ok(())
}

/// Counts, sends or drops custom terms.
pub fn terms<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    match call.words.clone().next() {
        None => {
            let flying = call.session.engine.terms().filter(|_| call.session.terms_fly());
            let [terms, instructions] = flying.map_or([0; 2], Prepared::counts);
            writeln!(call.out, "{terms} terms of {instructions} instructions")?;
        }
        Some("off") => {
            call.next();
            call.end()?;
            call.session.drop_terms()?;
        }
        Some("fly") => {
            call.next();
            let reach = call.number("reach", "0 or more", 0.0..f64::INFINITY)?;
            let checksum = raw(call, "checksum", u32::MAX)? as u32;
            call.end()?;
            call.session.fly_terms(reach, checksum)?;
        }
        Some(_) => put_terms(call)?,
    }
    Ok(())
}

/// Sets words of terms that are not in use yet.
fn put_terms<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let first = call.number("terms", "off, fly or the index of a word", ..Prepared::<Fixed>::WORDS)?;
    for at in first.. {
        let Some(given) = call.words.clone().next() else { break };
        let word = raw(call, "word", u32::MAX)? as u32;
        let allowed = "valid at this index";
        let set = call.session.draft_terms()?.set_word(at, word);
        set.ok_or(Error::Argument { name: "word", given, allowed })?;
    }
    Ok(())
}

/// The next hexadecimal word, whose magnitude is at most `most`.
fn raw<'a>(call: &mut Call<'a, '_, '_>, name: &'static str, most: u32) -> Result<i32, Error<'a>> {
    let given = call.next();
    let digits = given.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = u32::from_str_radix(given, 16).ok().filter(|_| digits).map(|word| word as i32);
    let allowed = "a 32-bit word in hexadecimal, within the range of the flock";
    word.filter(|word| word.unsigned_abs() <= most).ok_or(Error::Argument { name, given, allowed })
}

/// Parses a position and a velocity.
fn place<'a>(call: &mut Call<'a, '_, '_>) -> Result<[[Fixed; 3]; 2], Error<'a>> {
    Ok([vector(call, ["x", "y", "z"])?, vector(call, ["vx", "vy", "vz"])?])
}

/// Parses a vector, whose last component is zero on a plane.
fn vector<'a>(call: &mut Call<'a, '_, '_>, names: [&'static str; 3]) -> Result<[Fixed; 3], Error<'a>> {
    let flat = call.session.engine.rule().flat;
    let mut vector = [Fixed(0); 3];
    for (k, name) in names.into_iter().enumerate() {
        let most = if flat && k == 2 { 0 } else { COORDINATE };
        vector[k] = Fixed(raw(call, name, most)?);
    }
    Ok(vector)
}

/// Parses an index below `count`.
fn index<'a>(call: &mut Call<'a, '_, '_>, name: &'static str, count: usize) -> Result<usize, Error<'a>> {
    call.number(name, "an existing index", ..count)
}
