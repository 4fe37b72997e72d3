//! What ranks cannot step with the bits of one.

use cpu::Numeric;
use flock::parameters::Scope;
use flock::rule::{Term, Terms};
use flock::{Parameters, Rule};

/// The terms by which a boid's step follows from the boids within reach, its id, the step, and sums over the flock.
const SUPPORTED: Terms = Terms::these(&[
    Term::Motion,
    Term::Separation,
    Term::Alignment,
    Term::Cohesion,
    Term::WholeFlock,
    Term::Exclusion,
    Term::Priority,
    Term::Zones,
    Term::AlignmentUnit,
    Term::CohesionUnit,
    Term::Falloff,
    Term::Average,
    Term::IncludeSelf,
    Term::Limited,
    Term::Steer,
    Term::FieldOfView,
    Term::LineOfSight,
    Term::Home,
    Term::Wander,
    Term::Attractor,
    Term::AvoidAttractor,
    Term::Preference,
    Term::Predators,
    Term::Flight,
    Term::Noise,
    Term::Obstacles,
    Term::Own,
    Term::OwnNearest,
    Term::NormalizeGoal,
    Term::Wind,
    Term::MaxTurn,
    Term::GaussianNoise,
    Term::AngularNoise,
    Term::Turn,
    Term::Wrap,
    Term::Perching,
    Term::Nearest,
]);

/// Checks that ranks step such a flock with the bits of one.
///
/// # Errors
/// Names the parameter, its value and what is allowed.
pub fn check(p: &Parameters, numeric: Numeric) -> Result<(), String> {
    let rule = Rule::<f32>::new(p);
    if let Some(term) = Term::ALL.iter().find(|term| rule.terms.has(**term) && !SUPPORTED.has(**term)) {
        return Err(format!("the rule's term {}: ranks do not know it", term.switch()));
    }
    match numeric {
        Numeric::Fixed => return Ok(()),
        Numeric::F32 => {}
        Numeric::F64 => return Err("f64 on ranks: allowed are fixed and f32".into()),
    }
    let flies = p.predators.count > 0;
    let (chase, attack) = (p.predators.chase_weight, p.predators.attack_weight);
    let sums = [
        (
            p.alignment.scope == Scope::Flock && p.alignment.weight != 0.0,
            "alignment.scope = flock",
            "neighbours",
        ),
        (
            p.cohesion.scope == Scope::Flock && p.cohesion.weight != 0.0,
            "cohesion.scope = flock",
            "neighbours",
        ),
        (flies && chase != 0.0, &format!("predators.chase_weight = {chase}"), "0"),
        (flies && attack != 0.0, &format!("predators.attack_weight = {attack}"), "0"),
    ];
    match sums.into_iter().find(|(used, ..)| *used) {
        None => Ok(()),
        Some((_, set, allowed)) => Err(format!(
            "{set}: allowed is {allowed} in f32 on ranks, where a sum over the flock depends on its order"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(refused(&hunt).starts_with("predators.attack_weight = 0.5: allowed is 0 in f32"));
        let chase = |p: &mut Parameters| (p.predators.count, p.predators.chase_weight) = (1, 0.25);
        assert!(refused(&chase).starts_with("predators.chase_weight = 0.25: allowed is 0"));
        // Without predators their weights are of no use.
        assert_eq!(refused(&|p| p.predators.attack_weight = 0.5), "");
        let whole = |p: &mut Parameters| (p.cohesion.scope, p.cohesion.weight) = (Scope::Flock, 0.1);
        assert!(refused(&whole).starts_with("cohesion.scope = flock: allowed is neighbours"));
        let whole = |p: &mut Parameters| (p.alignment.scope, p.alignment.weight) = (Scope::Flock, 0.1);
        assert!(refused(&whole).starts_with("alignment.scope = flock: allowed is neighbours"));
        assert!(check(&Parameters::default(), Numeric::F64).is_err_and(|why| why.contains("fixed and f32")));
    }
}
