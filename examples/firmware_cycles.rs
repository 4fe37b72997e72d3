//! # The cost of a frame on the emulated board
//!
//! `cargo run --example firmware_cycles -- FIRMWARE PRESET MHZ BOIDS...` prints rows of a table for each number of
//! boids, at the start and settled. The CPU engine, which has the same bits, steps the flock. At intervals the board
//! receives its state, makes one step to fit the grid, and reports the cost of a second step.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use board::{Board, Image, Rp2040Engine};
use config::presets::{self, Preset};
use engine::{Engine, State};
use flock::Fixed;

/// The first and the last settled step, and the interval.
const SETTLED: [u64; 2] = [300, 3000];
const EVERY: u32 = 100;
/// The board fits its grid to the flock after steps whose lowest bits are all ones, so written states get such a step.
/// Apart from that only noise and predators depend on the step.
const FITTED: u64 = 63;
/// Cycles of three frames at 125 MHz.
const PICTURES: u64 = 6_300_000;

/// The cost of a step: cycles of the slower core; candidates, neighbours and search cycles of both cores.
#[derive(Clone, Copy)]
struct Cost {
    frame: u64,
    search: u64,
    candidates: u64,
    neighbours: u64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [firmware, preset, mhz, boids @ ..] = &words[..] else {
        eprintln!("error: which? for instance target/firmware/cornell-125.uf2 cornell 125 500 1000");
        return ExitCode::from(2);
    };
    println!(
        "preset | boids | clock | steps | mean | 95 % | candidates | neighbours | cycles a candidate | drawing"
    );
    for boids in boids {
        if let Err(error) = measure(Path::new(firmware), preset, mhz, boids) {
            eprintln!("error: {preset}, {boids} boids at {mhz} MHz: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn measure(firmware: &Path, preset: &str, mhz: &str, boids: &str) -> Result<(), Box<dyn Error>> {
    let clock: f64 = mhz.parse()?;
    let mut parameters = presets::find(preset).and_then(Preset::parameters)?;
    parameters.set_boids(boids.parse()?);
    let start = State::start(&parameters);
    let mut reference = cpu::open_as::<Fixed>(&parameters, &start, Some(1))?;
    let mut board = Rp2040Engine::new(&Image::read(firmware)?, &parameters, &start)?;
    let first = step(&mut board)?;
    let mut settled = Vec::new();
    reference.advance(SETTLED[0] as u32)?;
    loop {
        let mut state = reference.state()?;
        state.step |= FITTED;
        board.set_state(&state)?;
        board.advance(1)?;
        settled.push(step(&mut board)?);
        if reference.step_number() >= SETTLED[1] {
            break;
        }
        reference.advance(EVERY)?;
    }
    let drawing = draw(&mut board.board)?;
    for (when, costs) in [("0", vec![first]), ("300 to 3000", settled)] {
        let millis = |cycles: u64| (cycles + drawing) as f64 / clock / 1e3;
        let count = costs.len() as u64;
        let sum = |of: fn(&Cost) -> u64| costs.iter().map(of).sum::<u64>();
        let each = |of: fn(&Cost) -> u64| sum(of) as f64 / (count * u64::from(parameters.flock.boids)) as f64;
        let mut frames: Vec<u64> = costs.iter().map(|cost| cost.frame).collect();
        frames.sort_unstable();
        // The 95th percentile of the frames.
        let late = frames[(costs.len() * 95).div_ceil(100) - 1];
        println!(
            "{preset} | {boids} | {mhz} | {when} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {drawing}",
            millis(sum(|cost| cost.frame) / count),
            millis(late),
            each(|cost| cost.candidates),
            each(|cost| cost.neighbours),
            sum(|cost| cost.search) / sum(|cost| cost.candidates).max(1),
        );
    }
    Ok(())
}

/// Makes a step on the board.
fn step(engine: &mut Rp2040Engine) -> Result<Cost, Box<dyn Error>> {
    engine.advance(1)?;
    let lines = engine.board.ask("cycles")?;
    let both =
        |name| Ok::<_, Box<dyn Error>>([number(&lines, "core 0", name)?, number(&lines, "core 1", name)?]);
    let sum = |name| both(name).map(|[one, other]| one + other);
    let [one, other] = both("total")?;
    Ok(Cost {
        frame: one.max(other),
        search: sum("search")?,
        candidates: sum("candidates")?,
        neighbours: sum("neighbours")?,
    })
}

/// The cycles of drawing a picture, with the video signal on.
fn draw(board: &mut Board) -> Result<u64, Box<dyn Error>> {
    board.machine.darken(false);
    board.ask("status")?;
    board.machine.run(PICTURES);
    let lines = board.ask("cycles")?;
    number(&lines, "drawing", "drawing")
}

/// The number after `name` in the line that begins with `begin`.
fn number(lines: &[String], begin: &str, name: &str) -> Result<u64, Box<dyn Error>> {
    let line = lines.iter().find(|line| line.starts_with(begin)).ok_or("no such line")?;
    let mut words = line.split([' ', ':']).skip_while(|word| *word != name);
    Ok(words.nth(1).ok_or("no such number")?.parse()?)
}
