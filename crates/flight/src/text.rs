//! A flight as a text: lines of JSON. The first one has the start; each other one has a step, and a change, a hash or
//! nothing else at it. A file that was cut off holds a shorter flight. A short flight is also the fragment of a link: its
//! text, compressed by deflate, in the letters of a URL (base64).

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flock::{Boid, Parameters, Predator};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use crate::{Change, ChangeAt, First, Flight, InFlight, Pose, Start, starts_differ, track};
use config::{ConfigError, Document, differences, presets, read_text};
use engine::{Numeric, State};

/// The ending of the names of files.
pub const ENDING: &str = ".flight";
/// The number of this format.
pub const FORMAT: u32 = 1;
/// The most positions of predators in a flight: 19 hours at 60 per second.
const MOST_POSITIONS: u64 = 1 << 22;

/// The most letters of a link: chat programs cut longer ones. Twenty seconds of falcon fit.
pub const LONGEST_LINK: usize = 4096;
/// The most bytes of its text: a link may come from anywhere.
const LONGEST_LINK_TEXT: usize = 1 << 20;
/// The most positions of predators in a link: eighteen minutes at 60 per second.
const MOST_LINK_POSITIONS: u64 = 1 << 16;
/// The best compression of a link.
const LINK_LEVEL: u8 = 10;

/// The first line.
#[derive(Debug, Deserialize, Serialize)]
struct Header {
    /// The number of the format.
    flight: u32,
    /// The version of the program that has written it.
    program: String,
    numeric: String,
    engine: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
    /// Differences from the preset, else from the defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    set: Vec<String>,
    /// `seed`, `settled` or `state`.
    start: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<StateRecord>,
}

/// A state. A boid is x, y, z, vx, vy, vz, bias, group and rest; a predator the first six.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StateRecord {
    step: u64,
    boids: Vec<[f64; 9]>,
    predators: Vec<[f64; 6]>,
}

/// Another line.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    step: u64,
    /// New parameters, as differences from those that were set before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set: Option<Vec<String>>,
    /// The effect of a pointer on them, as differences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pointer: Vec<String>,
    /// The index of a steered predator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    predator: Option<usize>,
    /// Its position, if it is written alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<[f32; 3]>,
    /// The exponent of the power of two whose multiples are in `track`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<i32>,
    /// Its positions from this step on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    track: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// The numbers of a camera's pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    camera: Option<[f32; 7]>,
}

/// Writes a flight line by line, while it is recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Writer {
    /// Number of changes that are written.
    changes: usize,
    /// The same of hashes.
    hashes: usize,
}

impl Writer {
    /// The lines since the last call: the changes before a step, and how far the flight has come. A change at the newest
    /// step may still be replaced by another one.
    pub fn lines(&mut self, flight: &Flight, before: u64) -> String {
        let mut text = String::new();
        let mut hashes = flight.hashes[self.hashes..].iter().peekable();
        let changes = &flight.changes.all()[self.changes..];
        let changes = &changes[..changes.partition_point(|at| at.step < before)];
        let mut k = 0;
        while k < changes.len() {
            while let Some(at) = hashes.next_if(|at| at.step <= changes[k].step) {
                text += &line(&hash_line(at.step, at.hash));
            }
            let length = track_length(&changes[k..]);
            text += &change_lines(&changes[k..k + length]);
            k += length;
        }
        for at in hashes {
            text += &line(&hash_line(at.step, at.hash));
        }
        self.changes += changes.len();
        self.hashes = flight.hashes.len();
        text + &line(&Line { step: flight.end, ..Line::default() })
    }
}

impl Flight {
    /// The flight as a text.
    pub fn text(&self) -> String {
        let mut text = self.header() + &Writer::default().lines(self, u64::MAX);
        for pose in &self.poses {
            text += &line(&Line { step: pose.step, camera: Some(pose.numbers()), ..Line::default() });
        }
        text
    }

    /// The first line of the text.
    pub fn header(&self) -> String {
        let Start { preset, parameters, view, numeric, engine, first } = &self.start;
        let base = preset.and_then(|name| presets::find(name).ok()?.document().ok());
        let document = base.unwrap_or_default();
        let mut set = differences(&document.parameters, parameters);
        set.extend(view.settings(&document.view));
        let (start, state) = match first {
            First::Seed => ("seed", None),
            First::Settled => ("settled", None),
            First::State(state) => ("state", Some(StateRecord::of(state))),
        };
        let header = Header {
            flight: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            numeric: numeric.name().to_owned(),
            engine: engine.clone(),
            preset: document.preset.map(str::to_owned),
            set,
            start: start.to_owned(),
            state,
        };
        line(&header)
    }
}

fn line(record: &impl Serialize) -> String {
    let mut text = serde_json::to_string(record).unwrap_or_default();
    text.push('\n');
    text
}

fn hash_line(step: u64, hash: u64) -> Line {
    Line { step, hash: Some(format!("{hash:016x}")), ..Line::default() }
}

/// The number of changes that the first line for these changes holds: positions of one predator at successive steps.
fn track_length(changes: &[ChangeAt]) -> usize {
    let Change::Steer { predator, .. } = changes[0].change else { return 1 };
    let mut length = 1;
    while let Some(next) = changes.get(length)
        && next.step == changes[0].step + length as u64
        && matches!(next.change, Change::Steer { predator: same, .. } if same == predator)
    {
        length += 1;
    }
    length
}

/// The lines of a change, or of the positions of a predator at successive steps.
fn change_lines(changes: &[ChangeAt]) -> String {
    let step = changes[0].step;
    let predator = match &changes[0].change {
        Change::Parameters { set, pointer } => {
            let (set, pointer) = (Some(set.clone()), pointer.clone());
            return line(&Line { step, set, pointer, ..Line::default() });
        }
        Change::Steer { predator, .. } => *predator,
    };
    let mut positions = Vec::with_capacity(changes.len());
    for at in changes {
        if let Change::Steer { position, .. } = at.change {
            positions.push(position);
        }
    }
    if let Some((scale, track)) = track::write(&positions) {
        let (scale, track) = (Some(scale), Some(track));
        return line(&Line { step, predator: Some(predator), scale, track, ..Line::default() });
    }
    let mut text = String::new();
    for (step, position) in (step..).zip(positions) {
        text += &line(&Line { step, predator: Some(predator), at: Some(position), ..Line::default() });
    }
    text
}

impl StateRecord {
    fn of(state: &State) -> Self {
        let six = |[x, y, z]: [f64; 3], [vx, vy, vz]: [f64; 3]| [x, y, z, vx, vy, vz];
        let boid = |boid: &Boid<f64>| {
            let [x, y, z, vx, vy, vz] = six(boid.position, boid.velocity);
            [x, y, z, vx, vy, vz, boid.bias, f64::from(boid.group), f64::from(boid.rest)]
        };
        let predators = state.predators.iter().map(|predator| six(predator.position, predator.velocity));
        StateRecord {
            step: state.step,
            boids: state.boids.iter().map(boid).collect(),
            predators: predators.collect(),
        }
    }

    /// The state, if an engine can continue from it.
    fn state(self, parameters: &Parameters, numeric: Numeric) -> Result<State, ConfigError> {
        let largest = State::largest_number(numeric, parameters);
        if self.step > u64::from(u32::MAX) {
            return Err(ConfigError::new(format!(
                "state.step must be at most {}, not {}",
                u32::MAX,
                self.step
            )));
        }
        let in_range = |numbers: &[f64]| numbers.iter().all(|number| number.abs() <= largest);
        let mut boids = Vec::with_capacity(self.boids.len());
        for (id, numbers) in self.boids.iter().enumerate() {
            let [x, y, z, vx, vy, vz, bias, group, rest] = *numbers;
            let right = in_range(numbers)
                && (0.0..=1.0).contains(&bias)
                && group == f64::from(group as u32)
                && group < flock::parameters::MAX_GROUPS as f64
                && rest == f64::from(rest as i32)
                && (!parameters.flat() || z == 0.0 && vz == 0.0);
            if !right {
                return Err(ConfigError::new(format!("state: boid {id} is out of range")));
            }
            let (position, velocity) = ([x, y, z], [vx, vy, vz]);
            boids.push(Boid { position, velocity, bias, group: group as u32, rest: rest as i32 });
        }
        let mut predators = Vec::with_capacity(self.predators.len());
        for (index, numbers) in self.predators.iter().enumerate() {
            if !in_range(numbers) {
                return Err(ConfigError::new(format!("state: predator {index} is out of range")));
            }
            let [x, y, z, vx, vy, vz] = *numbers;
            predators.push(Predator { position: [x, y, z], velocity: [vx, vy, vz] });
        }
        let expected = [parameters.flock.boids as usize, parameters.predators.count as usize];
        if [boids.len(), predators.len()] != expected {
            let why = format!("state must have {} boids and {} predators", expected[0], expected[1]);
            return Err(ConfigError::new(why));
        }
        Ok(State { step: self.step, boids, predators })
    }
}

/// Reads a file.
///
/// # Errors
/// When it cannot be read; see also [`parse`].
pub fn load(path: &Path) -> Result<Flight, ConfigError> {
    parse(&read_text(path)?, &path.display().to_string())
}

/// Reads a text; `origin` names it in errors.
///
/// # Errors
/// One line that begins with `origin:line`, for a text that is no flight, a format of a later version, and changes that
/// no engine can make.
pub fn parse(text: &str, origin: &str) -> Result<Flight, ConfigError> {
    parse_at_most(text, origin, MOST_POSITIONS)
}

/// The same for a text with at most so many positions of predators.
fn parse_at_most(text: &str, origin: &str, positions: u64) -> Result<Flight, ConfigError> {
    let complete = text.ends_with('\n');
    let lines: Vec<&str> = text.lines().collect();
    let place = |k: usize| format!("{origin}:{}", k + 1);
    let Some(first) = lines.first() else {
        return Err(ConfigError::new("the file is empty; a flight begins with a line of JSON").at(origin));
    };
    let start = start(first).map_err(|why| why.at(&place(0)))?;
    let mut reader =
        Reader { parameters: InFlight::new(start.parameters), positions, flight: Flight::new(start) };
    for (k, line) in lines.iter().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        let record: Line = match serde_json::from_str(line) {
            Ok(record) => record,
            // The program was stopped while it wrote this line.
            Err(_) if k + 1 == lines.len() && !complete => break,
            Err(why) => return Err(not_json(&why).at(&place(k))),
        };
        reader.read(record).map_err(|why| why.at(&place(k)))?;
    }
    Ok(reader.flight)
}

fn not_json(why: &serde_json::Error) -> ConfigError {
    let why = why.to_string();
    let words = why.rsplit_once(" at line ").map_or(&*why, |(words, _)| words);
    ConfigError::new(format!("not a line of a flight: {words}"))
}

fn start(line: &str) -> Result<Start, ConfigError> {
    // A later format may have other keys: its number is read first.
    let value: serde_json::Value = serde_json::from_str(line)
        .map_err(|_| ConfigError::new("not a flight: the first line must be JSON with the key \"flight\""))?;
    match value["flight"].as_u64() {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => {
            let why = format!("the format of the flight must be {FORMAT}, not {format}");
            return Err(ConfigError::new(why).hint(Some("use a newer version of the program".to_owned())));
        }
        None => return Err(ConfigError::new("not a flight: the first line must have the key \"flight\"")),
    }
    let header: Header = serde_json::from_value(value).map_err(|why| not_json(&why))?;
    let mut document = match &header.preset {
        Some(name) => presets::find(name)?.document()?,
        None => Document::default(),
    };
    document.apply(&header.set)?;
    let words = Numeric::ALL.iter().map(|(_, word)| *word).collect::<Vec<_>>();
    let numeric = Numeric::ALL.iter().find(|(_, word)| *word == header.numeric);
    let Some((numeric, _)) = numeric else {
        return Err(ConfigError::unknown("", &header.numeric, "number type", &words));
    };
    let Document { parameters, view, preset, .. } = document;
    let first = match (&*header.start, header.state) {
        ("seed", None) => First::Seed,
        ("settled", None) => First::Settled,
        ("state", Some(state)) => First::State(Box::new(state.state(&parameters, *numeric)?)),
        ("state", None) => return Err(ConfigError::new("the start \"state\" requires the key \"state\"")),
        (word, None) => return Err(ConfigError::unknown("", word, "start", &["seed", "settled", "state"])),
        (_, Some(_)) => return Err(ConfigError::new("the key \"state\" requires the start \"state\"")),
    };
    Ok(Start { preset, parameters, view, numeric: *numeric, engine: header.engine, first })
}

/// The flight that has been read, and the parameters up to there.
struct Reader {
    flight: Flight,
    parameters: InFlight,
    /// Number of positions of predators that may follow.
    positions: u64,
}

impl Reader {
    fn read(&mut self, line: Line) -> Result<(), ConfigError> {
        let Line { step, set, pointer, predator, at, scale, track, hash, camera } = line;
        let flight = &mut self.flight;
        // The end of a track may lie after the next hash.
        let after = flight.changes.all().last().map_or(flight.start.step(), |last| last.step);
        let is_aside = hash.is_some() || camera.is_some();
        let earliest = if is_aside { flight.start.step() } else { after };
        if step < earliest || step > u64::from(u32::MAX) {
            return Err(ConfigError::new(format!("step must be {earliest} to {}, not {step}", u32::MAX)));
        }
        let kinds = [set.is_some(), predator.is_some(), hash.is_some(), camera.is_some()];
        if kinds.iter().filter(|is_there| **is_there).count() > 1 {
            return Err(ConfigError::new("a line must have only one of set, predator, hash and camera"));
        }
        if camera.is_none() {
            flight.end = flight.end.max(step);
        }
        if let Some(numbers) = camera {
            if numbers.iter().any(|number| !number.is_finite()) {
                return Err(ConfigError::new("camera must be seven finite numbers"));
            }
            if flight.poses.last().is_none_or(|last| last.step < step) {
                flight.poses.push(Pose::of(step, numbers));
            }
        }
        if let Some(hash) = hash {
            let is_hash = hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
            let number = u64::from_str_radix(&hash, 16).ok().filter(|_| is_hash);
            let why = || ConfigError::must_be("hash", "16 hexadecimal digits", &hash);
            let number = number.ok_or_else(why)?;
            if flight.hashes.last().is_some_and(|last| last.step >= step) {
                return Err(ConfigError::new(format!(
                    "the hashes must be in the order of steps, without step {step} again"
                )));
            }
            flight.add_hash(step, number);
        }
        if let Some(set) = set {
            if let Some(view) = set.iter().chain(&pointer).find(|text| text.starts_with("view.")) {
                return Err(ConfigError::new(format!("{view} cannot change in flight")));
            }
            let change = Change::Parameters { set, pointer };
            let before = self.parameters.engine;
            change.apply(&mut self.parameters)?;
            if starts_differ(&self.parameters.engine, &before) {
                let why = "number, dimensions, seed, start and groups of a flock cannot change in flight";
                return Err(ConfigError::new(why));
            }
            flight.changes.add(step, change);
        } else if !pointer.is_empty() {
            return Err(ConfigError::new("the effect of a pointer requires the key \"set\""));
        }
        let Some(predator) = predator else {
            let alone = at.is_none() && scale.is_none() && track.is_none();
            return if alone {
                Ok(())
            } else {
                Err(ConfigError::new("a track requires the key \"predator\""))
            };
        };
        let positions = match (at, scale, track) {
            (Some(at), None, None) if at.iter().all(|c| c.is_finite()) => vec![at],
            (None, Some(scale), Some(track)) => {
                let most = self.positions;
                let why = || {
                    ConfigError::new(
                        "track must be x,y,z and .N, whole numbers in range, with spaces between",
                    )
                };
                track::read(scale, &track, most).ok_or_else(why)?
            }
            _ => return Err(ConfigError::new("a predator requires either at, or scale and track")),
        };
        self.positions = self.positions.saturating_sub(positions.len() as u64);
        for (step, position) in (step..).zip(positions) {
            flight.changes.add(step, Change::Steer { predator, position });
            // A position is there before the step that follows.
            flight.end = flight.end.max(step);
        }
        if flight.end > u64::from(u32::MAX) {
            return Err(ConfigError::new(format!("the last step must be at most {}", u32::MAX)));
        }
        Ok(())
    }
}

impl std::fmt::Display for Flight {
    /// A line about it, for people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        let Start { preset, parameters, numeric, engine, .. } = &self.start;
        let _ = write!(text, "{} boids", parameters.flock.boids);
        if let Some(preset) = preset {
            let _ = write!(text, " of {preset}");
        }
        let [first, last] = [self.start.step(), self.end];
        write!(f, "{text}, steps {first} to {last}, recorded in {} on {engine}", numeric.name())
    }
}

impl Flight {
    /// The flight in letters of a URL, without its camera; `None` if they would be more than [`LONGEST_LINK`].
    pub fn link(&self) -> Option<String> {
        let flown = Flight { poses: Vec::new(), ..self.clone() };
        let link = BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(flown.text().as_bytes(), LINK_LEVEL));
        (link.len() <= LONGEST_LINK).then_some(link)
    }

    /// Reads what [`Flight::link`] has written.
    ///
    /// # Errors
    /// When it is damaged or too long; see also [`parse`].
    pub fn from_link(link: &str) -> Result<Self, ConfigError> {
        let damaged = |why: &str| ConfigError::new(format!("the flight in the link is damaged: {why}"));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(link).map_err(|why| damaged(&why.to_string()))?;
        let text = decompress_to_vec_with_limit(&bytes, LONGEST_LINK_TEXT)
            .map_err(|_| damaged("it cannot be unpacked"))?;
        let text = String::from_utf8(text).map_err(|_| damaged("it is no text"))?;
        parse_at_most(&text, "the flight in the link", MOST_LINK_POSITIONS)
    }
}
