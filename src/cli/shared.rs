//! The arguments that several commands share, and their meaning.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use config::{ConfigError, Document, Scenery, Setting, Source, ambiguous, presets, whole_number};
use engine::Numeric;
use engines::{EngineKind, EngineRequest};
use files::{Failure, Result};
use flight::Flight;
use gpu::Kernel;

/// The steps of a run that says nothing of them.
pub const RUN_STEPS: u64 = 100;

/// Steps are counted in 32 bits where random numbers are drawn.
pub const MAX_STEPS: u64 = u32::MAX as u64;

/// More threads than any machine has cores.
pub(super) const MAX_THREADS: u64 = 4096;

/// The last line of a short help that leaves something out.
pub(super) const MORE: &str = "Use --help to show all options, with details.";

/// The arguments of a command that steps a flock, as typed.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true, after_help = MORE, after_long_help = "")]
pub struct Arguments<O: Args> {
    // First: what follows a group with a heading would be listed under that heading.
    #[command(flatten)]
    pub options: O,
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// The resolved arguments: complete, and without contradictions.
#[derive(Clone, Debug)]
pub struct Request<O> {
    pub options: O,
    pub flock: FlockRequest,
    pub engine: EngineRequest,
    /// True if the call names the number type.
    pub names_numeric: bool,
}

impl<O: Args> Arguments<O> {
    /// Resolves the arguments.
    ///
    /// # Errors
    /// For a value that is not allowed, and options that contradict each other.
    pub(crate) fn resolve(self, purpose: AdapterFor) -> Result<Request<O>> {
        let flock = FlockRequest::new(&self.flock)?;
        let names_numeric = self.engine.numeric.is_some();
        let engine = engine_request(self.engine, purpose)?;
        Ok(Request { flock, engine, names_numeric, options: self.options })
    }
}

/// Which flock.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlockArgs {
    /// Start from a preset; `murmuration presets` lists them.
    #[arg(long, value_name = "NAME", conflicts_with = "config", value_parser = PresetName)]
    #[arg(hide_possible_values = true)]
    pub preset: Option<String>,
    /// Start from a parameter file.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Add the terms of another preset or file, or one term; may be repeated.
    ///
    /// A term is a formula that adds a velocity to the rule. TERM is the name of a preset, a file (.toml), or one term as
    /// NAME={…}.
    #[arg(long, value_name = "TERM")]
    pub term: Vec<String>,
    /// Set a parameter, as in a parameter file; may be repeated.
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    pub set: Vec<String>,
    /// Number of boids, such as 1000000, 1e6, 100k, 0.5M or 1G.
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true)]
    pub boids: Option<String>,
    /// Seed of the random start and of noise.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<String>,
}

/// Where a run begins.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Flock")]
pub struct StartArgs {
    /// Start from a saved state, or from the last one of a trajectory.
    ///
    /// The parameters are not in that file: name the preset or parameter file, too.
    #[arg(long, value_name = "FILE.csv", conflicts_with = "flight")]
    pub init: Option<PathBuf>,
    /// Number of the first step [default: the step of the file of --init, else 0]
    ///
    /// Noise, predators and a wandering home depend on it. With --init it cannot differ from the step of that file.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS), hide_short_help = true)]
    #[arg(conflicts_with = "flight")]
    pub first_step: Option<u64>,
    #[command(flatten)]
    pub recorded: FlightArgs,
}

/// A flight that is repeated.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlightArgs {
    /// Repeat a recorded flight: its start, and every change to it.
    ///
    /// The number type is that of the flight unless --numeric names another.
    #[arg(long, value_name = "FILE.flight", conflicts_with_all = ["preset", "config", "term", "set", "boids", "seed"])]
    pub flight: Option<PathBuf>,
}

impl FlightArgs {
    /// The flight, if the call names one. The engine gets the number type of the flight, unless the call names another.
    ///
    /// # Errors
    /// When the file is no flight, or the engine does not have its number type.
    pub fn read(&self, engine: &mut EngineRequest, names_numeric: bool) -> Result<Option<Flight>> {
        let Some(path) = &self.flight else { return Ok(None) };
        let flight = flight::load(path)?;
        self.choose_numeric(&flight, engine, names_numeric)?;
        Ok(Some(flight))
    }

    /// Gives the engine the number type of a flight, unless the call names another.
    ///
    /// # Errors
    /// When the engine does not have it.
    pub fn choose_numeric(&self, flight: &Flight, engine: &mut EngineRequest, names_numeric: bool) -> Result {
        if names_numeric || engine.which == EngineKind::Rp2040 {
            return Ok(());
        }
        let on_gpu = engine.which == EngineKind::Gpu || engine.names_adapter() || engine.kernel.is_some();
        if flight.start.numeric == Numeric::F64 && on_gpu {
            let name = self.flight.as_deref().unwrap_or("the flight".as_ref());
            let failure =
                Failure::usage(format!("{} is in f64, which requires --engine cpu", name.display()));
            return Err(failure.hint("add --numeric f32 or --numeric fixed; it then takes another course"));
        }
        engine.numeric = flight.start.numeric;
        Ok(())
    }
}

/// How a flock is drawn.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// Look of the picture.
    ///
    /// dusk draws birds as ink on a bright sky, cones draws lit cones on a dark ground, paper draws them on near-white,
    /// water draws an aquarium. In two dimensions dusk and water are drawn as cones. The arrows of `render` have no look.
    ///
    /// [default: the look in the table [view] of the preset or file, else cones]
    #[arg(long = "look", value_name = "LOOK", value_parser = one_of(&Scenery::ALL))]
    pub named: Option<Scenery>,
}

/// The engine that steps it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Engine to use.
    ///
    /// auto uses the GPU if there is one in hardware, and otherwise the CPU. gpu also runs on software adapters. rp2040
    /// is an emulated board.
    #[arg(long, value_parser = one_of(&EngineKind::ALL), default_value = "auto")]
    pub engine: EngineKind,
    /// Number type [default: f32]
    ///
    /// f64 requires the CPU engine. fixed computes in integers, with the same bits on every engine; it is the default
    /// and the only type of rp2040.
    #[arg(long, value_parser = one_of(&Numeric::ALL))]
    pub numeric: Option<Numeric>,
    /// GPU adapter: its index, or a part of its name; `murmuration adapters` lists them.
    #[arg(long, value_name = "INDEX|NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Graphics API of the GPU.
    #[arg(long, value_parser = one_of(&BACKENDS), hide_short_help = true)]
    pub backend: Option<wgpu::Backend>,
    /// How the GPU reads candidates for neighbours [default: by the lanes of a subgroup]; implies the GPU.
    ///
    /// plain: each boid reads its own candidates. shared: the lanes of a subgroup read them together.
    #[arg(long, value_parser = one_of(&Kernel::ALL), hide_short_help = true)]
    pub kernel: Option<Kernel>,
    /// Threads of the CPU engine [default: one per core]; implies the CPU.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=MAX_THREADS))]
    pub threads: Option<usize>,
    /// Firmware of the rp2040 engine, a .uf2 file [default: $MURMURATION_FIRMWARE, else that of the release or clone]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub firmware: Option<PathBuf>,
}

impl EngineArgs {
    /// The first option that requires steps on a GPU: `--kernel`, or an adapter or backend that is not for drawing.
    pub(super) fn gpu_option(&self, purpose: AdapterFor) -> Option<&'static str> {
        let steps = purpose == AdapterFor::Steps;
        match self {
            EngineArgs { adapter: Some(_), .. } if steps => Some("--adapter"),
            EngineArgs { backend: Some(_), .. } if steps => Some("--backend"),
            EngineArgs { kernel: Some(_), .. } => Some("--kernel"),
            _ => None,
        }
    }
}

/// The graphics interfaces, as they are typed.
pub const BACKENDS: [(wgpu::Backend, &str); 4] = [
    (wgpu::Backend::Vulkan, "vulkan"),
    (wgpu::Backend::Metal, "metal"),
    (wgpu::Backend::Dx12, "dx12"),
    (wgpu::Backend::Gl, "gl"),
];

/// The parameters to start from, and what is set on top.
#[derive(Clone, Debug)]
pub struct FlockRequest {
    pub source: Source,
    pub settings: Vec<Setting>,
}

impl FlockRequest {
    /// Resolves the options.
    pub(super) fn new(args: &FlockArgs) -> Result<Self> {
        let source = match (&args.config, &args.preset) {
            (Some(path), _) => Source::File(path.clone()),
            (None, name) => {
                let name = name.as_deref().unwrap_or(presets::DEFAULT);
                Source::Preset(presets::find(name).map_err(|error| error.at("--preset"))?)
            }
        };
        let mut settings = Vec::new();
        for text in &args.term {
            settings.push(Setting::terms(text).map_err(|error| error.at("--term"))?);
        }
        for text in &args.set {
            settings.push(Setting::parse(text).map_err(|error| error.at("--set"))?);
        }
        for (option, name, value) in
            [("--boids", "flock.boids", &args.boids), ("--seed", "flock.seed", &args.seed)]
        {
            let Some(value) = value else { continue };
            if settings.iter().any(|setting| setting.name() == name) {
                return Err(Failure::usage(format!("{option} cannot be used with --set {name}")));
            }
            let setting = Setting::parse(&format!("{name}={value}"));
            settings.push(setting.map_err(|error| error.of_option(option, name))?);
        }
        Ok(FlockRequest { source, settings })
    }

    /// The number of boids, where the call names it.
    pub fn boids(&self) -> Option<u32> {
        self.settings.iter().rev().find_map(Setting::boids)
    }

    /// The parameters; reads the file where there is one.
    ///
    /// # Errors
    /// See [`config::resolve`].
    pub fn parameters(&self) -> Result<flock::Parameters, ConfigError> {
        Ok(self.document()?.parameters)
    }

    /// The parameters and how they are shown; reads the file where there is one.
    ///
    /// # Errors
    /// See [`config::resolve`].
    pub fn document(&self) -> Result<Document, ConfigError> {
        config::resolve(&self.source, &self.settings)
    }

    /// The files that it is read from, each with its option.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let file = match &self.source {
            Source::File(path) => Some(("--config", path.as_path())),
            Source::Preset(_) => None,
        };
        let terms = self.settings.iter().filter_map(Setting::file).map(|path| ("--term", path));
        file.into_iter().chain(terms).map(|(option, path)| (option, path.to_owned()))
    }
}

/// The purpose of an adapter in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdapterFor {
    /// To step the flock.
    Steps,
    /// To draw it, whatever steps it.
    Drawing,
}

/// The request for an engine, if an engine can satisfy it.
fn engine_request(args: EngineArgs, purpose: AdapterFor) -> Result<EngineRequest> {
    let named = args.gpu_option(purpose);
    let EngineArgs { engine: which, numeric, adapter, backend, kernel, threads, firmware } = args;
    let board = which == EngineKind::Rp2040;
    let numeric = numeric.unwrap_or(if board { Numeric::Fixed } else { Numeric::F32 });
    let exclude = |one: &str, other: &str| Err(Failure::usage(format!("{one} cannot be used with {other}")));
    let chosen = format!("--engine {}", which.name());
    if board && numeric != Numeric::Fixed {
        return exclude(&format!("--numeric {}", numeric.name()), &chosen);
    }
    if board && purpose == AdapterFor::Drawing {
        let failure = Failure::usage("--engine rp2040 cannot draw pictures");
        return Err(failure.hint("use `murmuration run`, which steps the emulated board"));
    }
    if numeric == Numeric::F64 && (which == EngineKind::Gpu || named.is_some()) {
        let other = named.unwrap_or("--engine gpu");
        let why = format!("--numeric f64 cannot be used with {other}");
        return Err(Failure::usage(why).hint("f64 requires --engine cpu; the GPU computes in f32 and fixed"));
    }
    if let (Some(option), EngineKind::Cpu | EngineKind::Rp2040) = (named, which) {
        return exclude(option, &chosen);
    }
    if let (Some(_), EngineKind::Gpu | EngineKind::Rp2040) = (threads, which) {
        return exclude("--threads", &chosen);
    }
    if firmware.is_some() && !board {
        return Err(Failure::usage("--firmware requires --engine rp2040"));
    }
    if let (Some(_), Some(option)) = (threads, named) {
        return exclude("--threads", option);
    }
    Ok(EngineRequest { which, numeric, adapter, backend, kernel, threads, firmware })
}

/// Parses one of these words to its value.
pub(super) fn one_of<T: Copy + Send + Sync>(
    all: &'static [(T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let words = PossibleValuesParser::new(all.iter().map(|(_, word)| *word));
    words.map(|word| all.iter().find(|(_, name)| *name == word).map_or(all[0].0, |(value, _)| *value))
}

/// Takes any word; completions offer the names of the presets. A wrong name is refused where presets are found, with
/// all names and the nearest one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PresetName;

impl TypedValueParser for PresetName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(presets::all().map(|preset| PossibleValue::new(preset.name))))
    }
}

/// Parses a whole number within limits, also as `1e6`, `100k` or `0.5M`.
pub(super) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = whole_number(text).filter(|number| range.contains(number));
        // A number that is whole is only out of range.
        let kind = if whole_number(text).is_some() { "" } else { "a whole number from " };
        let required = || format!("must be {kind}{} to {}", range.start(), range.end());
        let refused = || ambiguous(text).unwrap_or_else(required);
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(refused)
    }
}

/// Parses a number within limits.
pub(super) fn real(range: RangeInclusive<f64>) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("must be {} to {}", range.start(), range.end()))
    }
}

/// Parses a width and a height in pixels, as in `1280x720`.
pub(super) fn sides(range: RangeInclusive<u32>) -> impl Fn(&str) -> Result<[u32; 2], String> + Clone {
    move |text| {
        let side = |text: &str| text.trim_ascii().parse().ok().filter(|side| range.contains(side));
        let parts = text.split_once(['x', 'X', '×']);
        parts.and_then(|(width, height)| Some([side(width)?, side(height)?])).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            format!("must be WxH, such as 1280x720, each {least} to {most}")
        })
    }
}

/// More ranks than one machine has cores for.
const MAX_RANKS: u64 = 256;

/// One flock on many ranks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct RankOptions {
    /// Divide the flock among 1 to 256 ranks, which are threads; implies the CPU.
    ///
    /// The results have the same bits as without ranks; in f32, as long as fewer than 128 boids share a cell.
    #[arg(long, value_name = "R", value_parser = whole::<usize>(1..=MAX_RANKS), hide_short_help = true)]
    pub ranks: Option<usize>,
    /// Use the processes that mpirun has started as ranks; rank 0 writes and prints.
    #[cfg(feature = "mpi")]
    #[arg(long, conflicts_with = "ranks", hide_short_help = true)]
    pub mpi: bool,
}

impl RankOptions {
    /// The option that puts the flock on ranks, if any.
    pub fn named(&self) -> Option<&'static str> {
        #[cfg(feature = "mpi")]
        if self.mpi {
            return Some("--mpi");
        }
        self.ranks.map(|_| "--ranks")
    }

    /// Checks the options that must agree with ranks, which are on the cores.
    pub(super) fn resolve(&self, engine: &mut EngineArgs, purpose: AdapterFor) -> Result {
        let Some(by) = self.named() else { return Ok(()) };
        let refused = |what: &str| Err(Failure::usage(format!("{by} cannot be used with {what}")));
        if !matches!(engine.engine, EngineKind::Auto | EngineKind::Cpu) {
            return refused(&format!("--engine {}", engine.engine.name()));
        }
        if engine.numeric == Some(Numeric::F64) {
            return refused("--numeric f64");
        }
        if let Some(option) = engine.gpu_option(purpose) {
            return refused(option);
        }
        engine.engine = EngineKind::Cpu;
        Ok(())
    }
}
