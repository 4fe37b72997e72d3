//! Parameters without effect at the current values, each with the reason.
//!
//! The rule's table says which term reads a parameter, and a rule which terms it uses. A parameter has an effect if a
//! term that reads it is used, or would be if this parameter alone were changed. The reason is another parameter that,
//! changed alone, would give it an effect.

use flock::parameters::{PARAMETERS, Parameter, Parameters, Sphere, Spheres, Value, ValueKind, find};
use flock::rule::{Rule, SOURCES, Term, Terms};

/// The reason per parameter without effect, in the order of [`PARAMETERS`].
#[derive(Debug, Default)]
pub struct Effects {
    of: Option<Parameters>,
    reasons: Vec<Option<String>>,
}

/// Tables of requests. Each has a radius, a weight and a shape, all read by the same term.
const REQUESTS: [&str; 4] = ["separation", "alignment", "cohesion", "line_of_sight"];

impl Effects {
    /// Recomputes the reasons if the parameters have changed.
    pub fn update(&mut self, parameters: &Parameters) {
        if self.of.as_ref() == Some(parameters) {
            return;
        }
        self.reasons = PARAMETERS.iter().map(|parameter| reason(parameter, parameters)).collect();
        self.of = Some(*parameters);
    }

    /// The reason why a parameter has no effect; `None` if it has one.
    pub fn none(&self, parameter: &Parameter) -> Option<&str> {
        let index = PARAMETERS.iter().position(|other| other.name == parameter.name)?;
        self.reasons.get(index)?.as_deref()
    }
}

fn reason(parameter: &Parameter, p: &Parameters) -> Option<String> {
    let zero = |value| matches!(value, Value::Real(0.0) | Value::Count(0) | Value::Flag(false));
    let set = |name: &&str| find(name).is_some_and(|other| !zero(other.get(p)));
    if let [first, ..] = parameter.needs
        && !parameter.needs.iter().any(set)
    {
        let needs = parameter.needs.join(" and ");
        return Some(format!("No effect while {needs} is {}.", value(first, p)));
    }
    let parts = Parts::of(parameter);
    if has_effect(parameter, &parts, p) {
        return None;
    }
    // Parameters of the same table are tried first, as the likelier cause.
    let mut others: Vec<_> = PARAMETERS.iter().filter(|other| other.name != parameter.name).collect();
    others.sort_by_key(|other| other.table != parameter.table);
    let brings = |other: &&Parameter| variants(other, p).any(|p| has_effect(parameter, &parts, &p));
    let cause = others.into_iter().find(brings);
    Some(match cause {
        Some(cause) => format!("No effect while {} is {}.", cause.name, value(cause.name, p)),
        None => format!("No effect: the {} has none.", parameter.table.replace('_', " ")),
    })
}

/// The terms that involve a parameter.
struct Parts {
    /// The terms that read it.
    own: Vec<Term>,
    /// The term of its table's weight.
    table: Option<Term>,
    /// True if it also shapes a request towards the mean of the whole flock, for which no boid is perceived.
    of_mean: bool,
}

impl Parts {
    fn of(parameter: &Parameter) -> Self {
        let reading = |name: &str| -> Vec<Term> {
            SOURCES.iter().filter(|source| source.parameter == name).map(|source| source.term).collect()
        };
        let table = reading(&format!("{}.weight", parameter.table)).first().copied();
        let of_mean = !["radius", "angle"].contains(&parameter.key);
        Parts { own: reading(parameter.name), table, of_mean }
    }

    fn all_used(&self, used: Terms) -> bool {
        let whole = self.of_mean && used.has(Term::WholeFlock);
        let has = |term| used.has(term) || whole && matches!(term, Term::Alignment | Term::Cohesion);
        let own = self.own.is_empty() || self.own.iter().any(|term| has(*term));
        own && self.table.is_none_or(has)
    }
}

/// True if a parameter has an effect at its value, or would at another one.
fn has_effect(parameter: &Parameter, parts: &Parts, p: &Parameters) -> bool {
    let used = |p: Parameters| parts.all_used(terms(parameter.table, p));
    used(*p) || variants(parameter, p).any(used)
}

/// The terms that a rule uses; for a table of requests, with the weights of all other requests at zero.
fn terms(table: &str, mut alone: Parameters) -> Terms {
    if REQUESTS.contains(&table) {
        for other in REQUESTS.into_iter().filter(|other| *other != table) {
            if let Some(weight) = find(&format!("{other}.weight")) {
                // Zero is within the range of every weight.
                let _ = weight.set(&mut alone, Value::Real(0.0));
            }
        }
    }
    Rule::<f64>::new(&alone).terms
}

/// The parameters with other values of one of them.
fn variants(parameter: &Parameter, p: &Parameters) -> impl Iterator<Item = Parameters> {
    probes(parameter).into_iter().filter_map(|value| {
        let mut changed = *p;
        parameter.set(&mut changed, value).is_ok().then_some(changed)
    })
}

/// Values of a parameter that may switch terms on.
fn probes(parameter: &Parameter) -> Vec<Value> {
    match parameter.kind {
        // The number of boids, the groups and the dimensions switch no term.
        ValueKind::Shares { .. } => Vec::new(),
        ValueKind::Real { min, max } => {
            [1.0_f64.clamp(min, max), 0.5 * (min + max)].map(Value::Real).to_vec()
        }
        ValueKind::Count { max, .. } => vec![Value::Count(1.min(max))],
        ValueKind::Flag => [true, false].map(Value::Flag).to_vec(),
        ValueKind::Choice(words) => words.iter().map(|word| Value::Choice(word)).collect(),
        ValueKind::Vector { .. } => vec![Value::Vector([1.0; 3])],
        ValueKind::Spheres { .. } => {
            let mut one = Spheres::default();
            // One sphere always fits.
            let _ = one.push(Sphere { position: [0.0; 3], radius: 1.0 });
            vec![Value::Spheres(one)]
        }
    }
}

/// A parameter's value as text.
fn value(name: &str, p: &Parameters) -> String {
    match find(name).map(|parameter| parameter.get(p)) {
        Some(Value::Flag(on)) => if on { "on" } else { "off" }.to_owned(),
        Some(Value::Spheres(_)) => "empty".to_owned(),
        Some(Value::Choice(word)) => word.to_owned(),
        Some(Value::Real(value)) => value.to_string(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(name: &str, p: &Parameters) -> Option<String> {
        let mut effects = Effects::default();
        effects.update(p);
        effects.none(find(name).expect(name)).map(str::to_owned)
    }

    #[test]
    fn what_has_no_effect_is_told_with_its_reason() {
        let mut p = Parameters::default();
        for (name, reason) in [
            ("separation.max_force", "No effect while separation.response is proportional."),
            ("attractor.position", "No effect while attractor.weight is 0."),
            ("world.margin", "No effect while world.edges is open."),
            ("predators.radius", "No effect while predators.count is 0."),
            ("obstacles.margin", "No effect while obstacles.spheres is empty."),
            ("scouts.max_bias", "No effect while scouts.dynamic is off."),
            ("line_of_sight.angle", "No effect while line_of_sight.weight is 0."),
        ] {
            assert_eq!(why(name, &p).as_deref(), Some(reason), "{name}");
        }
        for name in
            ["attractor.weight", "separation.response", "separation.weight", "motion.inertia", "flock.seed"]
        {
            assert_eq!(why(name, &p), None, "{name}");
        }
        // The response of one request does not affect another request.
        p.alignment.response = flock::parameters::Response::Steer;
        assert!(why("alignment.max_force", &p).is_none() && why("separation.max_force", &p).is_some());
        p.alignment.weight = 0.0;
        for name in ["alignment.max_force", "alignment.angle", "alignment.response", "alignment.include_self"]
        {
            assert_eq!(why(name, &p).as_deref(), Some("No effect while alignment.weight is 0."), "{name}");
        }
        assert_eq!(why("alignment.weight", &p), None);
    }

    #[test]
    fn no_preset_dims_a_switch_that_would_wake_it() {
        for preset in config::presets::PRESETS {
            let p = preset.parameters().expect(preset.name);
            for name in
                ["separation.weight", "cohesion.weight", "wind.acceleration", "noise.weight", "world.edges"]
            {
                assert_eq!(why(name, &p), None, "{} {name}", preset.name);
            }
        }
    }
}
