//! The cores: the distribution of work between them, and how much of their stacks is left after everything that the
//! console can do.
//!
//! The memory is painted before the first instruction, and what has kept its paint was never used.
//! A stack that overflows writes into the variables, and the firmware stops without a word.

use config::presets::PRESETS;
use std::ops::Range;

use board::machine::PAINT;
use board::{Board, BoardError, Rp2040Engine};
use engine::State;

use super::{board, image, parameters, scope, terms};

/// Bytes that must be left of each stack.
const MIN: u32 = 512;

/// The lowest address of each core's stack, as `embedded/memory.x` promises it, and its end.
const STACKS: [Range<u32>; 2] = [0x2004_1000 - 21 * 1024 - 512..0x2004_1000, 0x2004_1000..0x2004_2000];

/// Bytes at the far end of each stack that were never written.
fn left(board: &Board) -> [u32; 2] {
    STACKS.map(|stack| {
        let painted = stack.step_by(4).take_while(|at| board.machine.chip.bus.peek32(*at) == PAINT);
        4 * painted.count() as u32
    })
}

/// Maximum length of a console line.
const LINE: usize = 1024;

/// Says a line, whether it is refused or not: the firmware goes on.
fn say(board: &mut Board, line: &str) -> Vec<String> {
    match board.ask(line) {
        Ok(answer) => answer,
        Err(BoardError::Refused(_)) => Vec::new(),
        Err(error) => panic!("{line}: {error}"),
    }
}

/// Sixteen obstacles in one line, and the same line with one more.
fn obstacles() -> [String; 2] {
    let sphere = |k: usize| format!("{{position=[{k}e1,{k},-{k}.5],radius={k}.25}}");
    [16, 17].map(|count| {
        let all: Vec<String> = (0..count).map(sphere).collect();
        let line = format!("set obstacles.spheres [{}]", all.join(","));
        assert!(line.len() <= LINE, "{}", line.len());
        line
    })
}

/// Every parameter is set to what it is, and to what is refused.
fn set_all(board: &mut Board, allowed: bool) {
    for line in say(board, "list") {
        let (setting, _) = line.split_once(';').expect("a range");
        let (name, value) = setting.split_once(" = ").expect("a value");
        let end = if value.starts_with('[') { value.rfind(']').map(|end| end + 1) } else { value.find(' ') };
        say(board, &format!("get {name}"));
        let own = board.ask(&format!("set {name} {}", &value[..end.unwrap_or(value.len())]));
        assert_eq!(own.is_ok(), allowed, "{name}: its own value");
        say(board, &format!("set {name} = 1e999"));
    }
}

/// All commands, in two and in three dimensions.
fn all_commands(board: &mut Board, preset: &str) {
    board.ask(&format!("preset {preset}")).expect("a preset");
    for dimensions in [2, 3] {
        // Some presets do not fit integers with predators.
        for line in ["boids 40", &format!("set flock.dimensions {dimensions}"), "set predators.count 2"] {
            say(board, line);
        }
        for line in obstacles() {
            say(board, &line);
        }
        say(board, "obstacle { position = [1.123456789012345, 2, 3], radius = 4 }");
        for line in
            ["help", "hash", "hashes 2", "state", "cycles", "status", "version", "preset", "run", "pause"]
        {
            board.ask(line).expect(line);
        }
        for line in ["kernel plain", "step 2", "kernel assembly", "step", "seed 3", "step", "put step 9"] {
            board.ask(line).expect(line);
        }
        // The lists of the nearest lie on the stacks of both cores.
        for line in ["neighbours.nearest 32", "line_of_sight.weight 0.5", "attractor.avoid true"] {
            say(board, &format!("set {line}"));
        }
        for line in ["step 2", "set neighbours.nearest 0", "set line_of_sight.weight 0"] {
            board.ask(line).expect(line);
        }
        for line in
            ["put boid 1 1 2 0 4 5 0 7 1 3", "put predator 1 1 2 0 4 5 0", "step", "boids 100000", "fly"]
        {
            say(board, line);
        }
        for kind in ["x", "set ", "set cohesion.radius ", "set obstacles.spheres [", "put boid ", "preset "] {
            say(board, &kind.repeat(LINE / kind.len()));
        }
        say(board, "set obstacles.spheres []");
        board.ask("begin terms").expect("a batch");
        for line in ["set motion.gain 0.5", "boids 41", "capacity", "list", "commit", "terms off"] {
            say(board, line);
        }
    }
}

/// Fails where a stack has less than is allowed.
fn check(left: [u32; 2]) {
    eprintln!("stacks: {left:?} bytes of {STACKS:x?} left");
    for (core, (left, stack)) in left.iter().zip(STACKS).enumerate() {
        assert!(*left >= MIN, "core {core} has {left} bytes left: allowed is {MIN} and more");
        // Otherwise the paint was not where the stack is.
        assert!(*left < stack.end - stack.start, "core {core} has {left} bytes left");
    }
}

/// The lines of what was found elsewhere.
fn corpus() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/console");
    let files = std::fs::read_dir(folder).expect("a folder of the repository");
    let text =
        files.map(|file| std::fs::read(file.expect("an entry").path()).expect("a file")).collect::<Vec<_>>();
    let text = String::from_utf8_lossy(&text.join(&b'\n')).into_owned();
    text.split(['\n', '\r']).filter(|line| line.is_ascii() && !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn half_a_kilobyte_of_each_stack_is_left_after_all_that_the_console_can_do() {
    let Some(mut board) = board() else { return };
    for preset in PRESETS.iter().step_by(scope::choose(4, 1)) {
        all_commands(&mut board, preset.name);
        eprintln!("{}: {:?} bytes left", preset.name, left(&board));
    }
    set_all(&mut board, true);
    corpus().iter().for_each(|line| drop(say(&mut board, line)));
    // With the interrupts of the screen, and its picture.
    board.machine.darken(false);
    for line in &obstacles() {
        say(&mut board, line);
    }
    set_all(&mut board, true);
    check(left(&board));
}

#[test]
fn half_a_kilobyte_of_each_stack_is_left_where_terms_fly() {
    let Some(image) = image() else { return };
    for dimensions in [2, 3] {
        let mut p = parameters("murmuration", dimensions, 40);
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
        check(left(board));
    }
}

#[test]
fn both_cores_share_the_work_of_a_step() {
    let Some(mut board) = board() else { return };
    for (preset, boids) in [("cornell", 1000), ("murmuration", 500)] {
        board.ask(&format!("preset {preset}")).expect("a preset");
        board.ask(&format!("boids {boids}")).expect("boids");
        let before = [0, 1].map(|core| board.machine.chip.core_cycles(core));
        board.ask("step 10").expect("steps");
        let worked = [0, 1].map(|core| board.machine.chip.core_cycles(core) - before[usize::from(core)]);
        assert!(worked[1] * 10 > worked[0] * 8, "{preset}: core 1 has worked {worked:?} cycles");
        let shares = board.ask("cycles").expect("cycles");
        let number = |core: usize, name: &str| -> u64 {
            let mut words = shares[core].split(' ').skip_while(|word| *word != name);
            words.nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{name} in {shares:?}"))
        };
        let both = |name: &str| number(0, name) + number(1, name);
        assert_eq!(both("boids"), boids, "every boid is one core's");
        let least = number(0, "boids").min(number(1, "boids"));
        assert!(least * 3 > boids, "{preset}: a core has {least} boids of {boids}");
        eprintln!(
            "{preset}, {boids} boids, 10 steps: {worked:?} cycles of work; step 10: {} cycles a step, {} candidates, {} cycles a candidate in the loop",
            number(0, "total").max(number(1, "total")),
            both("candidates"),
            both("search") / both("candidates").max(1),
        );
    }
}

#[test]
fn a_core_without_work_does_not_count_as_at_work() {
    let Some(mut board) = board() else { return };
    let before = board.machine.chip.core_cycles(1);
    board.ask("list").expect("the parameters");
    let slept = board.machine.chip.core_cycles(1) - before;
    assert!(slept < 10_000, "core 1 has nothing to do with the console, and works {slept} cycles");
}
