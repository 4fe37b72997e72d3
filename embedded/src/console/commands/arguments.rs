//! The arguments of a command, and why a command fails.

use crate::session::Refusal;
use core::fmt::{self, Write};
use flock::parameters::{Parameter, find};

/// The arguments of a command.
pub type Words<'a> = core::str::SplitWhitespace<'a>;

/// The output of an answer.
pub type Out<'a> = &'a mut dyn Write;

/// Why a command failed.
#[derive(Debug)]
pub enum Error<'a> {
    /// There is no command of this name.
    Unknown(&'a str),
    /// There is no parameter, table or preset of this name.
    NoSuch { what: &'static str, name: &'a str, hint: &'static str },
    /// An invalid argument.
    Argument { name: &'static str, given: &'a str, allowed: &'static str },
    /// A value that does not parse.
    Value { parameter: &'static Parameter, given: &'a str },
    /// A refused change; `given` is the text of the value, where the refusal is about the parameter being set.
    Refused { refusal: Refusal, given: Option<&'a str> },
    /// A key was pressed after this step.
    Stopped(u64),
    /// Writing the answer failed.
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

/// Cuts typed text to a length that suits an error message.
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

/// The allowed number of steps.
const STEPS: &str = "a whole number from 0 to 1000000";

/// Refuses further arguments.
pub fn none(mut words: Words<'_>) -> Result<(), Error<'_>> {
    match words.next() {
        None => Ok(()),
        Some(given) => Err(Error::Argument { name: "the rest of the line", given, allowed: "nothing" }),
    }
}

/// The next argument, as a number.
pub fn number<'a, T: core::str::FromStr>(
    name: &'static str,
    allowed: &'static str,
    words: &mut Words<'a>,
) -> Result<T, Error<'a>> {
    let given = words.next().unwrap_or_default();
    given.parse().map_err(|_| Error::Argument { name, given, allowed })
}

/// The only argument, as a number.
pub fn only<'a>(name: &'static str, allowed: &'static str, mut words: Words<'a>) -> Result<u32, Error<'a>> {
    let number = number(name, allowed, &mut words)?;
    none(words).map(|()| number)
}

/// A number of steps.
pub fn steps(words: Words<'_>) -> Result<u32, Error<'_>> {
    let given = words.clone().next().unwrap_or_default();
    let steps = only("steps", STEPS, words)?;
    if steps > 1_000_000 {
        return Err(Error::Argument { name: "steps", given, allowed: STEPS });
    }
    Ok(steps)
}

/// The parameter of this name.
pub fn parameter(name: &str) -> Result<&'static Parameter, Error<'_>> {
    find(name).ok_or(Error::NoSuch { what: "parameter", name, hint: "`list` lists them" })
}
