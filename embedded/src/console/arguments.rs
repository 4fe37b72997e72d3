//! A command that is being executed, with its arguments, and the reasons for its failure.

use crate::engine::Engine;
use crate::session::{Refusal, Session};
use core::fmt::{self, Write};
use core::ops::RangeBounds;
use core::str::{FromStr, SplitWhitespace};
use flock::parameters::{Parameter, find};

/// A command that is being executed.
pub struct Call<'a, 's, 'm> {
    pub session: &'s mut Session<'m>,
    /// Makes a step on all cores.
    pub step: &'s dyn Fn(&mut Engine<'m>),
    /// Returns true if a key was pressed since the last call.
    pub key: &'s dyn Fn() -> bool,
    pub line: &'a str,
    /// The words of the line not read yet.
    pub words: SplitWhitespace<'a>,
    /// The output of the answer.
    pub out: &'s mut dyn Write,
}

/// The result of a command.
pub type Done<'a> = Result<(), Error<'a>>;

/// The reason why a command failed.
#[derive(Debug)]
pub enum Error<'a> {
    /// An unknown command.
    Unknown(&'a str),
    /// An unknown parameter, table or preset.
    NoSuch { what: &'static str, name: &'a str, hint: &'static str },
    /// An invalid argument.
    Argument { name: &'static str, given: &'a str, allowed: &'static str },
    /// A value that does not parse.
    Value { parameter: &'static Parameter, given: &'a str },
    /// More words than the command accepts.
    Extra(&'a str),
    /// A refused change.
    Refused(Refusal),
    /// A key was pressed after this step.
    Stopped(u64),
    /// A line of the flight in the image is refused.
    Image(&'static str),
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
        Error::Refused(refusal)
    }
}

/// Cuts typed text to a length that suits an error message.
fn short(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unknown(word) => write!(f, "unknown command `{}`; try `help`", short(word)),
            Error::NoSuch { what, name, hint } => write!(f, "unknown {what} `{}`; {hint}", short(name)),
            Error::Argument { name, given, allowed } => {
                write!(f, "{name} must be {allowed}, not `{}`", short(given))
            }
            Error::Value { parameter, given } => {
                write!(f, "{} must be {}, not `{}`", parameter.name, parameter.kind, short(given))
            }
            Error::Extra(word) => write!(f, "unexpected `{}`", short(word)),
            Error::Refused(refusal) => refusal.fmt(f),
            Error::Stopped(step) => write!(f, "stopped after step {step}: a key was pressed"),
            Error::Image(line) => write!(f, "invalid line in the image: {line}"),
            Error::Line => f.write_str("cannot write the answer"),
        }
    }
}

impl<'a> Call<'a, '_, '_> {
    /// The next word; empty at the end of the line.
    pub fn next(&mut self) -> &'a str {
        self.words.next().unwrap_or_default()
    }

    /// The text of the line after a word.
    pub fn after(&self, word: &str) -> &'a str {
        self.line.split_once(word).map_or("", |(_, rest)| rest).trim()
    }

    /// Refuses further words.
    pub fn end(&mut self) -> Done<'a> {
        self.words.next().map_or(Ok(()), |word| Err(Error::Extra(word)))
    }

    /// The next word as a number in a range.
    pub fn number<T: FromStr + PartialOrd>(
        &mut self,
        name: &'static str,
        allowed: &'static str,
        range: impl RangeBounds<T>,
    ) -> Result<T, Error<'a>> {
        let given = self.next();
        let number = given.parse().ok().filter(|number| range.contains(number));
        number.ok_or(Error::Argument { name, given, allowed })
    }

    /// The parameter that the next word names.
    pub fn parameter(&mut self) -> Result<&'static Parameter, Error<'a>> {
        let name = self.next();
        find(name).ok_or(Error::NoSuch { what: "parameter", name, hint: "try `list`" })
    }
}
