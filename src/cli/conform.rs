//! `conform`: its options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::shared::{PresetName, one_of, whole};
use config::presets::{self, PRESETS};
use conform::backends::Place;
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
#[command(allow_negative_numbers = true)]
pub struct ConformOptions {
    /// Compare only this tier: bits, the same at every step in integers; step, the error of one step in floating point. No
    /// negative controls then; may be repeated.
    #[arg(long, value_parser = one_of(&Tier::ALL))]
    pub tier: Vec<Tier>,
    /// Only these presets; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = PresetName)]
    pub preset: Vec<String>,
    /// The flocks of a file of parameters; may be repeated.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Vec<PathBuf>,
    /// Steps on which engines in integers must agree [default: 1000, and 100 on a board].
    #[arg(long, value_name = "K", value_parser = whole::<u32>(1..=100_000))]
    pub steps: Option<u32>,
    /// Also compare the board at this serial port, as /dev/ttyUSB0; its flock stays paused afterwards.
    #[arg(long, value_name = "PORT")]
    pub serial: Option<PathBuf>,
    /// The firmware of the emulated board, as .uf2 [default: $MURMURATION_FIRMWARE, or that of the release or clone].
    #[arg(long, value_name = "FILE")]
    pub firmware: Option<PathBuf>,
    /// Fail where no backend of these kinds can be compared; a list.
    #[arg(long, value_delimiter = ',', value_parser = one_of(&Place::ALL))]
    pub require: Vec<Place>,
    /// Write the findings as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Compare nothing; write the hashes of the rule in integers, for crates/conform/src/constants.toml.
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["tier", "preset", "config", "steps", "serial", "json", "firmware", "require"])]
    pub constants: Option<PathBuf>,
    /// Replace a file that exists.
    #[arg(short, long)]
    pub yes: bool,
    /// Print nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
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
