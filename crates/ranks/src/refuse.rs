//! The flocks that ranks cannot step with the bits of one rank.

use engine::Numeric;
use flock::parameters::Scope;
use flock::rule::{Term, Terms};
use flock::{Parameters, Rule};

/// The terms that need only the boids within reach, a boid's id, the step, and sums over the flock: the pairwise terms,
/// and these.
const SUPPORTED: Terms =
    Terms::PAIRWISE.with(Term::Zones).with(Term::AlignmentUnit).with(Term::CohesionUnit).with(Term::Nearest);

/// Checks that ranks step a flock with the bits of one rank.
///
/// # Errors
/// Names the parameter, its value and what it must be.
pub fn check(p: &Parameters, numeric: Numeric) -> Result<(), String> {
    check_terms(Rule::<f32>::new(p).terms, SUPPORTED)?;
    match numeric {
        Numeric::Fixed => return Ok(()),
        Numeric::F32 => {}
        Numeric::F64 => return Err("--ranks requires --numeric fixed or f32, not f64".into()),
    }
    let flies = p.predators.count > 0;
    let (chase, attack) = (p.predators.chase_weight, p.predators.attack_weight);
    let of_flock = |scope: Scope, weight: f64| scope == Scope::Flock && weight != 0.0;
    let sums = [
        (
            of_flock(p.alignment.scope, p.alignment.weight),
            "alignment.scope",
            "neighbours",
            "flock".to_owned(),
        ),
        (of_flock(p.cohesion.scope, p.cohesion.weight), "cohesion.scope", "neighbours", "flock".to_owned()),
        (flies && chase != 0.0, "predators.chase_weight", "0", chase.to_string()),
        (flies && attack != 0.0, "predators.attack_weight", "0", attack.to_string()),
    ];
    match sums.into_iter().find(|(used, ..)| *used) {
        None => Ok(()),
        Some((_, key, required, value)) => Err(format!(
            "{key} must be {required}, not {value}, with --ranks in f32, where a sum over the flock depends on its order"
        )),
    }
}

/// Refuses a rule with a term that is not supported.
fn check_terms(used: Terms, supported: Terms) -> Result<(), String> {
    if used.within(supported) {
        return Ok(());
    }
    let unknown = Term::ALL.iter().filter(|term| used.has(**term) && !supported.has(**term));
    let names: Vec<&str> = unknown.map(|term| term.switch()).collect();
    Err(format!("--ranks does not support the term {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks support every term of today: the refusal of others is tried with fewer.
    #[test]
    fn a_rule_with_a_term_that_is_not_supported_is_refused() {
        let mut p = Parameters::default();
        p.alignment.inner_radius = 0.5;
        let used = Rule::<f32>::new(&p).terms;
        assert_eq!(check_terms(used, SUPPORTED), Ok(()));
        let refused = check_terms(used, Terms::PAIRWISE).expect_err("zones are not pairwise");
        assert!(refused.contains(Term::Zones.switch()), "{refused}");
    }

    #[test]
    fn what_is_a_sum_over_the_flock_is_named_in_f32_only() {
        let refused = |change: &dyn Fn(&mut Parameters)| {
            let mut p = Parameters::default();
            change(&mut p);
            assert_eq!(check(&p, Numeric::Fixed), Ok(()));
            check(&p, Numeric::F32).err().unwrap_or_default()
        };
        assert_eq!(refused(&|_| ()), "");
        let hunt = |p: &mut Parameters| (p.predators.count, p.predators.attack_weight) = (2, 0.5);
        assert!(refused(&hunt).starts_with("predators.attack_weight must be 0, not 0.5"));
        let chase = |p: &mut Parameters| (p.predators.count, p.predators.chase_weight) = (1, 0.25);
        assert!(refused(&chase).starts_with("predators.chase_weight must be 0, not 0.25"));
        // Without predators their weights are of no use.
        assert_eq!(refused(&|p| p.predators.attack_weight = 0.5), "");
        let whole = |p: &mut Parameters| (p.cohesion.scope, p.cohesion.weight) = (Scope::Flock, 0.1);
        assert!(refused(&whole).starts_with("cohesion.scope must be neighbours, not flock"));
        let whole = |p: &mut Parameters| (p.alignment.scope, p.alignment.weight) = (Scope::Flock, 0.1);
        assert!(refused(&whole).starts_with("alignment.scope must be neighbours, not flock"));
        assert!(check(&Parameters::default(), Numeric::F64).is_err_and(|why| why.contains("fixed or f32")));
    }
}
