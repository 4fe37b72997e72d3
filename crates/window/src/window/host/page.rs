//! The canvas of a page as the window.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use egui::{Event, OutputCommand};
use egui_winit::State;
use winit::event::WindowEvent;
use winit::event_loop::{EventLoop, EventLoopProxy};
use winit::platform::web::{EventLoopExtWebSys as _, WindowAttributesExtWebSys as _};
use winit::window::{Window, WindowAttributes};

use super::{App, Live, OpenResult, Options, Wake, wake};
use crate::page::{self, News};
use crate::painter::Paint;
use crate::session::Action;
use crate::webgl::Screen;
use config::escaped;
use engine::system::spawn;
use engine::{EngineError, Result};
use files::failure::Failure;

/// Shows the window as long as the page lives.
pub(super) fn run(events: EventLoop<Wake>, options: Options) -> Result<(), Failure> {
    page::wake_by(wake(&events.create_proxy()));
    let app = App::new(options, events.create_proxy());
    events.spawn_app(app);
    Ok(())
}

/// The canvas, which has the size that the page gives it.
pub(super) fn attributes(_size: [u32; 2]) -> Result<WindowAttributes, Failure> {
    let canvas = page::canvas().ok_or_else(|| Failure::work("the page has no canvas"))?;
    Ok(Window::default_attributes().with_canvas(Some(canvas)))
}

/// Opens the content in a task: a page cannot block on its device.
pub(super) fn open(
    proxy: &EventLoopProxy<Wake>,
    opened: &Sender<OpenResult>,
    open: impl FnOnce() -> OpenResult + 'static,
) {
    let (proxy, opened) = (proxy.clone(), opened.clone());
    let task = move || {
        let live = open();
        if live.is_ok() {
            page::uncover();
        }
        let _ = opened.send(live);
        let _ = proxy.send_event(Wake::Report);
    };
    if let Err(why) = spawn("open", task) {
        report(&Failure::work(why));
    }
}

/// Draws by WebGL2.
pub(super) fn paint_without_gpu(window: &Arc<Window>, why: &EngineError) -> Result<Box<dyn Paint>> {
    match Screen::open(window) {
        Ok(screen) => Ok(Box::new(screen)),
        Err(also) => Err(EngineError::NoAdapter(format!("{why}; WebGL2: {also}"))),
    }
}

/// Shows the engine or the automatic choice.
pub(super) fn opened(engine: &str, line: Option<String>) {
    page::show("status", line.as_deref().unwrap_or(engine));
}

/// Width of the canvas in points.
pub(super) fn points_across(_window: &Window) -> f64 {
    page::canvas().map_or(0.0, |canvas| canvas.client_width().into())
}

/// Sets the title.
pub(super) fn set_title(_window: &Window, title: &str) {
    page::set_title(title);
}

/// True if the user prefers reduced motion.
pub(super) fn reduces_motion() -> bool {
    page::matches("(prefers-reduced-motion: reduce)")
}

/// True if the primary pointer is a finger.
pub(super) fn has_fingers() -> bool {
    page::matches("(pointer: coarse)")
}

/// The key in the browser's local storage that keeps whether the panel was open.
const PANEL: &str = "panel";

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// True if the panel was open.
pub(super) fn panel() -> bool {
    storage().and_then(|storage| storage.get_item(PANEL).ok()?).is_some_and(|text| text == "open")
}

/// Stores whether the panel is open. Errors are ignored: a browser may keep nothing for the page.
pub(super) fn keep_panel(open: bool) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(PANEL, if open { "open" } else { "closed" });
    }
}

/// Shows the failure.
pub(super) fn report(why: &Failure) {
    page::show_failure(why);
}

/// Opens the file dialog if requested, and applies the page's events.
pub(super) fn exchange(live: &mut Live) {
    let (session, input) = (&mut live.session, &mut live.input);
    if std::mem::take(&mut session.document.file_wanted) {
        page::ask_for_file();
    }
    for news in page::news() {
        match news {
            News::File(name, text) => session.apply(Action::LoadText(name, text)),
            News::Pasted(text) => input.egui_input_mut().events.push(Event::Paste(text)),
            News::Copied(text) => {
                // A table is announced by its first line.
                let first = text.lines().next().unwrap_or_default();
                session.apply(Action::Say(format!("copied {}", escaped(first))));
            }
            News::NotCopied(text) => session.controls.fail(format!("cannot copy: {}", escaped(&text))),
        }
    }
}

/// The browser's clipboard and file dialog, of which nothing is kept.
pub(super) struct Services;

impl Services {
    pub fn open(_window: &Window) -> Self {
        Services
    }

    /// Does nothing: the page reports pasted text.
    pub fn paste(&mut self, _event: &WindowEvent, _input: &mut State) {}

    /// Copies texts to the browser's clipboard: egui's own web backend does not.
    pub fn copy(&mut self, commands: &[OutputCommand]) {
        for command in commands {
            if let OutputCommand::CopyText(text) = command {
                page::copy(text);
            }
        }
    }
}
