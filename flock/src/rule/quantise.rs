//! Quantisation: parameters in users' units to the numbers of an engine, and the values of custom terms.

use super::terms::Term;
use super::{Obstacle, Shape, View};
use crate::formula::{Each, FormulaTerms, MAX_REFERENCES, Reference, ValueSource};
use crate::number::{Number, Vec3};
use crate::parameters::{Edges, Falloff, MAX_NEAREST, MAX_SPHERES, Parameters, Scope, find};

/// The factor of a parameter before it is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// One: a weight or another pure number, or a time.
    Pure,
    /// The unit of length: for a length, velocity or acceleration, or the weight of a pure number that becomes one.
    Length,
}

/// A parameter that a row of the rule's table quantises; parameters that only switch something are not in the list.
#[derive(Clone, Copy, Debug)]
pub struct QuantisedParameter {
    /// `table.key`.
    pub parameter: &'static str,
    /// None for a value that is no number, and for a direction, which is normalised before it is quantised.
    pub scale: Option<Scale>,
    /// The term that reads it.
    pub term: Term,
}

/// The scale of each kind in the rule's table: another word there does not compile.
#[allow(non_upper_case_globals, reason = "the names are those of the kinds")]
pub(super) mod scale_of {
    use super::Scale;

    pub const pure: Option<Scale> = Some(Scale::Pure);
    pub const length: Option<Scale> = Some(Scale::Length);
    pub const point: Option<Scale> = Some(Scale::Length);
    pub const place: Option<Scale> = Some(Scale::Length);
    pub const word: Option<Scale> = None;
    pub const direction: Option<Scale> = None;
}

/// A field as the uniform holds it.
#[derive(Clone, Copy, Debug)]
pub enum Value<T: Number> {
    /// One number.
    Number(T),
    /// A flag (0 or 1), a count or a choice.
    Word(u32),
    /// Three numbers.
    Vector(Vec3<T>),
    /// A field of view.
    View(View<T>),
    /// A request's weight and shape.
    Shape(Shape<T>),
    /// All obstacles.
    Spheres([Obstacle<T>; MAX_SPHERES]),
}

/// A field whose type says how the uniform holds it.
macro_rules! values {
    ($($type:ty: $field:ident => $value:expr;)*) => {$(
        impl<T: Number> From<$type> for Value<T> {
            fn from($field: $type) -> Self {
                $value
            }
        }
    )*};
}

values! {
    T: number => Value::Number(number);
    u32: count => Value::Word(count);
    bool: flag => Value::Word(flag.into());
    Edges: choice => Value::Word(choice as u32);
    Falloff: choice => Value::Word(choice as u32);
    Vec3<T>: vector => Value::Vector(vector);
    View<T>: view => Value::View(view);
    Shape<T>: shape => Value::Shape(shape);
    [Obstacle<T>; MAX_SPHERES]: obstacles => Value::Spheres(obstacles);
}

/// The parameters, and the values that several fields of the rule share.
pub(super) struct Quantiser<'a, T: Number> {
    pub p: &'a Parameters,
    /// The factor of lengths and velocities.
    pub unit: f64,
    pub format: T::Format,
    /// The scales of separation, alignment, cohesion and the line of sight.
    pub views: [View<T>; 4],
    /// The greatest radius of a view, in users' units.
    pub reach: f64,
    pub needs_general_sums: bool,
}

impl<'a, T: Number> Quantiser<'a, T> {
    pub fn new(p: &'a Parameters) -> Self {
        let unit = T::unit(p);
        let (sep, los) = (&p.separation, &p.line_of_sight);
        let (ali, coh) = (&p.alignment, &p.cohesion);
        let local = |weight: f64, scope: Scope| weight != 0.0 && scope == Scope::Neighbours;
        let align_locally = local(ali.weight, ali.scope);
        let cohere_locally = local(coh.weight, coh.scope);
        // An exclusive separation shapes the neighbourhoods of the others even where its own weight is zero, and one
        // with priority their requests.
        let decides = sep.priority && (ali.weight != 0.0 || coh.weight != 0.0);
        let separate = sep.weight != 0.0 || decides || sep.exclusive && (align_locally || cohere_locally);
        let views = [
            (sep.radius, sep.angle, separate),
            (ali.radius, ali.angle, align_locally),
            (coh.radius, coh.angle, cohere_locally),
            (los.radius, los.angle, los.weight != 0.0),
        ];
        let reach = views.iter().filter(|v| v.2).map(|v| v.0).fold(p.terms.reach(), f64::max);
        let narrow = views.iter().any(|v| v.2 && v.1 < 180.0);
        let zoned = align_locally && ali.inner_radius > 0.0 || cohere_locally && coh.inner_radius > 0.0;
        let units = align_locally && ali.unit || cohere_locally && coh.unit;
        let format = T::format(p, reach);
        let view = |(radius, angle, used): (f64, f64, bool)| {
            let radius = if used { T::from_f64(radius * unit) } else { T::ZERO };
            View::new(if used { T::radius_square(radius, &format) } else { T::ZERO }, angle)
        };
        Quantiser {
            p,
            unit,
            format,
            views: views.map(view),
            reach,
            needs_general_sums: narrow || zoned || units || los.weight != 0.0,
        }
    }

    pub fn pure(&self, value: f64) -> T {
        T::from_f64(value)
    }

    pub fn length(&self, value: f64) -> T {
        T::from_f64(value * self.unit)
    }

    /// A flag, a count or a choice.
    pub fn word<W>(&self, word: W) -> W {
        word
    }

    /// A vector of lengths; z is zero in two dimensions.
    pub fn point(&self, [x, y, z]: [f64; 3]) -> Vec3<T> {
        let z = if self.p.flat() { T::ZERO } else { self.length(z) };
        Vec3::new(self.length(x), self.length(y), z)
    }

    /// A point that boids are drawn to or pushed from. Where the world wraps it is brought into it: the nearest image
    /// of an offset is then one world size away at most.
    pub fn place(&self, point: [f64; 3]) -> Vec3<T> {
        let world = &self.p.world;
        if world.edges != Edges::Wrap {
            return self.point(point);
        }
        let axis = |k: usize| {
            let (c, min, size) = (point[k], world.min[k], world.max[k] - world.min[k]);
            if min <= c && c <= world.max[k] || size <= 0.0 {
                c
            } else {
                c - size * libm::floor((c - min) / size)
            }
        };
        self.point([axis(0), axis(1), axis(2)])
    }

    /// The square of the reach. Custom sums use exact positions; the reach contains them all.
    pub fn reach_square(&self) -> T {
        let square = T::radius_square(self.length(self.reach), &self.format);
        let own = self.p.terms.reach();
        if own > 0.0 { square.max(T::blurred_square(self.length(own), &self.format)) } else { square }
    }

    /// The square of a radius from which on a boid is perceived, as in [`View::radius_square`].
    pub fn inner_square(&self, radius: f64) -> T {
        // Beyond the reach no boid is perceived; a word holds no larger square.
        T::radius_square(self.length(radius.min(self.reach)), &self.format)
    }

    /// A vector's direction, z zero in two dimensions; zero for a zero vector.
    pub fn unit_vector(&self, [x, y, z]: [f64; 3]) -> Vec3<T> {
        let z = if self.p.flat() { 0.0 } else { z };
        let length = libm::sqrt(x * x + y * y + z * z);
        let part = |c: f64| if length > 0.0 { self.pure(c / length) } else { T::ZERO };
        Vec3::new(part(x), part(y), part(z))
    }

    /// The value of [`super::Rule::noise_turn`], before quantisation.
    pub fn random_turn(&self) -> f64 {
        let angle = self.p.noise.angle;
        if self.p.flat() { angle / 180.0 } else { libm::sin(0.5 * angle.to_radians()) }
    }

    pub fn size(&self) -> Vec3<T> {
        self.point(self.p.world.max) - self.point(self.p.world.min)
    }

    pub fn half_size(&self) -> Vec3<T> {
        self.size() * T::from_f64(0.5)
    }

    pub fn margins(&self) -> Vec3<T> {
        self.point([self.p.world.margin; 3])
    }

    pub fn means(&self) -> bool {
        let (ali, coh, predators) = (&self.p.alignment, &self.p.cohesion, &self.p.predators);
        ali.scope == Scope::Flock && ali.weight != 0.0
            || coh.scope == Scope::Flock && coh.weight != 0.0
            || predators.count > 0 && predators.chase_weight != 0.0
    }

    /// Cosine and sine of the greatest angle of a turn.
    pub fn greatest_turn(&self) -> [f64; 2] {
        cosine_sine(self.p.motion.max_turn)
    }

    pub fn obstacles(&self) -> [Obstacle<T>; MAX_SPHERES] {
        let mut all = [Obstacle::default(); MAX_SPHERES];
        for (slot, sphere) in all.iter_mut().zip(self.p.obstacles.spheres.as_slice()) {
            *slot = Obstacle { position: self.place(sphere.position), radius: self.length(sphere.radius) };
        }
        all
    }

    pub fn perches(&self) -> bool {
        self.p.perching.height > 0.0 && self.p.perching.steps > 0
    }
}

impl<T: Number> View<T> {
    /// A cone about the heading of a half angle in degrees, up to a squared radius.
    fn new(radius_square: T, angle: f64) -> Self {
        let [cosine, _] = cosine_sine(angle);
        View {
            radius_square,
            cosine_square: T::cosine_square(cosine * cosine),
            acute: angle <= 90.0,
            all_round: angle >= 180.0,
            used: T::ZERO < radius_square,
        }
    }
}

/// Cosine and sine of an angle in degrees.
fn cosine_sine(angle: f64) -> [f64; 2] {
    // Exactly 0 at 90°.
    let cosine = if angle == 90.0 { 0.0 } else { libm::cos(angle.to_radians()) };
    [cosine, libm::sin(angle.to_radians())]
}

/// The cosine and the sine of an angle in degrees, from 0 to 180. At 180 the cosine is less than any, so that rounding
/// leaves no boid right behind out of sight, and no turn short.
#[must_use]
pub fn angle_values(degrees: f64) -> [f64; 2] {
    if degrees >= 180.0 { [-2.0, 0.0] } else { cosine_sine(degrees.max(0.0)) }
}

/// The terms and their numbers, in users' units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FormulaValues {
    /// The terms, with their own values.
    pub terms: FormulaTerms,
    /// Number of boids of the flock.
    pub boids: u32,
    references: [f64; MAX_REFERENCES],
}

impl FormulaValues {
    /// The values at some parameters.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        use crate::parameters::Value::{Choice, Count, Flag, Real, Shares, Spheres, Vector};

        let terms = parameters.terms;
        let mut references = [0.0; MAX_REFERENCES];
        let named = terms.compiled().map_or(&[][..], |set| set.references);
        for (value, Reference { parameter, component }) in references.iter_mut().zip(named) {
            let component = component % 3;
            *value = match find(parameter).map(|parameter| parameter.get(parameters)) {
                Some(Real(number)) => number,
                Some(Count(number)) => number.into(),
                Some(Flag(on)) => u8::from(on).into(),
                Some(Vector(_)) if parameters.flat() && component == 2 => 0.0,
                Some(Vector(vector)) => vector[component],
                Some(Choice(_) | Spheres(_) | Shares(_)) | None => 0.0,
            };
        }
        FormulaValues { terms, boids: parameters.flock.boids, references }
    }

    /// Number of nearest boids in a sum, rounded; 0: all.
    #[must_use]
    pub fn nearest(&self, each: &Each) -> u32 {
        // The cast gives 0 for NaN.
        each.nearest.map_or(0, |k| (self.terms.value(k) + 0.5) as u32).min(MAX_NEAREST)
    }

    /// True if some sum is over the nearest boids only.
    #[must_use]
    pub fn ranks(&self) -> bool {
        self.terms.terms().iter().flat_map(|term| term.sums).any(|each| self.nearest(each) > 0)
    }

    /// The rows of the table that a value is the first of; 0 of any other.
    #[must_use]
    pub fn side(&self, source: ValueSource) -> usize {
        if let ValueSource::Parameter(k) = source { self.terms.side(k) } else { 0 }
    }

    /// A value of a formula.
    #[must_use]
    pub fn value(&self, source: ValueSource) -> f64 {
        match source {
            ValueSource::Constant(number) => number,
            ValueSource::Parameter(k) => self.terms.value(k),
            ValueSource::Cosine(k) => angle_values(self.terms.value(k))[0],
            ValueSource::Sine(k) => angle_values(self.terms.value(k))[1],
            ValueSource::Reference(k) => self.references.get(k).copied().unwrap_or(0.0),
        }
    }
}
