//! The vectors are what the models compute, the engines lie within their bounds, and each mistake is named.
//! `SNAPSHOTS=overwrite` writes the files anew.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

use std::fs;
use std::path::{Path, PathBuf};

use conform::bounds::enclosure::Enclosed;
use engine::State;
use flock::{Boid, Fixed, Parameters};
use reference::{Bird, Computed, MODELS, Mistake, Model, STEPS, Start, after, check, table};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All starts, with their models.
fn starts() -> Vec<(&'static Model, &'static Start)> {
    let mut all = Vec::new();
    for model in &MODELS {
        for start in &model.starts {
            all.push((model, start));
        }
    }
    all
}

/// The flock that an engine steps.
fn parameters(model: &Model) -> Parameters {
    config::load(&folder().join(format!("{}.toml", model.name))).expect("a flock").parameters
}

/// A start as an engine takes it.
fn state(start: &[Bird]) -> State {
    let vector = |v: reference::Vector| v.map(|number| number.value).to_array();
    let boid = |bird: &Bird| Boid {
        position: vector(bird.position),
        velocity: vector(bird.velocity),
        ..Boid::default()
    };
    State { boids: start.iter().map(boid).collect(), ..State::default() }
}

/// A flock as somebody's program computes it.
struct Program {
    position: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
}

impl Program {
    fn of(state: &State) -> Self {
        let position = state.boids.iter().map(|boid| boid.position).collect();
        Program { position, velocity: state.boids.iter().map(|boid| boid.velocity).collect() }
    }

    /// A flock of a model, mistakes included.
    fn with(model: &Model, start: &Start, step: u32, mistakes: &[Mistake]) -> Self {
        Program::of(&state(&after(model, &start.birds(), step, mistakes).birds))
    }

    fn checked(&self, model: &'static Model, step: u32) -> reference::Check {
        check(model, step, Computed { position: &self.position, velocity: &self.velocity }).expect("a check")
    }
}

/// The file has this text, or gets it where files are written anew.
fn is_kept(path: &Path, text: &str) {
    if std::env::var_os("SNAPSHOTS").is_some_and(|what| what == "overwrite") {
        fs::write(path, text).expect("a file");
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(kept == text, "{}: SNAPSHOTS=overwrite writes what is computed", path.display());
}

fn place(model: &Model, start: &Start) -> PathBuf {
    folder().join(model.name).join(start.folder)
}

#[test]
fn the_files_are_what_the_models_compute() {
    for (model, start) in starts() {
        for step in STEPS {
            let reached = after(model, &start.birds(), step, &[]);
            assert!(reached.decided, "{} {} {step}: an open decision", model.name, start.folder);
            is_kept(&place(model, start).join(format!("step{step}.csv")), &table(&reached.birds));
            // A control: no mistake has the same files.
            for mistake in model.mistakes {
                let other = table(&after(model, &start.birds(), 1, &[*mistake]).birds);
                let kept = fs::read_to_string(place(model, start).join("step1.csv")).expect("a file");
                assert!(kept != other, "{} {}: {mistake:?}", model.name, start.folder);
            }
        }
    }
}

#[test]
fn no_decision_is_near() {
    for (model, start) in starts() {
        let mut birds = start.birds();
        for bird in &mut birds {
            for number in [&mut bird.position.x, &mut bird.position.y] {
                *number = Enclosed::within(number.value, 1e-11);
            }
        }
        // Errors grow from step to step.
        let reached = after(model, &birds, 5, &[]);
        assert!(reached.decided, "{} {}", model.name, start.folder);
        birds[0].position.x = Enclosed::within(birds[0].position.x.value, 10.0);
        assert!(!after(model, &birds, 1, &[]).decided, "a control");
    }
}

#[test]
fn the_engine_is_right_and_another_flock_is_not() {
    for (model, start) in starts() {
        let state = state(&start.birds());
        let right = parameters(model);
        let mut other = right;
        other.motion.time_step *= 1.0 + 1e-9;
        // The control takes one step: whatever is wrong is searched for all mistakes.
        for (parameters, is_right, steps) in [(right, true, 10), (other, false, 1)] {
            let mut engine = cpu::open_as::<f64>(&parameters, &state, Some(1)).expect("an engine");
            for step in 1..=steps {
                engine.advance(1).expect("a step");
                if STEPS.contains(&step) {
                    let program = Program::of(&engine.state().expect("a state"));
                    let found = program.checked(model, step);
                    let what = format!("{} {}: {found}", model.name, start.folder);
                    assert_eq!(found.difference.is_none(), is_right, "{what}");
                }
            }
        }
    }
}

/// The greatest difference of a coordinate; on a torus the same place may be written at either edge.
fn apart(model: &Model, one: &Program, other: &Program) -> f64 {
    let mut greatest = 0.0_f64;
    for (one, other) in one.position.iter().zip(&other.position) {
        for (axis, side) in model.world.into_iter().enumerate() {
            let apart = (one[axis] - other[axis]).abs();
            greatest = greatest.max(if model.wraps { apart.min((side - apart).abs()) } else { apart });
        }
    }
    greatest
}

#[test]
fn the_engine_stays_with_the_model() {
    // A boid at the edge of a radius is decided by rounding: some hundreds of steps later flocks differ.
    let (steps, bound) = (100, 1e-8);
    for (model, start) in starts() {
        let begun = state(&start.birds());
        let mut engine = cpu::open_as::<f64>(&parameters(model), &begun, Some(1)).expect("an engine");
        engine.advance(steps).expect("steps");
        let found = Program::of(&engine.state().expect("a state"));
        let [right, other] = [steps, steps - 1].map(|steps| Program::with(model, start, steps, &[]));
        let apart_from = [right, other].map(|program| apart(model, &found, &program));
        assert!(apart_from[0] < bound, "{} {}: {apart_from:?}", model.name, start.folder);
        assert!(apart_from[1] > 1e-3, "a control: {} {}: {apart_from:?}", model.name, start.folder);
    }
}

#[test]
fn the_hashes_are_those_of_the_integers() {
    for (model, start) in starts() {
        let parameters = parameters(model);
        let mut engine =
            cpu::open_as::<Fixed>(&parameters, &state(&start.birds()), Some(1)).expect("an engine");
        let mut text = String::new();
        for step in 0..=10 {
            if step > 0 {
                engine.advance(1).expect("a step");
            }
            text += &format!("{step},{:016x}\n", engine.hash().expect("a hash"));
        }
        is_kept(&place(model, start).join("hashes.txt"), &text);
    }
}

#[test]
fn every_mistake_is_named() {
    for (model, start) in starts() {
        for mistake in model.mistakes {
            let text = model.mistake_text(*mistake);
            for step in STEPS {
                let found = Program::with(model, start, step, &[*mistake]).checked(model, step);
                let what = format!("{} {}, {mistake:?}: {found}", model.name, start.folder);
                // A boid that has left the world may come back.
                assert!(found.difference.is_some() || step > 1, "{what}");
                if let Some(first) = &found.difference {
                    assert_eq!(found.causes, [text], "{what}");
                    assert!(
                        step > 1 || (first.computed - first.expected).abs() > 1e6 * first.bound,
                        "{what}"
                    );
                }
                if start.folder == "full" && step == 2 {
                    break;
                }
            }
        }
    }
}

#[test]
fn two_mistakes_at_once_are_named_in_the_small_flock() {
    for model in &MODELS {
        let start = &model.starts[0];
        let mut named = 0;
        for (k, one) in model.mistakes.iter().enumerate() {
            for other in &model.mistakes[k + 1..] {
                let found = Program::with(model, start, 1, &[*one, *other]).checked(model, 1);
                assert!(found.difference.is_none() || !found.causes.is_empty(), "{one:?} {other:?}: {found}");
                let texts = [one, other].map(|mistake| model.mistake_text(*mistake));
                named += usize::from(found.causes.contains(&texts.join(" and ")));
            }
        }
        assert!(named > 30, "{}: {named}", model.name);
    }
}

#[test]
fn what_is_no_mistake_of_the_model_is_told_apart() {
    let model = &MODELS[0];
    let start = &model.starts[1];
    let right = Program::with(model, start, 5, &[]);
    assert_eq!(
        right.checked(model, 5).to_string(),
        "agents, step 5: right, all 200 boids are within their bounds"
    );
    for (steps, text) in [(4, "one step fewer is taken"), (6, "one step more is taken")] {
        assert_eq!(Program::with(model, start, steps, &[]).checked(model, 5).causes, [text]);
    }
    let rounded = |v: &mut [f64; 3]| *v = v.map(|number| f64::from(number as f32));
    for (mistakes, text) in [
        (&[][..], "the program computes in single precision (f32)"),
        (&[Mistake::CohesionSign], "cohesion has the opposite sign, in single precision (f32)"),
    ] {
        let mut single = Program::with(model, start, 1, mistakes);
        single.position.iter_mut().for_each(rounded);
        assert_eq!(single.checked(model, 1).causes, [text]);
    }
    let mut sorted = Program::with(model, start, 1, &[]);
    sorted.position.swap(7, 8);
    sorted.velocity.swap(7, 8);
    assert_eq!(sorted.checked(model, 1).causes, ["boids are in another order than at the start"]);
    sorted.position[7] = sorted.position[8];
    assert!(sorted.checked(model, 1).causes.is_empty(), "a control: a boid is there twice");
    // Nothing known: another number, or none.
    for (number, end) in
        [(0.125, "off by 5.00e-1"), (f64::NAN, "whose x is NaN"), (f64::INFINITY, "whose x is inf")]
    {
        let mut other = Program::with(model, start, 1, &[]);
        other.position[3][0] = if number.is_finite() { other.position[3][0] + 0.5 } else { number };
        let found = other.checked(model, 1).to_string();
        assert!(found.starts_with("agents, step 1: wrong at 1 of 200 boids, first at boid 3, "), "{found}");
        assert!(found.contains(end) && found.ends_with("no known mistake gives these numbers"), "{found}");
    }
}

#[test]
fn a_wrong_call_is_refused_in_a_line() {
    let rows = [[0.0; 3]; 8];
    let of = |position, velocity| Computed { position, velocity };
    let cases = [
        (1, of(&rows[..7], &rows[..7]), "agents has 8 or 200 boids, not 7"),
        (1, of(&rows, &rows[..7]), "velocity must have 8 rows like position, not 7"),
        (3, of(&rows, &rows), "step must be 1, 2, 5 or 10, not 3"),
        (0, of(&rows, &rows), "step must be 1, 2, 5 or 10, not 0"),
    ];
    for (step, computed, line) in cases {
        assert_eq!(check(&MODELS[0], step, computed).expect_err(line).message, line);
    }
    let unknown = reference::model("agent").expect_err("no such model");
    assert_eq!(unknown.message, "unknown model 'agent', expected one of agents, cornell, netlogo, vicsek");
    assert_eq!(unknown.hint.as_deref(), Some("did you mean 'agents'?"));
    assert_eq!(
        reference::at(&MODELS[0], 8, 3).expect_err("no such step").message,
        "step must be 0, 1, 2, 5 or 10, not 3"
    );
}

/// Vicsek's model as many write it: by angles, with a remainder for the shortest way, from the last boid to the first.
fn by_angles(birds: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let side = 7.0_f64;
    let shortest = |along: f64| (along + 0.5 * side).rem_euclid(side) - 0.5 * side;
    let mut next = Vec::new();
    for [x, y, _] in birds {
        let (mut sines, mut cosines, mut count) = (0.0, 0.0, 0.0);
        for [ox, oy, angle] in birds.iter().rev() {
            if shortest(ox - x).hypot(shortest(oy - y)) < 1.0 {
                sines += angle.sin();
                cosines += angle.cos();
                count += 1.0;
            }
        }
        let angle = f64::atan2(sines / count, cosines / count);
        let (sine, cosine) = angle.sin_cos();
        next.push([(x + 0.03 * cosine + side) % side, (y + 0.03 * sine + side) % side, angle]);
    }
    next
}

/// The birds of the comparison with a mean of positions, and of offsets found by comparison.
fn by_means(birds: &[[f64; 4]]) -> Vec<[f64; 4]> {
    let shortest = |along: f64| {
        if along > 50.0 {
            along - 100.0
        } else if along < -50.0 {
            along + 100.0
        } else {
            along
        }
    };
    let mut next = Vec::new();
    for (id, [x, y, u, v]) in birds.iter().enumerate() {
        let (mut place, mut away, mut way, mut n) = ([0.0; 2], [0.0; 2], [0.0; 2], 0.0);
        for (_, [ox, oy, ou, ov]) in birds.iter().enumerate().rev().filter(|(other, _)| *other != id) {
            let (dx, dy) = (shortest(ox - x), shortest(oy - y));
            let distance = (dx.powi(2) + dy.powi(2)).sqrt();
            if distance < 5.0 {
                place = [place[0] + (x + dx), place[1] + (y + dy)];
                way = [way[0] + ou, way[1] + ov];
                n += 1.0;
                if distance < 1.0 {
                    away = [away[0] + 0.015 * dx, away[1] + 0.015 * dy];
                }
            }
        }
        let (mut u, mut v) = (*u, *v);
        if n > 0.0 {
            u += 0.03 * (place[0] / n - x) - away[0] / n + way[0] / n * 0.05;
            v += 0.03 * (place[1] / n - y) - away[1] / n + way[1] / n * 0.05;
        }
        let inverse = 1.0 / (u * u + v * v).sqrt();
        (u, v) = (u * inverse, v * inverse);
        let wrapped = |along: f64| along - 100.0 * (along / 100.0).floor();
        next.push([wrapped(x + u), wrapped(y + v), u, v]);
    }
    next
}

#[test]
fn programs_of_other_forms_are_right() {
    for start in [0, 1] {
        let (agents, vicsek) = (&MODELS[0], &MODELS[3]);
        let mut birds: Vec<[f64; 4]> = Vec::new();
        for boid in state(&agents.starts[start].birds()).boids {
            birds.push([boid.position[0], boid.position[1], boid.velocity[0], boid.velocity[1]]);
        }
        let mut angles: Vec<[f64; 3]> = Vec::new();
        for boid in state(&vicsek.starts[start].birds()).boids {
            angles.push([boid.position[0], boid.position[1], boid.velocity[1].atan2(boid.velocity[0])]);
        }
        for step in 1..=10 {
            (birds, angles) = (by_means(&birds), by_angles(&angles));
            if !STEPS.contains(&step) {
                continue;
            }
            let mut program = Program { position: Vec::new(), velocity: Vec::new() };
            for [x, y, u, v] in &birds {
                program.position.push([*x, *y, 0.0]);
                program.velocity.push([*u, *v, 0.0]);
            }
            let found = program.checked(agents, step);
            assert!(found.difference.is_none(), "{found}");
            program = Program { position: Vec::new(), velocity: Vec::new() };
            for [x, y, angle] in &angles {
                program.position.push([*x, *y, 0.0]);
                program.velocity.push([0.03 * angle.cos(), 0.03 * angle.sin(), 0.0]);
            }
            let found = program.checked(vicsek, step);
            assert!(found.difference.is_none(), "{found}");
        }
    }
}
