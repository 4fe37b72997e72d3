//! What a call means.

use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use super::conform::ConformRequest;
use super::profile::ProfileRequest;
use super::render::RenderRequest;
use super::typed::{
    BackendArg, Command, EngineArg, EngineArgs, FlockArgs, NumericArg, PresetsAction, RunArgs, Typed,
};
use super::view::ViewRequest;
use crate::config::{ConfigError, Setting, Source};
use crate::engines::{EngineRequest, Which};
use crate::failure::Failure;
use crate::presets::{self, Preset};
use crate::report::predators_path;
use crate::state::Numeric;

/// Something to do, complete and without contradictions.
#[derive(Debug)]
pub enum Request {
    View(Box<ViewRequest>),
    Run(Box<RunRequest>),
    Render(Box<RenderRequest>),
    Profile(Box<ProfileRequest>),
    Conform(Box<ConformRequest>),
    ListPresets { json: bool },
    ShowPreset(&'static Preset),
    ListAdapters { json: bool },
    Completions(clap_complete::Shell),
    Manual,
}

/// Which flock: where its parameters start from, and what is set on top.
#[derive(Clone, Debug)]
pub struct FlockRequest {
    pub source: Source,
    pub settings: Vec<Setting>,
}

impl FlockRequest {
    /// What the options mean; `-n` and `--seed` win over `--set`.
    ///
    /// # Errors
    /// For an unknown preset or parameter, and a value that is not allowed.
    pub fn new(args: &FlockArgs) -> Result<Self, Failure> {
        let source = match (&args.config, &args.preset) {
            (Some(path), _) => Source::File(path.clone()),
            (None, name) => {
                let name = name.as_deref().unwrap_or(presets::DEFAULT);
                Source::Preset(presets::find(name).map_err(|error| error.at("--preset"))?)
            }
        };
        let short = [("--boids", "flock.boids", &args.boids), ("--seed", "flock.seed", &args.seed)];
        let set = args.set.iter().map(|text| ("--set", text.clone()));
        let short = short
            .into_iter()
            .filter_map(|(option, name, value)| Some((option, format!("{name}={}", value.as_ref()?))));
        let settings = set
            .chain(short)
            .map(|(option, text)| Setting::parse(&text).map_err(|error| error.at(option).into()))
            .collect::<Result<_, Failure>>()?;
        Ok(FlockRequest { source, settings })
    }

    /// The number of boids, where the call names it.
    #[must_use]
    pub fn boids(&self) -> Option<u32> {
        self.settings.iter().rev().find_map(Setting::boids)
    }

    /// The parameters; reads the file where there is one.
    ///
    /// # Errors
    /// As [`crate::config::resolve`].
    pub fn parameters(&self) -> Result<flock::Parameters, ConfigError> {
        crate::config::resolve(&self.source, &self.settings)
    }
}

/// What a command wants an adapter for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterFor {
    /// To step the flock.
    Steps,
    /// To draw it, whatever steps it.
    Drawing,
}

impl EngineRequest {
    /// What the options mean.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn from_args(args: &EngineArgs, adapter_for: AdapterFor) -> Result<Self, Failure> {
        let which = match args.engine {
            EngineArg::Auto => Which::Auto,
            EngineArg::Gpu => Which::Gpu,
            EngineArg::Cpu => Which::Cpu,
            EngineArg::Rp2040 => Which::Rp2040,
        };
        let numeric = match args.numeric {
            None if which == Which::Rp2040 => Numeric::Fixed,
            None | Some(NumericArg::F32) => Numeric::F32,
            Some(NumericArg::F64) => Numeric::F64,
            Some(NumericArg::Fixed) => Numeric::Fixed,
        };
        if which == Which::Rp2040 {
            let refused = |what: &str, allowed: &str| {
                Err(Failure::usage(format!("{what} with --engine rp2040: allowed is {allowed}")))
            };
            match (numeric, adapter_for) {
                (Numeric::F32 | Numeric::F64, _) => {
                    return refused(&format!("--numeric {}", numeric.name()), "fixed");
                }
                (Numeric::Fixed, AdapterFor::Drawing) => {
                    return refused("drawing", "run; the board draws on a screen of its own");
                }
                (Numeric::Fixed, AdapterFor::Steps) => {}
            }
        }
        let adapter = match (&args.adapter, args.backend) {
            (Some(_), _) => Some("--adapter"),
            (None, Some(_)) => Some("--backend"),
            (None, None) => None,
        };
        let adapter = adapter.filter(|_| adapter_for == AdapterFor::Steps);
        if numeric == Numeric::F64 && (which == Which::Gpu || adapter.is_some()) {
            let other = adapter.unwrap_or("--engine gpu");
            return Err(Failure::usage(format!(
                "--numeric f64 with {other}: allowed are f32 and fixed on the gpu"
            ))
            .hint("f64 needs --engine cpu"));
        }
        let without = match which {
            Which::Cpu => Some("cpu"),
            Which::Rp2040 => Some("rp2040"),
            Which::Gpu | Which::Auto => None,
        };
        if let (Some(engine), Some(option)) = (without, adapter) {
            return Err(Failure::usage(format!("{option} with --engine {engine}: allowed with gpu or auto")));
        }
        let backend = args.backend.map(|backend| match backend {
            BackendArg::Vulkan => wgpu::Backend::Vulkan,
            BackendArg::Metal => wgpu::Backend::Metal,
            BackendArg::Dx12 => wgpu::Backend::Dx12,
            BackendArg::Gl => wgpu::Backend::Gl,
        });
        Ok(EngineRequest { which, numeric, adapter: args.adapter.clone(), backend })
    }
}

/// `run`.
#[derive(Debug)]
pub struct RunRequest {
    pub flock: FlockRequest,
    pub engine: EngineRequest,
    pub steps: u64,
    pub init: Option<PathBuf>,
    /// Where the count of steps begins, where the call says so.
    pub first_step: Option<u64>,
    pub out: Option<PathBuf>,
    pub trajectory: Option<PathBuf>,
    pub metrics: Option<PathBuf>,
    /// Steps between two samples, at least 1.
    pub every: u64,
    pub hash: bool,
    pub json: bool,
    pub quiet: bool,
}

impl RunRequest {
    fn new(args: RunArgs) -> Result<Self, Failure> {
        if args.every.is_some() && args.trajectory.is_none() && args.metrics.is_none() {
            return Err(Failure::usage("--every: allowed with --trajectory FILE.csv or --metrics FILE.csv"));
        }
        one_use_each(&args)?;
        let every = args.every.map(|text| whole("--every", &text, 1..=MOST_STEPS)).transpose()?;
        Ok(RunRequest {
            flock: FlockRequest::new(&args.flock)?,
            engine: EngineRequest::from_args(&args.engine, AdapterFor::Steps)?,
            steps: whole("--steps", &args.steps, 0..=MOST_STEPS)?,
            init: args.init,
            first_step: args
                .first_step
                .map(|text| whole("--first-step", &text, 0..=MOST_STEPS))
                .transpose()?,
            out: args.out,
            trajectory: args.trajectory,
            metrics: args.metrics,
            every: every.unwrap_or(1),
            hash: args.hash,
            json: args.json,
            quiet: args.quiet,
        })
    }
}

/// Whether no file is named twice, those of the predators beside a state among them.
fn one_use_each(args: &RunArgs) -> Result<(), Failure> {
    let beside = |state: &Option<PathBuf>| state.as_deref().map(predators_path);
    let files = [
        ("--init", args.init.clone()),
        ("--init", beside(&args.init)),
        ("--out", args.out.clone()),
        ("--out", beside(&args.out)),
        ("--trajectory", args.trajectory.clone()),
        ("--metrics", args.metrics.clone()),
    ];
    let named: Vec<(&str, PathBuf)> =
        files.into_iter().filter_map(|(option, file)| Some((option, plain(&file?)))).collect();
    for (k, (option, file)) in named.iter().enumerate() {
        for (other, same) in &named[..k] {
            // To go on in the file one came from is fine: it is read before it is replaced.
            if file == same && (*other, *option) != ("--init", "--out") {
                let name = file.display();
                return Err(Failure::usage(format!("{other} and {option} both name {name}")));
            }
        }
    }
    Ok(())
}

/// A path without the parts that lead nowhere: `./a.csv` is `a.csv`.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// Steps are counted in 32 bits where random numbers are drawn.
pub const MOST_STEPS: u64 = u32::MAX as u64;

/// A whole number of an option.
pub(super) fn whole(option: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Failure> {
    let number = text.replace('_', "").parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        Failure::usage(format!("{option} {text}: allowed is a whole number from {least} to {most}"))
    })
}

/// A number of an option.
pub(super) fn real(option: &str, text: &str, least: f64, most: f64) -> Result<f64, Failure> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .ok_or_else(|| Failure::usage(format!("{option} {text}: allowed is a number from {least} to {most}")))
}

/// A width and a height in pixels, as in `1280x720`.
pub(super) fn sides(option: &str, text: &str, range: RangeInclusive<u32>) -> Result<[u32; 2], Failure> {
    let side = |text: &str| text.trim().parse().ok().filter(|side| range.contains(side));
    let parts = text.split_once(['x', 'X', '×']);
    parts.and_then(|(width, height)| Some([side(width)?, side(height)?])).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        Failure::usage(format!(
            "{option} {text}: allowed is WxH, as in 1280x720, each a whole number from {least} to {most}"
        ))
    })
}

/// What a call means.
///
/// # Errors
/// When it names what is not there, or options that do not go together.
pub fn resolve(typed: Typed) -> Result<Request, Failure> {
    let Some(command) = typed.command else {
        return Ok(Request::View(Box::new(ViewRequest::new(&typed.view)?)));
    };
    Ok(match command {
        Command::View(args) => Request::View(Box::new(ViewRequest::new(&args)?)),
        Command::Run(args) => Request::Run(Box::new(RunRequest::new(*args)?)),
        Command::Render(args) => Request::Render(Box::new(RenderRequest::new(*args)?)),
        Command::Profile(args) => Request::Profile(Box::new(ProfileRequest::new(*args)?)),
        Command::Conform(args) => Request::Conform(Box::new(ConformRequest::new(args)?)),
        Command::Presets(args) => match args.action {
            Some(PresetsAction::Show { name, .. }) => Request::ShowPreset(presets::find(&name)?),
            None => Request::ListPresets { json: args.json },
        },
        Command::Adapters(args) => Request::ListAdapters { json: args.json },
        Command::Completions(args) => Request::Completions(args.shell),
        Command::Man => Request::Manual,
    })
}
