//! The subjects of the comparison with the reference: anything that steps a flock, and the arithmetic that it guarantees.

use conform::bounds::compare::Comparison;
use conform::bounds::{Bounds, Guarantee, bounds};
use conform::brute::{Brute, Mutation};
use engine::{Engine, EngineError, State};
use flock::Parameters;
use gpu::{AdapterEntry, GpuEngine};

use crate::adapters::{self, Slot};
use crate::lent::Lent;

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

/// The CPU engine in f32.
pub fn cpu_f32() -> Subject {
    Subject {
        name: "cpu f32".to_owned(),
        guarantee: Guarantee::Ieee32,
        build: Box::new(|parameters, state| Ok(cpu::open_as::<f32>(parameters, state, None)?)),
    }
}

/// The CPU engine in f64.
pub fn cpu_f64() -> Subject {
    Subject {
        name: "cpu f64".to_owned(),
        guarantee: Guarantee::Ieee64,
        build: Box::new(|parameters, state| Ok(cpu::open_as::<f64>(parameters, state, None)?)),
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
