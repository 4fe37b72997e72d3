//! # The CPU engine with registers of a given width
//!
//! `cargo run --example registers -- CONFIG.toml WIDTH STEPS [FILE.csv]`: steps the flock of a configuration, or a state
//! of `murmuration run`, with registers of one width (sse2, avx2, avx-512) and prints the milliseconds per step:
//! the speed of machines without wider ones. The bits are the same for all widths.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use cpu::Registers;
use engine::system::Threads;
use engine::{Numeric, State};

/// Untimed steps.
const WARM_UP: u32 = 3;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match time(&words) {
        Ok(milliseconds) => {
            println!("{milliseconds:.4}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn time(words: &[String]) -> Result<f64, Box<dyn Error>> {
    let [config, width, steps, init @ ..] = words else {
        return Err("which? for instance benches/henad.toml avx2 20".into());
    };
    let parameters = config::load(Path::new(config))?.parameters;
    let state = match init.first() {
        Some(file) => files::read_state(Path::new(file), Numeric::F32)?.state,
        None => State::start(&parameters),
    };
    let registers = Registers::named(width).ok_or_else(|| {
        let names: Vec<&str> = Registers::available().iter().map(|registers| registers.name()).collect();
        format!("{width}: this machine has {}", names.join(", "))
    })?;
    let mut engine = cpu::open(Numeric::F32, Threads::new(None)?, registers, &parameters, &state)?;
    let steps: u32 = steps.parse()?;
    engine.advance(WARM_UP)?;
    let began = Instant::now();
    engine.advance(steps)?;
    Ok(began.elapsed().as_secs_f64() * 1e3 / f64::from(steps))
}
