//! User-defined terms: random ones on every engine, equivalents of built-in terms, and controls of each operation.

use conform::bounds::Guarantee;
use conform::flocks::{quantised, representable};
use cpu::{Real, Registers};
use engine::State;
use engine::system::Threads;
use flock::formula::{Formula, FormulaTerm, FormulaTerms, Op, TermSet};
use flock::{Boid, Fixed, Parameters};

use crate::adapters::Slot;
use crate::cases::{Case, Limits, conforms};
use crate::engines;
use crate::random_terms::{terms, vary};
use crate::reference::reference;
use crate::scope;

/// A flock with scouts, or of eight groups.
pub fn flock(number: u32, boids: u32) -> Parameters {
    let mut p = Parameters::default();
    vary(&mut p, number);
    p.flock.boids = boids;
    p.world.margin = 1.0;
    if number % 4 == 1 {
        (p.perching.height, p.perching.steps) = (3.0, 4);
    }
    p
}

fn advance<T: Real>(registers: Registers, p: &Parameters, state: &State, steps: u32) -> State {
    let threads = Threads::new(Some(1)).expect("a thread");
    let mut engine = cpu::open(T::NUMERIC, threads, registers, p, state).expect("an engine");
    engine.advance(steps).expect("it steps");
    engine.state().expect("a state")
}

/// In integers a formula has the same bits by brute force and in every register.
#[test]
fn random_formulas_have_the_same_bits_in_integers() {
    let (count, mut refused) = (scope::choose(60, 300), 0);
    for number in 0..count {
        let (text, terms) = terms(number);
        let p = Parameters { terms, ..flock(number, 90) };
        let start = representable::<Fixed>(&p, &State::start(&p));
        if cpu::open_as::<Fixed>(&p, &start, Some(1)).is_err() {
            refused += 1;
            continue;
        }
        let expected = reference::<Fixed>(&p, &start, 3);
        for registers in Registers::available() {
            assert!(
                advance::<Fixed>(registers, &p, &start, 3) == expected,
                "{number}, {}: {text}",
                registers.name()
            );
        }
        let plain = reference::<Fixed>(&flock(number, 90), &start, 3);
        assert!(plain != expected || number % 7 != 0, "{number}: nothing came of {text}");
    }
    println!("{refused} of {count} do not fit integers");
    assert!(refused < count / 4);
}

/// More boids around than are kept for a run: each then searches for itself, in one term as in the next.
#[test]
fn a_dense_flock_has_the_bits_of_brute_force() {
    let text = "
[terms.a]
radius = { default = 2.5, unit = \"len\" }
each = \"select(vec3(0), -offset, their.group != group)\"
request = \"0.5 * sum / (max(count, 1) * motion.time_step)\"
[terms.b]
radius = { default = 0.5, unit = \"len\" }
each = \"their.velocity * random(1)\"
request = \"sum / max(count, 1)\"
[terms.c]
radius = { default = 2, unit = \"len\" }
nearest = 7
each = \"offset\"
request = \"0.5 * sum / (max(count, 1) * motion.time_step)\"";
    for number in 0..2 {
        let p = Parameters { terms: written(text), ..flock(number, 2500) };
        let start = representable::<Fixed>(&p, &State::start(&p));
        let (fixed, float) = (reference::<Fixed>(&p, &start, 2), reference::<f32>(&p, &start, 2));
        for registers in Registers::available() {
            let here = advance::<Fixed>(registers, &p, &start, 2);
            assert!(here == fixed, "{number}, {}, integers", registers.name());
            let here = advance::<f32>(registers, &p, &start, 2);
            let differs = |(a, b): (&Boid<f64>, &Boid<f64>)| {
                (0..3).any(|k| (a.velocity[k] - b.velocity[k]).abs() > 1e-5)
            };
            let different = here.boids.iter().zip(&float.boids).filter(|pair| differs(*pair)).count();
            assert!(different == 0, "{number}, {}: {different} boids in f32", registers.name());
        }
    }
}

/// Random terms, each on its own flock.
fn random_cases(count: u32) -> Vec<Case> {
    let case = |number| {
        let (text, terms) = terms(number);
        let p = quantised(&Parameters { terms, ..flock(number, 80) });
        let state = representable::<f32>(&p, &State::start(&p));
        // The direction of what is zero but for rounding is decided by rounding.
        let limits = Limits { turned: 1.0, ..Limits::DRAWN };
        Case::new(format!("{number}: {text}"), p, state, limits)
    };
    (0..count).map(case).collect()
}

/// In f32 and f64 it lies within the bounds that are derived for it.
#[test]
fn random_formulas_are_within_their_bounds() {
    let cases = random_cases(scope::choose(25, 120));
    let on_cpu = [engines::on_cpu::<f32>(Guarantee::Ieee32), engines::on_cpu::<f64>(Guarantee::Ieee64)];
    [engines::brute()].iter().chain(&on_cpu).for_each(|subject| conforms(subject, &cases));
}

/// The same holds in WGSL, whose operations are less exact, on every adapter.
#[test]
fn random_formulas_are_within_their_bounds_on_the_gpu() {
    let cases = random_cases(scope::choose(5, 20));
    for slot in [Slot::LlvmpipeVulkan, Slot::LlvmpipeGl, Slot::SwiftShader, Slot::Other] {
        engines::gpu(slot).iter().for_each(|subject| conforms(subject, &cases));
    }
}

/// The terms of a text, as a file has them.
pub fn written(text: &str) -> FormulaTerms {
    config::parse(text, "test").unwrap_or_else(|error| panic!("{error}")).parameters.terms
}

/// A change of a flock's parameters.
type Change = fn(&mut Parameters);

/// Built-in terms and their formulas: name, parameters, equivalent term.
const BUILT_IN: [(&str, Change, &str); 6] = [
    (
        "home",
        |p| (p.home.weight, p.home.position) = (0.125, [1.0, 2.0, -1.0]),
        "[terms.a]\nweight = { default = 0.125, unit = \"1/t\" }\nrequest = \"weight * (home.position - position)\"",
    ),
    (
        "attractor",
        |p| (p.attractor.weight, p.attractor.position) = (0.375, [1.0, 2.0, -1.0]),
        "[terms.a]\nweight = { default = 0.375, unit = \"1/t\" }\none = { default = 1, unit = \"len\" }\n\
         request = \"let o = attractor.position - position; weight * select(o, normalize(o) * one, length(o) > one)\"",
    ),
    (
        "separation",
        |p| (p.separation.weight, p.separation.radius) = (0.125, 2.0),
        "[terms.a]\nradius = { default = 2, unit = \"len\" }\nweight = { default = 0.125, unit = \"1/t\" }\n\
         each = \"-offset\"\nrequest = \"weight * sum\"",
    ),
    (
        "cohesion ahead of an inner radius",
        |p| {
            (p.cohesion.weight, p.cohesion.radius) = (0.125, 2.0);
            (p.cohesion.inner_radius, p.cohesion.angle) = (0.75, 70.0);
        },
        "[terms.a]\nradius = { default = 2, unit = \"len\" }\nweight = { default = 0.125, unit = \"1/t\" }\n\
         inner_radius = { default = 0.75, unit = \"len\" }\nangle = 70\n\
         each = \"offset\"\nrequest = \"weight * (sum / max(count, 1))\"",
    ),
    (
        "cohesion with the three nearest ahead",
        |p| {
            (p.cohesion.weight, p.cohesion.radius, p.cohesion.angle) = (0.125, 2.0, 100.0);
            p.neighbours.nearest = 3;
        },
        "[terms.a]\nradius = { default = 2, unit = \"len\" }\nweight = { default = 0.125, unit = \"1/t\" }\n\
         angle = 100\nnearest = 3\neach = \"offset\"\nrequest = \"weight * (sum / max(count, 1))\"",
    ),
    (
        "separation but for what is behind",
        |p| (p.separation.weight, p.separation.radius, p.separation.angle) = (0.125, 2.0, 130.0),
        "[terms.a]\nradius = { default = 2, unit = \"len\" }\nweight = { default = 0.125, unit = \"1/t\" }\n\
         angle = 130\neach = \"-offset\"\nrequest = \"weight * sum\"",
    ),
];

/// A formula of a built-in term gives its bits, on a plane too, where what it reads of the flock's points has no z.
#[test]
fn a_formula_has_the_bits_of_the_term_that_it_says() {
    for ((name, change, text), dimensions) in BUILT_IN.into_iter().flat_map(|term| [(term, 3), (term, 2)]) {
        let mut none = flock(0, 200);
        none.flock.dimensions = dimensions;
        (none.separation.weight, none.alignment.weight, none.cohesion.weight) = (0.0, 0.0, 0.0);
        (none.motion.gain, none.attractor.position, none.home.position) =
            (1.0, [1.0, 2.0, -1.0], [1.0, 2.0, -1.0]);
        let mut built_in = none;
        change(&mut built_in);
        let formula = Parameters { terms: written(text), ..none };
        let mut start = representable::<f32>(&none, &State::start(&none));
        // A boid at rest sees all round.
        start.boids.iter_mut().step_by(7).for_each(|boid| boid.velocity = [0.0; 3]);
        let widest = Registers::widest();
        let alone = advance::<f32>(widest, &none, &start, 5);
        let expected = advance::<f32>(widest, &built_in, &start, 5);
        assert!(expected != alone, "{name} does nothing");
        assert!(advance::<f32>(widest, &formula, &start, 5) == expected, "{name} in f32");
        let expected = advance::<f64>(widest, &built_in, &start, 5);
        assert!(advance::<f64>(widest, &formula, &start, 5) == expected, "{name} in f64");
        // In integers it perceives the same boids, but for what the coarse positions of built-in terms decide.
        let expected = advance::<Fixed>(widest, &built_in, &start, 1);
        let found = advance::<Fixed>(widest, &formula, &start, 1);
        let apart =
            |(a, b): (&Boid<f64>, &Boid<f64>)| (0..3).any(|k| (a.velocity[k] - b.velocity[k]).abs() > 1e-3);
        let apart = found.boids.iter().zip(&expected.boids).filter(|pair| apart(*pair)).count();
        assert!(apart < 5, "{name}: {apart} boids in integers");
        // Negative control: others are perceived.
        for name in ["inner_radius", "angle", "nearest"].map(|key| format!("terms.a.{key}")) {
            let mut other = formula;
            if other.terms.set(&name, 1.0).expect("in its range") {
                assert!(
                    advance::<f32>(widest, &other, &start, 1) != advance::<f32>(widest, &formula, &start, 1)
                );
                assert!(advance::<Fixed>(widest, &other, &start, 1) != found, "{name}");
            }
        }
    }
}

/// A formula of all operations.
pub const ALL: &str = "
[terms.a]
l = { default = 2, unit = \"len\" }
v = { default = 0.25, unit = \"len/t\" }
request = \"\"\"
let p = position / l;
let s = sqrt(abs(p.x)) + fract(p.y) * floor(p.z + 0.25) - random(2) / max(0.5, length(p));
let t = select(s, bias, s < p.x || s <= p.y && p.z == p.y);
v * clamp(normalize(p) * t, vec3(-1.0), vec3(1.0))
\"\"\"";

/// With any of its operations exchanged for another a formula is beyond its bounds.
#[test]
fn another_operation_is_beyond_the_bounds() {
    let p = Parameters { terms: written(ALL), ..flock(0, 60) };
    let state = representable::<f32>(&p, &State::start(&p));
    let case = Case::new("all".to_owned(), p, state, Limits::DRAWN);
    let set = p.terms.compiled().expect("terms");
    let nodes = set.terms[0].request.nodes;
    let (mut exchanged, mut missed) = (0, 0);
    for (k, node) in nodes.iter().enumerate() {
        let other = match node.op {
            Op::Add => Op::Subtract,
            Op::Subtract | Op::Multiply => Op::Add,
            Op::Divide => Op::Multiply,
            Op::Minimum => Op::Maximum,
            Op::Maximum => Op::Minimum,
            Op::Absolute => Op::Floor,
            Op::Floor => Op::Fraction,
            Op::Fraction | Op::Root => Op::Absolute,
            _ => continue,
        };
        let mut nodes = nodes.to_vec();
        nodes[k].op = other;
        let request = Formula { nodes: nodes.leak(), ..set.terms[0].request.clone() };
        let term = FormulaTerm { request, ..set.terms[0].clone() };
        let altered = TermSet { terms: Box::leak(Box::new([term])), ..set.clone() };
        let altered =
            Parameters { terms: FormulaTerms::new(Box::leak(Box::new(altered))), ..case.parameters };
        let actual = advance::<f32>(Registers::widest(), &altered, &case.state, 1);
        let seen = case.limits.refusal(&case.references.compare(Guarantee::Ieee32, &actual));
        println!("{k}: {other:?} for {:?}: {seen:?}", node.op);
        exchanged += 1;
        missed += usize::from(seen.is_none());
    }
    assert!(exchanged > 12 && missed < 2, "{missed} of {exchanged} exchanges are not seen");
}
