//! The parameters quantised, once and in one place, into the number type of an engine; the terms that a rule uses, and the
//! constants of a shader that is compiled for it.

use crate::number::{Number, Vec3};
use crate::parameters::{Edges, Falloff, Parameters, Refused, Response};
use crate::state::{Boid, Predator};

mod quantise;
mod table;
mod terms;

pub use quantise::{FormulaValues, QuantisedParameter, Scale, Value, angle_values};
pub use table::{Rule, SOURCES};
use terms::with_terms;
pub use terms::{Term, Terms};

/// A field of view, tested without trigonometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View<T> {
    /// Radius squared, as [`crate::Lanes::square`] squares offsets (length²); zero sees nothing.
    pub radius_square: T,
    /// Squared cosine of the half angle (pure), as [`Number::cosine_square`] has it.
    pub cosine_square: T,
    /// The half angle is at most 90°: its cosine is not negative.
    pub acute: bool,
    /// It sees all round.
    pub all_round: bool,
    /// It sees anything: the radius squared is above zero.
    pub used: bool,
}

/// A request's weight and shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape<T> {
    /// Weight of the request (pure).
    pub weight: T,
    /// The shape of the request.
    pub response: Response,
    /// The longest request of [`Response::Steer`] (length/time).
    pub max_force: T,
    /// The boid counts itself in the mean.
    pub include_self: bool,
    /// The mean is of the whole flock.
    pub whole_flock: bool,
}

/// A spherical obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Obstacle<T> {
    /// The centre (length).
    pub position: Vec3<T>,
    /// The radius (length).
    pub radius: T,
}

impl<T: Number> Rule<T> {
    /// Quantises the parameters.
    ///
    /// ```
    /// use flock::{Parameters, Rule, rule::Term};
    ///
    /// let mut parameters = Parameters::default();
    /// parameters.wind.acceleration = [0.5, 0.0, 0.0];
    /// let rule = Rule::<f32>::new(&parameters);
    /// assert_eq!(rule.wind.x, 0.5);
    /// assert!(rule.terms.has(Term::Wind) && !rule.terms.has(Term::Home));
    /// ```
    pub fn new(parameters: &Parameters) -> Self {
        let mut rule = Self::quantised(parameters);
        if !rule.scouts {
            (rule.scout_pull, rule.bias_dynamic) = (T::ZERO, false);
        }
        rule.terms = used_terms(&rule);
        rule
    }

    /// Checks that a wrapping world has a size on every axis in this number type: no boid could stay inside without
    /// one.
    ///
    /// # Errors
    /// Names the parameter, and what is allowed.
    pub fn check_world(parameters: &Parameters) -> Result<(), Refused> {
        // Takes the parameters, not a rule: the stack of the board cannot hold one more rule.
        let (world, unit) = (&parameters.world, T::unit(parameters));
        let axes = if parameters.flat() { 2 } else { 3 };
        let empty = |k: usize| T::from_f64(world.max[k] * unit) <= T::from_f64(world.min[k] * unit);
        if world.edges == Edges::Wrap && (0..axes).any(empty) {
            let allowed = "greater than world.min on every axis, after rounding to the number type, in a world that wraps";
            return Err(Refused::between("world.max", allowed));
        }
        Ok(())
    }

    /// True if alignment and cohesion perceive the same boids: all within reach, or the nearest of them, at any angle.
    pub fn shared_neighbourhood(&self) -> bool {
        let far = |view: &View<T>| view.used && view.radius_square == self.reach_square;
        let known = self.terms.within(Terms::PAIRWISE.with(Term::Nearest));
        known && !self.needs_general_sums && far(&self.alignment) && far(&self.cohesion)
    }

    /// True if alignment and cohesion perceive the same boids, so that one list of the nearest serves both.
    pub fn shares_nearest(&self) -> bool {
        self.alignment == self.cohesion && self.alignment_inner_square == self.cohesion_inner_square
    }

    /// True if alignment or cohesion perceives only from some distance on.
    fn zoned(&self) -> bool {
        let begins = |view: &View<T>, inner: T| view.used && T::ZERO < inner;
        begins(&self.alignment, self.alignment_inner_square)
            || begins(&self.cohesion, self.cohesion_inner_square)
    }

    /// A position or velocity in users' units, scaled to those of this rule, to the nearest number; z is zero in 2-D.
    pub fn quantise_vector(&self, vector: [f64; 3]) -> [T; 3] {
        let [x, y, z] = vector.map(|c| self.scaled(c).confine());
        [x, y, if self.flat { T::ZERO } else { z }]
    }

    /// A boid by [`Rule::quantise_vector`].
    pub fn quantise(&self, boid: &Boid<f64>) -> Boid<T> {
        let Boid { position, velocity, bias, group, rest } = *boid;
        let [position, velocity] = [position, velocity].map(|vector| self.quantise_vector(vector));
        Boid { position, velocity, bias: T::from_f64(bias), group, rest }
    }

    /// The inverse of [`Rule::quantise`], exactly.
    pub fn dequantise(&self, boid: &Boid<T>) -> Boid<f64> {
        boid.map(|c| self.unscaled(c), T::to_f64)
    }

    /// Like [`Rule::quantise`], but inside a world that wraps, as every step leaves it.
    pub fn quantise_predator(&self, predator: &Predator<f64>) -> Predator<T> {
        let [position, velocity] =
            [predator.position, predator.velocity].map(|vector| self.quantise_vector(vector));
        Predator { position: self.wrap(position.into()).to_array(), velocity }
    }

    /// See [`Rule::dequantise`].
    pub fn dequantise_predator(&self, predator: &Predator<T>) -> Predator<f64> {
        predator.map(|c| self.unscaled(c))
    }

    /// A length or velocity from users' units.
    pub fn scaled(&self, value: f64) -> T {
        T::from_f64(value * self.unit.to_f64())
    }

    /// A length or velocity in users' units, exactly.
    pub fn unscaled(&self, value: T) -> f64 {
        value.to_f64() / self.unit.to_f64()
    }
}

/// A value that is constant in a shader compiled for one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// A truth value.
    Flag(bool),
    /// A choice among numbered alternatives.
    Choice(u32),
}

macro_rules! used_terms {
    ($($(#[$doc:meta])* $term:ident $switch:literal $(, $pairwise:ident)?: $used:expr;)*) => {
        /// The terms that a rule uses.
        fn used_terms<T: Number>(rule: &Rule<T>) -> Terms {
            let asks: [(Term, fn(&Rule<T>) -> bool); Term::ALL.len()] = [$((Term::$term, $used)),*];
            let used = asks.iter().filter(|(_, asks)| asks(rule));
            used.fold(Terms::NONE, |terms, (term, _)| terms.with(*term))
        }
    };
}

with_terms!(used_terms);

/// Number of switches that do not stand for a term.
const CHOICES: usize = 8;

impl<T: Number> Rule<T> {
    /// True if `asks` holds for a request with a weight.
    fn any_request(&self, asks: fn(&Shape<T>) -> bool) -> bool {
        let shapes = [&self.separation_request, &self.alignment_request, &self.cohesion_request];
        shapes.iter().any(|shape| shape.weight != T::ZERO && asks(shape))
    }

    /// Every switch of the shaders, by name: one for each term, then the alternatives within terms.
    pub fn switches(&self) -> impl Iterator<Item = (&'static str, Switch)> {
        let terms = self.terms;
        // Without angles every view is all round.
        let all = |view: &View<T>| {
            (view.all_round || !self.needs_general_sums) && view.radius_square == self.reach_square
        };
        let choices: [(&'static str, Switch); CHOICES] = [
            ("FALLOFF", Switch::Choice(self.falloff as u32)),
            ("SEPARATION_RESPONSE", Switch::Choice(self.separation_request.response as u32)),
            ("ALIGNMENT_RESPONSE", Switch::Choice(self.alignment_request.response as u32)),
            ("COHESION_RESPONSE", Switch::Choice(self.cohesion_request.response as u32)),
            ("ALIGNS_WITH_ALL", Switch::Flag(all(&self.alignment))),
            ("COHERES_WITH_ALL", Switch::Flag(all(&self.cohesion))),
            ("NEAREST", Switch::Choice(self.nearest)),
            ("SHARES_NEAREST", Switch::Flag(self.shares_nearest())),
        ];
        Term::ALL.iter().map(move |term| (term.switch(), Switch::Flag(terms.has(*term)))).chain(choices)
    }
}
