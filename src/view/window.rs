//! The window: winit's events in, frames out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy, OwnedDisplayHandle};
use winit::window::{Fullscreen, Window, WindowId};

use self::host::{Clipboard, Opening};
use self::parts::{Wake, input, no_display, wake};
use self::reopen::Losses;
use super::open_file::OpenFile;
use super::painter::Painter;
use super::recent::Recent;
use super::recorder::Recorder;
use super::scene::Scenery;
use super::session::{Preset, Session};
use super::sheet::Sheet;
use super::surface::{Acquired, Screen};
use super::worker::Worker;
use super::{panel, picture, sources};
use config::{Document, View};
use cpu::engine::EngineError;
use engines::EngineRequest;
use gpu::{Choice, Gpu};
use report::failure::Failure;

mod film;
#[cfg_attr(target_arch = "wasm32", path = "window/host/page.rs")]
mod host;
mod parts;
mod reopen;

/// A window that is narrower, in logical pixels, opens without the panel.
const FOLDED: u32 = 700;

/// What the window opens with.
#[derive(Clone, Debug)]
pub struct Options {
    pub presets: Vec<Preset>,
    /// The preset that the parameters come from.
    pub preset: Option<usize>,
    /// The file that they come from.
    pub file: Option<PathBuf>,
    /// The preset or the file.
    pub base: Document,
    /// The same, with what the call sets.
    pub parameters: flock::Parameters,
    /// How the preset or the file is shown.
    pub view: View,
    pub engine: EngineRequest,
    /// True if it opens paused.
    pub paused: bool,
    /// The step to pause at.
    pub pause_at: Option<u64>,
    /// Width and height in logical pixels.
    pub size: [u32; 2],
    /// The look to open in; else that of the preset.
    pub look: Option<Scenery>,
    /// True if the choice of the engine is not reported on stderr.
    pub quiet: bool,
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// When there is no display or it ends, no adapter that can draw on it, or the device is lost for good.
pub fn open(options: Options) -> Result<(), Failure> {
    let events = EventLoop::<Wake>::with_user_event().build().map_err(no_display)?;
    host::run(events, options)
}

struct App {
    options: Options,
    proxy: EventLoopProxy<Wake>,
    opening: Option<Opening>,
    live: Option<Live>,
    failure: Option<Failure>,
}

/// The parts of an open window.
struct Live {
    session: Session,
    painter: Painter,
    input: egui_winit::State,
    clipboard: Clipboard,
    screen: Screen,
    gpu: Gpu,
    proxy: EventLoopProxy<Wake>,
    losses: Losses,
    recorder: Option<Recorder>,
    /// When the next frame is due, where one is.
    due: Option<Instant>,
    /// When the open file is polled next.
    next_poll: Instant,
    /// When the last frame began.
    last: Instant,
    /// The least time from frame to frame.
    pause: Duration,
    /// The title as last set.
    title: String,
    /// True if the window fills the screen, as last set.
    full_screen: bool,
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.live.is_some() || self.opening.is_some() {
            return;
        }
        match Live::window(&self.options, events) {
            Ok(window) => {
                self.opening = Some(Opening::begin(&self.options, window, events, &self.proxy));
                self.opened(events);
            }
            Err(why) => self.fail(events, why),
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, wake: Wake) {
        self.opened(events);
        if wake == Wake::End {
            self.close(events);
        }
        if let Some(live) = &mut self.live {
            live.schedule(Instant::now());
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _window: WindowId, event: WindowEvent) {
        let Some(live) = &mut self.live else { return };
        live.clipboard.paste(&event, &mut live.input);
        let response = live.input.on_window_event(&live.screen.window, &event);
        // egui answers a redraw, too, by asking for one: that would never end.
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            live.schedule(Instant::now());
        }
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => self.close(events),
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
                live.screen.resize(&live.gpu);
                live.schedule(Instant::now());
            }
            WindowEvent::Occluded(false) => live.schedule(Instant::now()),
            WindowEvent::RedrawRequested => match live.frame() {
                Ok(()) => {}
                Err(EngineError::Lost { why, .. }) => self.reopen(events, &why),
                Err(why) => self.fail(events, why.into()),
            },
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(live) = &mut self.live else { return };
        let now = Instant::now();
        let next_poll = live.poll_file(now);
        let due = live.due.filter(|due| *due > now);
        if live.due.is_some() && due.is_none() {
            live.due = None;
            live.screen.window.request_redraw();
        }
        let next = due.into_iter().chain(next_poll).min();
        events.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

impl App {
    fn new(options: Options, proxy: EventLoopProxy<Wake>) -> Self {
        App { options, proxy, opening: None, live: None, failure: None }
    }

    /// Takes the window that has been opened, once it is.
    fn opened(&mut self, events: &ActiveEventLoop) {
        match self.opening.as_mut().and_then(Opening::ended) {
            Some(Ok(live)) => (self.opening, self.live) = (None, Some(live)),
            Some(Err(why)) => self.fail(events, why),
            None => {}
        }
    }

    /// Goes on with another device, after one was lost.
    fn reopen(&mut self, events: &ActiveEventLoop, why: &str) {
        let Some(mut live) = self.live.take() else { return };
        // What was drawn so far is a film; another device would draw another.
        live.end_film();
        match live.reopened(events, why) {
            Ok(live) => self.live = Some(live),
            Err(why) => self.fail(events, why),
        }
    }

    fn fail(&mut self, events: &ActiveEventLoop, why: Failure) {
        host::report(&why);
        (self.opening, self.failure) = (None, Some(why));
        self.close(events);
    }

    fn close(&mut self, events: &ActiveEventLoop) {
        if let Some(live) = &mut self.live {
            live.end_film();
        }
        events.exit();
    }
}

impl Live {
    /// A window with nothing in it.
    fn window(options: &Options, events: &ActiveEventLoop) -> Result<Arc<Window>, Failure> {
        let attributes = host::attributes(options.size)?.with_title("murmuration");
        events.create_window(attributes).map(Arc::new).map_err(no_display)
    }

    /// What is in the window: a device that draws on it, and a flock.
    fn open(
        options: &Options,
        window: Arc<Window>,
        display: OwnedDisplayHandle,
        proxy: &EventLoopProxy<Wake>,
    ) -> Result<Self, Failure> {
        let instance = Gpu::instance(Some(Box::new(display)));
        let surface = instance
            .create_surface(Arc::clone(&window))
            .map_err(|why| Failure::adapter(format!("no adapter can draw on the window: {why}")))?;
        let choice = Choice {
            adapter: options.engine.adapter.as_deref(),
            backend: options.engine.backend,
            surface: Some(&surface),
        };
        let gpu = Gpu::open(&instance, &choice)?;
        let (device, line) = options.engine.choose_beside(&gpu)?;
        let mut source = sources::open(&device, &options.parameters)?;
        host::opened(&device, line.filter(|_| !options.quiet));
        let screen = Screen::new(&gpu, surface, Arc::clone(&window))?;
        let painter = Painter::new(&gpu, &screen)?;

        let (input, clipboard) = (input(&window, &gpu), Clipboard::open());
        let engine = source.engine().describe();
        let worker = Worker::start(source, &options.parameters, wake(proxy)).map_err(Failure::work)?;
        let presets = options.presets.clone();
        let mut session = Session::new(
            presets,
            options.preset,
            options.base.parameters,
            options.parameters,
            worker,
            engine,
        );
        session.own_world = options.base.world;
        session.view_as(options.view);
        session.playing = !options.paused;
        session.open.panel = window.inner_size().to_logical::<u32>(window.scale_factor()).width >= FOLDED;
        session.pause_at = options.pause_at;
        session.recent = Recent::of_user();
        if let Some(file) = &options.file {
            session.opened(file);
        }
        if let Some(scenery) = options.look {
            session.choose_look(scenery);
        }
        // A little less than the monitor's frame time; vertical synchronisation waits for the rest.
        let rate = window.current_monitor().and_then(|monitor| monitor.refresh_rate_millihertz());
        let pause = Duration::from_secs_f64(900.0 / f64::from(rate.unwrap_or(60_000).clamp(20_000, 500_000)));
        let now = Instant::now();
        Ok(Live {
            session,
            painter,
            input,
            clipboard,
            screen,
            gpu,
            proxy: proxy.clone(),
            losses: Losses::new(now),
            recorder: None,
            due: Some(now),
            next_poll: now,
            last: now,
            pause,
            title: String::new(),
            full_screen: false,
        })
    }

    /// Schedules a frame, but no sooner after the last one than the pause.
    fn schedule(&mut self, at: Instant) {
        let at = at.max(self.last + self.pause);
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Polls the file that is open, where it is time; returns when to poll again.
    fn poll_file(&mut self, now: Instant) -> Option<Instant> {
        self.session.watched()?;
        if self.next_poll <= now {
            self.next_poll = now + OpenFile::INTERVAL;
            if self.session.poll_file() {
                self.schedule(now);
            }
        }
        Some(self.next_poll)
    }

    /// Shows in the title what flies, and whether it is paused.
    fn show_title(&mut self) {
        let paused = if self.session.playing { "" } else { ", paused" };
        let title = format!("murmuration: {}{paused}", self.session.title());
        if title != self.title {
            self.screen.window.set_title(&title);
            self.title = title;
        }
    }

    /// Fills the screen, or leaves it, where that was asked for.
    fn fill_screen(&mut self) {
        if self.full_screen != self.session.full_screen {
            self.full_screen = self.session.full_screen;
            let whole = self.full_screen.then_some(Fullscreen::Borderless(None));
            self.screen.window.set_fullscreen(whole);
        }
    }

    /// Shows an error, unless it is the loss of the device.
    fn show_error(&mut self, result: Result<(), EngineError>) -> Result<(), EngineError> {
        match result {
            Err(lost @ EngineError::Lost { .. }) => return Err(lost),
            Err(why) => self.session.fail(why.to_string()),
            Ok(()) => {}
        }
        Ok(())
    }

    /// One frame.
    fn frame(&mut self) -> Result<(), EngineError> {
        let now = Instant::now();
        let since = now - self.last;
        self.last = now;
        host::exchange(&mut self.session, &self.proxy);
        self.session.tick(since);
        self.show_title();
        self.show_error(self.gpu.check_now())?;
        let (texture, again) = match self.screen.acquire(&self.gpu)? {
            Acquired::Texture(texture, again) => (texture, again),
            Acquired::Again => {
                self.schedule(now);
                return Ok(());
            }
            Acquired::Nothing => {
                // Minimised or hidden: the flock goes on, and the surface is tried again now and then.
                self.schedule(now + Duration::from_millis(100));
                return Ok(());
            }
        };
        let input = self.input.take_egui_input(&self.screen.window);
        let touched = !input.events.is_empty();
        let context = self.input.egui_ctx().clone();
        let (session, id) = (&mut self.session, self.painter.id());
        let mut outcome = None;
        let output = context.run_ui(input, |ui| outcome = Some(panel::show(ui, session, id)));
        self.clipboard.copy(&output.platform_output.commands);
        self.input.handle_platform_output(&self.screen.window, output.platform_output);
        self.fill_screen();
        if let Some(outcome) = outcome {
            let pixels = outcome.view.size() * output.pixels_per_point;
            // Rounded up: a pixel under the panel is better than a gap.
            let size = [pixels.x, pixels.y].map(|side| (side - 0.01).ceil().max(1.0) as u32);
            if self.painter.draw_flock(&self.gpu, &mut self.session, size) {
                self.schedule(now);
            }
            if outcome.picture {
                picture::save(&self.gpu, &mut self.session, size);
            }
            self.film(size, now);
        }
        let jobs = context.tessellate(output.shapes, output.pixels_per_point);
        let sheet = Sheet {
            jobs,
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
            touched,
        };
        let drawn = self.painter.draw_sheet(&self.gpu, &texture.texture, sheet);
        self.screen.window.pre_present_notify();
        // Presented though nothing may be drawn on it: a lost device keeps a texture that is only dropped.
        self.gpu.queue.present(texture);
        self.show_error(drawn)?;
        if again {
            self.screen.resize(&self.gpu);
        }
        // The next frame is due when egui asks for one, or once the engine can be asked for more steps.
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        if let Some(at) = delay.and_then(|delay| now.checked_add(delay)) {
            self.schedule(at);
        }
        if let Some(at) = self.painter.sheet_due() {
            self.schedule(at);
        }
        if self.session.playing && !self.session.busy() {
            self.schedule(now);
        }
        Ok(())
    }
}
