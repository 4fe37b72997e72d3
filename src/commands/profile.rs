//! `profile`: times the passes of a step.

use flock::Parameters;

use super::outputs::{self, create};
use crate::cli::profile::ProfileRequest;
use config::Source;
use engine::{EngineError, State};
use engines::{Device, Drawable};
use files::{AtomicFile, Existing, Failure, Plot, Result, failure, interrupt, progress};
use gpu::Gpu;
use profile::plan::{self, Sizes};
use profile::result::Profile;
use profile::{Configuration, NewPainter, PICTURE, Painter, versus};
use scene::offscreen::FORMAT;
use scene::{Camera, FrameInput, Look, Scene, Scenery, first_pitch};

pub(super) fn profile(request: &ProfileRequest) -> Result {
    let options = &request.options;
    // A file that cannot be read or written fails the call before any work is done.
    let flock = request.flock.document()?;
    let other_flock = request.versus.as_ref().map(|(second, _)| second.flock.document()).transpose()?;
    // Until here files are read, which may be pipes that never end.
    interrupt::listen();
    super::note(flock.world.line(), options.quiet);
    let files = [("--json", &options.json), ("--trace", &options.trace), ("--plot", &options.plot)];
    let named: Vec<_> = files.into_iter().filter_map(|(name, file)| Some((name, file.clone()?))).collect();
    outputs::check(&request.flock.files().collect::<Vec<_>>(), &named)?;
    outputs::keep_existing(&named, options.yes)?;
    let [json, trace] =
        [&options.json, &options.trace].map(|path| create(path.as_deref(), "json", options.yes));
    let (json, trace) = (json?, trace?);
    let existing = Existing::replaced_if(options.yes);
    let plot = options.plot.as_deref().map(|path| Plot::new(path, existing)).transpose()?;
    let sizes = request.sizes.clone().unwrap_or_else(|| Sizes::List(vec![flock.parameters.flock.boids]));
    let (device, method) = (choose(request)?, options.method());
    let conditions = if method.settle > 0 { 2 } else { 1 };
    let bar = progress(sizes.all().len() as u64 * conditions, "flocks", options.quiet);
    if let Some(((second, how), flock_of_other)) = request.versus.as_ref().zip(other_flock) {
        let other_device = on_the_same(&device, choose(second)?);
        let name = format!("{}, with {how}", flock_name(second));
        let other = Configuration { device: other_device, flock: flock_of_other, name };
        let sides = [Configuration { device, flock, name: flock_name(request) }, other];
        let versus = versus::run(&sides, &sizes, &method, &bar)?;
        drop(bar);
        super::print(&versus.text())?;
        return json.map_or(Ok(()), |file| file.fill(format!("{:#}\n", versus.json())));
    }
    let look = options.look.named.unwrap_or(flock.view.look);
    let painter =
        move |gpu: &Gpu, parameters: &Parameters, state: &State| painter(gpu, parameters, state, look);
    let draws = if options.no_drawing { None } else { drawing(request, &device)? };
    let drawing = draws.map(|gpu| (gpu, &painter as &NewPainter));
    let side = Configuration { device, flock, name: flock_name(request) };
    let profile = plan::run(&side, &sizes, &method, &drawing, &bar)?;
    drop(bar);
    super::print(&profile.text())?;
    let json = json.map_or(Ok(()), |file| file.fill(format!("{:#}\n", profile.json())));
    let plot = plot.map_or(Ok(()), |plot| plot.write(&profile.chart()));
    let trace = trace.map_or(Ok(()), |file| write_trace(&profile, file));
    failure::first([json, plot, trace])
}

fn write_trace(profile: &Profile, file: AtomicFile) -> Result {
    let Some(trace) = profile.trace() else {
        let (path, clock) = (file.path().display(), profile.subject.clock.name());
        return Err(Failure::work(format!("--trace {path}: no pass times were measured ({clock})")));
    };
    file.fill(format!("{trace}\n"))
}

/// The device, tuned as the options say.
fn choose(request: &ProfileRequest) -> Result<Device> {
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

/// The GPU that draws: the one that steps if it is hardware, else the one that was named, or the best there is. Without
/// any, nothing is drawn, and a line is printed.
fn drawing(request: &ProfileRequest, device: &Device) -> Result<Option<Gpu>> {
    let tuning = match device {
        Device::Gpu(gpu, _) if gpu.hardware() => return Ok(Some(gpu.as_ref().clone())),
        Device::Gpu(gpu, _) => Some(gpu.settings),
        Device::Cpu(..) | Device::Rp2040(_) => None,
    };
    match Gpu::headless(request.engine.adapter.as_deref(), request.engine.backend) {
        Ok(gpu) => Ok(Some(gpu.with_settings(tuning.unwrap_or(gpu.settings))?)),
        Err(EngineError::NoAdapter(why)) => {
            super::note(Some(format!("drawing is not measured: {why}")), request.options.quiet);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The name of the flock.
fn flock_name(request: &ProfileRequest) -> String {
    match &request.flock.source {
        Source::Preset(preset) => format!("preset {}", preset.name),
        Source::File(path) => path.display().to_string(),
    }
}

/// A function that submits pictures of a flock, with a camera that sees the whole flock of `state`.
///
/// # Errors
/// When the device cannot hold the picture.
fn painter(
    gpu: &Gpu,
    parameters: &Parameters,
    state: &State,
    scenery: Scenery,
) -> Result<Box<Painter>, EngineError> {
    let parameters = *parameters;
    let mut scene = Scene::new(gpu, FORMAT, PICTURE, gpu.hardware())?;
    let look = Look { scenery, ..Look::new(&parameters) };
    let mut camera = Camera { pitch: first_pitch(scenery), ..Camera::new(parameters.flat()) };
    let ends = |from: f64, of: fn(f64, f64) -> f64| {
        let corner = |k: usize| state.boids.iter().map(|b| b.position[k]).fold(from, of) as f32;
        [corner(0), corner(1), corner(2)]
    };
    camera.fit(ends(f64::INFINITY, f64::min), ends(f64::NEG_INFINITY, f64::max), scene.aspect());
    let mut drawable = Drawable::new(gpu);
    Ok(Box::new(move |opened| {
        let step = opened.get().step_number();
        let (instances, predators) = drawable.take(opened)?;
        scene.paint(&FrameInput {
            instances,
            predators: &predators,
            parameters: &parameters,
            centre: None,
            explained: None,
            step,
            shift: 0.0,
            camera: &camera,
            look: &look,
        });
        Ok(())
    }))
}
