//! The check of somebody's numbers, and what may be wrong with them; and the files of vectors, `NAME/START/stepK.csv`.

use std::fmt::{self, Write as _};

use config::ConfigError;
use files::{Failure, Result};

use crate::models::{MODELS, Model, after};
use crate::number::Number;
use crate::{Bird, Mistake, Start};

/// The steps whose numbers are recorded.
pub const STEPS: [u32; 4] = [1, 2, 5, 10];

/// How much wider a bound is in single precision: the ratio of the units in the last place of f32 and f64.
const SINGLE: f64 = (1_u64 << 29) as f64;

/// A mistake explains nothing if its numbers are not known to this share of the radius.
const VAGUE: f64 = 1e-3;

/// The names of a boid's numbers, as in the files.
const NAMES: [&str; 6] = ["x", "y", "z", "vx", "vy", "vz"];

/// The model of a name.
///
/// # Errors
/// Names all models.
pub fn model(name: &str) -> Result<&'static Model> {
    let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    let found = MODELS.iter().find(|model| model.name == name);
    found.ok_or_else(|| ConfigError::unknown("", name, "model", &names).into())
}

impl Model {
    /// The start with this number of boids.
    ///
    /// # Errors
    /// Names the numbers there are.
    pub fn start(&self, boids: usize) -> Result<Vec<Bird>> {
        let all = self.starts.each_ref().map(Start::birds);
        let counts = all.each_ref().map(|birds| birds.len().to_string()).join(" or ");
        let found = all.into_iter().find(|birds| birds.len() == boids);
        found.ok_or_else(|| Failure::usage(format!("{} has {counts} boids, not {boids}", self.name)))
    }
}

/// The flock of a model at a recorded step; step 0 is the start.
///
/// # Errors
/// For another step, or another number of boids.
pub fn at(model: &Model, boids: usize, step: u32) -> Result<Vec<Bird>> {
    let start = model.start(boids)?;
    if step != 0 && !STEPS.contains(&step) {
        return Err(Failure::usage(format!("step must be 0, 1, 2, 5 or 10, not {step}")));
    }
    Ok(after(model, &start, step, &[]).birds)
}

/// The positions and velocities that a program has computed.
#[derive(Clone, Copy, Debug)]
pub struct Computed<'a> {
    pub position: &'a [[f64; 3]],
    pub velocity: &'a [[f64; 3]],
}

/// The result of a check.
#[derive(Debug)]
pub struct Check {
    model: &'static Model,
    step: u32,
    boids: usize,
    /// The first number outside its bound; none where all are right.
    pub difference: Option<Difference>,
    /// The mistakes that would give these numbers: one of them was made.
    pub causes: Vec<String>,
}

/// A number outside its bound.
#[derive(Debug)]
pub struct Difference {
    pub boid: usize,
    /// Its name, as in the files.
    pub number: &'static str,
    pub computed: f64,
    pub expected: f64,
    pub bound: f64,
    /// The number of boids that have such a number.
    pub boids: usize,
}

/// Compares the numbers of a program with those of a model at a step after its start with as many boids.
///
/// # Errors
/// For a step that is not recorded, and another number of boids.
pub fn check(model: &'static Model, step: u32, computed: Computed<'_>) -> Result<Check> {
    if !STEPS.contains(&step) {
        return Err(Failure::usage(format!("step must be 1, 2, 5 or 10, not {step}")));
    }
    let boids = computed.position.len();
    let start = model.start(boids)?;
    if computed.velocity.len() != boids {
        let rows = computed.velocity.len();
        return Err(Failure::usage(format!("velocity must have {boids} rows like position, not {rows}")));
    }
    let right = after(model, &start, step, &[]).birds;
    let difference = first_difference(&right, computed, 1.0);
    let causes = if difference.is_none() {
        Vec::new()
    } else if is_reordered(&right, computed) {
        vec!["boids are in another order than at the start".to_owned()]
    } else {
        find_causes(&Search { model, start: &start, step, computed })
    };
    Ok(Check { model, step, boids, difference, causes })
}

/// The numbers of a program whose mistake is looked for.
struct Search<'a> {
    model: &'a Model,
    start: &'a [Bird],
    step: u32,
    computed: Computed<'a>,
}

impl Search<'_> {
    /// True if these mistakes give the numbers after so many steps, within bounds that are `allowance` times as wide.
    fn gives(&self, steps: u32, mistakes: &[Mistake], allowance: f64) -> bool {
        let birds = after(self.model, self.start, steps, mistakes).birds;
        let most = VAGUE * self.model.radius;
        let known = |bird: &Bird| numbers(bird).iter().all(|number| number.error * allowance < most);
        birds.iter().all(known) && first_difference(&birds, self.computed, allowance).is_none()
    }

    /// Each mistake that gives the numbers by itself.
    fn single_mistakes(&self, allowance: f64) -> Vec<String> {
        let mut found = Vec::new();
        for one in self.model.mistakes {
            if self.gives(self.step, &[*one], allowance) {
                found.push(self.model.mistake_text(*one).to_owned());
            }
        }
        found
    }

    /// Two mistakes that give the numbers together.
    fn pairs_of_mistakes(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (k, one) in self.model.mistakes.iter().enumerate() {
            for other in &self.model.mistakes[k + 1..] {
                if self.gives(self.step, &[*one, *other], 1.0) {
                    let texts = [one, other].map(|mistake| self.model.mistake_text(*mistake));
                    found.push(texts.join(" and "));
                }
            }
        }
        found
    }
}

/// The causes of these numbers: those that are seen exactly come first, then pairs, then those in single precision.
fn find_causes(search: &Search<'_>) -> Vec<String> {
    for (steps, text) in
        [(search.step - 1, "one step fewer is taken"), (search.step + 1, "one step more is taken")]
    {
        if search.gives(steps, &[], 1.0) {
            return vec![text.to_owned()];
        }
    }
    let exact = search.single_mistakes(1.0);
    if !exact.is_empty() {
        return exact;
    }
    let pairs = search.pairs_of_mistakes();
    if !pairs.is_empty() {
        return pairs;
    }
    if search.gives(search.step, &[], SINGLE) {
        return vec!["the program computes in single precision (f32)".to_owned()];
    }
    let rough = search.single_mistakes(SINGLE);
    rough.iter().map(|text| format!("{text}, in single precision (f32)")).collect()
}

/// True if each row is a boid, though not the one of its place.
fn is_reordered(birds: &[Bird], computed: Computed<'_>) -> bool {
    let mut found = vec![false; birds.len()];
    for (position, velocity) in computed.position.iter().zip(computed.velocity) {
        let row =
            Computed { position: std::slice::from_ref(position), velocity: std::slice::from_ref(velocity) };
        let same = |bird: &Bird| first_difference(std::slice::from_ref(bird), row, 1.0).is_none();
        if let Some(place) = birds.iter().position(same) {
            found[place] = true;
        }
    }
    found.iter().all(|found| *found)
}

/// The first number that is farther from its value than its bound times `allowance`.
fn first_difference(birds: &[Bird], computed: Computed<'_>, allowance: f64) -> Option<Difference> {
    let mut first: Option<Difference> = None;
    for (boid, bird) in birds.iter().enumerate() {
        let ([x, y, z], [vx, vy, vz]) = (computed.position[boid], computed.velocity[boid]);
        for (k, (computed, expected)) in [x, y, z, vx, vy, vz].into_iter().zip(numbers(bird)).enumerate() {
            if (computed - expected.value).abs() <= expected.error * allowance {
                continue;
            }
            if let Some(first) = &mut first {
                first.boids += 1;
            } else {
                let (number, expected, bound) = (NAMES[k], expected.value, expected.error);
                first = Some(Difference { boid, number, computed, expected, bound, boids: 1 });
            }
            break;
        }
    }
    first
}

/// A boid's numbers in the order of the files.
pub(crate) fn numbers(bird: &Bird) -> [Number; 6] {
    let ([x, y, z], [vx, vy, vz]) = (bird.position.to_array(), bird.velocity.to_array());
    [x, y, z, vx, vy, vz]
}

impl Model {
    /// A mistake as the end of "these numbers result if".
    pub fn mistake_text(&self, mistake: Mistake) -> &'static str {
        match mistake {
            Mistake::UnwrappedOffsets => "offsets do not wrap at the edges of the world",
            Mistake::UnwrappedPositions => "positions do not wrap into the world",
            Mistake::SignedRemainder => "positions below zero do not wrap: a remainder keeps their sign",
            Mistake::NoTurn => "boids do not turn at the edges",
            Mistake::WholeCells => "all in the cells around count as neighbours, also beyond the radius",
            Mistake::Square => "neighbours are those in a square, not in a circle",
            Mistake::SquareDistance => "the distance is the greater of those along the axes",
            Mistake::Itself if self.counts_itself => "a boid does not count itself",
            Mistake::Itself => "a boid counts itself as a neighbour",
            Mistake::InTurn => "boids move before others read them, in the order of their ids",
            Mistake::TurnInTurn => {
                "velocities change before others read them, in the order of the ids, and positions move after"
            }
            Mistake::OldVelocity if self.name == "vicsek" => {
                "positions move by the velocity before the step, as in the paper but not in the preset"
            }
            Mistake::OldVelocity => "positions move by the velocity before the step",
            Mistake::WideSeparation => "the radius of separation is ignored",
            Mistake::NotExclusive => "boids that are too near count for alignment and cohesion, too",
            Mistake::MeanSeparation => "separation is divided by the number of boids that are too near",
            Mistake::NotAveraged => "sums are not divided by the number of neighbours",
            Mistake::OwnVelocity if self.subtracts_velocity => {
                "alignment does not subtract the boid's own velocity"
            }
            Mistake::OwnVelocity => "alignment subtracts the boid's own velocity",
            Mistake::SeparationSign => "separation has the opposite sign",
            Mistake::AlignmentSign => "alignment has the opposite sign",
            Mistake::CohesionSign => "cohesion has the opposite sign",
            Mistake::FreeSpeed => "the speed is not limited",
            Mistake::MeanOfAngles => "angles are averaged in place of vectors",
            Mistake::SwappedAngle => "the angle is atan2(x, y) in place of atan2(y, x)",
            Mistake::TurnsFromOldHeading => "both turns are taken from the old heading, and added",
            Mistake::AwayFromPlace => "boids turn away from where the nearest one is, not from its heading",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, step {}: ", self.model.name, self.step)?;
        let Some(Difference { boid, number, computed, expected, bound, boids }) = &self.difference else {
            return write!(f, "right, all {} boids are within their bounds", self.boids);
        };
        write!(f, "wrong at {boids} of {} boids, first at boid {boid}, ", self.boids)?;
        if computed.is_finite() {
            write!(f, "whose {number} is off by {:.2e} (bound {bound:.1e}); ", (computed - expected).abs())?;
        } else {
            write!(f, "whose {number} is {computed}; ")?;
        }
        match self.causes.as_slice() {
            [] => write!(f, "no known mistake gives these numbers"),
            all => write!(f, "these numbers result if {}", all.join(", or if ")),
        }
    }
}

/// The first line of a file.
const HEADER: &str = "id,x,y,z,vx,vy,vz,x_bound,y_bound,z_bound,vx_bound,vy_bound,vz_bound\n";

/// A row per boid: its numbers, and how far another program's may be from each.
pub fn table(birds: &[Bird]) -> String {
    let mut text = HEADER.to_owned();
    for (id, bird) in birds.iter().enumerate() {
        let numbers = numbers(bird);
        let values = numbers.map(|number| number.value.to_string()).join(",");
        let bounds = numbers.map(|number| rounded_up(number.error)).join(",");
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{id},{values},{bounds}");
    }
    text
}

/// A bound with two digits. A sixteenth more than the bound is never rounded to less than it.
fn rounded_up(bound: f64) -> String {
    if bound == 0.0 { "0".to_owned() } else { format!("{:.1e}", bound * (1.0 + 1.0 / 16.0)) }
}
