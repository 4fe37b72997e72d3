//! The keys of `[view]` that are lists: shapes, which show walls, gates and goals that a rule only computes with, and the
//! names of groups.
//!
//! ```toml
//! shapes = [
//!     { line = [[0, "0.5 * terms.wall.gate", 0], [0, 8, 0]], word = "wall" },
//!     { box = [[-1, -1, -1], [1, 1, 1]] },
//!     { disc = "home.position", radius = 6, word = "fold" },
//! ]
//! names = ["sheep", "dog"]
//! ```

use std::fmt::{self, Display};
use std::sync::{Mutex, PoisonError};

use flock::Parameters;
use flock::parameters::{MAX_GROUPS, Value, find};
use toml::de::DeValue;

use crate::value::{quoted, real};
use crate::{ConfigError, Entry, shown};

/// The keys.
pub(crate) const SHAPES: &str = "view.shapes";
pub(crate) const NAMES: &str = "view.names";
/// Maximum number of shapes, and of letters of a word.
const MAX_SHAPES: usize = 16;
const MAX_LETTERS: usize = 24;
/// The forms of a length and of a point, for errors.
const LENGTH: &str = "a number or text such as \"0.5 * home.half_extent\"";
const POINT: &str = "three lengths or the name of a vector in quotes";

/// A shape in the flock's world.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    figure: Figure,
    /// The word beside it; may be empty.
    pub word: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Figure {
    Line([Point; 2]),
    Box([Point; 2]),
    Disc(Point, Length),
}

/// A shape for some parameters, in units of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// From one end to the other.
    Line([[f64; 3]; 2]),
    /// The box between two corners.
    Box([[f64; 3]; 2]),
    /// The disc of a radius about a point, parallel to the plane of x and y.
    Disc([f64; 3], f64),
}

#[derive(Clone, Debug, PartialEq)]
enum Point {
    Lengths([Length; 3]),
    /// The name of a parameter that is a vector.
    Named(String),
}

/// A number, or the multiple of a parameter.
#[derive(Clone, Debug, PartialEq)]
struct Length {
    factor: f64,
    of: Option<String>,
}

/// A list of the table and its new items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ViewList {
    Shapes(&'static [Shape]),
    Names(&'static [String]),
}

impl ViewList {
    /// Reads a key by its full name; `None` if it is not a list.
    pub fn read(entry: &Entry<'_>) -> Option<Result<Self, ConfigError>> {
        match entry.name.as_str() {
            SHAPES => Some(read_shapes(entry).map(ViewList::Shapes)),
            NAMES => Some(read_names(entry).map(ViewList::Names)),
            _ => None,
        }
    }

    /// The full name of its key.
    pub fn name(self) -> &'static str {
        match self {
            ViewList::Shapes(_) => SHAPES,
            ViewList::Names(_) => NAMES,
        }
    }

    /// True if it has no items.
    pub fn is_empty(self) -> bool {
        match self {
            ViewList::Shapes(shapes) => shapes.is_empty(),
            ViewList::Names(names) => names.is_empty(),
        }
    }
}

impl Display for ViewList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = match self {
            ViewList::Shapes(shapes) => shapes.iter().map(Shape::to_string).collect(),
            ViewList::Names(names) => names.iter().map(|name| quoted(name)).collect(),
        };
        write!(f, "[{}]", items.join(", "))
    }
}

impl Shape {
    /// Its outline.
    ///
    /// # Errors
    /// When the flock has no number or vector of a name in it.
    pub fn outline(&self, parameters: &Parameters) -> Result<Outline, ConfigError> {
        let outline = match &self.figure {
            Figure::Line([from, to]) => Outline::Line([from.place(parameters)?, to.place(parameters)?]),
            Figure::Box([min, max]) => Outline::Box([min.place(parameters)?, max.place(parameters)?]),
            Figure::Disc(centre, radius) => {
                Outline::Disc(centre.place(parameters)?, radius.value(parameters)?)
            }
        };
        Ok(outline)
    }

    fn read(entry: &Entry<'_>) -> Result<Shape, ConfigError> {
        let fields = entry.table().ok_or_else(|| entry.refused("a table"))?;
        let (mut figure, mut radius, mut word) = (None, None, String::new());
        for field in &fields {
            match field.name.as_str() {
                "line" | "box" | "disc" if figure.is_some() => {
                    return Err(field.error("view.shapes: a shape has only one of line, box, disc"));
                }
                "line" => figure = Some(Figure::Line(ends(field)?)),
                "box" => figure = Some(Figure::Box(ends(field)?)),
                "disc" => figure = Some(Figure::Disc(Point::read(field, field.value())?, Length::ZERO)),
                "radius" => radius = Some(Length::read(field, field.value())?),
                "word" => word = short_word(field)?,
                name => {
                    let keys = ["line", "box", "disc", "radius", "word"];
                    return Err(ConfigError::unknown("", name, "key of a shape", &keys).at(&entry.place()));
                }
            }
        }
        let figure = match (figure, radius) {
            (Some(Figure::Disc(centre, _)), Some(radius)) => Figure::Disc(centre, radius),
            (Some(Figure::Disc(..)), None) => {
                return Err(entry.error("view.shapes: a disc requires a radius"));
            }
            (Some(_), Some(_)) => return Err(entry.error("view.shapes: radius belongs to a disc")),
            (Some(figure), None) => figure,
            (None, _) => return Err(entry.error("view.shapes: a shape requires one of line, box, disc")),
        };
        Ok(Shape { figure, word })
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.figure {
            Figure::Line([from, to]) => write!(f, "{{ line = [{from}, {to}]")?,
            Figure::Box([min, max]) => write!(f, "{{ box = [{min}, {max}]")?,
            Figure::Disc(centre, radius) => write!(f, "{{ disc = {centre}, radius = {radius}")?,
        }
        if !self.word.is_empty() {
            write!(f, ", word = {}", quoted(&self.word))?;
        }
        f.write_str(" }")
    }
}

impl Point {
    fn read(entry: &Entry<'_>, value: &DeValue<'_>) -> Result<Self, ConfigError> {
        if let Some(name) = value.as_str() {
            return Ok(Point::Named(name.to_owned()));
        }
        let lengths = value.as_array().map_or(&[][..], |array| array.iter().as_slice());
        let [x, y, z] = lengths else { return Err(entry.refused(POINT)) };
        let [x, y, z] = [x, y, z].map(|length| Length::read(entry, length.get_ref()));
        Ok(Point::Lengths([x?, y?, z?]))
    }

    fn place(&self, parameters: &Parameters) -> Result<[f64; 3], ConfigError> {
        match self {
            Point::Lengths([x, y, z]) => {
                Ok([x.value(parameters)?, y.value(parameters)?, z.value(parameters)?])
            }
            Point::Named(name) => match find(name).map(|parameter| parameter.get(parameters)) {
                Some(Value::Vector(place)) => Ok(place),
                _ => Err(ConfigError::must_be(SHAPES, POINT, &quoted(&shown(name)))),
            },
        }
    }
}

impl Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Lengths([x, y, z]) => write!(f, "[{x}, {y}, {z}]"),
            Point::Named(name) => f.write_str(&quoted(name)),
        }
    }
}

impl Length {
    const ZERO: Length = Length { factor: 0.0, of: None };

    fn read(entry: &Entry<'_>, value: &DeValue<'_>) -> Result<Self, ConfigError> {
        let length = match value {
            DeValue::String(text) => Self::parse(text),
            number => real(number).map(|factor| Length { factor, of: None }),
        };
        length.filter(|length| length.factor.is_finite()).ok_or_else(|| entry.refused(LENGTH))
    }

    /// Reads `NAME`, `-NAME` or `FACTOR * NAME`.
    fn parse(text: &str) -> Option<Self> {
        let (factor, name) = match (text.split_once('*'), text.strip_prefix('-')) {
            (Some((factor, name)), _) => (factor.trim().parse().ok()?, name),
            (None, Some(name)) => (-1.0, name),
            (None, None) => (1.0, text),
        };
        let name = name.trim();
        let named = name.contains('.') && !name.contains(char::is_whitespace);
        named.then(|| Length { factor, of: Some(name.to_owned()) })
    }

    fn value(&self, parameters: &Parameters) -> Result<f64, ConfigError> {
        let Some(name) = &self.of else { return Ok(self.factor) };
        let number = match find(name).map(|parameter| parameter.get(parameters)) {
            Some(Value::Real(number)) => Some(number),
            Some(_) => None,
            None => parameters.terms.get(name),
        };
        let number = number.ok_or_else(|| {
            ConfigError::new(format!("{SHAPES}: '{}' is no number of this flock", shown(name)))
        });
        Ok(self.factor * number?)
    }
}

impl Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            None => write!(f, "{:?}", self.factor),
            Some(name) => f.write_str(&quoted(&format!("{:?} * {name}", self.factor))),
        }
    }
}

fn ends(entry: &Entry<'_>) -> Result<[Point; 2], ConfigError> {
    let ends = entry.value().as_array().map_or(&[][..], |array| array.iter().as_slice());
    let [from, to] = ends else { return Err(entry.refused("two points in brackets")) };
    Ok([Point::read(entry, from.get_ref())?, Point::read(entry, to.get_ref())?])
}

fn short_word(entry: &Entry<'_>) -> Result<String, ConfigError> {
    let word = entry.word()?;
    let fits = word.chars().count() <= MAX_LETTERS && !word.is_empty() && shown(word) == word;
    if fits { Ok(word.to_owned()) } else { Err(entry.refused(format_args!("1 to {MAX_LETTERS} letters"))) }
}

fn read_shapes(entry: &Entry<'_>) -> Result<&'static [Shape], ConfigError> {
    static KNOWN: Mutex<Vec<&[Shape]>> = Mutex::new(Vec::new());
    Ok(kept(read_list(entry, MAX_SHAPES, Shape::read)?, &KNOWN))
}

fn read_names(entry: &Entry<'_>) -> Result<&'static [String], ConfigError> {
    static KNOWN: Mutex<Vec<&[String]>> = Mutex::new(Vec::new());
    Ok(kept(read_list(entry, MAX_GROUPS, short_word)?, &KNOWN))
}

fn read_list<T>(
    entry: &Entry<'_>,
    most: usize,
    read: impl Fn(&Entry<'_>) -> Result<T, ConfigError>,
) -> Result<Vec<T>, ConfigError> {
    let items = entry.array().filter(|items| items.len() <= most);
    let items = items.ok_or_else(|| entry.refused(format_args!("a list of at most {most} items")))?;
    let mut list = Vec::new();
    for item in &items {
        list.push(read(item)?);
    }
    Ok(list)
}

/// The list, kept for the life of the program, so that a view is copied as a few words. An equal list is kept once.
fn kept<T: PartialEq>(list: Vec<T>, known: &Mutex<Vec<&'static [T]>>) -> &'static [T] {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.iter().find(|same| ***same == *list) {
        return same;
    }
    let list: &'static [T] = list.leak();
    known.push(list);
    list
}

#[cfg(test)]
mod tests {
    use crate as config;

    const GATE: &str = "preset = \"gate\"\n[view]\nshapes = ";

    #[test]
    fn shapes_follow_the_parameters_that_they_name_and_stay_the_same_when_saved() {
        let shapes = r#"[{ line = [[0, "-0.5 * terms.wall.gate", 0], [1, "-terms.wall.gate", 2.5]], word = "the \"wall\"" },
            { disc = "home.position", radius = "home.half_extent" }, { box = [[-1, -1, -1], [1, 1, 1]] }]"#;
        let text = format!("{GATE}{shapes}\nnames = [\"people\"]\n");
        let document = config::parse(&text, "f").expect("a flock");
        let mut parameters = document.parameters;
        parameters.terms.set("terms.wall.gate", 3.0).expect("a width");
        parameters.home.position = [4.0, 5.0, 6.0];
        let outlines: Vec<_> = document
            .view
            .shapes
            .iter()
            .map(|shape| shape.outline(&parameters).expect("known names"))
            .collect();
        assert_eq!(outlines[0], config::Outline::Line([[0.0, -1.5, 0.0], [1.0, -3.0, 2.5]]));
        assert_eq!(outlines[1], config::Outline::Disc([4.0, 5.0, 6.0], parameters.home.half_extent));
        assert_eq!(config::parse(&config::save(&document), "saved").expect("saved"), document);
        let settings: Vec<_> = document.view.settings(&config::View::default()).collect();
        let mut other =
            config::presets::find("gate").and_then(config::presets::Preset::document).expect("gate");
        other.apply(&settings).expect("settings");
        assert_eq!(other.view, document.view);
    }

    #[test]
    fn a_mistake_in_a_shape_is_named_with_its_line() {
        for (shapes, why) in [
            ("3", "f:3: view.shapes must be a list of at most 16 items, not 3"),
            ("[{ line = [[0, 0, 0], [0, 0]] }]", "f:3: line must be three lengths"),
            ("[{ disc = [0, 0, 0] }]", "f:3: view.shapes: a disc requires a radius"),
            ("[{ line = [[0, 0, 0], [0, 0, 1]], radius = 1 }]", "f:3: view.shapes: radius belongs to a disc"),
            (
                "[{ line = [[0, 0, 0], [0, 0, 1]], box = [[0, 0, 0], [1, 1, 1]] }]",
                "f:3: view.shapes: a shape has only one of line, box, disc",
            ),
            ("[{ word = \"wall\" }]", "f:3: view.shapes: a shape requires one of line, box, disc"),
            ("[{ disk = [0, 0, 0] }]", "f:3: unknown key of a shape 'disk'"),
            ("[{ disc = [0, 0, \"3 * x\"], radius = 1 }]", "f:3: disc must be a number or text such as"),
            ("[{ disc = \"home.half_extent\", radius = 1 }]", "f:3: view.shapes must be three lengths"),
            (
                "[{ disc = [0, 0, 0], radius = \"terms.wall.gait\" }]",
                "f:3: view.shapes: 'terms.wall.gait' is no",
            ),
            (
                "[{ disc = [0, 0, 0], radius = 1, word = \"a word with too many letters\" }]",
                "f:3: word must be 1",
            ),
        ] {
            let error = config::parse(&format!("{GATE}{shapes}"), "f").expect_err(shapes).to_string();
            assert!(error.starts_with(why), "{shapes}: {error}");
        }
        for (setting, why) in [
            ("view.names=['a', 3]", "view.names must be text in quotes, not 3"),
            ("view.names=[]\nx = 1", "view.names must be a list in TOML, not [] x = 1"),
            ("view.names=dog", "view.names must be a list in TOML, not dog"),
            ("view.shapes=[{ disc = [0, 0, 0] }]", "view.shapes: a disc requires a radius"),
        ] {
            let error = config::Setting::parse(setting).expect_err(setting).to_string();
            assert_eq!(error, why);
        }
    }
}
