//! A window on a desktop.

use std::sync::Arc;

use winit::dpi::LogicalSize;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};
use winit::window::{Window, WindowAttributes};

use super::parts::{Wake, no_display};
use super::{App, Live, Options};
use crate::view::session::Session;
use engines::Device;
use report::failure::Failure;
use report::interrupt;

mod clipboard;
mod display;
mod icon;

pub(super) use self::clipboard::Clipboard;

/// Why a flock cannot go on with another device.
pub(super) const NO_ENGINE: &str = "the engine has ended by a fault of its own";

/// Shows the window until it is closed.
pub(super) fn run(events: EventLoop<Wake>, options: Options) -> Result<(), Failure> {
    display::report_its_end();
    let proxy = events.create_proxy();
    interrupt::listen();
    interrupt::then(move || {
        // The loop may have ended.
        let _ = proxy.send_event(Wake::End);
    });
    let mut app = App::new(options, events.create_proxy());
    let ended = events.run_app(&mut app);
    match (app.failure, ended) {
        (Some(failure), _) => Err(failure),
        (None, Ok(())) => Ok(()),
        (None, Err(_)) if app.live.is_some() => Err(display::ended()),
        (None, Err(why)) => Err(no_display(why)),
    }
}

/// A window of this size, in logical pixels.
pub(super) fn attributes([width, height]: [u32; 2]) -> Result<WindowAttributes, Failure> {
    let attributes = Window::default_attributes().with_window_icon(icon::icon());
    let attributes = attributes.with_inner_size(LogicalSize::new(width, height));
    Ok(attributes.with_min_inner_size(LogicalSize::new(480, 360)))
}

/// Says in a line what was chosen, where the call left it open.
pub(super) fn opened(_device: &Device, line: Option<String>) {
    if let Some(line) = line {
        eprintln!("{line}");
    }
}

/// Nothing: the program ends with the failure.
pub(super) fn report(_why: &Failure) {}

/// Nothing: files are read by their names.
pub(super) fn exchange(_session: &mut Session, _proxy: &EventLoopProxy<Wake>) {}

/// A window that is filled.
pub(super) struct Opening(Option<Result<Live, Failure>>);

impl Opening {
    /// Opens a device and a flock for a window.
    pub fn begin(
        options: &Options,
        window: Arc<Window>,
        events: &ActiveEventLoop,
        proxy: &EventLoopProxy<Wake>,
    ) -> Self {
        Opening(Some(Live::open(options, window, events.owned_display_handle(), proxy)))
    }

    /// What came of it, once.
    pub fn ended(&mut self) -> Option<Result<Live, Failure>> {
        self.0.take()
    }
}
