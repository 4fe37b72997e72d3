//! Parameters without effect at the current values, each with the reason, from [`Parameter::needs`].

use flock::formula::TermSet;
use flock::parameters::{Parameter, Parameters, Value, find};

/// The reason why a parameter has no effect: the first of its needs that is not met. `None` if it has one.
pub fn reason(parameter: &Parameter, p: &Parameters) -> Option<String> {
    let reads = |set: &TermSet| set.references.iter().any(|read| read.parameter == parameter.name);
    if p.terms.compiled().is_some_and(reads) {
        return None;
    }
    let unmet = parameter.needs.iter().find(|need| !need.split('|').any(|need| is_met(need, p)))?;
    let mut names: Vec<&str> = unmet.split('|').filter_map(|need| need.split('=').next()).collect();
    let first = value(names.first()?, p);
    names.retain(|name| value(name, p) == first);
    Some(format!("No effect while {} is {first}.", names.join(" and ")))
}

/// True if a parameter is not zero, on, or not empty; with a word, if it has this value.
fn is_met(need: &str, p: &Parameters) -> bool {
    let (name, word) = need.split_once('=').unwrap_or((need, ""));
    match find(name).map(|needed| needed.get(p)) {
        Some(Value::Choice(chosen)) => chosen == word,
        Some(Value::Spheres(spheres)) => !spheres.as_slice().is_empty(),
        value => !matches!(value, Some(Value::Real(0.0) | Value::Count(0) | Value::Flag(false))),
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
        reason(find(name).expect(name), p)
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
