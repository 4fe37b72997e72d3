//! Sets raw words, so that a flock can start from any state.

use super::arguments::{Error, Words, none, number};
use crate::session::Session;
use flock::state::group;
use flock::{Boid, Fixed, Predator};

/// The largest magnitude of a coordinate or velocity: the difference of two fits a word.
const COORDINATE: u32 = (1 << 30) - 1;

/// The largest magnitude of the rest counter.
const REST: u32 = (1 << 29) - 1;

pub fn put<'a>(session: &mut Session<'_>, mut words: Words<'a>) -> Result<(), Error<'a>> {
    match words.next().unwrap_or_default() {
        "boid" => put_boid(session, words),
        "predator" => put_predator(session, words),
        "step" => {
            let step = number("step", "a whole number from 0 to 18446744073709551615", &mut words)?;
            none(words)?;
            session.engine.set_step_number(step);
            Ok(())
        }
        given => Err(Error::Argument { name: "put", given, allowed: "boid, predator or step" }),
    }
}

/// The next hexadecimal word, whose magnitude is at most `most`.
fn raw<'a>(name: &'static str, most: u32, words: &mut Words<'a>) -> Result<i32, Error<'a>> {
    let given = words.next().unwrap_or_default();
    let digits = given.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = u32::from_str_radix(given, 16).ok().filter(|_| digits).map(|word| word as i32);
    let allowed = "a 32-bit word in hexadecimal, within the range of the flock";
    word.filter(|word| word.unsigned_abs() <= most).ok_or(Error::Argument { name, given, allowed })
}

/// Parses a position and a velocity.
fn place<'a>(flat: bool, words: &mut Words<'a>) -> Result<[[Fixed; 3]; 2], Error<'a>> {
    let mut both = [[Fixed(0); 3]; 2];
    for (vector, names) in both.iter_mut().zip([["x", "y", "z"], ["vx", "vy", "vz"]]) {
        for (k, (component, name)) in vector.iter_mut().zip(names).enumerate() {
            *component = Fixed(raw(name, if flat && k == 2 { 0 } else { COORDINATE }, words)?);
        }
    }
    Ok(both)
}

fn put_boid<'a>(session: &mut Session<'_>, mut words: Words<'a>) -> Result<(), Error<'a>> {
    let id = index("boid", session.engine.boids(), &mut words)?;
    let [position, velocity] = place(session.engine.rule().flat, &mut words)?;
    let bias = Fixed(raw("bias", u32::MAX, &mut words)?);
    let given = words.clone().next().unwrap_or_default();
    let group = raw("group", u32::MAX, &mut words)? as u32;
    if group > group::LEFT {
        return Err(Error::Argument { name: "group", given, allowed: "0, 1 or 2" });
    }
    let rest = raw("rest", REST, &mut words)?;
    none(words)?;
    session.engine.put_boid(id, &Boid { position, velocity, bias, group, rest });
    Ok(())
}

fn put_predator<'a>(session: &mut Session<'_>, mut words: Words<'a>) -> Result<(), Error<'a>> {
    let index = index("predator", session.engine.predators().len(), &mut words)?;
    let [position, velocity] = place(session.engine.rule().flat, &mut words)?;
    none(words)?;
    session.engine.put_predator(index, Predator { position, velocity });
    Ok(())
}

/// Parses an index below `count`.
fn index<'a>(name: &'static str, count: usize, words: &mut Words<'a>) -> Result<usize, Error<'a>> {
    let allowed = "the number of one that there is";
    let given = words.clone().next().unwrap_or_default();
    let index: usize = number(name, allowed, words)?;
    if index < count { Ok(index) } else { Err(Error::Argument { name, given, allowed }) }
}
