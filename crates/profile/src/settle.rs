//! Steps a flock until its measures are steady.
//!
//! A clumped flock costs several times as much as a uniform start. The flock is stepped in windows, each a quarter of
//! the steps before it and at least [`WINDOW`]: slow changes need longer windows. In each window polarization and
//! crowding (the mean number of boids in a boid's own cell) are averaged over [`SAMPLES`] samples. The flock is settled
//! when the averages of the last [`WINDOWS`] windows lie within [`POLARIZATION`] and within the share [`CROWDING`] of
//! each other.

use flock::Parameters;
use flock::measures::order;

use super::census::bins;
use engine::{Result, State};
use engines::AnyEngine;
use files::interrupt;
use gpu::{GpuEngine, OnGpu};

/// Steps of the shortest window.
const WINDOW: u32 = 48;
/// Samples of a window.
const SAMPLES: u32 = 4;
/// Windows that are compared.
const WINDOWS: usize = 3;
/// Largest difference of polarizations.
const POLARIZATION: f64 = 0.03;
/// Largest difference of crowdings, as a share of the smallest.
const CROWDING: f64 = 0.05;

/// Polarization, and crowding: the mean number of boids in a boid's own cell, itself included.
type Measures = [f64; 2];

/// True if the measures of these windows are within the allowed differences.
fn steady(windows: &[Measures]) -> bool {
    let ends = [0, 1].map(|k| {
        let values = windows.iter().map(|window| window[k]);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
    });
    let [(low, high), (least, most)] = ends;
    high - low <= POLARIZATION && most - least <= CROWDING * least
}

/// Steps a flock until it is steady, for at most `most` steps or until the program is asked to end. Returns whether it is steady.
///
/// # Errors
/// When the device fails.
pub(super) fn settle(opened: &mut AnyEngine, parameters: &Parameters, most: u32) -> Result<bool> {
    let mut windows: Vec<Measures> = Vec::new();
    let mut taken = 0;
    while taken < most && !interrupt::asked() {
        let window = (taken / 4).max(WINDOW).min(most - taken);
        let mut sum = Measures::default();
        for k in 1..=SAMPLES {
            let until = window * k / SAMPLES;
            opened.get().advance(until - window * (k - 1) / SAMPLES)?;
            let now = sample(opened, parameters)?;
            sum = [0, 1].map(|k| sum[k] + now[k] / f64::from(SAMPLES));
        }
        taken += window;
        // A truncated last window is ignored.
        if window >= WINDOW {
            windows.push(sum);
        }
        if windows.len() >= WINDOWS && steady(&windows[windows.len() - WINDOWS..]) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The measures of the current state. The GPU engine computes them itself.
fn sample(opened: &mut AnyEngine, parameters: &Parameters) -> Result<Measures> {
    match opened {
        AnyEngine::Gpu(engine) => on_gpu(engine),
        AnyEngine::GpuFixed(engine) => on_gpu(engine),
        other => {
            let engine = other.get();
            let state = engine.state()?;
            let polarization =
                order(&state.rule(parameters), &state.boids).map_or(0.0, |order| order.polarization);
            Ok([polarization, crowding(parameters, &state)])
        }
    }
}

fn on_gpu<T: OnGpu>(engine: &mut GpuEngine<T>) -> Result<Measures> {
    engine.finish()?;
    let polarization = f64::from(engine.measures()?.polarization);
    Ok([polarization, engine.occupancy().1])
}

/// Mean number of boids in a boid's own cell.
fn crowding(parameters: &Parameters, state: &State) -> f64 {
    let (_, _, counts) = bins(&state.rule(parameters), state);
    counts.iter().map(|count| f64::from(*count).powi(2)).sum::<f64>() / state.boids.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Numeric;
    use engines::Device;

    fn window(polarization: f64, crowding: f64) -> Measures {
        [polarization, crowding]
    }

    #[test]
    fn windows_must_be_steady_in_both_measures() {
        let windows = [window(0.5, 10.0), window(0.52, 10.3), window(0.51, 10.4)];
        assert!(steady(&windows));
        assert!(!steady(&[window(0.5, 10.0), window(0.52, 10.0), window(0.54, 10.0)]), "it still aligns");
        assert!(!steady(&[window(0.5, 10.0), window(0.5, 10.3), window(0.5, 10.6)]), "it still clumps");
        assert!(steady(&[window(0.5, 0.0); 3]), "no rule uses neighbours");
    }

    fn settled(most: u32) -> (bool, u64) {
        let mut p = Parameters::default();
        p.flock.boids = 200;
        let device = Device::cpu(Numeric::F32);
        let mut opened = device.engine(&p, &State::start(&p)).expect("it fits");
        let steady = settle(&mut opened, &p, most).expect("it steps");
        (steady, opened.get().step_number())
    }

    #[test]
    fn a_flock_that_has_too_few_steps_is_not_called_steady() {
        // Fewer steps than the windows need; the last window is truncated.
        assert_eq!(settled(100), (false, 100));
        let (steady, steps) = settled(20_000);
        assert!(steady && steps >= u64::from(WINDOW) * WINDOWS as u64 && steps < 20_000, "{steps}");
    }
}
