//! Files that somebody has damaged: each is read to the same bits again, or refused in a line.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use config::presets::PRESETS;
use config::{self, Document, Setting};
use cpu::Real;
use engine::{Numeric, State};
use files::failure::Failure;
use flock::{Fixed, Parameters};

use super::fuzzer::{Target, parameter_words};
use super::{Folder, random_flock};

/// Bytes that reading may take: so many for each of the file, and so many for any.
const MEMORY: [usize; 2] = [400, 1 << 20];

/// The longest line of an error: a parameter of a long list is refused with all that may stand there.
const LINE: usize = 1000;

/// The most boids of an accepted flock that are stepped.
const BOIDS: u32 = 24;

/// Coordinates and speeds up to which a run goes on from a file, as `run --init` has it.
const LARGEST: f64 = 1e15;

/// One case in so many is given to the program, too.
const WHOLE: usize = 200;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The system's allocator; it knows the most memory that a thread held at once.
struct Counted;

thread_local! {
    /// Bytes that this thread took and did not give back. What it gives back for others may make it negative.
    static HELD: Cell<isize> = const { Cell::new(0) };
    /// The most of them at once.
    static MAX: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends may have no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        MAX.try_with(|most| most.set(most.get().max(held.get())))
    });
}

// SAFETY: it forwards to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The result of the work, and the maximum number of bytes held on this thread.
fn most_held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MAX.set(before);
    let value = work();
    (value, (MAX.get() - before).max(0) as usize)
}

fn target(name: &'static str, texts: Vec<Vec<u8>>, words: &[&str]) -> Target {
    let mut all: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    all.extend(PRESETS.iter().map(|preset| preset.name.as_bytes().to_vec()));
    Target { name, root: env!("CARGO_MANIFEST_DIR").into(), texts, words: all }
}

/// Checks the program's output: one line, then perhaps a hint, without control characters for the terminal.
fn shown_well(failure: &Failure) {
    let text = failure.to_string();
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with("error: ")), "{text:?}");
    assert!(lines.clone().count() <= 1 && lines.all(|line| line.starts_with("hint: ")), "{text:?}");
    assert!(text.lines().all(|line| line.chars().count() <= LINE), "{text:?}");
    let commands = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.chars().any(commands), "{text:?}");
}

/// Reads the bytes of a file, and checks the memory that this takes.
fn within_memory<T>(bytes: usize, read: impl FnOnce() -> T) -> T {
    let (value, most) = most_held(read);
    assert!(most <= MEMORY[0] * bytes + MEMORY[1], "{most} bytes of memory for a file of {bytes}");
    value
}

/// The program ends with its line, not with a panic; the case is told by its bytes, so that it repeats.
fn program_ends(folder: &Folder, text: &[u8], call: &str) {
    let sum = text.iter().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    if !sum.is_multiple_of(WHOLE) {
        return;
    }
    let ended = folder.call(call);
    assert!([Some(0), Some(2)].contains(&ended.code), "{ended:?}");
    assert!(!ended.stderr.chars().any(|c| c.is_control() && c != '\n'), "{ended:?}");
}

/// Two steps on the CPU, or a refusal.
fn steps<T: Real>(parameters: &Parameters, state: &State) {
    match cpu::open_as::<T>(parameters, state, Some(1)) {
        Ok(mut engine) => {
            engine.advance(2).expect("stepped");
            assert_eq!(engine.state().expect("read").boids.len(), state.boids.len());
        }
        Err(error) => shown_well(&error.into()),
    }
}

/// Parameters that a file may have are saved and read to the same bits, and can be stepped.
fn accepted(document: &Document) {
    let parameters = &document.parameters;
    config::check_ranges(parameters).expect("in range");
    parameters.check().expect("they go together");
    let saved = config::save(document);
    let again = config::parse(&saved, "saved").unwrap_or_else(|error| panic!("{error} in {saved}"));
    assert_eq!(config::save(&again), saved);
    assert_eq!(again.view, document.view);
    assert_eq!(config::to_json(&again.parameters), config::to_json(parameters));
    let mut few = *parameters;
    few.flock.boids = few.flock.boids.min(BOIDS);
    few.predators.count = few.predators.count.min(3);
    let state = State::start(&few);
    steps::<f32>(&few, &state);
    steps::<Fixed>(&few, &state);
}

#[test]
fn parameters_are_read_to_the_same_bits_or_refused_in_a_line() {
    let presets = PRESETS.iter().map(|preset| preset.text.to_owned());
    let drawn = (0..12).map(|number| {
        let parameters = random_flock::parameters(number, BOIDS);
        config::save(&Document { parameters, ..Document::default() })
    });
    let over = PRESETS.iter().map(|preset| format!("preset = \"{}\"\n[flock]\nboids = 7\n", preset.name));
    let texts = presets.chain(drawn).chain(over).map(String::into_bytes).collect();
    let mut target =
        target("toml", texts, &["preset", "\"keep\"", "position", "radius", "1979-05-27T07:32:00Z"]);
    target.words.extend(parameter_words());
    let folder = Folder::new();
    let file = folder.path("a.toml");
    target.run(|text| {
        std::fs::write(&file, text).expect("written");
        program_ends(&folder, text, "run --config a.toml -n 9 --engine cpu --steps 1 --quiet");
        for line in String::from_utf8_lossy(text).lines().take(20) {
            match within_memory(line.len(), || Setting::parse(line)) {
                Ok(setting) => assert!(line.contains(setting.name().split('.').next_back().expect("a key"))),
                Err(error) => shown_well(&error.into()),
            }
        }
        match within_memory(text.len(), || config::load(&file)) {
            Ok(document) => accepted(&document),
            Err(error) => {
                shown_well(&error.into());
                return false;
            }
        }
        true
    });
}

/// Flocks as they are saved, some with predators.
fn saved_states() -> Vec<Vec<u8>> {
    let folder = Folder::new();
    let one = |(k, numeric): (usize, Numeric)| {
        let mut p = PRESETS[k % PRESETS.len()].parameters().expect("built in");
        p.set_boids(1 + k as u32);
        p.flock.dimensions = 2 + k as u32 % 2;
        p.predators.count = k as u32 % 3;
        let mut state = State::start(&p);
        state.step = 17 * k as u64;
        let path = folder.path("saved.csv");
        files::write_state(&path, &state, numeric, files::Existing::Replace).expect("written");
        let text = folder.read("saved.csv");
        // Some as earlier versions wrote them, without kinds and, if they are no trajectory, without steps.
        match k % 3 {
            0 => text.replace(",kind", "").replace(",boid", ""),
            1 => text.replace("step,", "").replace(&format!("\n{},", state.step), "\n"),
            _ => text,
        }
        .into_bytes()
    };
    (0..8).flat_map(|k| [(k, Numeric::F32), (k, Numeric::F64)]).map(one).collect()
}

/// The bits of a state.
fn bits(state: &State) -> Vec<u64> {
    let boids = state.boids.iter().flat_map(|boid| {
        let whole = [u64::from(boid.group), boid.rest as u64, boid.bias.to_bits()];
        boid.position.into_iter().chain(boid.velocity).map(f64::to_bits).chain(whole)
    });
    let predators = state.predators.iter();
    let predators = predators.flat_map(|one| one.position.into_iter().chain(one.velocity).map(f64::to_bits));
    [state.step, state.boids.len() as u64].into_iter().chain(boids).chain(predators).collect()
}

/// A state that a file may have is written and read to the same bits, and can be stepped.
fn comes_back(folder: &Folder, state: &State, numeric: Numeric) {
    let file = folder.path("again.csv");
    files::write_state(&file, state, numeric, files::Existing::Replace).expect("written");
    assert_eq!(bits(&files::read_state(&file, numeric).expect("read").state), bits(state));
    let boids = state.boids.iter().map(|boid| [boid.position, boid.velocity]);
    let predators = state.predators.iter().map(|predator| [predator.position, predator.velocity]);
    let far = |vectors: [[f64; 3]; 2]| vectors.as_flattened().iter().any(|number| number.abs() > LARGEST);
    if state.boids.len() > BOIDS as usize || boids.chain(predators).any(far) {
        return;
    }
    let mut p = PRESETS[0].parameters().expect("built in");
    (p.flock.dimensions, p.flock.boids) = (3, state.boids.len() as u32);
    p.predators.count = state.predators.len() as u32;
    match numeric {
        Numeric::F32 => steps::<f32>(&p, state),
        Numeric::F64 | Numeric::Fixed => steps::<f64>(&p, state),
    }
}

#[test]
fn states_are_read_to_the_same_bits_or_refused_in_a_line() {
    let target = target(
        "csv",
        saved_states(),
        &["id", "x", "vz", "group", "bias", "rest", "step", "kind", "predator"],
    );
    let folder = Folder::new();
    let file = folder.path("a.csv");
    target.run(|text| {
        std::fs::write(&file, text).expect("written");
        program_ends(&folder, text, "run --preset yabi --init a.csv --engine cpu --steps 1 --quiet");
        let mut taken = false;
        for numeric in [Numeric::F32, Numeric::F64] {
            match within_memory(text.len(), || files::read_state(&file, numeric)) {
                Ok(saved) => {
                    comes_back(&folder, &saved.state, numeric);
                    taken = true;
                }
                Err(error) => shown_well(&error),
            }
        }
        taken
    });
}

/// The control: a reader with a mistake is found, and the case is in a file that repeats it.
#[test]
fn a_reader_that_takes_no_great_speeds_is_found() {
    let folder = Folder::new();
    let file = folder.path("a.csv");
    let mistaken = |text: &[u8]| {
        std::fs::write(&file, text).expect("written");
        let Ok(saved) = files::read_state(&file, Numeric::F64) else { return false };
        saved.state.boids.iter().for_each(|boid| assert!(boid.velocity[0].abs() < 1e6, "a great speed"));
        true
    };
    let fast = b"id,x,y,z,vx,vy,vz\n0,1,2,3,5e6,0,0\n1,1,2,3,0,5e6,0\n".to_vec();
    let run = || target("csv", vec![fast.clone()], &[]).run(mistaken);
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it is found");
    let message = found.downcast_ref::<String>().expect("a message");
    assert!(message.contains("fails: a great speed"), "{message}");
    let case = message.split(['(', ')']).nth(1).expect("a file");
    let text = std::fs::read(case).expect("the case");
    std::fs::remove_file(case).expect("removed");
    let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| mistaken(&text)));
    assert!(again.is_err(), "the file has another case");
}
