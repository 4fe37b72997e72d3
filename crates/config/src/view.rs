//! The table `[view]` of a file: the initial view. No engine reads it.

use flock::Parameters;
use flock::parameters::{Value, ValueKind};

use crate::shapes::{Shape, ViewList};
use crate::{ConfigError, shapes};

/// The least width and height of a window, in logical pixels: its panel has room there.
pub const MIN_WINDOW_SIDE: u32 = 360;

flock::named! {
    /// The looks of a flock. A flat flock is drawn as cones on the dark ground or on paper.
    #[derive(Default)]
    Scenery {
        /// Birds before a bright sky, as ink whose layers add up.
        Dusk = "dusk",
        /// Lit cones before a dark ground.
        #[default]
        Cones = "cones",
        /// Lit cones on near-white, for print.
        Paper = "paper",
        /// Lit cones in water, with the walls of the aquarium.
        Water = "water",
    }
}

flock::named! {
    /// The quantity that a boid's colour shows.
    #[derive(Default)]
    Colour {
        /// Its direction: the compass as a circle of hues, climbing lighter.
        #[default]
        Heading = "heading",
        /// Its position.
        Position = "position",
        /// Its speed, between the speed limits.
        Speed = "speed",
        /// The number of boids it perceives.
        Density = "density",
        /// Its group: grey, amber (scouts to the right), teal (to the left), and five more.
        Group = "group",
        /// Its direction, in lightness and from blue to yellow: readable by colour-blind people.
        Twilight = "twilight",
        /// Its speed, from dark blue to light yellow: readable by colour-blind people.
        Cividis = "cividis",
    }
}

impl Colour {
    /// The initial colour: the group if the flock defines groups, else the heading.
    #[must_use]
    pub fn first(parameters: &Parameters) -> Self {
        if parameters.flock.groups.as_slice().is_empty() { Colour::Heading } else { Colour::Group }
    }
}

/// The choice whose word equals `value`.
fn chosen<T: Copy>(all: &[(T, &'static str)], value: Value) -> Option<T> {
    all.iter().find(|(_, word)| value == Value::Choice(word)).map(|(chosen, _)| *chosen)
}

/// The table `[view]`. `None` is the default of the look and the flock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// The look in which the flock opens.
    pub look: Scenery,
    /// Steps before the first frame of a film.
    pub skip: u32,
    /// The quantity that a boid's colour shows.
    pub colour: Option<Colour>,
    /// Length of a boid.
    pub length: Option<f64>,
    /// Haze in space, 0…1.
    pub fog: Option<f64>,
    /// The light of dusk, from 0 (gold) to 1 (blue); `None` for a light that moves with the steps.
    pub light: Option<f64>,
    /// Steps in which the trail of a boid fades.
    pub trails: Option<f64>,
    /// Direction of sight, in degrees: about the z axis, and above the horizon.
    pub yaw: Option<f64>,
    pub pitch: Option<f64>,
    /// Magnification, relative to a camera whose picture the flock fills.
    pub zoom: Option<f64>,
    /// Target and distance of a camera that does not follow the flock.
    pub target: Option<[f64; 3]>,
    pub distance: Option<f64>,
    /// The boid that the camera flies along with.
    pub bird: Option<u32>,
    /// The shapes in the world.
    pub shapes: &'static [Shape],
    /// The names of the groups.
    pub names: &'static [String],
}

/// The name of the table.
pub(super) const TABLE: &str = "view";

/// A key of the table: its type and range, its meaning, and its value in a view, if set.
#[derive(Debug)]
pub(super) struct Key {
    /// The full name, `view.KEY`.
    pub name: &'static str,
    pub kind: ValueKind,
    pub help: &'static str,
    pub get: fn(&View) -> Option<Value>,
    pub set: fn(&mut View, Value),
}

/// An optional key.
macro_rules! key {
    ($name:ident, $variant:ident $kind:tt, $help:literal) => {
        Key {
            name: concat!("view.", stringify!($name)),
            kind: ValueKind::$variant $kind,
            help: $help,
            get: |view| view.$name.map(Value::$variant),
            set: |view, value| {
                if let Value::$variant(value) = value {
                    view.$name = Some(value);
                }
            },
        }
    };
}

/// Every key.
pub(super) static KEYS: [Key; 13] = [
    Key {
        name: "view.look",
        kind: ValueKind::Choice(Scenery::NAMES),
        help: "Look of the flock when it opens",
        get: |view| Some(Value::Choice(view.look.name())),
        set: |view, value| view.look = chosen(&Scenery::ALL, value).unwrap_or(view.look),
    },
    Key {
        name: "view.skip",
        kind: ValueKind::Count { min: 0, max: u32::MAX / 2 },
        help: "Steps before the first frame of a film, while the flock forms",
        get: |view| Some(Value::Count(view.skip)),
        set: |view, value| {
            if let Value::Count(skip) = value {
                view.skip = skip;
            }
        },
    },
    Key {
        name: "view.colour",
        kind: ValueKind::Choice(Colour::NAMES),
        help: "What the colour of a boid shows, if boids are cones",
        get: |view| view.colour.map(|colour| Value::Choice(colour.name())),
        set: |view, value| view.colour = chosen(&Colour::ALL, value),
    },
    key!(length, Real { min: 1e-6, max: 1e6 }, "Length of a boid"),
    key!(fog, Real { min: 0.0, max: 1.0 }, "How much distant boids fade"),
    key!(
        light,
        Real { min: 0.0, max: 1.0 },
        "Light of dusk, from 0 (gold) to 1 (blue); without it the light moves with the steps"
    ),
    key!(trails, Real { min: 0.0, max: 1000.0 }, "Steps until the trail of a boid has faded"),
    key!(yaw, Real { min: -360.0, max: 360.0 }, "Direction of the camera around the z axis, in degrees"),
    key!(pitch, Real { min: -89.0, max: 89.0 }, "Direction of the camera above the horizon, in degrees"),
    key!(zoom, Real { min: 1e-6, max: 1e6 }, "Magnification of a camera that follows the flock"),
    key!(
        target,
        Vector { min: -1e9, max: 1e9 },
        "Point that the camera looks at instead of following the flock"
    ),
    key!(distance, Real { min: 1e-4, max: 1e7 }, "Distance from the camera to its target or bird"),
    key!(bird, Count { min: 0, max: u32::MAX }, "Id of the boid that the camera flies along with"),
];

impl Key {
    /// The key of this name.
    pub fn find(name: &str) -> Result<&'static Key, ConfigError> {
        KEYS.iter().find(|key| key.short() == name).ok_or_else(|| {
            let lists = [shapes::SHAPES, shapes::NAMES].map(short);
            let names: Vec<&str> = KEYS.iter().map(Key::short).chain(lists).collect();
            ConfigError::unknown("view.", name, "key", &names)
        })
    }

    /// Its name in the table.
    pub fn short(&self) -> &'static str {
        short(self.name)
    }
}

/// The name of a key in the table.
pub(super) fn short(name: &'static str) -> &'static str {
    &name[TABLE.len() + 1..]
}

impl View {
    /// Refuses what no camera can show of a flock. A command that draws nothing does not check it.
    ///
    /// # Errors
    /// For a boid that the flock does not have, and a distance to nothing.
    pub fn check(&self, parameters: &Parameters) -> Result<(), ConfigError> {
        let boids = parameters.flock.boids;
        if let Some(bird) = self.bird.filter(|bird| *bird >= boids) {
            let why = format!("view.bird must be less than {boids}, the number of boids, not {bird}");
            return Err(ConfigError::new(why));
        }
        let distance = self.distance.filter(|_| self.target.is_none() && self.bird.is_none());
        distance.map_or(Ok(()), |distance| {
            let why = format!("view.distance = {distance:?} requires view.target or view.bird");
            Err(ConfigError::new(why))
        })
    }

    /// Its lists.
    pub(super) fn lists(&self) -> [ViewList; 2] {
        [ViewList::Shapes(self.shapes), ViewList::Names(self.names)]
    }

    /// Replaces a list.
    pub(super) fn set_list(&mut self, list: ViewList) {
        match list {
            ViewList::Shapes(shapes) => self.shapes = shapes,
            ViewList::Names(names) => self.names = names,
        }
    }

    /// The name of a group.
    #[must_use]
    pub fn group_name(&self, group: usize, parameters: &Parameters) -> String {
        match (self.names.get(group), group) {
            (Some(name), _) => name.clone(),
            (None, 1) if parameters.has_scouts() => "scouts to the right".to_owned(),
            (None, 2) if parameters.has_scouts() => "scouts to the left".to_owned(),
            (None, _) => format!("group {group}"),
        }
    }

    /// The settings `view.key=value` that change `base` into this view, except look and skip, which have options.
    pub fn settings(&self, base: &View) -> impl Iterator<Item = String> {
        let (base, wanted) = (*base, *self);
        let keys = KEYS.iter().skip(2).filter(move |key| (key.get)(&wanted) != (key.get)(&base));
        let settings = keys.filter_map(move |key| Some(format!("{}={}", key.name, (key.get)(&wanted)?)));
        let mut lists = Vec::new();
        for (list, before) in self.lists().into_iter().zip(base.lists()) {
            if list != before {
                lists.push(format!("{}={list}", list.name()));
            }
        }
        settings.chain(lists)
    }
}
