//! The explanation of one boid, in users' units: the boids that it perceives, each request as a change of its
//! velocity, and the limits that it meets. Computed by the code that steps, see [`flock::explain`].

use flock::explain::{ALIGNMENT, COHESION, Explained, LINE_OF_SIGHT, Moment, SEPARATION, row_bit};
use flock::parameters::Scope;
use flock::update::StepContext;
use flock::update::probe::{Part, Stage};
use flock::{Boid, Fixed, Parameters, Predator, Rule, Vec3, brute};

use crate::{EngineError, NumberType, Numeric, PreparedRule, Result, State, rule};

/// A boid that another one perceives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub id: u32,
    /// Its position: the nearest image in a world that wraps.
    pub position: [f64; 3],
    /// Bit set of the rules and terms that perceive it; see [`Explanation::perceivers`].
    pub by: u32,
}

/// The range of a rule or term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sense {
    pub name: &'static str,
    pub radius: f64,
    /// Nearer boids are not perceived.
    pub inner_radius: f64,
    /// Half the field of view, in degrees; 180: all round.
    pub angle: f64,
}

/// A part of the change of a boid's velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table of its parameters, the name of a term, or what adds it.
    pub name: &'static str,
    /// Length per time.
    pub velocity: [f64; 3],
}

impl Change {
    /// Length per time.
    pub fn length(&self) -> f64 {
        length(self.velocity)
    }
}

/// A limit of the rule that changes a velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    MaxTurn,
    MinSpeed,
    MaxSpeed,
}

impl Limit {
    /// The name of its parameter.
    pub fn name(self) -> &'static str {
        match self {
            Limit::MaxTurn => "motion.max_turn",
            Limit::MinSpeed => "motion.min_speed",
            Limit::MaxSpeed => "motion.max_speed",
        }
    }
}

/// A boid of a state, and its next step.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub id: u32,
    /// The step of the state.
    pub step: u64,
    pub position: [f64; 3],
    pub velocity: [f64; 3],
    /// The velocity one step later.
    pub next_velocity: [f64; 3],
    /// The ranges of all rules and terms that perceive within one.
    pub senses: Vec<Sense>,
    /// The names of what perceives, with their bits in [`Neighbour::by`].
    pub perceivers: Vec<(u32, &'static str)>,
    /// In the order of ids.
    pub neighbours: Vec<Neighbour>,
    /// In the order of the rule. Their sum is the change of velocity before limits and random turns.
    pub changes: Vec<Change>,
    pub limits: Vec<Limit>,
    /// True if the boid is perched.
    pub rests: bool,
}

impl Explanation {
    /// Explains a boid of a state, in the number type of an engine.
    ///
    /// # Errors
    /// When there is no boid with that id, or the parameters do not fit the number type.
    pub fn new(numeric: Numeric, parameters: &Parameters, state: &State, id: u32) -> Result<Self> {
        if id as usize >= state.boids.len() {
            let most = state.boids.len().saturating_sub(1);
            return Err(EngineError::Refused(format!("the boid must be 0 to {most}, not {id}")));
        }
        match numeric {
            Numeric::F32 => explain::<f32>(parameters, state, id),
            Numeric::F64 => explain::<f64>(parameters, state, id),
            Numeric::Fixed => explain::<Fixed>(parameters, state, id),
        }
    }

    /// Length per time.
    pub fn speed(&self) -> f64 {
        length(self.velocity)
    }

    /// The angle between the velocity and the next one, in degrees.
    pub fn turn(&self) -> f64 {
        let (a, b) = (self.velocity, self.next_velocity);
        let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let dot: f64 = (0..3).map(|k| a[k] * b[k]).sum();
        length(cross).atan2(dot).to_degrees()
    }

    /// The sum of all changes.
    pub fn total(&self) -> Change {
        Change { name: "together", velocity: sum(&self.changes) }
    }

    /// The names of what perceives a neighbour.
    pub fn seen_by(&self, neighbour: &Neighbour) -> impl Iterator<Item = &'static str> {
        let by = neighbour.by;
        self.perceivers.iter().filter(move |(bit, _)| by & bit != 0).map(|(_, name)| *name)
    }

    /// The boids that a rule or term perceives.
    pub fn seen(&self, by: &str) -> impl Iterator<Item = &Neighbour> {
        let perceiver = self.perceivers.iter().find(|(_, name)| *name == by);
        let bit = perceiver.map_or(0, |(bit, _)| *bit);
        self.neighbours.iter().filter(move |neighbour| neighbour.by & bit != 0)
    }
}

fn sum(changes: &[Change]) -> [f64; 3] {
    std::array::from_fn(|k| changes.iter().map(|change| change.velocity[k]).sum())
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn explain<T: NumberType>(parameters: &Parameters, state: &State, id: u32) -> Result<Explanation> {
    let PreparedRule { rule, formulas } = rule::<T>(parameters, state.boids.len())?;
    let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
    let means = if rule.means { brute::means(&rule, boids.iter().copied()) } else { None };
    let move_predator = |(index, predator): (usize, &Predator<f64>)| {
        let predator = rule.quantise_predator(predator);
        brute::move_predator(&rule, state.step, index, &predator, means, boids.iter().copied())
    };
    let predators: Vec<Predator<T>> = state.predators.iter().enumerate().map(move_predator).collect();
    let context = StepContext::new(&rule, state.step, means, &predators);
    let mut neighbours = Vec::new();
    let moment = Moment { context: &context, prepared: formulas.as_deref(), boids: &boids };
    let explained = moment.explain(id as usize, |other, by| {
        let position = image(&rule, &boids[id as usize], &boids[other as usize]);
        neighbours.push(Neighbour { id: other, position, by });
    });
    let boid = rule.dequantise(&explained.boid);
    Ok(Explanation {
        id,
        step: state.step,
        position: boid.position,
        velocity: boid.velocity,
        next_velocity: rule.dequantise(&explained.next).velocity,
        senses: senses(parameters),
        perceivers: perceivers(parameters),
        neighbours,
        changes: changes(parameters, &rule, &explained),
        limits: limits(&rule, &explained),
        rests: explained.boid.resting(),
    })
}

/// The names of what perceives, by their bits.
fn perceivers(parameters: &Parameters) -> Vec<(u32, &'static str)> {
    let mut perceivers = vec![
        (SEPARATION, "separation"),
        (ALIGNMENT, "alignment"),
        (COHESION, "cohesion"),
        (LINE_OF_SIGHT, "line_of_sight"),
    ];
    let mut row = 0;
    for term in parameters.terms.terms() {
        let mut bits = 0;
        for _ in 0..term.sums.len().max(1) {
            bits |= row_bit(row);
            row += 1;
        }
        perceivers.push((bits, term.name));
    }
    perceivers
}

/// The ranges of the rules and terms that are used.
pub fn senses(parameters: &Parameters) -> Vec<Sense> {
    let Parameters { separation, alignment, cohesion, line_of_sight, terms, .. } = parameters;
    let mut senses = Vec::new();
    let mut add = |name, used: bool, radius, inner_radius, angle| {
        if used {
            senses.push(Sense { name, radius, inner_radius, angle });
        }
    };
    let aligns = alignment.weight != 0.0 && alignment.scope == Scope::Neighbours;
    let coheres = cohesion.weight != 0.0 && cohesion.scope == Scope::Neighbours;
    let sights = line_of_sight.weight != 0.0;
    add("separation", separation.weight != 0.0, separation.radius, 0.0, separation.angle);
    add("alignment", aligns, alignment.radius, alignment.inner_radius, alignment.angle);
    add("cohesion", coheres, cohesion.radius, cohesion.inner_radius, cohesion.angle);
    add("line_of_sight", sights, line_of_sight.radius, 0.0, line_of_sight.angle);
    for term in terms.terms() {
        for each in term.sums {
            let radius = terms.parameters().nth(each.radius).map_or(0.0, |(_, radius)| radius);
            add(term.name, true, radius, 0.0, 180.0);
        }
    }
    senses
}

/// The position of another boid, at its image that is nearest to a boid.
fn image<T: NumberType>(rule: &Rule<T>, boid: &Boid<T>, other: &Boid<T>) -> [f64; 3] {
    let here = Vec3::from(boid.position);
    let offset = rule.nearest_image(Vec3::from(other.position) - here);
    let [here, offset] = [here, offset].map(|vector| unscaled(rule, vector));
    std::array::from_fn(|k| here[k] + offset[k])
}

fn unscaled<T: NumberType>(rule: &Rule<T>, vector: Vec3<T>) -> [f64; 3] {
    vector.to_array().map(|c| rule.unscaled(c))
}

/// The parts of the change of velocity before limits.
fn changes<T: NumberType>(parameters: &Parameters, rule: &Rule<T>, explained: &Explained<T>) -> Vec<Change> {
    if explained.boid.resting() {
        return Vec::new();
    }
    let gain = rule.gain.to_f64();
    let request = |part| unscaled(rule, explained.request(part)).map(|c| gain * c);
    let mut changes = Vec::new();
    let mut add = |name, velocity| changes.push(Change { name, velocity });
    for (name, part, weight) in [
        ("separation", Part::Separation, parameters.separation.weight),
        ("alignment", Part::Alignment, parameters.alignment.weight),
        ("cohesion", Part::Cohesion, parameters.cohesion.weight),
    ] {
        if weight != 0.0 {
            add(name, request(part));
        }
    }
    for (name, part) in [
        ("home", Part::Home),
        ("attractor", Part::Attractor),
        ("predators", Part::Predators),
        ("noise", Part::Noise),
        ("line_of_sight", Part::LineOfSight),
        ("obstacles", Part::Obstacles),
        ("scouts", Part::Scouts),
    ] {
        if request(part) != [0.0; 3] {
            add(name, request(part));
        }
    }
    for (term, formula) in parameters.terms.terms().iter().enumerate() {
        add(formula.name, unscaled(rule, explained.terms[term]).map(|c| gain * c));
    }
    let velocity = unscaled(rule, explained.boid.velocity.into());
    let inertia = rule.inertia.to_f64() - 1.0;
    let wind = unscaled(rule, rule.wind).map(|c| rule.time_step.to_f64() * c);
    let [before, after] =
        [Stage::Requested, Stage::Blended].map(|stage| unscaled(rule, explained.velocity(stage)));
    let blended: [f64; 3] = std::array::from_fn(|k| after[k] - before[k]);
    for (name, velocity) in [
        ("inertia", velocity.map(|c| inertia * c)),
        ("wind", wind),
        ("edges", unscaled(rule, explained.request(Part::Edges))),
        ("scout's side", blended),
    ] {
        if velocity != [0.0; 3] {
            add(name, velocity);
        }
    }
    if rule.normalize_goal {
        // The requests together become a unit vector.
        let sum = sum(&changes);
        let whole: [f64; 3] = std::array::from_fn(|k| after[k] - velocity[k] - sum[k]);
        changes.push(Change { name: "normalized goal", velocity: whole });
    }
    changes
}

/// The limits that the velocity meets.
fn limits<T: NumberType>(rule: &Rule<T>, explained: &Explained<T>) -> Vec<Limit> {
    let mut limits = Vec::new();
    if explained.boid.resting() {
        return limits;
    }
    if explained.velocity(Stage::Erred) != explained.velocity(Stage::TurnLimited) {
        limits.push(Limit::MaxTurn);
    }
    let [before, after] = [Stage::Scattered, Stage::SpeedLimited]
        .map(|stage| length(unscaled(rule, explained.velocity(stage))));
    if explained.velocity(Stage::Scattered) != explained.velocity(Stage::SpeedLimited) {
        limits.push(if before < after { Limit::MinSpeed } else { Limit::MaxSpeed });
    }
    limits
}
