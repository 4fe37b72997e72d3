//! The cores: the distribution of work between them, and how much of their stacks is left after everything that the
//! console can do.
//!
//! The memory is painted before the first instruction, and what has kept its paint was never used.
//! A stack that overflows writes into the variables, and the firmware stops without a word.

use std::ops::Range;

use board::machine::PAINT;
use board::{Board, BoardError, Rp2040Engine};
use engine::State;

use super::{board, image, parameters, terms};

/// Bytes that must be left of each stack.
const MIN: u32 = 512;

/// The lowest address of each core's stack, as `embedded/memory.x` promises it, and its end.
const STACKS: [Range<u32>; 2] = [0x2004_1000 - 21 * 1024 - 512..0x2004_1000, 0x2004_1000..0x2004_2000];

/// Maximum length of a console line.
const LINE: usize = 1024;

/// Fails where a stack has less than is allowed.
fn check_stacks(board: &Board) {
    for (core, stack) in STACKS.into_iter().enumerate() {
        let size = stack.end - stack.start;
        let painted = stack.step_by(4).take_while(|at| board.machine.chip.bus.peek32(*at) == PAINT);
        let left = 4 * painted.count() as u32;
        // With all of it left, the paint was not where the stack is.
        assert!((MIN..size).contains(&left), "core {core} has {left} bytes of {size} left");
    }
}

/// Says a line, whether it is refused or not: the firmware goes on.
fn say(board: &mut Board, line: &str) -> Vec<String> {
    match board.ask(line) {
        Ok(answer) => answer,
        Err(BoardError::Refused(_)) => Vec::new(),
        Err(error) => panic!("{line}: {error}"),
    }
}

/// Sets this many obstacles in one line.
fn obstacles(count: usize) -> String {
    let spheres: Vec<String> =
        (0..count).map(|k| format!("{{position=[{k}e1,{k},-{k}.5],radius={k}.25}}")).collect();
    format!("set obstacles.spheres [{}]", spheres.join(","))
}

/// Every parameter is set to what it is, and to what is refused.
fn set_all(board: &mut Board, allowed: bool) {
    for line in say(board, "list") {
        let (setting, _) = line.split_once(';').expect("a range");
        let (name, value) = setting.split_once(" = ").expect("a value");
        let end = if value.starts_with('[') { value.rfind(']').map(|end| end + 1) } else { value.find(' ') };
        let own = board.ask(&format!("set {name} {}", &value[..end.unwrap_or(value.len())]));
        assert_eq!(own.is_ok(), allowed, "{name}: its own value");
        say(board, &format!("set {name} = 1e999"));
    }
}

/// Lines of every command. The lists of the nearest lie on the stacks of both cores.
const LINES: &str = "boids 40|set predators.count 2|obstacle { position = [1.123456789012345, 2, 3], radius = 4 }|help|\
    hash|hashes 2|state|cycles|status|version|preset|run|pause|kernel plain|step 2|kernel assembly|step|seed 3|step|\
    set neighbours.nearest 32|set line_of_sight.weight 0.5|set attractor.avoid true|step 2|put step 9|\
    set neighbours.nearest 0|set line_of_sight.weight 0|put boid 1 1 2 0 4 5 0 7 1 3|put predator 1 1 2 0 4 5 0|step|\
    boids 100000|fly|begin terms|set motion.gain 0.5|boids 41|capacity|list|commit|terms off";

#[test]
fn half_a_kilobyte_of_each_stack_is_left_after_all_that_the_console_can_do() {
    let Some(mut board) = board() else { return };
    for preset in ["cornell", "murmuration"] {
        for dimensions in [2, 3] {
            for line in [format!("preset {preset}"), format!("set flock.dimensions {dimensions}")] {
                say(&mut board, &line);
            }
            for line in LINES.split('|') {
                say(&mut board, line);
            }
            for kind in
                ["x", "set ", "set cohesion.radius ", "set obstacles.spheres [", "put boid ", "preset "]
            {
                say(&mut board, &kind.repeat(LINE / kind.len()));
            }
        }
    }
    // With the interrupts of the screen, and its picture.
    board.machine.darken(false);
    for line in [obstacles(16), obstacles(17)] {
        assert!(line.len() <= LINE, "{}", line.len());
        say(&mut board, &line);
    }
    set_all(&mut board, true);
    check_stacks(&board);
}

#[test]
fn half_a_kilobyte_of_each_stack_is_left_where_terms_fly() {
    let Some(image) = image() else { return };
    let mut p = parameters("murmuration", 3, 40);
    (p.neighbours.nearest, p.line_of_sight.weight) = (32, 0.5);
    p.terms = terms::example("sorting", 40).terms;
    let mut engine = Rp2040Engine::new(&image, &p, &State::start(&p)).expect("it fits");
    let board = &mut engine.board;
    board.machine.darken(false);
    board.ask("step 3").expect("steps");
    set_all(board, false);
    for line in ["terms", "terms off", "terms 0 1 2", "terms fly 1e999 f", "preset cornell"] {
        say(board, line);
    }
    check_stacks(board);
}

#[test]
fn both_cores_share_the_work_of_a_step_and_rest_without_any() {
    let Some(mut board) = board() else { return };
    for (preset, boids) in [("cornell", 1000), ("murmuration", 500)] {
        board.ask(&format!("preset {preset}")).expect("a preset");
        board.ask(&format!("boids {boids}")).expect("boids");
        let before = [0, 1].map(|core| board.machine.chip.core_cycles(core));
        board.ask("step 5").expect("steps");
        let worked = [0, 1].map(|core| board.machine.chip.core_cycles(core) - before[usize::from(core)]);
        assert!(worked[1] * 10 > worked[0] * 8, "{preset}: core 1 has worked {worked:?} cycles");
        let shares: Vec<u64> = board.ask("cycles").expect("cycles")[..2]
            .iter()
            .map(|line| {
                let mut words = line.split(' ').skip_while(|word| *word != "boids");
                words.nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("boids in {line}"))
            })
            .collect();
        assert_eq!(shares[0] + shares[1], boids, "every boid is one core's");
        assert!(shares.iter().all(|share| share * 3 > boids), "{preset}: the cores have {shares:?} boids");
    }
    let before = board.machine.chip.core_cycles(1);
    board.ask("list").expect("the parameters");
    let slept = board.machine.chip.core_cycles(1) - before;
    assert!(slept < 10_000, "core 1 has nothing to do with the console, and works {slept} cycles");
}
