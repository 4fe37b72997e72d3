//! The window: receives winit's events and draws frames.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use web_time::Instant;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalPosition;
use winit::event::{MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::{Fullscreen, Window, WindowId};

use self::host::Services;
use self::opened::Losses;
use super::open_file::OpenFile;
use super::painter::Paint;
use super::panel;
use super::recorder::Recorder;
use super::session::{Preset, Session};
use config::{Lesson, Scenery, Setting, Source};
use engine::{EngineError, Result};
use engines::EngineRequest;
use files::failure::Failure;
use flight::Flight;
use gpu::Gpu;

mod film;
#[cfg_attr(target_arch = "wasm32", path = "window/host/page.rs")]
mod host;
mod opened;

/// The window of a call, and its initial content.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its size in logical pixels.
    pub size: [u32; 2],
    /// The engine that steps the flock, and the adapter that draws it.
    pub engine: EngineRequest,
    /// Where the flock's parameters come from, and what the call sets on top.
    pub source: Source,
    pub settings: Vec<Setting>,
    pub clock: OpeningClock,
    /// The look that the call names.
    pub look: Option<Scenery>,
    /// True if nothing but errors is printed.
    pub quiet: bool,
    pub presets: Vec<Preset>,
    /// The preset that the flock comes from.
    pub preset: Option<usize>,
    /// The preset or file without the settings of the call.
    pub base: config::Document,
    /// The preset or file with the settings of the call.
    pub flock: config::Document,
    pub opening: Opening,
    /// A recorded flight that is repeated, and its file.
    pub flight: Option<(PathBuf, Flight)>,
    /// A lesson to begin.
    pub lesson: Option<Lesson>,
    /// The settings by which another flock beside it differs; empty without one.
    pub compare: Vec<Setting>,
}

/// When the flock of a call moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpeningClock {
    /// It opens paused, at step 0.
    pub paused: bool,
    /// It pauses at this step.
    pub pause_at: Option<u64>,
    /// It flies to that step as fast as the engine can.
    pub fast_forward: bool,
}

impl OpeningClock {
    /// True if steps are counted from the seed.
    pub fn counts_from_seed(&self) -> bool {
        self.paused || self.pause_at.is_some()
    }
}

/// How the flock of a call starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// From its seed.
    Seeded,
    /// Settled, with the number of boids that the call names.
    Settled,
    /// Settled, with as many boids as the device steps fast.
    Growing,
}

/// Events from other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// The worker has a report.
    Report,
    /// The program is asked to end.
    End,
}

/// Returns a function that wakes the event loop, which may have ended.
fn wake(proxy: &EventLoopProxy<Wake>) -> impl Fn() + Send + 'static {
    let proxy = proxy.clone();
    move || {
        let _ = proxy.send_event(Wake::Report);
    }
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// When there is no display, it ends, no adapter can draw on it, or the device is lost for good.
pub fn open(options: Options) -> Result<(), Failure> {
    let events = EventLoop::<Wake>::with_user_event().build().map_err(no_display)?;
    host::run(events, options)
}

/// The failure to open the window, without the first line of winit's message, a line of its source.
fn no_display(why: impl std::fmt::Display) -> Failure {
    let text = why.to_string();
    let after = |text: &str| Some(text.split_once(".rs:")?.1.split_once(": ")?.1.to_owned());
    let why = after(&text).unwrap_or(text);
    Failure::adapter(format!("cannot open a window: {}", why.trim_end_matches('.')))
        .hint("`murmuration render FILE.mp4` requires no display")
}

/// The outcome of opening a window.
type OpenResult = Result<Live, Failure>;

struct App {
    options: Options,
    proxy: EventLoopProxy<Wake>,
    /// Receives the window that is being opened.
    opening: Option<Receiver<OpenResult>>,
    live: Option<Live>,
    failure: Option<Failure>,
}

/// The parts of an open window.
struct Live {
    session: Session,
    paint: Box<dyn Paint>,
    input: egui_winit::State,
    services: Services,
    // Dropped after the parts that draw on it.
    window: Arc<Window>,
    proxy: EventLoopProxy<Wake>,
    losses: Losses,
    recorder: Option<Recorder>,
    /// Time of the next frame, if one is due.
    due: Option<Instant>,
    /// Time of the next poll of the open file.
    next_poll: Instant,
    /// Time when the last frame began.
    last: Instant,
    /// Minimum time from frame to frame.
    pause: Duration,
    /// The title last set.
    title: String,
    /// The last set state: true if the window fills the screen.
    full_screen: bool,
    /// The last stored state: true if the panel is open.
    panel_open: bool,
    /// The window's [`pixel_share`].
    share: f64,
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
        let event = in_window(event, live.share);
        live.services.paste(&event, &mut live.input);
        let response = live.input.on_window_event(&live.window, &event);
        // egui answers a redraw with a request for another one: that would never end.
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            live.schedule(Instant::now());
        }
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => self.close(events),
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
                live.paint.resize();
                live.scale();
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
            // A time in the past would wake the loop again and again.
            return events.set_control_flow(ControlFlow::Wait);
        };
        let now = Instant::now();
        let next_poll = live.poll_file(now);
        let due = live.due.filter(|due| *due > now);
        if live.due.is_some() && due.is_none() {
            live.due = None;
            live.window.request_redraw();
        }
        let next = due.into_iter().chain(next_poll).min();
        events.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

impl App {
    fn new(options: Options, proxy: EventLoopProxy<Wake>) -> Self {
        App { options, proxy, opening: None, live: None, failure: None }
    }

    /// Opens the content of the window, which may take a while.
    fn fill(&mut self, events: &ActiveEventLoop, open: impl FnOnce() -> OpenResult + 'static) {
        let (opened, opening) = channel();
        host::open(&self.proxy, &opened, open);
        self.opening = Some(opening);
        self.opened(events);
    }

    /// Takes the window once it is open.
    fn opened(&mut self, events: &ActiveEventLoop) {
        match self.opening.as_ref().and_then(|opening| opening.try_recv().ok()) {
            Some(Ok(live)) => (self.opening, self.live) = (None, Some(live)),
            Some(Err(why)) => self.fail(events, why),
            None => {}
        }
    }

    /// Continues with another device after a loss.
    fn reopen(&mut self, events: &ActiveEventLoop, why: &str) {
        let Some(mut live) = self.live.take() else { return };
        // A film ends with its device.
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

impl Live {
    /// Scales the panel to the pixels that the window has, if they are not those of its scale factor.
    fn scale(&mut self) {
        let window = &self.window;
        let share =
            pixel_share(window.inner_size().width, host::points_across(window), window.scale_factor());
        let before = std::mem::replace(&mut self.share, share);
        if share != before {
            let context = self.input.egui_ctx();
            context.set_zoom_factor(context.zoom_factor() * (share / before) as f32);
        }
    }

    /// Schedules a frame, at least `pause` after the last one.
    fn schedule(&mut self, at: Instant) {
        let at = at.max(self.last + self.pause);
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Polls the open file if it is time; returns the time of the next poll.
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

    /// Updates title, full-screen mode and the stored state of the panel.
    fn update_window(&mut self) {
        let window = &self.window;
        let paused = if self.session.playback.playing { "" } else { ", paused" };
        let title = format!("murmuration: {}{paused}", self.session.document.title());
        if title != self.title {
            host::set_title(window, &title);
            self.title = title;
        }
        if self.full_screen != self.session.controls.full_screen {
            self.full_screen = self.session.controls.full_screen;
            window.set_fullscreen(self.full_screen.then_some(Fullscreen::Borderless(None)));
        }
        if self.panel_open != self.session.controls.open.panel {
            self.panel_open = self.session.controls.open.panel;
            host::keep_panel(self.panel_open);
        }
    }

    /// Shows an error, unless the device is lost.
    fn show_error<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Err(lost @ EngineError::Lost { .. }) => Err(lost),
            Err(why) => {
                self.session.controls.fail(why.to_string());
                Ok(None)
            }
            Ok(found) => Ok(Some(found)),
        }
    }

    /// Draws one frame.
    fn frame(&mut self) -> Result {
        let now = Instant::now();
        let since = now - self.last;
        self.last = now;
        host::exchange(self);
        self.session.tick(since);
        self.update_window();
        let checked = self.paint.gpu().map_or(Ok(()), Gpu::check_now);
        self.show_error(checked)?;
        if let Some(pause) = self.paint.begin()? {
            // While the window is minimised or hidden, the flock continues.
            self.schedule(now + pause);
            return Ok(());
        }
        if let Some(gpu) = self.paint.gpu() {
            self.session.time_frame(since, gpu.hardware());
        }
        let input = self.input.take_egui_input(&self.window);
        let touched = !input.events.is_empty();
        let context = self.input.egui_ctx().clone();
        let (session, id) = (&mut self.session, self.paint.picture());
        let mut view = None;
        let mut output = context.run_ui(input, |ui| view = Some(panel::show(ui, session, id)));
        self.services.copy(&output.platform_output.commands);
        let platform = std::mem::take(&mut output.platform_output);
        self.input.handle_platform_output(&self.window, platform);
        // The next frame is due when egui requests one, or once the engine can accept more steps.
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        let mut flock = Ok(false);
        if let Some(view) = view {
            let pixels = view.size() * output.pixels_per_point;
            // Rounded up: a pixel under the panel is better than a gap.
            let size = [pixels.x, pixels.y].map(|side| (side - 0.01).ceil().max(1.0) as u32);
            flock = self.paint.draw_flock(&self.session, size);
            self.save_picture(size);
            self.film(size, now);
        }
        let panel = self.paint.draw_panel(&context, output, touched);
        let due = panel.as_ref().ok().copied().flatten();
        self.window.pre_present_notify();
        self.paint.present();
        let new_to_egui = self.show_error(panel.and(flock))?;
        let asked = delay.and_then(|delay| now.checked_add(delay));
        for at in asked.into_iter().chain(due) {
            self.schedule(at);
        }
        if self.session.controls.picture_wanted || new_to_egui == Some(true) || self.session.waits() {
            self.schedule(now);
        }
        Ok(())
    }
}

/// Maximum deviation of a share from 1 by the rounding of widths.
const ROUNDING: f64 = 0.05;

/// Ratio of a window's width in pixels to the width that its scale factor promises; 1 but for rounding, except in a
/// browser's device emulation: that has a scale factor that its canvas does not have. A window without a width has 1.
fn pixel_share(pixels: u32, points: f64, scale: f64) -> f64 {
    let share = f64::from(pixels) / (points * scale);
    let differs = share.is_normal() && share > 0.0 && (share - 1.0).abs() > ROUNDING;
    if differs { share } else { 1.0 }
}

/// An event with its position in the window's own pixels; winit computes it with the scale factor.
fn in_window(mut event: WindowEvent, share: f64) -> WindowEvent {
    let scale = |at: &mut PhysicalPosition<f64>| *at = PhysicalPosition::new(at.x * share, at.y * share);
    match &mut event {
        WindowEvent::CursorMoved { position, .. } => scale(position),
        WindowEvent::Touch(touch) => scale(&mut touch.location),
        WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(delta), .. } => scale(delta),
        _ => {}
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::event::DeviceId;

    #[test]
    fn a_click_lands_under_the_pointer_where_the_canvas_has_not_the_pixels_of_its_scale() {
        for (pixels, points, scale, expected) in [
            // An emulated ratio of 2 over a canvas of 900 CSS pixels that keeps them.
            (900, 900.0, 2.0, 0.5),
            (900, 900.0, 1.0, 1.0),
            (1800, 900.0, 2.0, 1.0),
            (1351, 901.0, 1.5, 1.0),
            (0, 0.0, 1.0, 1.0),
            (0, 300.0, 2.0, 1.0),
            (9, 0.0, 1.0, 1.0),
        ] {
            assert_eq!(pixel_share(pixels, points, scale), expected, "{pixels} {points} {scale}");
        }
        let position = PhysicalPosition::new(2.0 * 300.0, 2.0 * 40.0);
        let event = WindowEvent::CursorMoved { device_id: DeviceId::dummy(), position };
        let WindowEvent::CursorMoved { position, .. } = in_window(event, 0.5) else {
            panic!("another event")
        };
        // One pixel is a point there, as egui's factor for the panel is the scale factor times the share.
        assert_eq!((position.x, position.y), (300.0, 40.0));
    }
}
