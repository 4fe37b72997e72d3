//! The hashes of a run.

use engine::Engine;
use flock::Parameters;

/// The hash of the flock as it is and after each of some steps.
///
/// # Panics
/// When the engine fails, and when the state at the end has another hash.
pub fn hashes(engine: &mut dyn Engine, p: &Parameters, steps: u32) -> Vec<u64> {
    let mut all = vec![engine.hash().expect("a hash")];
    for _ in 0..steps {
        engine.advance(1).expect("stepped");
        all.push(engine.hash().expect("a hash"));
    }
    let state = engine.state().expect("read");
    assert_eq!(all.last(), Some(&state.hash(engine.numeric(), p)));
    all
}
