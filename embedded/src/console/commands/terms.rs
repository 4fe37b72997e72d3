//! Custom terms, which a computer prepares and sends as words.

use super::arguments::{Call, Done, Error};
use super::put::raw;
use flock::Fixed;
use flock::formula::Prepared;

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
            let reach = call.number("reach", "a length", 0.0..f64::INFINITY)?;
            let checksum = raw(call, "checksum", u32::MAX)? as u32;
            call.end()?;
            call.session.fly_terms(reach, checksum)?;
        }
        Some(_) => put(call)?,
    }
    Ok(())
}

/// Sets words of terms that are not in use yet.
fn put<'a>(call: &mut Call<'a, '_, '_>) -> Done<'a> {
    let first = call.number("terms", "off, fly or the number of a word", ..Prepared::<Fixed>::WORDS)?;
    for at in first.. {
        let Some(given) = call.words.clone().next() else { break };
        let word = raw(call, "word", u32::MAX)? as u32;
        let allowed = "one that is possible there";
        let set = call.session.draft_terms()?.set_word(at, word);
        set.ok_or(Error::Argument { name: "word", given, allowed })?;
    }
    Ok(())
}
