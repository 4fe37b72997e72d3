//! A device checks before a flock flies all that its engines refuse: random parameters, many at the ends of their
//! ranges, and formulas, on the CPU in every number type and on every adapter.

use engine::{Numeric, State};
use engines::Device;
use flock::Parameters;
use gpu::{Gpu, capacity};

use crate::{random_flock, random_terms};

/// Flocks on the CPU, and on an adapter, which compiles a pipeline for each formula.
const FLOCKS: [u32; 2] = [60, 10];
const BOIDS: u32 = 20;

/// A formula that no integer holds.
const FAR: &str = "[terms.far]\nrequest = \"1e30 * velocity\"\n";

fn flocks(count: u32) -> impl Iterator<Item = Parameters> {
    let far = config::parse(FAR, "test").expect("fits").parameters.terms;
    (0..count).map(move |number| {
        let mut p = match number % 2 {
            0 => random_flock::at_limits(number, BOIDS),
            _ => random_flock::parameters(number, BOIDS),
        };
        match number % 5 {
            0 => p.terms = random_terms::terms(number).1,
            1 => p.terms = far,
            _ => {}
        }
        p
    })
}

fn with_boids(parameters: &Parameters, boids: u32) -> Parameters {
    let mut parameters = *parameters;
    parameters.flock.boids = boids;
    parameters
}

/// Numbers of flocks that are accepted and that are refused.
fn compare(device: &Device, count: u32) -> [u32; 2] {
    let mut counts = [0; 2];
    let usual = with_boids(&Parameters::default(), 7);
    let mut flying = device.engine(&usual, &State::start(&usual)).expect("fits");
    for p in flocks(count) {
        let checked = device.check(&p).map_err(|why| why.to_string());
        let opened = device.engine(&p, &State::start(&p)).map(drop).map_err(|why| why.to_string());
        assert_eq!(checked, opened, "{}: {p:?}", device.describe());
        counts[usize::from(checked.is_err())] += 1;
        // In flight, with another number of boids, and by the way on which the window starts a flock.
        let there = with_boids(&p, 7);
        let taken = flying.get().set_parameters(&there).map_err(|why| why.to_string());
        assert_eq!(
            device.check(&there).map_err(|why| why.to_string()),
            taken,
            "{}: {p:?}",
            device.describe()
        );
        if checked.is_ok() {
            let engine = flying.get();
            engine.set_state(&State::default()).expect("no boids fit");
            engine.set_parameters(&p).expect("they were checked");
            engine.set_state(&State::start(&p)).expect("it was checked");
            engine.set_parameters(&usual).expect("they fit any engine");
            engine.set_state(&State::start(&usual)).expect("it fits any engine");
        }
    }
    counts
}

#[test]
fn the_cpu_refuses_what_its_check_refuses() {
    for numeric in [Numeric::F32, Numeric::F64] {
        assert_eq!(compare(&Device::cpu(numeric), FLOCKS[0])[1], 0, "{}", numeric.name());
    }
    let [accepted, refused] = compare(&Device::cpu(Numeric::Fixed), FLOCKS[0]);
    assert!(accepted > 10 && refused > 10, "{accepted} {refused}");
}

fn a_gpu_refuses_what_its_check_refuses(gpu: &Gpu) {
    let device = |numeric| Device::Gpu(Box::new(gpu.clone()), numeric);
    assert_eq!(compare(&device(Numeric::F32), FLOCKS[1])[1], 0);
    assert!(compare(&device(Numeric::Fixed), FLOCKS[1]).iter().all(|count| *count > 1));
    let p = Parameters::default();
    assert!(device(Numeric::F64).check(&p).is_err());
    // More boids than a buffer holds.
    let most = capacity::capacity(&gpu.limits).boids;
    for (boids, fits) in [(most, true), (most.saturating_add(1), most == u32::MAX)] {
        assert_eq!(device(Numeric::F32).check(&with_boids(&p, boids)).is_ok(), fits, "{boids}");
    }
}

/// A check is the same on every adapter but for its limits: one software adapter is enough.
#[test]
fn llvmpipe_refuses_what_its_check_refuses() {
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, a_gpu_refuses_what_its_check_refuses);
}
