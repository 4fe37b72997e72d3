//! The command-line options that are arguments in Python.

/// Arguments of a flock, which are options of `run`.
pub const FLOCK: &str = "boids seed engine numeric threads adapter backend kernel firmware init first_step";

/// Arguments of a flock that repeats a flight.
pub const REPEATED: &str = "engine numeric threads adapter backend kernel firmware";

/// Arguments of a check of a flight, which is in the number type of the flight.
pub const CHECKED: &str = "engine threads adapter backend kernel firmware";

/// Arguments of many flocks.
pub const FLOCKS: &str = "boids numeric threads";

/// Arguments of a study, which are options of `sweep`.
pub const STUDY: &str = "steps seeds after every series jobs resume retry_failed preset config boids engine numeric \
    threads adapter backend kernel firmware";

/// Arguments of a film in addition to those of a picture.
pub const FILM: &str = "every fps quality blur trails orbit yes";

/// Arguments of a picture, which are options of `render`.
pub const PICTURE: &str =
    "look colour style size yaw pitch field_of_view zoom adapter backend mark_centre camera";

/// Options that appear in messages and in no list above.
pub const OTHERS: &str = "columns out set vary";

/// Options without a value.
pub const FLAGS: [&str; 5] = ["mark_centre", "resume", "retry_failed", "series", "yes"];
