//! The content of a window when it opens, and after a loss: a drawing backend, and a flock on its engine.

use std::sync::Arc;

use flock::Parameters;
use web_time::Instant;
use winit::event_loop::OwnedDisplayHandle;
use winit::window::Window;

use super::{Opening, Options, host};
use crate::painter::{Paint, Painter};
use crate::session::Session;
use crate::session::rival::{Rival, changed, starts_settled};
use crate::surface::Screen;
use crate::worker::journal::Journal;
use crate::worker::{Checkpoint, FlockHandle, Past, Source, Worker};
use crate::{settled, sources};
use engine::{EngineError, Result};
use engines::{Device, EngineKind};
use files::failure::Failure;
use flight::{First, Start};
use gpu::{Gpu, beginning_with};

/// The opened backend and flock.
pub(super) struct OpenedWindow {
    pub paint: Box<dyn Paint>,
    pub device: Device,
    pub flock: FlockHandle,
    /// A message about an automatic choice.
    pub line: Option<String>,
    /// The reason why a GPU that could draw was given up.
    pub lost: Option<EngineError>,
}

impl OpenedWindow {
    /// Opens a GPU that draws; without one if that fails and the call does not request one, and after two losses.
    ///
    /// # Errors
    /// When nothing can draw on the window, or the flock does not fit.
    pub fn open(options: &Options, window: &Arc<Window>, display: OwnedDisplayHandle) -> Result<Self> {
        let engine = &options.engine;
        let found = match Self::on_gpu(options, window, display.clone()) {
            Err(EngineError::Lost { .. }) => Self::on_gpu(options, window, display),
            found => found,
        };
        found.or_else(|why| match (engine.which, &why) {
            (_, EngineError::Lost { .. }) => Self::without_gpu(options, window, why),
            (EngineKind::Auto | EngineKind::Cpu, _) if !engine.names_adapter() => {
                Self::without_gpu(options, window, why)
            }
            _ => Err(why),
        })
    }

    fn on_gpu(options: &Options, window: &Arc<Window>, display: OwnedDisplayHandle) -> Result<Self> {
        let instance = Gpu::instance(Some(Box::new(display)))?;
        let asked = &options.engine;
        let screen = Screen::open(&instance, Arc::clone(window), asked.adapter.as_deref(), asked.backend)?;
        let (device, line) = asked.choose_beside(&screen.gpu)?;
        // A software adapter cannot draw more boids in time.
        let flock = begin(options, &device, screen.gpu.hardware())?;
        Ok(OpenedWindow { paint: Box::new(Painter::new(screen)?), device, flock, line, lost: None })
    }

    fn without_gpu(options: &Options, window: &Arc<Window>, why: EngineError) -> Result<Self> {
        let paint = host::paint_without_gpu(window, &why)?;
        let device = Device::cpu(options.engine.numeric);
        let flock = begin(options, &device, false)?;
        let line = Some(format!("{}; {} draws", device.describe(), paint.name()));
        let lost = Some(why).filter(|why| !matches!(why, EngineError::NoAdapter(_)));
        Ok(OpenedWindow { paint, device, flock, line, lost })
    }
}

/// The flock beside that of a session, on an engine of its own, if the call asks for one.
///
/// # Errors
/// When the call's settings are not for this flock, or the device does not take it.
pub(super) fn rival(
    options: &Options,
    session: &Session,
    wake: impl Fn() + Send + 'static,
) -> std::result::Result<Option<Rival>, Failure> {
    if options.compare.is_empty() {
        return Ok(None);
    }
    let (document, device) = (&session.document, &session.playback.device);
    let parameters =
        changed(&document.parameters, document, &options.compare).map_err(|error| error.at("--compare"))?;
    let settled = starts_settled(document, &parameters);
    let opening = if settled { Opening::Settled } else { Opening::Seeded };
    let other = config::Document { parameters, ..options.flock };
    let beside = Options { flock: other, opening, ..options.clone() };
    let mut flock = begin(&beside, device, false)?;
    flock.journal = None;
    let worker = Worker::start(flock, wake).map_err(Failure::work)?;
    Ok(Some(Rival::new(options.compare.clone(), worker, device.clone(), document)?))
}

/// Opens the engine with the initial flock, and its checkpoint.
fn begin(options: &Options, device: &Device, hardware: bool) -> Result<FlockHandle> {
    let mut parameters = options.flock.parameters;
    device.check(&parameters)?;
    let settled = options.opening != Opening::Seeded;
    let first = if settled { First::Settled } else { First::Seed };
    let mut state = first.state(&parameters)?;
    let mut source = sources::open(device, &parameters, &state)?;
    let begun = Instant::now();
    if hardware && options.opening == Opening::Growing {
        let fits = |more: &Parameters| device.check(more).is_ok();
        state = settled::grow(&mut *source, &mut parameters, state, begun, fits)?;
    }
    if settled {
        settled::relax(&mut *source, begun)?;
    }
    let engine = source.engine();
    let mut past = Past::new(Start::on(engine, parameters, first));
    past.flight.end = engine.step_number();
    let kept = settled && source.on_device();
    let held = Checkpoint { generation: 0, state: kept.then_some(state) };
    Ok(FlockHandle { source, held, past, journal: Journal::new() })
}

/// The place and the reason for another device.
pub(super) struct Place<'a> {
    /// The adapter of the lost device, or the reason why no other is to be opened.
    pub lost: Result<wgpu::AdapterInfo>,
    pub display: OwnedDisplayHandle,
    pub window: &'a Arc<Window>,
}

impl Place<'_> {
    /// A backend with an engine for the flock and its device: the flock's own engine if it is intact, otherwise one on
    /// the drawing device, otherwise the CPU's.
    pub fn recover(
        &self,
        ended: FlockHandle,
        device: Device,
    ) -> Result<(Box<dyn Paint>, Device, FlockHandle)> {
        let FlockHandle { mut source, mut held, mut past, journal } = ended;
        if !source.on_device() {
            let found = self.open(|_| Ok(())).map(|(paint, ())| paint);
            let paint = found.or_else(|why| host::paint_without_gpu(self.window, &why))?;
            return Ok((paint, device, FlockHandle { source, held, past, journal }));
        }
        let numeric = source.engine().numeric();
        // Free the lost device's memory before the next one is opened.
        drop(source);
        let state = match held.state.take() {
            Some(state) => state,
            None => past.flight.start.state()?,
        };
        past.go_back(state.step)?;
        let parameters = past.parameters.engine;
        let on = |device: Device| -> Result<(Device, Box<dyn Source>)> {
            let source = sources::open(&device, &parameters, &state)?;
            Ok((device, source))
        };
        let found = self.open(|gpu| on(Device::Gpu(Box::new(gpu.clone()), numeric)));
        let found = found.or_else(|_| self.open(|_| on(Device::cpu(numeric))));
        let (paint, (device, mut source)) = found.or_else(|why| {
            Ok::<_, EngineError>((host::paint_without_gpu(self.window, &why)?, on(Device::cpu(numeric))?))
        })?;
        let last_step = state.step;
        held.state = Some(state);
        if last_step == past.flight.end {
            past.make_pending(source.engine())?;
        }
        Ok((paint, device, FlockHandle { source, held, past, journal }))
    }

    /// Opens a device that draws on the window and has an engine: on the same adapter, otherwise on the next best.
    fn open<E>(&self, engine: impl Fn(&Gpu) -> Result<E>) -> Result<(Box<dyn Paint>, E)> {
        let lost = self.lost.as_ref().map_err(Clone::clone)?;
        // A new instance: it shares nothing with the lost device.
        let instance = Gpu::instance(Some(Box::new(self.display.clone())))?;
        let open = |index: usize| -> Result<(Box<dyn Paint>, E)> {
            let screen = Screen::open(&instance, Arc::clone(self.window), Some(&index.to_string()), None)?;
            let gpu = screen.gpu.clone();
            let paint = Painter::new(screen)?;
            let engine = engine(&gpu)?;
            gpu.check_now()?;
            Ok((Box::new(paint), engine))
        };
        let mut found = Err(EngineError::NoAdapter("there is no other adapter".to_owned()));
        for entry in beginning_with(&instance, lost) {
            found = open(entry.index);
            if found.is_ok() {
                break;
            }
        }
        found
    }
}
