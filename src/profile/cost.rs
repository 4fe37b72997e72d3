//! How much a pass moves and computes: the one table of it.
//!
//! | what | how it is counted |
//! |---|---|
//! | bytes | every array that the pass reads, once, and every one it writes, once, at their real sizes: from the shaders and buffers on the GPU (`src/gpu/traffic.rs`), from the arrays on the CPU |
//! | cached bytes | in the pass that looks: a position a candidate and a velocity a neighbour: 16 bytes each on the GPU, three numbers on the CPU |
//! | operations | in the pass that looks: those below, once each for additions, subtractions, multiplications, divisions, roots and comparisons of numbers |
//!
//! | operations | each | which |
//! |---|---|---|
//! | a candidate | 9 | offset 3, its square 5, the comparison with the reach |
//! | a candidate in a wrapping world | 12 more | the nearest image: two comparisons, two additions an axis |
//! | a neighbour, a rule that is used | 5 | the comparison with the rule's radius, its sum 3, its count |
//! | a neighbour, the rule looks ahead | 10 more | v·o 5, the squares compared |
//! | a neighbour, falloff | 4 more | the division and three products; 5 with the root of 1/d |
//! | a boid | 100 | requests, limits and the move, more or less: where there are candidates it hardly counts |
//!
//! What sorts the boids computes with no numbers but indices: no operations. In integers the operations are the
//! same, whatever instructions each one takes.

use flock::parameters::{Edges, Falloff};
use flock::{Parameters, Rule};

use super::census::Census;
use crate::engine::EngineError;
use crate::engines::Opened;

/// The name of the pass that looks at candidates, on every engine.
pub const LOOKS: &str = "step";

/// What a pass costs in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub bytes: u64,
    pub cached: u64,
    pub operations: u64,
}

/// What a pass of this name costs an engine, with a flock counted so.
///
/// # Errors
/// When the engine has no such pass.
pub fn cost(
    opened: &mut Opened,
    pass: &str,
    parameters: &Parameters,
    census: &Census,
) -> Result<Cost, EngineError> {
    let bytes = match opened {
        Opened::Gpu(engine) => engine.traffic(pass)?,
        Opened::GpuFixed(engine) => engine.traffic(pass)?,
        Opened::F32(engine) => engine.traffic(pass),
        Opened::F64(engine) => engine.traffic(pass),
        Opened::Fixed(engine) => engine.traffic(pass),
        Opened::Rp2040(_) => 0,
    };
    if pass != LOOKS {
        return Ok(Cost { bytes, ..Cost::default() });
    }
    let boids = f64::from(opened.get().boids());
    let vector = match opened {
        Opened::Gpu(_) | Opened::GpuFixed(_) => 16.0,
        Opened::F64(_) => 24.0,
        Opened::F32(_) | Opened::Fixed(_) | Opened::Rp2040(_) => 12.0,
    };
    Ok(Cost {
        bytes,
        cached: (boids * vector * (census.candidates + census.neighbours)) as u64,
        operations: (boids * operations(parameters, census)) as u64,
    })
}

/// Operations of one boid.
fn operations(parameters: &Parameters, census: &Census) -> f64 {
    let rule = Rule::<f64>::new(parameters);
    let a_candidate = if rule.edges == Edges::Wrap { 21.0 } else { 9.0 };
    let falloff = match rule.falloff {
        Falloff::None => 0.0,
        Falloff::Inverse => 5.0,
        Falloff::InverseSquare => 4.0,
    };
    let views =
        [(rule.separation, falloff), (rule.alignment, 0.0), (rule.cohesion, 0.0), (rule.line_of_sight, 5.0)];
    let mut a_neighbour = 0.0;
    for (view, more) in views {
        if view.used {
            a_neighbour += 5.0 + more + if view.all_round { 0.0 } else { 10.0 };
        }
    }
    100.0 + census.candidates * a_candidate + census.neighbours * a_neighbour
}
