//! The rule in f32 and f64 by brute force: it holds the bound itself to account before any engine is judged by it.

use std::sync::OnceLock;

use conform::bounds::arithmetic::{Arithmetic, Ieee32, Ieee64, Wgsl32};
use conform::bounds::compare::{Comparison, compare};
use conform::bounds::reference;
use engine::State;
use flock::{Boid, Parameters};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRunner};

use crate::cases::{Case, Limits};
use crate::flocks;
use crate::scope;

/// Flocks of all kinds for the engines, the same ones every time.
pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut runner = TestRunner::deterministic();
        let mut draw =
            || flocks::random_flocks(200).new_tree(&mut runner).expect("nothing is rejected").current();
        let mut case = |k: u32| {
            let parameters = draw();
            let state =
                flocks::advance::<f32>(&parameters, &State::start(&parameters), k % 8).expect("it steps");
            Case::new(format!("flock {k}"), parameters, state, Limits::DRAWN)
        };
        (0..scope::choose(40, 80)).map(&mut case).collect()
    })
}

fn judge<A: Arithmetic>(parameters: &Parameters, state: &State, actual: &State) -> Comparison {
    compare(&reference::step::<A>(parameters, state).expect("a reference"), actual)
}

/// The values that the reference carries its bounds beside are those of the plain f64 step.
fn values_are_plain(parameters: &Parameters, state: &State) -> Result<(), TestCaseError> {
    let plain = flocks::advance::<f64>(parameters, state, 1).expect("it steps");
    let reference = reference::step::<Ieee32>(parameters, state).expect("a reference");
    for (expected, plain) in reference.boids.iter().zip(&plain.boids) {
        let natural: Boid<f64> = expected.outcomes[0].convert();
        prop_assert_eq!(&natural, plain);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: scope::choose(60, 150), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_rule_stays_within_its_bound(parameters in flocks::random_flocks(120)) {
        let start = State::start(&parameters);
        for steps in [0, 7] {
            let state = flocks::advance::<f32>(&parameters, &start, steps).expect("it steps");
            values_are_plain(&parameters, &state)?;
            let next = flocks::advance::<f32>(&parameters, &state, 1).expect("it steps");
            for comparison in [judge::<Ieee32>(&parameters, &state, &next), judge::<Wgsl32>(&parameters, &state, &next)] {
                println!("{comparison}");
                prop_assert!(comparison.failures.is_empty(), "{}", comparison);
            }
            let next = flocks::advance::<f64>(&parameters, &state, 1).expect("it steps");
            let comparison = judge::<Ieee64>(&parameters, &state, &next);
            prop_assert!(comparison.failures.is_empty() && comparison.turned.is_empty(), "{}", comparison);
        }
    }
}
