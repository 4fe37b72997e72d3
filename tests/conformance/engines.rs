//! The engines, with the arithmetic that each guarantees, and the tests that all are held to.

use conform::bounds::compare::{Comparison, compare};
use conform::bounds::enclosure::Ieee64;
use conform::bounds::{Bounds, Guarantee, bounds, reference};
use conform::brute::{Brute, Mutation};
use conform::flocks::advance;
use engine::{Engine, EngineError, State};
use flock::Parameters;
use gpu::{AdapterEntry, GpuEngine};

use crate::adapters::{self, Slot};
use crate::cases::{self, conforms};
use crate::lent::Lent;
use crate::{endurance, special};

type Build = Box<dyn Fn(&Parameters, &State) -> Result<Box<dyn Engine>, EngineError>>;

/// A kind of engine, to be built for any flock.
pub struct Subject {
    pub name: String,
    pub guarantee: Guarantee,
    pub build: Build,
}

/// The step after one state, with the bounds for every kind of arithmetic.
pub struct References([(Guarantee, Bounds); 3]);

impl References {
    pub fn new(parameters: &Parameters, state: &State) -> Self {
        References(
            Guarantee::ALL
                .map(|guarantee| (guarantee, bounds(guarantee, parameters, state).expect("bounds"))),
        )
    }

    pub fn compare(&self, guarantee: Guarantee, actual: &State) -> Comparison {
        let (_, bounds) = self.0.iter().find(|(of, _)| *of == guarantee).expect("there is one for each");
        bounds(actual)
    }
}

impl Subject {
    /// True if it takes several times as long as the others, so that it has fewer cases of each kind.
    pub fn is_slow(&self) -> bool {
        self.name.contains("SwiftShader")
    }

    /// True if it compiles shaders for a flock, which takes longer than to step it.
    pub fn compiles(&self) -> bool {
        self.guarantee == Guarantee::Wgsl32
    }

    /// The flock some steps on.
    ///
    /// # Panics
    /// When the engine fails.
    pub fn advance(&self, parameters: &Parameters, state: &State, steps: u32) -> State {
        let mut engine = self.engine(parameters, state);
        engine.advance(steps).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        engine.state().unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// An engine for the flock.
    ///
    /// # Panics
    /// When it cannot be built.
    pub fn engine(&self, parameters: &Parameters, state: &State) -> Box<dyn Engine> {
        (self.build)(parameters, state).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// The rule by brute force in f32: what the engines must equal but for the order of their sums.
pub fn brute() -> Subject {
    Subject {
        name: "brute f32".to_owned(),
        guarantee: Guarantee::Ieee32,
        build: Box::new(|parameters, state| {
            Ok(Box::new(Brute::<f32>::new(parameters, state, Mutation::none())))
        }),
    }
}

/// The CPU engine in floats.
pub fn on_cpu<T: cpu::Real>(guarantee: Guarantee) -> Subject {
    Subject {
        name: format!("cpu {}", T::NUMERIC.name()),
        guarantee,
        build: Box::new(|parameters, state| Ok(cpu::open_as::<T>(parameters, state, None)?)),
    }
}

/// The GPU engine on each adapter for this slot.
pub fn gpu(slot: Slot) -> Vec<Subject> {
    let subject = |entry: AdapterEntry| {
        let gpu = Lent::of(&entry);
        Subject {
            name: format!("gpu {entry}"),
            guarantee: Guarantee::Wgsl32,
            build: Box::new(move |parameters, state| {
                Ok(Box::new(GpuEngine::<f32>::new(&gpu, parameters, state)?))
            }),
        }
    };
    adapters::adapters(slot).into_iter().map(subject).collect()
}

/// The tests of one kind of engine. `$subjects` yields the engines of this kind that are there.
macro_rules! held {
    ($name:ident, $subjects:expr) => {
        mod $name {
            use super::*;

            fn each(check: impl Fn(&Subject)) {
                let subjects: Vec<Subject> = $subjects;
                subjects.iter().for_each(check);
            }

            #[test]
            fn presets_conform() {
                each(|subject| conforms(subject, cases::of_presets()));
            }
            #[test]
            fn special_states_conform() {
                each(|subject| conforms(subject, special::cases()));
            }
            #[test]
            fn any_rule_conforms() {
                each(|subject| conforms(subject, cases::of_random_rules()));
            }
            #[test]
            fn small_flocks_endure() {
                each(endurance::small_flocks);
            }
            #[test]
            fn flocks_at_limits_endure() {
                each(endurance::flocks_at_limits);
            }
            #[test]
            fn large_flock_endures() {
                each(endurance::large_flock);
            }
            #[test]
            fn hostile_states_are_endured() {
                each(endurance::hostile_states);
            }
            #[test]
            fn same_bits_every_time() {
                each(endurance::same_bits);
            }
        }
    };
}

held!(cpu_f32, vec![on_cpu::<f32>(Guarantee::Ieee32)]);
held!(cpu_f64, vec![on_cpu::<f64>(Guarantee::Ieee64)]);
held!(gpu_llvmpipe_vulkan, gpu(Slot::LlvmpipeVulkan));
held!(gpu_llvmpipe_gl, gpu(Slot::LlvmpipeGl));
held!(gpu_swiftshader, gpu(Slot::SwiftShader));
held!(gpu_other, gpu(Slot::Other));

/// The rule itself, by brute force: where this fails, the bounds are wrong, not an engine.
mod brute_f32 {
    use super::*;

    #[test]
    fn presets_conform() {
        conforms(&brute(), cases::of_presets());
    }
    #[test]
    fn special_states_conform() {
        conforms(&brute(), special::cases());
    }
    #[test]
    fn any_rule_conforms() {
        conforms(&brute(), cases::of_random_rules());
    }
}

/// States with all the digits of f64: sums of f32 numbers would hardly round in it.
#[test]
fn cpu_f64_conforms_with_all_its_digits() {
    let subject = on_cpu::<f64>(Guarantee::Ieee64);
    for case in cases::of_presets().iter().filter(|case| case.name.ends_with("step 50")) {
        let state = advance::<f64>(&case.parameters, &case.state, 3).expect("it steps");
        let reference = reference::step::<Ieee64>(&case.parameters, &state).expect("a reference");
        let comparison = compare(&reference, &subject.advance(&case.parameters, &state, 1));
        println!("cpu f64: {}, all digits: {comparison}", case.name);
        assert_eq!(case.limits.refusal(&comparison), None, "{}", case.name);
    }
}
