//! Parameters at the ends of their ranges, for hundreds of steps.

use super::*;
use config::presets::{self, Preset};

#[path = "../../../../tests/support/random_flock.rs"]
mod random_flock;

/// The flock after some steps in these registers; none where the number type has no room for it.
fn flown<T: Real>(p: &Parameters, registers: Registers, steps: u32) -> Option<State> {
    let mut engine = open_with::<T>(registers, 1, p, &State::start(p)).ok()?;
    engine.advance(steps).expect("stepped");
    Some(engine.state().unwrap_or_else(|lost| panic!("{}: {lost}: {p:?}", registers.name())))
}

#[test]
fn flocks_at_the_limits_of_their_parameters_stay_finite() {
    fn check<T: Real>() -> usize {
        let flown = |number: &u32| {
            let p = random_flock::at_limits(*number, 40);
            [Registers::NARROWEST, Registers::widest()]
                .map(|registers| flown::<T>(&p, registers, 300))
                .iter()
                .all(Option::is_some)
        };
        (0..80).filter(flown).count()
    }
    assert_eq!((check::<f32>(), check::<f64>()), (80, 80));
    assert!(check::<Fixed>() > 20, "few fit integers");
}

#[test]
fn a_greatest_turn_near_nothing_leaves_every_boid_finite() {
    for (name, degrees) in [("cornell", 0.0), ("cornell", 0.01), ("murmuration", 0.01), ("murmuration", 1e-6)]
    {
        let mut p = presets::find(name).and_then(Preset::parameters).expect("built in");
        (p.motion.max_turn, p.flock.boids) = (degrees, 400);
        for registers in Registers::available() {
            let state = flown::<f32>(&p, registers, 200).expect("f32 has room");
            assert!(state.boids.iter().any(|boid| boid.velocity != State::start(&p).boids[0].velocity));
            flown::<f64>(&p, registers, 200).expect("f64 has room");
        }
    }
}

#[test]
fn without_a_greatest_turn_no_heading_changes() {
    let mut p = presets::find("cornell").and_then(Preset::parameters).expect("built in");
    p.motion.max_turn = 0.0;
    let start = State::start(&p);
    for (before, after) in
        start.boids.iter().zip(flown::<f64>(&p, Registers::widest(), 100).expect("room").boids)
    {
        let heading = |velocity: [f64; 3]| velocity[1].atan2(velocity[0]);
        let turned = heading(before.velocity) - heading(after.velocity);
        assert!(turned.abs() < 1e-12, "{before:?} {after:?}");
    }
}
