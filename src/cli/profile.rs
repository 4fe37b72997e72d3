//! `profile`: its options, and what they mean.

mod versus;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::request::{AdapterFor, FlockRequest, real, whole};
use super::typed::{EngineArgs, FlockArgs};
use crate::config::{ConfigError, Setting};
use crate::cpu::Registers;
use crate::engines::{Device, EngineRequest, Which};
use crate::failure::Failure;
use crate::gpu::{Kernel, Tuning};
use crate::profile::plan::Sizes;
use crate::profile::result::Method;

/// `profile`.
#[derive(Args, Clone, Debug)]
pub struct ProfileArgs {
    /// Time flocks of 1000 boids and more, up to what fits or to what takes longer than a frame; -n takes a list
    /// of sizes instead, as 10000,100000. The world grows with them, unless --set flock.density=world.
    #[arg(long, conflicts_with = "boids")]
    pub ladder: bool,
    /// Steps that are timed as one.
    #[arg(long, value_name = "K", default_value = "10", allow_hyphen_values = true)]
    pub steps: String,
    /// How often they are timed, from the same flock each time.
    #[arg(long, value_name = "R", default_value = "5", allow_hyphen_values = true)]
    pub repeats: String,
    /// Steps before them that are not timed.
    #[arg(long, value_name = "K", default_value = "3", allow_hyphen_values = true)]
    pub warm_up: String,
    /// Steps at most in which a flock is to settle; 0 times the start alone.
    #[arg(long, value_name = "K", default_value = "2000", allow_hyphen_values = true)]
    pub settle: String,
    /// Time no pictures of the flock, steps alone.
    #[arg(long)]
    pub no_drawing: bool,
    /// How the gpu's steps read candidates, plain or shared [default: what suits the adapter].
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Whether the gpu's shaders check their bounds [default: what suits the adapter].
    #[arg(long, value_enum)]
    pub checks: Option<Switch>,
    /// Which registers the cpu computes in: scalar, SSE2, AVX2, AVX-512 [default: the widest it has].
    #[arg(long, value_name = "REGISTERS")]
    pub registers: Option<String>,
    /// Write what was measured as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write when each pass of the last repeats ran, to be opened at ui.perfetto.dev or in chrome://tracing.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Draw the time of a step against the number of boids: FILE.png or FILE.svg.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Compare with what an earlier call wrote by --json; ends with 1 where a pass has become slower.
    #[arg(long, value_name = "OLD.json")]
    pub compare: Option<PathBuf>,
    /// How many times as long a pass may take; what takes less than a twentieth of a step is not judged.
    #[arg(
        long,
        value_name = "RATIO",
        default_value = "1.10",
        requires = "compare",
        allow_hyphen_values = true
    )]
    pub threshold: String,
    /// Time in turns with a second configuration, which differs in this; may be repeated. Keys: engine, adapter,
    /// backend, numeric, kernel, checks, registers, preset, or a parameter as in --set.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["compare", "trace", "plot"])]
    pub versus: Vec<String>,
    /// Say nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
    // Last: what follows a group in the help counts to it.
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// What was asked for of an engine's ways; none leaves what suits the adapter, or the widest registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TuningRequest {
    pub kernel: Option<Kernel>,
    pub checked: Option<bool>,
    pub registers: Option<Registers>,
}

impl TuningRequest {
    fn allowed(self, engine: &EngineRequest) -> Result<(), Failure> {
        let given = [self.kernel.is_some(), self.checked.is_some(), self.registers.is_some()];
        let why = match (engine.which, given) {
            (Which::Cpu, [true, ..]) => "--kernel with --engine cpu: allowed with gpu or auto",
            (Which::Cpu, [_, true, _]) => "--checks with --engine cpu: allowed with gpu or auto",
            (Which::Gpu, [.., true]) => "--registers with --engine gpu: allowed with cpu or auto",
            _ => return Ok(()),
        };
        Err(Failure::usage(why))
    }

    /// The device with what was asked for.
    ///
    /// # Errors
    /// When it cannot, or there is no GPU in it.
    pub fn apply(self, device: Device) -> Result<Device, Failure> {
        match device {
            Device::Gpu(gpu, numeric) if self.registers.is_none() => {
                let tuning = Tuning {
                    kernel: self.kernel.unwrap_or(gpu.tuning.kernel),
                    checked: self.checked.unwrap_or(gpu.tuning.checked),
                    ..gpu.tuning
                };
                Ok(Device::Gpu(Box::new(gpu.tuned(tuning)?), numeric))
            }
            Device::Gpu(..) => {
                let why = "--registers: allowed where the cpu steps, and here the gpu does";
                Err(Failure::usage(why).hint("--engine cpu chooses it"))
            }
            Device::Cpu(numeric, widest) if self.kernel.is_none() && self.checked.is_none() => {
                Ok(Device::Cpu(numeric, self.registers.unwrap_or(widest)))
            }
            other if self == Self::default() => Ok(other),
            _ => {
                Err(Failure::usage("--kernel, --checks: allowed where the gpu steps, and here the cpu does")
                    .hint("--engine gpu takes an adapter that is a program, too"))
            }
        }
    }
}

/// `profile`.
#[derive(Debug)]
pub struct ProfileRequest {
    /// Without a number of boids.
    pub flock: FlockRequest,
    pub engine: EngineRequest,
    /// None takes the flock's own number.
    pub sizes: Option<Sizes>,
    pub method: Method,
    pub draw: bool,
    pub tuning: TuningRequest,
    pub json: Option<PathBuf>,
    pub trace: Option<PathBuf>,
    pub plot: Option<PathBuf>,
    pub compare: Option<PathBuf>,
    /// How many times as long a pass may take.
    pub threshold: f64,
    /// The second configuration, where two are timed in turns, and how it differs.
    pub versus: Option<(Box<ProfileRequest>, String)>,
    pub quiet: bool,
}

impl ProfileRequest {
    pub(super) fn new(mut args: ProfileArgs) -> Result<Self, Failure> {
        let versus = match args.versus.is_empty() {
            true => None,
            false => {
                let second = versus::second(&args)?;
                Some((Box::new(ProfileRequest::new(second)?), args.versus.join(", ")))
            }
        };
        let sizes = match args.flock.boids.take() {
            Some(list) => Some(Sizes::List(sizes(&list)?)),
            None => args.ladder.then_some(Sizes::Ladder),
        };
        let engine = EngineRequest::from_args(&args.engine, AdapterFor::Steps)?;
        if engine.which == Which::Rp2040 {
            let failure = Failure::usage("--engine rp2040 with profile: allowed is auto, gpu, cpu");
            return Err(failure.hint("the board tells its own times: docs/firmware.md"));
        }
        let tuning = TuningRequest {
            kernel: args.kernel.as_deref().map(|name| kernel("--kernel", name)).transpose()?,
            checked: args.checks.map(|switch| switch == Switch::On),
            registers: args.registers.as_deref().map(registers).transpose()?,
        };
        tuning.allowed(&engine)?;
        let number = |option, text: &str, least, most| {
            whole(option, text, least..=u64::from(most)).map(|number| number as u32)
        };
        Ok(ProfileRequest {
            flock: FlockRequest::new(&args.flock)?,
            engine,
            sizes,
            method: Method {
                steps: number("--steps", &args.steps, 1, 10_000_u32)?,
                repeats: number("--repeats", &args.repeats, 1, 1000)?,
                warm_up: number("--warm-up", &args.warm_up, 0, 100_000)?,
                settle: number("--settle", &args.settle, 0, 10_000_000)?,
            },
            draw: !args.no_drawing,
            tuning,
            json: args.json,
            trace: args.trace,
            plot: args.plot,
            compare: args.compare,
            threshold: real("--threshold", &args.threshold, 0.1, 100.0)?,
            versus,
            quiet: args.quiet,
        })
    }

    /// The parameters of a flock of a size, at the density that the preset or file has, unless the call says what the
    /// world does; none takes the flock's own size.
    ///
    /// # Errors
    /// As [`FlockRequest::parameters`].
    pub fn parameters(&self, boids: Option<u32>) -> Result<flock::Parameters, ConfigError> {
        let mut flock = self.flock.clone();
        if let Some(boids) = boids {
            if !flock.settings.iter().any(|setting| setting.name() == "flock.density") {
                flock.settings.push(Setting::parse("flock.density=keep")?);
            }
            flock.settings.push(Setting::parse(&format!("flock.boids={boids}"))?);
        }
        flock.parameters()
    }
}

/// The kernel of a name.
fn kernel(option: &str, name: &str) -> Result<Kernel, Failure> {
    Kernel::ALL.into_iter().find(|kernel| kernel.name() == name).ok_or_else(|| {
        let allowed = Kernel::ALL.map(Kernel::name).join(", ");
        Failure::usage(format!("{option} {name}: allowed is {allowed}"))
    })
}

/// The registers of a name.
fn registers(name: &str) -> Result<Registers, Failure> {
    Registers::named(name).ok_or_else(|| {
        let has: Vec<&str> = Registers::available().into_iter().map(Registers::name).collect();
        Failure::usage(format!("--registers {name}: allowed is what this machine has: {}", has.join(", ")))
    })
}

/// Sizes as in `10000,100000`.
fn sizes(list: &str) -> Result<Vec<u32>, Failure> {
    let most = u64::from(u32::MAX);
    list.split(',').map(|text| whole("--boids", text.trim(), 1..=most).map(|size| size as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Call, Request, parse};
    use super::*;
    use crate::state::Numeric;

    fn profile(options: &[&str]) -> Result<ProfileRequest, Failure> {
        let words = ["murmuration", "profile"].into_iter().chain(options.iter().copied());
        match parse(words.map(Into::into))? {
            Call::Do(Request::Profile(request)) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn defaults_and_options_mean_what_the_help_says() {
        let request = profile(&[]).expect("nothing is needed");
        assert_eq!(request.method, Method { steps: 10, repeats: 5, warm_up: 3, settle: 2000 });
        assert_eq!(request.sizes, None);
        assert_eq!(profile(&["--ladder"]).expect("allowed").sizes, Some(Sizes::Ladder));
        let request = profile(&["-n", "1_000, 20000"]).expect("a list");
        assert_eq!(request.sizes, Some(Sizes::List(vec![1000, 20_000])));
    }

    #[test]
    fn a_flock_keeps_its_density_unless_told_otherwise() {
        let width = |options: &[&str], boids| {
            let p = profile(options).expect("allowed").parameters(boids).expect("a preset");
            p.world.max[0] - p.world.min[0]
        };
        assert_eq!(width(&["--preset", "cornell"], None), 640.0);
        assert_eq!(width(&["--preset", "cornell"], Some(2000)), 1280.0);
        assert_eq!(width(&["--preset", "cornell", "--set", "flock.density=world"], Some(2000)), 640.0);
    }

    #[test]
    fn a_second_configuration_is_the_first_but_for_what_it_names() {
        let request = profile(&[
            "--adapter",
            "0",
            "-n",
            "50",
            "--versus",
            "numeric=fixed",
            "--versus",
            "cohesion.radius=3",
        ]);
        let (second, how) = request.expect("allowed").versus.expect("a second one");
        assert_eq!(how, "numeric=fixed, cohesion.radius=3");
        assert_eq!((second.engine.numeric, second.engine.adapter.as_deref()), (Numeric::Fixed, Some("0")));
        assert_eq!(second.parameters(Some(50)).expect("a preset").cohesion.radius, 3.0);
        let (second, _) = profile(&["--adapter", "0", "--kernel", "plain", "--versus", "engine=cpu"])
            .expect("allowed")
            .versus
            .expect("a second one");
        assert_eq!((second.engine.which, second.engine.adapter), (Which::Cpu, None));
        let request = profile(&["--engine", "cpu", "--versus", "registers=Scalar"]).expect("allowed");
        let (second, _) = request.versus.expect("a second one");
        assert_eq!((request.tuning.registers, second.tuning.registers), (None, Some(Registers::SCALAR)));
        let device = second.tuning.apply(Device::cpu(Numeric::F32)).expect("the cpu");
        assert_eq!(device.describe(), "cpu, f32, scalar");
        let request = profile(&["--engine", "cpu", "--registers", "scalar", "--versus", "engine=gpu"]);
        let (second, _) = request.expect("allowed").versus.expect("a second one");
        assert_eq!((second.engine.which, second.tuning.registers), (Which::Gpu, None));
    }

    #[test]
    fn refusals_name_option_value_and_what_is_allowed() {
        let bad: [(&[&str], &str); 20] = [
            (&["--registers", "wide"], "--registers wide: allowed is what this machine has: scalar"),
            (
                &["--engine", "gpu", "--registers", "scalar"],
                "--registers with --engine gpu: allowed with cpu",
            ),
            (&["--versus", "registers=wide"], "--registers wide: allowed is"),
            (&["--kernel", "fast"], "--kernel fast: allowed is plain"),
            (&["--engine", "cpu", "--checks", "off"], "--checks with --engine cpu: allowed with gpu"),
            (&["--steps", "0"], "--steps 0: allowed is a whole number from 1 to 10000"),
            (&["--repeats", "-1"], "--repeats -1: allowed is a whole number from 1"),
            (&["--settle", "much"], "--settle much: allowed is a whole number from 0"),
            (&["-n", "10,0"], "--boids 0: allowed is a whole number from 1"),
            (&["-n", "10,"], "--boids : allowed is a whole number from 1"),
            (&["--ladder", "-n", "10"], "--ladder"),
            (&["--engine", "rp2040"], "--engine rp2040"),
            (&["--compare", "a.json", "--threshold", "nan"], "--threshold nan: allowed is a number from 0.1"),
            (&["--threshold", "1.5"], "--compare"),
            (&["--versus", "numeric"], "--versus numeric: allowed is KEY=VALUE"),
            (&["--versus", "speed=2"], "--versus speed=2: KEY is one of engine"),
            (&["--versus", "checks=maybe"], "--versus checks=maybe: allowed is on, off"),
            (&["--versus", "flock.boids=5"], "--versus flock.boids=5: both"),
            (&["--versus", "cohesion.radius=-5"], "cohesion.radius = -5"),
            (&["--versus", "numeric=f64", "--adapter", "0"], "--numeric f64 with --adapter"),
        ];
        for (options, part) in bad {
            let failure = profile(options).expect_err("not allowed");
            assert!(failure.message.contains(part), "{options:?}: {failure}");
            assert_eq!(failure.kind, crate::failure::Kind::Usage);
        }
    }
}
