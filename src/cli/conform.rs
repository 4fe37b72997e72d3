//! `conform` and `check`: their options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::shared::{MORE, PresetName, one_of, whole};
use config::presets::{self, PRESETS};
use conform::backends::Platform;
use conform::flocks::Model;
use conform::plan::Plan;
use conform::report::Tier;
use files::Result;

/// Steps on which bits are compared where none are given.
const STEPS: u32 = 1000;
/// The same on a microcontroller.
const BOARD_STEPS: u32 = 100;

/// `conform`.
#[derive(Args, Debug)]
#[command(allow_negative_numbers = true, after_help = MORE, after_long_help = "")]
pub struct ConformOptions {
    /// Compare only this tier; may be repeated.
    ///
    /// bits compares integers: engines must agree in every bit at every step. step compares floating point: the error of
    /// one step must be within its bound. With this option the negative controls are left out.
    #[arg(long, value_parser = one_of(&Tier::ALL))]
    pub tier: Vec<Tier>,
    /// Compare only this preset; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = PresetName, hide_possible_values = true)]
    pub preset: Vec<String>,
    /// Compare the flock of a parameter file; may be repeated.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Vec<PathBuf>,
    /// Repeat a recorded flight on every engine, and compare its hashes.
    ///
    /// Engines of another number type than the flight's are left out.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tier", "preset", "config"])]
    pub flight: Option<PathBuf>,
    /// Number of steps compared in integers [default: 1000, or 100 on a board]
    ///
    /// With --flight: at most so many steps of the flight.
    #[arg(long, value_name = "K", value_parser = whole::<u32>(1..=100_000))]
    pub steps: Option<u32>,
    /// Also compare the board at this serial port, such as /dev/ttyUSB0.
    ///
    /// The flock of the board stays paused afterwards.
    #[arg(long, value_name = "PORT")]
    pub serial: Option<PathBuf>,
    /// Firmware of the emulated board, a .uf2 file [default: $MURMURATION_FIRMWARE, else that of the release or clone]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub firmware: Option<PathBuf>,
    /// Fail unless engines of these kinds can be compared; separate several by commas.
    #[arg(long, value_delimiter = ',', value_parser = one_of(&Platform::ALL), hide_short_help = true)]
    pub require: Vec<Platform>,
    /// Write the results as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the hashes of the rule in integers, for crates/conform/src/constants.toml, and compare nothing.
    #[arg(long, value_name = "FILE.toml", hide_short_help = true)]
    #[arg(conflicts_with_all = ["tier", "preset", "config", "steps", "serial", "json", "firmware", "require", "flight"])]
    pub constants: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(short, long)]
    pub yes: bool,
    /// Print only results and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// `check`.
#[derive(Args, Debug)]
pub struct CheckOptions {
    /// The model, such as agents; docs/reference.md has all.
    #[arg(value_name = "NAME")]
    pub model: String,
    /// The numbers of your program: a CSV file with the columns id,x,y,z,vx,vy,vz.
    #[arg(value_name = "FILE.csv")]
    pub file: PathBuf,
    /// Step that the numbers are of: 1, 2, 5 or 10 [default: the last step in the file]
    #[arg(long, value_name = "K", value_parser = recorded_step)]
    pub step: Option<u32>,
    /// Accepted by every command; has no effect on this one.
    #[arg(long)]
    pub quiet: bool,
}

/// A step whose numbers are recorded.
fn recorded_step(text: &str) -> Result<u32, &'static str> {
    let step = text.parse().ok().filter(|step| reference::STEPS.contains(step));
    step.ok_or("must be 1, 2, 5 or 10")
}

/// A comparison to be done.
pub struct ConformRequest {
    pub plan: Plan,
    pub options: ConformOptions,
}

impl ConformRequest {
    pub(crate) fn new(options: ConformOptions) -> Result<Self> {
        let mut models = Vec::new();
        if options.preset.is_empty() && options.config.is_empty() {
            for preset in PRESETS {
                models.push(Model::preset(preset)?);
            }
        }
        for name in &options.preset {
            let preset = presets::find(name).map_err(|error| error.at("--preset"))?;
            models.push(Model::preset(preset)?);
        }
        for path in &options.config {
            let parameters = config::load(path)?.parameters;
            models.push(Model { name: path.display().to_string(), parameters, kept: false });
        }
        let controls = options.tier.is_empty();
        let plan = Plan {
            tiers: if controls { vec![Tier::Bits, Tier::Step] } else { options.tier.clone() },
            models,
            steps: options.steps.unwrap_or(STEPS),
            board_steps: options.steps.unwrap_or(BOARD_STEPS),
            controls,
        };
        Ok(ConformRequest { plan, options })
    }
}
