//! The window: winit's events in, frames out.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use web_time::Instant;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy, OwnedDisplayHandle};
use winit::window::{Fullscreen, Window, WindowId};

use self::host::Clipboard;
use self::reopen::Losses;
use super::open_file::OpenFile;
use super::painter::Painter;
use super::recent::Recent;
use super::recorder::Recorder;
use super::scene::Scenery;
use super::session::{Preset, Session};
use super::surface::{Acquired, Screen};
use super::worker::{Checkpoint, Ended, Worker};
use super::{panel, picture, remembered, settled, sources, theme};
use config::{Document, View};
use cpu::engine::EngineError;
use engines::{Device, EngineRequest};
use gpu::Gpu;
use report::failure::Failure;

mod film;
#[cfg_attr(target_arch = "wasm32", path = "window/host/page.rs")]
mod host;
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
    /// True if it flies there as fast as the engine can.
    pub hurries: bool,
    /// True if the call asks for nothing: the flock is settled, the pointer is a falcon, and a line says so.
    pub first: bool,
    /// Width and height in logical pixels.
    pub size: [u32; 2],
    /// The look to open in; else that of the preset.
    pub look: Option<Scenery>,
    /// True if the choice of the engine is not reported on stderr.
    pub quiet: bool,
}

/// Why the event loop is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// The worker has a report.
    Report,
    /// The program is asked to end.
    End,
}

/// Wakes the event loop, which may have ended.
fn wake(proxy: &EventLoopProxy<Wake>) -> impl Fn() + Send + 'static {
    let proxy = proxy.clone();
    move || {
        let _ = proxy.send_event(Wake::Report);
    }
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// When there is no display or it ends, no adapter that can draw on it, or the device is lost for good.
pub fn open(options: Options) -> Result<(), Failure> {
    let events = EventLoop::<Wake>::with_user_event().build().map_err(no_display)?;
    host::run(events, options)
}

/// Why the window cannot be opened. winit's message begins with a line of its own source, which is cut off.
fn no_display(why: impl std::fmt::Display) -> Failure {
    let text = why.to_string();
    let after = |text: &str| Some(text.split_once(".rs:")?.1.split_once(": ")?.1.to_owned());
    let why = after(&text).unwrap_or(text);
    Failure::adapter(format!("no window can be opened: {}", why.trim_end_matches('.')))
        .hint("`murmuration render FILE.mp4` needs no display")
}

/// What came of opening a window.
type Opened = Result<Live, Failure>;

struct App {
    options: Options,
    proxy: EventLoopProxy<Wake>,
    /// Brings the window that is being opened.
    opening: Option<Receiver<Opened>>,
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
    /// A picture was asked for, and is not taken yet.
    picture_wanted: bool,
    /// True if the window fills the screen, as last set.
    full_screen: bool,
    /// True if the panel is open, as last remembered.
    panel_open: bool,
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.live.is_some() || self.opening.is_some() {
            return;
        }
        let attributes = host::attributes(self.options.size);
        let window = attributes.and_then(|attributes| {
            events.create_window(attributes.with_title("murmuration")).map_err(no_display)
        });
        match window {
            Ok(window) => {
                let (options, proxy) = (self.options.clone(), self.proxy.clone());
                let display = events.owned_display_handle();
                self.fill(events, move || Live::open(&options, Arc::new(window), display, &proxy));
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
                live.screen.resize();
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
        let Some(live) = &mut self.live else {
            // A time that has passed would wake the loop again and again.
            return events.set_control_flow(ControlFlow::Wait);
        };
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

    /// Fills the window, which may take a while.
    fn fill(&mut self, events: &ActiveEventLoop, open: impl FnOnce() -> Opened + 'static) {
        let (opened, opening) = channel();
        host::open(&self.options, &self.proxy, &opened, open);
        self.opening = Some(opening);
        self.opened(events);
    }

    /// Takes the window that has been opened, once it is.
    fn opened(&mut self, events: &ActiveEventLoop) {
        match self.opening.as_ref().and_then(|opening| opening.try_recv().ok()) {
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
        let (display, why) = (events.owned_display_handle(), why.to_owned());
        self.fill(events, move || live.reopened(display, &why));
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

/// What egui reads from a window.
fn input(screen: &Screen) -> egui_winit::State {
    let context = egui::Context::default();
    theme::apply(&context);
    let (id, window) = (egui::ViewportId::ROOT, &screen.window);
    let (scale, most) = (window.scale_factor() as f32, screen.gpu.limits.max_texture_dimension_2d);
    egui_winit::State::new(context, id, window, Some(scale), None, Some(most as usize))
}

/// An engine with the flock that a window opens on, and what the window holds of it.
fn begin(options: &Options, device: &Device, grows: bool) -> Result<Ended, EngineError> {
    let mut parameters = options.parameters;
    if !options.first {
        let source = sources::open(device, &parameters)?;
        return Ok(Ended { source, held: Checkpoint { generation: 0, parameters, state: None } });
    }
    device.check_capacity(parameters.flock.boids)?;
    let state = settled::state(&parameters);
    let mut source = sources::resume(device, &parameters, &state)?;
    let state = settled::sort(&mut *source, &mut parameters, state, grows)?;
    Ok(Ended { source, held: Checkpoint { generation: 0, parameters, state: Some(state) } })
}

impl Live {
    /// What is in the window: a device that draws on it, and a flock.
    fn open(
        options: &Options,
        window: Arc<Window>,
        display: OwnedDisplayHandle,
        proxy: &EventLoopProxy<Wake>,
    ) -> Opened {
        let instance = Gpu::instance(Some(Box::new(display)))?;
        let (adapter, backend) = (options.engine.adapter.as_deref(), options.engine.backend);
        let screen = Screen::open(&instance, window, adapter, backend)?;
        let (device, line) = options.engine.choose_beside(&screen.gpu)?;
        // A software adapter draws no more boids in time.
        let mut begun = begin(options, &device, screen.gpu.hardware())?;
        host::opened(&device, line.filter(|_| !options.quiet));
        let painter = Painter::new(&screen)?;

        let (engine, parameters) = (begun.source.engine().describe(), begun.held.parameters);
        let worker = Worker::resume(begun, wake(proxy)).map_err(Failure::work)?;
        let (presets, base) = (options.presets.clone(), options.base.parameters);
        let mut session = Session::new(presets, options.preset, base, parameters, worker, engine);
        session.document.own_world = options.base.world;
        session.eye.follows = !host::reduces_motion();
        session.view_as(options.view);
        session.flight.playing = !options.paused;
        // No frame is without birds.
        session.settle();
        let (size, scale) = (screen.window.inner_size(), screen.window.scale_factor());
        let wide = size.to_logical::<u32>(scale).width >= FOLDED;
        let panel_open = wide && remembered::panel();
        session.controls.open.panel = panel_open;
        (session.flight.pause_at, session.flight.hurries) = (options.pause_at, options.hurries);
        session.flight.options = device.options();
        session.document.recent = Recent::of_user();
        if let Some(file) = &options.file {
            session.opened(file);
        }
        if let Some(scenery) = options.look {
            session.eye.choose_look(scenery);
        }
        if options.first {
            session.greet();
            // No number of steps leads to it from a seed.
            session.flight.untouched = false;
        }
        // A little less than the monitor's frame time; vertical synchronisation waits for the rest.
        let monitor = screen.window.current_monitor();
        let rate = monitor.and_then(|monitor| monitor.refresh_rate_millihertz()).unwrap_or(60_000);
        let now = Instant::now();
        Ok(Live {
            session,
            painter,
            input: input(&screen),
            clipboard: Clipboard::open(),
            screen,
            proxy: proxy.clone(),
            losses: Losses::new(now),
            recorder: None,
            due: Some(now),
            next_poll: now,
            last: now,
            pause: Duration::from_secs_f64(900.0 / f64::from(rate.clamp(20_000, 500_000))),
            title: String::new(),
            picture_wanted: false,
            full_screen: false,
            panel_open,
        })
    }

    /// Schedules a frame, but no sooner after the last one than the pause.
    fn schedule(&mut self, at: Instant) {
        let at = at.max(self.last + self.pause);
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Polls the file that is open, where it is time; returns when to poll again.
    fn poll_file(&mut self, now: Instant) -> Option<Instant> {
        self.session.document.watched()?;
        if self.next_poll <= now {
            self.next_poll = now + OpenFile::INTERVAL;
            if self.session.poll_file() {
                self.schedule(now);
            }
        }
        Some(self.next_poll)
    }

    /// Shows in the title what flies, and whether it is paused; fills the screen, or leaves it; remembers the panel.
    fn dress(&mut self) {
        let window = &self.screen.window;
        let paused = if self.session.flight.playing { "" } else { ", paused" };
        let title = format!("murmuration: {}{paused}", self.session.document.title());
        if title != self.title {
            window.set_title(&title);
            self.title = title;
        }
        if self.full_screen != self.session.controls.full_screen {
            self.full_screen = self.session.controls.full_screen;
            window.set_fullscreen(self.full_screen.then_some(Fullscreen::Borderless(None)));
        }
        if self.panel_open != self.session.controls.open.panel {
            self.panel_open = self.session.controls.open.panel;
            remembered::keep_panel(self.panel_open);
        }
    }

    /// Shows an error, unless it is the loss of the device.
    fn show_error<T>(&mut self, result: Result<T, EngineError>) -> Result<Option<T>, EngineError> {
        match result {
            Err(lost @ EngineError::Lost { .. }) => Err(lost),
            Err(why) => {
                self.session.controls.fail(why.to_string());
                Ok(None)
            }
            Ok(found) => Ok(Some(found)),
        }
    }

    /// One frame.
    fn frame(&mut self) -> Result<(), EngineError> {
        let now = Instant::now();
        let since = now - self.last;
        self.last = now;
        host::exchange(&mut self.session, &self.proxy);
        self.session.tick(since);
        self.dress();
        let checked = self.screen.gpu.check_now();
        self.show_error(checked)?;
        let (texture, again) = match self.screen.acquire()? {
            Acquired::Texture(texture, again) => (texture, again),
            Acquired::Nothing(pause) => {
                // Where it is minimised or hidden, the flock goes on.
                self.schedule(now + pause);
                return Ok(());
            }
        };
        self.session.time_frame(since, self.screen.gpu.hardware());
        let input = self.input.take_egui_input(&self.screen.window);
        let touched = !input.events.is_empty();
        let context = self.input.egui_ctx().clone();
        let (session, id) = (&mut self.session, self.painter.id);
        let mut outcome = None;
        let mut output = context.run_ui(input, |ui| outcome = Some(panel::show(ui, session, id)));
        self.clipboard.copy(&output.platform_output.commands);
        let platform = std::mem::take(&mut output.platform_output);
        self.input.handle_platform_output(&self.screen.window, platform);
        // The next frame is due when egui asks for one, or once the engine can be asked for more steps.
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        let mut flock = Ok(false);
        if let Some(outcome) = outcome {
            let pixels = outcome.view.size() * output.pixels_per_point;
            // Rounded up: a pixel under the panel is better than a gap.
            let size = [pixels.x, pixels.y].map(|side| (side - 0.01).ceil().max(1.0) as u32);
            flock = self.painter.draw_flock(&self.screen.gpu, &mut self.session, size);
            self.picture_wanted |= outcome.picture;
            if self.picture_wanted {
                self.picture_wanted = !picture::save(&self.screen.gpu, &mut self.session, size);
            }
            self.film(size, now);
        }
        let panel = self.painter.draw_panel(&self.screen.gpu, &texture.texture, &context, output, touched);
        self.screen.window.pre_present_notify();
        // Presented though nothing may be drawn on it: a lost device keeps a texture that is only dropped.
        self.screen.gpu.queue.present(texture);
        let new_to_egui = self.show_error(panel.and(flock))?;
        if again {
            self.screen.resize();
        }
        if let Some(at) = delay.and_then(|delay| now.checked_add(delay)) {
            self.schedule(at);
        }
        if let Some(at) = self.painter.due {
            self.schedule(at);
        }
        if self.picture_wanted || new_to_egui == Some(true) || self.session.flight.waits() {
            self.schedule(now);
        }
        Ok(())
    }
}
