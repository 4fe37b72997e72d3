//! `profile`: times the passes of a step.

mod painter;

use flock::Parameters;

use super::{create, outputs};
use crate::cli::profile::ProfileRequest;
use config::Source;
use cpu::engine::EngineError;
use cpu::state::State;
use engines::Device;
use gpu::Gpu;
use lab::profile::painter::Drawing;
use lab::profile::plan::{Plan, Sizes, Watcher};
use lab::profile::result::{Method, Profile};
use lab::profile::versus::{self, Side, Versus};
use painter::Painter;
use report::failure::Failure;
use report::interrupt;
use report::{AtomicFile, Plot, ProgressBar, progress};

pub(super) fn profile(request: &ProfileRequest) -> Result<(), Failure> {
    interrupt::listen();
    let options = &request.options;
    // A file that cannot be read or written fails the call before any work is done.
    let own = request.parameters(None)?;
    super::say_world(&request.flock.document()?, options.quiet);
    let files = Files::open(request)?;
    let sizes = request.sizes.clone().unwrap_or_else(|| Sizes::List(vec![own.flock.boids]));
    let device = choose(request)?;
    let watcher = Bar::new(&sizes, &options.method(), options.quiet);
    if let Some((second, how)) = &request.versus {
        let versus = in_turns(request, device, second, how, &sizes, &watcher)?;
        drop(watcher);
        super::print(&versus.text())?;
        return files.json.map_or(Ok(()), |file| file.fill(format!("{:#}\n", versus.json())));
    }
    let look = options.look.named.unwrap_or(request.flock.document()?.view.look);
    let painter = move |gpu: &Gpu, parameters: &Parameters, state: &State| {
        Ok(Box::new(Painter::new(gpu, parameters, state, look)?) as Box<_>)
    };
    let draws = if options.no_drawing { None } else { drawing(request, &device)? };
    let plan = Plan {
        sizes,
        method: options.method(),
        parameters: &|boids| at_size(request, boids),
        draws: draws.map(|gpu| Drawing { gpu, painter: &painter }),
        flock: named(request),
    };
    let profile = plan.run(&device, &watcher)?;
    drop(watcher);
    super::print(&profile.text())?;
    files.write(&profile)
}

/// Times the request and its second configuration in turns.
fn in_turns(
    request: &ProfileRequest,
    device: Device,
    second: &ProfileRequest,
    how: &str,
    sizes: &Sizes,
    watcher: &Bar,
) -> Result<Versus, Failure> {
    let other = on_the_same(&device, choose(second)?);
    let sides = [
        Side { device, parameters: &|boids| at_size(request, boids), name: named(request) },
        Side {
            device: other,
            parameters: &|boids| at_size(second, boids),
            name: format!("{}, with {how}", named(second)),
        },
    ];
    versus::run(&sides, sizes, &request.options.method(), watcher)
}

/// The device, tuned as the options say.
fn choose(request: &ProfileRequest) -> Result<Device, Failure> {
    request.options.tune(super::open(&request.engine, request.options.quiet)?)
}

/// The second device: a copy of the first where both are the same adapter, so that both share a queue and the threads
/// of its driver.
fn on_the_same(first: &Device, second: Device) -> Device {
    match (first, second) {
        (Device::Gpu(one, _), Device::Gpu(other, numeric)) if one.info == other.info => {
            let mut same = one.clone();
            same.settings = other.settings;
            Device::Gpu(same, numeric)
        }
        (_, second) => second,
    }
}

/// The parameters for so many boids; without a size in the call, those of the preset or file.
fn at_size(request: &ProfileRequest, boids: u32) -> Result<Parameters, Failure> {
    Ok(request.parameters(request.sizes.is_some().then_some(boids))?)
}

/// What a profile is written to.
struct Files {
    json: Option<AtomicFile>,
    trace: Option<AtomicFile>,
    plot: Option<Plot>,
}

impl Files {
    fn open(request: &ProfileRequest) -> Result<Self, Failure> {
        let options = &request.options;
        let files = [("--json", &options.json), ("--trace", &options.trace), ("--plot", &options.plot)];
        let named: Vec<_> =
            files.into_iter().filter_map(|(option, file)| Some((option, file.clone()?))).collect();
        outputs::check(&named)?;
        Ok(Files {
            json: create(options.json.as_deref())?,
            trace: create(options.trace.as_deref())?,
            plot: options.plot.as_deref().map(Plot::new).transpose()?,
        })
    }

    fn write(self, profile: &Profile) -> Result<(), Failure> {
        if let Some(file) = self.json {
            file.fill(format!("{:#}\n", profile.json()))?;
        }
        if let Some(plot) = self.plot {
            plot.write(&profile.chart())?;
        }
        if let Some(file) = self.trace {
            let Some(trace) = profile.trace() else {
                let (path, clock) = (file.path().display(), profile.subject.clock.name());
                return Err(Failure::work(format!("--trace {path}: no pass was timed ({clock})")));
            };
            file.fill(format!("{trace}\n"))?;
        }
        Ok(())
    }
}

/// The GPU that draws: the one that steps if it is hardware, else the one that was named, or the best there is. Without
/// any, nothing is drawn, and a line says so.
fn drawing(request: &ProfileRequest, device: &Device) -> Result<Option<Gpu>, Failure> {
    let tuning = match device {
        Device::Gpu(gpu, _) if gpu.hardware() => return Ok(Some(gpu.as_ref().clone())),
        Device::Gpu(gpu, _) => Some(gpu.settings),
        Device::Cpu(..) | Device::Rp2040(_) => None,
    };
    match Gpu::headless(request.engine.adapter.as_deref(), request.engine.backend) {
        Ok(gpu) => Ok(Some(gpu.with_settings(tuning.unwrap_or(gpu.settings))?)),
        Err(EngineError::NoAdapter(why)) => {
            if !request.options.quiet {
                super::say(&format!("nothing is drawn: {why}"));
            }
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The name of the flock.
fn named(request: &ProfileRequest) -> String {
    match &request.flock.source {
        Source::Preset(preset) => format!("preset {}", preset.name),
        Source::File(path) => path.display().to_string(),
    }
}

/// Shows the progress.
struct Bar {
    progress: ProgressBar,
}

impl Bar {
    fn new(sizes: &Sizes, method: &Method, quiet: bool) -> Self {
        let conditions = if method.settle > 0 { 2 } else { 1 };
        let flocks = sizes.all().len() as u64 * conditions;
        Bar { progress: progress(flocks, "flocks", quiet) }
    }
}

impl Watcher for Bar {
    fn stop(&self) -> bool {
        interrupt::asked()
    }

    fn begins(&self, boids: Option<u32>, what: &str) {
        let whose = boids.map_or(String::new(), |boids| format!("{boids} boids, "));
        self.progress.set_message(format!("flocks; {whose}{what}"));
    }

    fn measured(&self) {
        self.progress.inc(1);
    }
}
