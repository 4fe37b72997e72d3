//! The board has the bits of the integer engine on the CPU.

use board::{Board, Image, Rp2040Engine};
use config::presets::PRESETS;
use cpu::CpuEngine;
use engine::{Engine, EngineError, Numeric, State};
use flock::parameters::Sphere;
use flock::{Fixed, Parameters};

use super::hashes::hashes;
use super::{board, image, parameters};

/// Few enough for a fast test, and enough for neighbours.
const BOIDS: u32 = 70;
const STEPS: u32 = 12;

fn on_board(image: &Image, p: &Parameters, state: &State) -> Rp2040Engine {
    Rp2040Engine::new(image, p, state).expect("it fits the board")
}

/// The lines that `murmuration run --hash` prints.
pub fn on_cpu(p: &Parameters, state: &State, steps: u32) -> Vec<String> {
    let mut engine = cpu::open_as::<Fixed>(p, state, None).expect("threads");
    let hashes = hashes(&mut *engine, p, steps);
    (state.step..).zip(hashes).map(|(step, hash)| format!("{step},{hash:016x}")).collect()
}

/// Flies a flock on a board, compares its hashes with those of the CPU, and returns the board.
pub fn compare(board: Board, p: &Parameters, steps: u32, what: &str) -> Rp2040Engine {
    let start = State::start(p);
    let mut engine = Rp2040Engine::on(board, p, &start).expect("it fits the board");
    let lines = engine.board.ask(&format!("hashes {steps}")).expect("hashes");
    assert_eq!(lines, on_cpu(p, &start, steps), "{what}");
    engine
}

#[test]
fn every_preset_has_the_hashes_of_the_cpu_at_every_step() {
    let Some(mut board) = board() else { return };
    for (k, preset) in PRESETS.iter().enumerate() {
        let p = parameters(preset.name, 2 + k as u32 % 2, BOIDS);
        let mut engine = compare(board, &p, STEPS, preset.name);
        // The state that is read back is the one that the firmware has hashed.
        let hash = engine.board.ask_one("hash").expect("a hash");
        let state = engine.state().expect("read");
        assert_eq!(hash, format!("{STEPS},{:016x}", state.hash(Numeric::Fixed, &p)), "{}", preset.name);
        board = engine.board;
    }
}

/// The board keeps velocities in coarse units, unless their last digits count.
#[test]
fn headings_are_those_of_exact_velocities() {
    let Some(mut board) = board() else { return };
    for (preset, dimensions) in [("cornell", 2), ("murmuration", 3)] {
        let mut p = parameters(preset, dimensions, BOIDS);
        p.alignment.unit = true;
        board = compare(board, &p, STEPS, preset).board;
    }
}

/// Worlds whose corners would cross if they were set one after the other, and sixteen obstacles whose list is longer
/// than a line of the console.
#[test]
fn worlds_anywhere_and_sixteen_obstacles_of_many_digits_are_taken() {
    let Some(board) = board() else { return };
    let mut p = parameters("cornell", 2, BOIDS);
    (p.world.min, p.world.max) = ([-300.0, 700.0, 0.0], [-100.0, 900.0, 9.0]);
    p.obstacles.weight = 0.3;
    for k in 0..16 {
        let [x, y] = [-300.0 + f64::from(k) * 37.0 / 3.0, 900.0 - f64::from(k) * 61.0 / 7.0];
        let sphere = Sphere { position: [x, y, 0.1 + 0.2], radius: 1.0 + f64::from(k) / 3.0 };
        p.obstacles.spheres.push(sphere).expect("room");
    }
    let mut far = p;
    (far.world.min, far.world.max) = ([500.0, -800.0, -5.0], [900.0, -400.0, -1.0]);
    far.obstacles.spheres.pop();
    let board = compare(board, &p, STEPS, "sixteen obstacles").board;
    let mut engine = compare(board, &far, STEPS, "another world");
    // The parameters change back while the board runs.
    engine.set_parameters(&p).expect("it fits");
}

#[test]
fn one_bit_of_one_boid_or_one_parameter_shows_in_the_hash() {
    let Some(image) = image() else { return };
    let p = parameters("cornell", 2, BOIDS);
    let start = State::start(&p);
    let right = on_cpu(&p, &start, STEPS);
    let hashes = |p: &Parameters, state: &State| {
        let lines = on_board(&image, p, state).board.ask(&format!("hashes {STEPS}"));
        lines.expect("hashes")
    };
    let mut other = start.clone();
    // A pixel is 2¹⁵ of the units in cornell's world.
    other.boids[7].position[0] += 1.0 / 32_768.0;
    assert_ne!(hashes(&p, &other).first(), right.first());
    let mut heavier = p;
    heavier.alignment.weight *= 1.01;
    let lines = hashes(&heavier, &start);
    assert_eq!(lines.first(), right.first(), "the start is the same");
    assert_ne!(lines.last(), right.last());
}

#[test]
fn other_parameters_and_flocks_that_do_not_fit_leave_the_bits_of_the_flock() {
    let Some(image) = image() else { return };
    let p = parameters("cornell", 2, BOIDS);
    let start = State::start(&p);
    let mut board = on_board(&image, &p, &start);
    let mut cpu = cpu::open_as::<Fixed>(&p, &start, None).expect("threads");
    // More than the board holds: the flock is unchanged.
    let many = State::start(&parameters("cornell", 2, 3000));
    assert!(matches!(board.set_state(&many), Err(EngineError::TooMany { asked: 3000, .. })));
    let same = |board: &mut Rp2040Engine, cpu: &mut Box<dyn CpuEngine>| {
        [&mut *board as &mut dyn Engine, &mut **cpu].map(|engine| {
            engine.advance(3).expect("stepped");
            let hash = engine.hash().expect("a hash");
            (engine.step_number(), hash)
        })
    };
    let [found, expected] = same(&mut board, &mut cpu);
    assert_eq!(found, expected);
    // A larger world, other units, one predator more; then three dimensions.
    for (half, predators, dimensions) in [(1500.0, 1, 2), (900.0, 2, 2), (900.0, 0, 3), (640.0, 1, 2)] {
        let mut other = p;
        (other.world.min, other.world.max) = ([-half; 3], [half; 3]);
        (other.predators.count, other.flock.dimensions) = (predators, dimensions);
        for engine in [&mut board as &mut dyn Engine, &mut *cpu] {
            engine.set_parameters(&other).expect("they fit");
        }
        let [found, expected] = same(&mut board, &mut cpu);
        assert_eq!(found, expected, "half {half}, {predators} predators, {dimensions}-D");
    }
    let before = board.state().expect("read");
    let mut wide = p;
    (wide.world.min, wide.world.max, wide.motion.max_speed) = ([-1e30; 3], [1e30; 3], 1e-30);
    assert!(board.set_parameters(&wide).is_err());
    assert_eq!(board.state().expect("read"), before);
}

#[test]
fn more_boids_than_the_memory_holds_are_refused_with_the_number_that_it_holds() {
    let Some(image) = image() else { return };
    let most = Rp2040Engine::most(&image).expect("it runs");
    assert!((1000..5000).contains(&most), "{most}");
    let p = parameters("cornell", 2, most + 1);
    match Rp2040Engine::new(&image, &p, &State::start(&p)) {
        Err(EngineError::TooMany { asked, most: allowed, .. }) => {
            assert_eq!((asked, allowed), (u64::from(most) + 1, u64::from(most)));
        }
        other => panic!("{other:?}"),
    }
}
