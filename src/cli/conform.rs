//! `conform`: its options, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::request::whole;
use crate::conform::plan::Plan;
use crate::conform::result::Tier;
use crate::failure::Failure;
use crate::presets::{self, PRESETS, Preset};

/// Steps of tier A, and those on a microcontroller, where none are given.
const STEPS: u32 = 1000;
const BOARD_STEPS: u32 = 100;

/// `conform`.
#[derive(Args, Debug)]
pub struct ConformArgs {
    /// Only these tiers, and no negative controls; may be repeated. a: the same bits. b: one step. c: statistics.
    #[arg(long, value_enum)]
    pub tier: Vec<TierArg>,
    /// Only these presets; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub preset: Vec<String>,
    /// Steps that engines in integers must agree on: 1000, and 100 on a board, where none are given.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// Runs of each flock whose statistics are compared.
    #[arg(long, value_name = "N", default_value = "30", allow_hyphen_values = true)]
    pub seeds: String,
    /// Compare the board at this serial port, too, as /dev/ttyUSB0; its flock stands still afterwards.
    #[arg(long, value_name = "PORT")]
    pub serial: Option<PathBuf>,
    /// Write what was found as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Compare nothing; write the hashes of the rule itself in integers, to be kept in src/conform/constants.toml.
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["tier", "preset", "steps", "seeds", "serial", "json"])]
    pub constants: Option<PathBuf>,
    /// Say nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// A kind of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierArg {
    /// Integers hold the same bits at every step.
    A,
    /// One step lies within its bounds of the rule in f64.
    B,
    /// Long runs have the same statistics.
    C,
}

/// `conform`.
#[derive(Debug)]
pub struct ConformRequest {
    pub plan: Plan,
    pub serial: Option<PathBuf>,
    pub json: Option<PathBuf>,
    pub constants: Option<PathBuf>,
    pub quiet: bool,
}

impl ConformRequest {
    pub(super) fn new(args: ConformArgs) -> Result<Self, Failure> {
        let tier = |tier| match tier {
            TierArg::A => Tier::Exact,
            TierArg::B => Tier::OneStep,
            TierArg::C => Tier::Statistics,
        };
        let named: Vec<Tier> = args.tier.into_iter().map(tier).collect();
        let tiers = Tier::ALL.into_iter().filter(|tier| named.is_empty() || named.contains(tier));
        let wanted = args.preset.iter();
        let wanted: Vec<&Preset> = wanted
            .map(|name| presets::find(name).map_err(|error| error.at("--preset")))
            .collect::<Result<_, _>>()?;
        let asked = |preset: &&Preset| wanted.is_empty() || wanted.iter().any(|one| one.name == preset.name);
        let steps = args.steps.map(|text| whole("--steps", &text, 1..=100_000)).transpose()?;
        let steps = steps.map(|steps| steps as u32);
        let plan = Plan {
            tiers: tiers.collect(),
            presets: PRESETS.iter().filter(asked).collect(),
            steps: steps.unwrap_or(STEPS),
            board_steps: steps.unwrap_or(BOARD_STEPS),
            seeds: whole("--seeds", &args.seeds, 10..=500)? as u32,
            controls: named.is_empty(),
        };
        let ConformArgs { serial, json, constants, quiet, .. } = args;
        Ok(ConformRequest { plan, serial, json, constants, quiet })
    }
}
