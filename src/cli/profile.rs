//! `profile`: its options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::shared::{
    AdapterFor, Arguments, BACKENDS, FlockRequest, LookArgs, MAX_THREADS, Request, one_of, whole,
};
use super::usage::of_value;
use config::Setting;
use cpu::Registers;
use engine::Numeric;
use engines::{Cpu, Device, EngineKind, EngineRequest};
use files::{Failure, Result};
use gpu::{Kernel, Settings};
use profile::{plan::Sizes, result::Method};

/// `profile`.
#[derive(Args, Clone, Debug)]
pub struct ProfileOptions {
    /// Time flocks of growing size, from 1000 boids.
    ///
    /// The sizes grow until a flock does not fit, or steps for longer than a frame (1/30 s). -n takes a list of sizes
    /// instead, such as 10000,1e5,0.5M. The world grows with the flock, unless --set flock.density=world.
    #[arg(long, conflicts_with = "boids")]
    pub ladder: bool,
    /// Steps per measurement.
    #[arg(long, value_name = "K", default_value = "10", value_parser = whole::<u32>(1..=10_000))]
    pub steps: u32,
    /// Number of measurements, each from the same state.
    #[arg(long, value_name = "R", default_value = "5", value_parser = whole::<u32>(1..=1000))]
    pub repeats: u32,
    /// Untimed steps before each measurement.
    #[arg(long, value_name = "K", default_value = "3", value_parser = whole::<u32>(0..=100_000))]
    pub warm_up: u32,
    /// Maximum number of steps for a flock to settle.
    ///
    /// With 0 only the start of the flock is timed.
    #[arg(long, value_name = "K", default_value = "2000", value_parser = whole::<u32>(0..=10_000_000))]
    pub settle: u32,
    /// Time only steps, not the drawing of the flock.
    #[arg(long)]
    pub no_drawing: bool,
    /// How the flock is drawn.
    #[command(flatten)]
    pub look: LookArgs,
    /// Time a second configuration in turns with the first; may be repeated.
    ///
    /// KEY=VALUE is what differs from the first. KEY is engine, adapter, backend, numeric, kernel, checks, registers,
    /// threads, preset, or a parameter as in --set.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["trace", "plot"])]
    pub versus: Vec<String>,
    /// Check the bounds of arrays in shaders [default: what suits the adapter]
    #[arg(long, value_parser = one_of(&SWITCH), hide_short_help = true)]
    pub checks: Option<bool>,
    /// SIMD registers of the CPU engine: SSE2, AVX2, AVX-512 or NEON [default: the widest available]
    #[arg(long, value_name = "REGISTERS", value_parser = registers, hide_short_help = true)]
    pub registers: Option<Registers>,
    /// Replace existing files.
    #[arg(short, long)]
    pub yes: bool,
    /// Print only results and errors.
    #[arg(long)]
    pub quiet: bool,
    /// Write the measurements as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write a trace of the passes of the last measurement.
    ///
    /// ui.perfetto.dev and chrome://tracing open it.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Plot the time per step against the number of boids, as .png or .svg.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,
}

/// A switch as it is typed.
const SWITCH: [(bool, &str); 2] = [(true, "on"), (false, "off")];

/// The registers of a name.
fn registers(name: &str) -> Result<Registers, String> {
    Registers::named(name).ok_or_else(|| {
        let has: Vec<&str> = Registers::available().into_iter().map(Registers::name).collect();
        format!("must be one of {}", has.join(", "))
    })
}

impl ProfileOptions {
    /// The method of measurement.
    pub fn method(&self) -> Method {
        let ProfileOptions { steps, repeats, warm_up, settle, .. } = *self;
        Method { steps, repeats, warm_up, settle }
    }

    /// Applies the options to the device. The defaults suit the adapter; on the CPU, the widest registers.
    ///
    /// # Errors
    /// When the device cannot do it, or has no such setting.
    pub fn tune(&self, device: Device) -> Result<Device> {
        match device {
            Device::Gpu(gpu, numeric) if self.registers.is_none() => {
                let checked = self.checks.unwrap_or(gpu.settings.checked);
                let tuning = Settings { checked, ..gpu.settings };
                Ok(Device::Gpu(Box::new(gpu.with_settings(tuning)?), numeric))
            }
            Device::Gpu(..) => {
                Err(Failure::usage("--registers requires the CPU engine").hint("add --engine cpu"))
            }
            _ if self.checks.is_some() => {
                let failure = Failure::usage("--checks requires the GPU engine");
                Err(failure.hint("add --engine gpu, which also uses software adapters"))
            }
            Device::Cpu(numeric, cpu) => {
                Ok(Device::Cpu(numeric, Cpu { registers: self.registers.unwrap_or(cpu.registers), ..cpu }))
            }
            other => Ok(other),
        }
    }
}

/// A flock to be timed.
#[derive(Debug)]
pub struct ProfileRequest {
    pub options: ProfileOptions,
    /// Without a number of boids.
    pub flock: FlockRequest,
    pub engine: EngineRequest,
    /// None takes the flock's own number.
    pub sizes: Option<Sizes>,
    /// The second configuration, where two are timed in turns, and how it differs.
    pub versus: Option<(Box<ProfileRequest>, String)>,
}

impl ProfileRequest {
    pub(crate) fn new(mut args: Arguments<ProfileOptions>) -> Result<Self> {
        let versus = match args.options.versus.join(", ") {
            how if how.is_empty() => None,
            how => Some((Box::new(ProfileRequest::new(second(&args)?)?), how)),
        };
        let sizes = match args.flock.boids.take() {
            Some(list) => Some(Sizes::List(sizes(&list)?)),
            None => args.options.ladder.then_some(Sizes::Ladder),
        };
        if args.engine.engine == EngineKind::Rp2040 {
            let failure = Failure::usage("profile cannot be used with --engine rp2040");
            return Err(failure.hint("the console of a board prints its times; see docs/firmware.md"));
        }
        let Request { options, mut flock, engine, .. } = args.resolve(AdapterFor::Steps)?;
        if matches!(sizes, Some(Sizes::List(_))) && flock.boids().is_some() {
            return Err(Failure::usage("--boids cannot be used with --set flock.boids"));
        }
        // A flock of another size has the density of the preset or file, unless the call says what the world does.
        if sizes.is_some() && flock.settings.iter().all(|setting| setting.name() != "flock.density") {
            flock.settings.push(Setting::parse("flock.density=keep")?);
        }
        Ok(ProfileRequest { options, flock, engine, sizes, versus })
    }
}

/// Sizes as in `10000,100k`.
fn sizes(list: &str) -> Result<Vec<u32>> {
    let size = whole(1..=u64::from(u32::MAX));
    let sizes = list.split(',').map(str::trim);
    sizes.map(|text| size(text).map_err(|why| Failure::usage(of_value("--boids", text, &why)))).collect()
}

/// The hint that lists the keys of `--versus`.
const KEYS: &str =
    "KEY is engine, adapter, backend, numeric, kernel, checks, registers, threads, preset or TABLE.KEY";

/// The arguments of the second configuration.
///
/// # Errors
/// For an unknown key, and a value that is not allowed.
fn second(args: &Arguments<ProfileOptions>) -> Result<Arguments<ProfileOptions>> {
    let mut second = args.clone();
    let Arguments { options, flock, engine } = &mut second;
    options.versus.clear();
    for text in &args.options.versus {
        let Some((key, value)) = text.split_once('=') else {
            return Err(Failure::usage(format!("--versus must be KEY=VALUE, not {text}")).hint(KEYS));
        };
        let refused = |why: String| Failure::usage(of_value(&format!("--versus: {key}"), value, &why));
        match key {
            "engine" => engine.engine = word(value, &EngineKind::ALL).map_err(refused)?,
            "adapter" => engine.adapter = Some(value.to_owned()),
            "backend" => engine.backend = Some(word(value, &BACKENDS).map_err(refused)?),
            "numeric" => engine.numeric = Some(word(value, &Numeric::ALL).map_err(refused)?),
            "kernel" => engine.kernel = Some(word(value, &Kernel::ALL).map_err(refused)?),
            "checks" => options.checks = Some(word(value, &SWITCH).map_err(refused)?),
            "registers" => options.registers = Some(registers(value).map_err(refused)?),
            "threads" => engine.threads = Some(whole(1..=MAX_THREADS)(value).map_err(refused)?),
            "preset" => (flock.preset, flock.config) = (Some(value.to_owned()), None),
            "flock.boids" | "flock.seed" => {
                return Err(Failure::usage(format!("--versus: {key} is the same in both configurations")));
            }
            _ if key.contains('.') => flock.set.push(text.clone()),
            _ => return Err(Failure::usage(format!("--versus: unknown key '{key}'")).hint(KEYS)),
        }
    }
    // If the engine differs, options of the first engine do not carry over: the CPU has no adapter, the GPU no
    // registers and no threads.
    if engine.engine != args.engine.engine && engine.engine == EngineKind::Cpu {
        (engine.adapter, engine.backend, engine.kernel, options.checks) = (None, None, None, None);
    }
    if engine.engine != args.engine.engine && engine.engine == EngineKind::Gpu {
        (options.registers, engine.threads) = (None, None);
    }
    Ok(second)
}

/// The value of one of these words.
fn word<T: Copy>(word: &str, all: &[(T, &str)]) -> Result<T, String> {
    if let Some((value, _)) = all.iter().find(|(_, name)| name.eq_ignore_ascii_case(word)) {
        return Ok(*value);
    }
    let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
    Err(format!("must be one of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::{Call, parse};
    use super::*;
    use engine::Numeric;
    use profile::at_size;

    fn profile(options: &str) -> ProfileRequest {
        let words = ["murmuration", "profile"].into_iter().chain(options.split_whitespace());
        match parse(words.map(Into::into)) {
            Ok(Call::Profile(args)) => ProfileRequest::new(*args).expect("allowed"),
            other => panic!("{options}: {other:?}"),
        }
    }

    #[test]
    fn defaults_and_options_mean_what_the_help_says() {
        let request = profile("");
        assert_eq!(request.options.method(), Method { steps: 10, repeats: 5, warm_up: 3, settle: 2000 });
        assert_eq!(request.sizes, None);
        assert_eq!(profile("--ladder").sizes, Some(Sizes::Ladder));
        assert_eq!(profile("-n 1_000,20k,0.5M").sizes, Some(Sizes::List(vec![1000, 20_000, 500_000])));
    }

    #[test]
    fn a_flock_keeps_its_density_unless_told_otherwise() {
        for (options, boids, width) in
            [("", 500, 640.0), ("-n 2000", 2000, 1280.0), ("-n 2000 --set flock.density=world", 2000, 640.0)]
        {
            let request = profile(&format!("--preset cornell {options}"));
            let p = at_size(&request.flock.document().expect("a preset"), boids).expect("allowed");
            assert_eq!(p.world.max[0] - p.world.min[0], width, "{options} {boids}");
        }
    }

    #[test]
    fn a_second_configuration_is_the_first_but_for_what_it_names() {
        let second = |options: &str| profile(options).versus.expect("a second one");
        let (fixed, how) = second("--adapter 0 -n 50 --versus numeric=fixed --versus cohesion.radius=3");
        assert_eq!(how, "numeric=fixed, cohesion.radius=3");
        assert_eq!((fixed.engine.numeric, fixed.engine.adapter.as_deref()), (Numeric::Fixed, Some("0")));
        assert_eq!(fixed.flock.parameters().expect("a preset").cohesion.radius, 3.0);
        let (cpu, _) = second("--adapter 0 --kernel plain --versus engine=cpu");
        assert_eq!((cpu.engine.which, cpu.engine.adapter), (EngineKind::Cpu, None));
        let (one, _) = second("--engine cpu --threads 2 --versus threads=1");
        assert_eq!(one.engine.threads, Some(1));
        let narrow = Registers::NARROWEST.name();
        let (gpu, _) = second(&format!("--engine cpu --threads 2 --registers {narrow} --versus engine=gpu"));
        assert_eq!((gpu.engine.which, gpu.engine.threads), (EngineKind::Gpu, None));
        assert_eq!(gpu.options.registers, None);
        let (registers, _) = second(&format!("--engine cpu --versus registers={}", narrow.to_lowercase()));
        assert_eq!(registers.options.registers, Some(Registers::NARROWEST));
        let device = registers.options.tune(Device::cpu(Numeric::F32)).expect("the cpu");
        assert_eq!(device.describe(), format!("cpu, f32, {narrow}"));
    }
}
