//! The memory traffic and the operations of a pass.
//!
//! | quantity | how it is counted |
//! |---|---|
//! | bytes | each array that the pass reads or writes, once, at its real size: from the shaders and buffers on the GPU (`crates/gpu/src/runner.rs`), from the arrays on the CPU |
//! | cached bytes | in the pass `step`: a position per candidate and a velocity per neighbour: 16 bytes each on the GPU, three numbers on the CPU |
//! | operations | in the pass `step`: those below; additions, subtractions, multiplications, divisions, roots and comparisons count 1 |
//!
//! | per | operations | which |
//! |---|---|---|
//! | candidate | 9 | offset 3, its square 5, comparison with the reach |
//! | candidate, wrapping world | 12 more | nearest image: two comparisons and two additions per axis |
//! | neighbour and used rule | 5 | comparison with the rule's radius, sum 3, count |
//! | neighbour, rule with field of view | 10 more | v·o 5, comparison of squares |
//! | neighbour, falloff | 4 more | division and three products; 5 with the root of 1/d |
//! | boid | 100 | estimate of requests, limits and move: small beside the candidates |
//!
//! Sorting passes compute with indices only and have no operations. Integer engines have the same operations,
//! regardless of the instructions that each takes.

use flock::parameters::{Edges, Falloff};
use flock::{Fixed, Parameters, Rule};
use serde::Serialize;

use super::Census;
use engine::{Numeric, Result};
use engines::{AnyEngine, Device};

/// The pass that tests candidates, on every engine.
pub(super) const SEARCH_PASS: &str = "step";

/// The cost of a pass in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// Compulsory memory traffic: each array that the pass reads or writes, once.
    pub bytes: u64,
    /// Repeated reads of candidates and neighbours, mostly from caches.
    pub cached_bytes: u64,
    /// Additions, multiplications and comparisons of numbers.
    pub operations: u64,
}

/// The cost of a pass for an engine and a census of its flock.
///
/// # Errors
/// When the engine has no pass of this name.
pub(super) fn cost(
    opened: &mut AnyEngine,
    pass: &str,
    parameters: &Parameters,
    census: &Census,
) -> Result<Cost> {
    let bytes = opened.timed().map_or(Ok(0), |engine| engine.traffic(pass))?;
    if pass != SEARCH_PASS {
        return Ok(Cost { bytes, ..Cost::default() });
    }
    let boids = f64::from(opened.get().boids());
    let vector = match opened {
        AnyEngine::Gpu(_) | AnyEngine::GpuFixed(_) => 16.0,
        AnyEngine::Cpu(engine) if engine.numeric() == Numeric::F64 => 24.0,
        AnyEngine::Cpu(_) | AnyEngine::Rp2040(_) => 12.0,
    };
    Ok(Cost {
        bytes,
        cached_bytes: (boids * vector * (census.candidates + census.neighbours)) as u64,
        operations: (boids * operations(parameters, census)) as u64,
    })
}

/// Operations per boid.
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
    let used = views.iter().filter(|(view, _)| view.used);
    let a_neighbour: f64 =
        used.map(|(view, more)| 5.0 + more + if view.all_round { 0.0 } else { 10.0 }).sum();
    100.0 + census.candidates * a_candidate + census.neighbours * a_neighbour
}

/// The measured limits of the device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// Bytes read and written per second by a copy of `copied_bytes` bytes, far more than the caches hold.
    pub copy_bytes_per_s: f64,
    pub copied_bytes: u64,
    /// The method of the fastest copy.
    pub copied_by: &'static str,
    /// Additions and multiplications per second in the engine's number type.
    pub arithmetic_per_s: f64,
    /// The operations that were timed.
    pub arithmetic_of: &'static str,
}

/// Measures copy bandwidth and arithmetic; none for an emulated board, or where the copy does not fit.
///
/// # Errors
/// When the device fails.
pub(super) fn limits(device: &Device) -> Result<Option<Limits>> {
    let arithmetic_of = match device.numeric() {
        Numeric::F32 => "f32 multiply-adds, two each",
        Numeric::F64 => "f64 multiply-adds, two each",
        Numeric::Fixed => "i32 multiply-adds, two each",
    };
    let limits = match device {
        Device::Gpu(on, numeric) => {
            let copy = gpu::probe::copy(on)?;
            let arithmetic_per_s = match numeric {
                Numeric::Fixed => gpu::probe::arithmetic::<Fixed>(on)?,
                Numeric::F32 | Numeric::F64 => gpu::probe::arithmetic::<f32>(on)?,
            };
            Limits {
                copy_bytes_per_s: copy.rate,
                copied_bytes: copy.bytes,
                copied_by: copy.by,
                arithmetic_per_s,
                arithmetic_of,
            }
        }
        Device::Cpu(numeric, _) => {
            let Some((copy_bytes_per_s, copied_bytes)) = cpu::probe::copy() else { return Ok(None) };
            let arithmetic_per_s = cpu::probe::arithmetic(*numeric);
            Limits {
                copy_bytes_per_s,
                copied_bytes,
                copied_by: "by all threads",
                arithmetic_per_s,
                arithmetic_of,
            }
        }
        Device::Rp2040(_) => return Ok(None),
    };
    Ok(Some(limits))
}
