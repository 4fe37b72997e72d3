//! The content of a window when it opens, and with another device after a loss: a drawing backend, and a flock on its
//! engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use egui::{Event, Pos2, TouchDeviceId, TouchId, TouchPhase};
use flock::Parameters;
use web_time::Instant;
use winit::event_loop::{EventLoopProxy, OwnedDisplayHandle};
use winit::window::Window;

use super::host::Services;
use super::{Live, OpenResult, Opening, Options, Wake, host, wake};
use crate::detail::Detail;
use crate::open_file::{OpenFile, Recent};
use crate::painter::{Paint, Painter};
use crate::panel::gallery;
use crate::session::Session;
use crate::session::document::Document;
use crate::session::rival::{Rival, changed, starts_settled};
use crate::surface::Screen;
use crate::worker::journal::{self, Journal};
use crate::worker::{Checkpoint, FlockHandle, Past, Source, Worker};
use crate::{settled, sources, theme};
use engine::contained::contain;
use engine::{EngineError, Result, system};
use engines::{Device, EngineKind};
use files::failure::Failure;
use flight::{First, Start};
use gpu::{Gpu, beginning_with};

/// Minimum width of a window, in logical pixels, that opens with the panel.
const FOLDED: f64 = 700.0;

/// The message of the first screen on a touch screen.
const FINGERS: &str = "You are the falcon.   Two fingers turn, and come nearer.";

/// Why a flock cannot go on with another device.
const NO_ENGINE: &str = "the simulation crashed";

/// Counts losses soon after a device was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    opened: Instant,
    count: u32,
}

impl Losses {
    /// A loss within this time of opening counts.
    const SOON: Duration = Duration::from_secs(10);
    /// Number of losses in a row after which no device is opened any more.
    const MAX: u32 = 3;

    /// No losses, for a device opened at `opened`.
    fn new(opened: Instant) -> Self {
        Losses { opened, count: 0 }
    }

    /// Counts a loss. True if there were too many: another device would be lost as well.
    fn too_many(&mut self, now: Instant) -> bool {
        let soon = now.saturating_duration_since(self.opened) < Self::SOON;
        self.count = if soon { self.count + 1 } else { 1 };
        self.count >= Self::MAX
    }
}

/// The opened backend and flock.
struct OpenedWindow {
    paint: Box<dyn Paint>,
    device: Device,
    flock: FlockHandle,
    /// A message about an automatic choice.
    line: Option<String>,
    /// The reason why a GPU that could draw was given up.
    lost: Option<EngineError>,
}

impl OpenedWindow {
    /// Opens a GPU that draws; without one if that fails and the call does not request one, and after two losses.
    ///
    /// # Errors
    /// When nothing can draw on the window, or the flock does not fit.
    fn open(options: &Options, window: &Arc<Window>, display: OwnedDisplayHandle) -> Result<Self> {
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
fn rival(
    options: &Options,
    session: &Session,
    wake: impl Fn() + Send + 'static,
) -> Result<Option<Rival>, Failure> {
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
struct Place<'a> {
    /// The adapter of the lost device, or the reason why no other is to be opened.
    lost: Result<wgpu::AdapterInfo>,
    display: OwnedDisplayHandle,
    window: &'a Arc<Window>,
}

impl Place<'_> {
    /// A backend with an engine for the flock and its device: the flock's own engine if it is intact, otherwise one on
    /// the drawing device, otherwise the CPU's.
    fn recover(&self, ended: FlockHandle, device: Device) -> Result<(Box<dyn Paint>, Device, FlockHandle)> {
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

impl Live {
    /// Opens a device that draws on the window, and a flock.
    pub(super) fn open(
        options: &Options,
        window: Arc<Window>,
        display: OwnedDisplayHandle,
        proxy: &EventLoopProxy<Wake>,
    ) -> OpenResult {
        // Before this process has a flight of its own.
        let left = journal::lost();
        let OpenedWindow { paint, device, mut flock, line, lost } =
            OpenedWindow::open(options, &window, display)?;
        host::opened(&device.describe(), line.filter(|_| !options.quiet));

        let engine = engine_label(flock.source.engine().describe(), &*paint);
        let parameters = flock.past.parameters.engine;
        let worker = Worker::start(flock, wake(proxy)).map_err(Failure::work)?;
        let opening = (options.opening == Opening::Growing).then_some(parameters);
        let base = opening.unwrap_or(options.base.parameters);
        let mut document = Document::new(options.presets.clone(), options.preset, base, parameters);
        (document.opening, document.seeded) = (opening, options.clock.counts_from_seed());
        (document.own_world, document.recent) = (options.base.world, Recent::of_user());
        if let config::Source::File(file) = &options.source {
            let mut file = OpenFile::new(file);
            file.settings.clone_from(&options.settings);
            document.opened(file);
        }
        let mut session = Session::new(document, worker, device, engine);
        session.rival = rival(options, &session, wake(proxy))?;
        session.eye.follows = !host::reduces_motion();
        session.view_as(options.flock.view);
        // The first frame already has birds.
        if system::waits() {
            session.settle();
        }
        // A page may not have told winit the size of its canvas yet.
        let wide = host::points_across(&window) >= FOLDED;
        let panel_open = wide && host::panel();
        session.controls.open.panel = panel_open;
        if let Some((path, flight)) = &options.flight {
            session.open_flight(flight.clone(), &path.display().to_string());
        }
        if let Some(lesson) = &options.lesson {
            session.begin_lesson(lesson.clone());
        }
        session.playback.playing = !options.clock.paused;
        if options.clock.pause_at.is_some() {
            session.playback.pause_at = options.clock.pause_at;
            session.playback.fast_forward = options.clock.fast_forward;
        }
        session.eye.plain = paint.gpu().is_none();
        if let Some(scenery) = options.look {
            session.eye.choose_look(scenery);
        }
        let nothing_asked =
            options.look.is_none() && options.lesson.is_none() && !options.clock.counts_from_seed();
        if opening.is_some() && nothing_asked {
            greet(&mut session);
        }
        report_lost_flight(&mut session, left);
        if paint.gpu().is_none() && session.rival.take().is_some() {
            session.controls.fail("two flocks side by side require a GPU that draws".to_owned());
        }
        if let Some(why) = lost {
            session.controls.fail(format!("{why}; {} draws, and the cpu steps the flock", paint.name()));
        }
        // Slightly less than the monitor's frame time; vertical synchronisation waits for the rest.
        let monitor = window.current_monitor();
        let rate = monitor.and_then(|monitor| monitor.refresh_rate_millihertz()).unwrap_or(60_000);
        let now = Instant::now();
        let mut live = Live {
            session,
            input: input(&window, &*paint),
            paint,
            services: Services::open(&window),
            window,
            proxy: proxy.clone(),
            losses: Losses::new(now),
            recorder: None,
            due: Some(now),
            next_poll: now,
            last: now,
            pause: Duration::from_secs_f64(900.0 / f64::from(rate.clamp(20_000, 500_000))),
            title: String::new(),
            full_screen: false,
            panel_open,
            share: 1.0,
        };
        live.scale();
        Ok(live)
    }

    /// The same window with another device, on which the flock continues from its checkpoint. If no device can be
    /// opened, or devices are lost again and again, a page continues without one.
    ///
    /// # Errors
    /// When nothing can draw on the window any more.
    pub(super) fn reopened(self, display: OwnedDisplayHandle, why: &str) -> Result<Self, Failure> {
        let Live { mut session, paint, input: before, window, proxy, mut losses, .. } = self;
        let (name, gpu) = (paint.name(), paint.gpu().map(|gpu| gpu.info.clone()));
        // A window has one surface at a time. wgpu panics if a lost device still holds one of its textures; the surface
        // is dropped all the same.
        let _ = contain(|| drop(paint));
        let fail = |what: String| Failure::work(format!("{name}: the device was lost: {why}; {what}"));
        let hopeless = EngineError::NoAdapter(format!("as were {} devices before it", Losses::MAX - 1));
        if !system::waits() {
            return Err(fail("this page cannot wait for its flock".to_owned()));
        }
        let lost = match (losses.too_many(Instant::now()), gpu) {
            (true, None) => return Err(fail(hopeless.to_string())),
            (false, Some(info)) => Ok(info),
            _ => Err(hopeless),
        };
        let ended = session.playback.worker.end().ok_or_else(|| fail(NO_ENGINE.to_owned()))?;
        let place = Place { lost, display, window: &window };
        let device = session.playback.device.clone();
        let (paint, device, mut ended) = place.recover(ended, device).map_err(|why| fail(why.to_string()))?;

        // A new context: egui sends its textures in full. Events since the last frame are kept for the next one.
        let mut input = input(&window, &*paint);
        input.egui_ctx().memory_mut(|memory| *memory = before.egui_ctx().memory(Clone::clone));
        gallery::renew(input.egui_ctx());
        let max_texture_side = input.egui_input().max_texture_side;
        *input.egui_input_mut() = egui::RawInput { max_texture_side, ..before.egui_input().clone() };
        let (generation, engine) = (ended.held.generation, ended.source.engine());
        let (step, engine) = (engine.step_number(), engine_label(engine.describe(), &*paint));
        host::opened(&engine, None);
        let worker = Worker::start(ended, wake(&proxy)).map_err(Failure::work)?;
        session.playback.resume(worker, generation, device, engine);
        // Its engine was on the lost device.
        session.rival = None;
        session.eye.leave_companion();
        if paint.gpu().is_none() {
            (session.eye.plain, session.eye.detail) = (true, Detail::default());
        }
        let next = paint.name();
        session.controls.fail(format!("{name}: the device was lost; {next} goes on from step {step}"));
        losses.opened = Instant::now();
        let due = Some(losses.opened);
        Ok(Live { session, paint, input, window, proxy, losses, due, ..self })
    }
}

/// egui's input from a window.
fn input(window: &Window, paint: &dyn Paint) -> egui_winit::State {
    let context = egui::Context::default();
    theme::apply(&context);
    let scale = window.scale_factor() as f32;
    // Every WebGL2 supports at least this.
    let most = paint.gpu().map_or(2048, |gpu| gpu.limits.max_texture_dimension_2d as usize);
    let mut state =
        egui_winit::State::new(context, egui::ViewportId::ROOT, window, Some(scale), None, Some(most));
    if host::has_fingers() {
        // egui detects a touch screen by its first touch.
        let (device_id, id, phase) = (TouchDeviceId(0), TouchId(0), TouchPhase::Cancel);
        let touch = Event::Touch { device_id, id, phase, pos: Pos2::ZERO, force: None };
        state.egui_input_mut().events.push(touch);
    }
    state
}

/// Says where the flight of a window is that ended unexpectedly.
fn report_lost_flight(session: &mut Session, lost: Option<PathBuf>) {
    if let Some(path) = lost {
        let path = path.display();
        session.controls.fail(format!("the last window ended unexpectedly; its flight is in {path}"));
    }
}

/// Says on the first screen what the pointer or the finger is.
fn greet(session: &mut Session) {
    session.greet();
    if host::has_fingers() {
        session.controls.say(FINGERS.to_owned());
    }
}

/// Name of the engine, and of the drawing backend if it is not a GPU, for the user.
fn engine_label(engine: String, paint: &dyn Paint) -> String {
    match paint.gpu() {
        Some(_) => engine,
        None => format!("{engine}; {} draws", paint.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_loss_in_a_row_is_the_last() {
        let begun = Instant::now();
        let mut losses = Losses::new(begun);
        let at = |seconds| begun + Duration::from_secs(seconds);
        assert!(!losses.too_many(at(1)));
        assert!(!losses.too_many(at(2)));
        assert!(losses.too_many(at(3)));
        // A device that works for a while resets the count.
        assert!(!losses.too_many(at(20)));
        losses.opened = at(21);
        assert!(!losses.too_many(at(22)) && losses.too_many(at(23)));
    }
}
