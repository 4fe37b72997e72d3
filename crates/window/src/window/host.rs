//! A window on a desktop.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use winit::dpi::LogicalSize;
use winit::event_loop::{EventLoop, EventLoopProxy};
use winit::window::{Icon, Window, WindowAttributes};

use super::{App, Live, OpenResult, Options, Wake, no_display, wake};
use crate::painter::Paint;
use crate::session::Action;
use crate::worker::journal;
use engine::{EngineError, Result};
use files::failure::Failure;
use files::{interrupt, user_folder};

mod clipboard;
mod dialog;
#[cfg(target_os = "linux")]
mod display;

pub(super) use self::clipboard::Clipboard;
use self::dialog::Answer;
pub(super) use self::dialog::FileDialog;

/// The file in the user's cache folder that keeps whether the panel was open.
const PANEL: &str = "panel";

/// Shows the window until it is closed.
pub(super) fn run(events: EventLoop<Wake>, options: Options) -> Result<(), Failure> {
    #[cfg(target_os = "linux")]
    display::report_its_end();
    let proxy = events.create_proxy();
    interrupt::listen();
    interrupt::then(move || {
        // The loop may have ended.
        let _ = proxy.send_event(Wake::End);
    });
    let mut app = App::new(options, events.create_proxy());
    let ended = events.run_app(&mut app);
    let failure = match (app.failure, ended) {
        (None, Ok(())) => {
            journal::remove();
            return Ok(());
        }
        (Some(failure), _) => failure,
        (None, Err(_)) if app.live.is_some() => server_ended(),
        (None, Err(why)) => no_display(why),
    };
    // A flight that was lost with its window is in a file.
    Err(match journal::path().filter(|path| path.exists()) {
        Some(path) if failure.hint.is_none() => failure.hint(format!("its flight is in {}", path.display())),
        _ => failure,
    })
}

/// The failure of a window whose display server has ended.
fn server_ended() -> Failure {
    Failure::work("the window was lost: the display server stopped")
}

/// A window of this size, in logical pixels.
pub(super) fn attributes([width, height]: [u32; 2]) -> Result<WindowAttributes, Failure> {
    let attributes = Window::default_attributes().with_window_icon(icon());
    let attributes = attributes.with_inner_size(LogicalSize::new(width, height));
    Ok(attributes.with_min_inner_size(LogicalSize::new(config::MIN_WINDOW_SIDE, config::MIN_WINDOW_SIDE)))
}

/// The window's icon; `None` if it cannot be decoded.
fn icon() -> Option<Icon> {
    let mut file = png::Decoder::new(Cursor::new(include_bytes!("icon.png"))).read_info().ok()?;
    let mut pixels = vec![0; file.output_buffer_size()?];
    let image = file.next_frame(&mut pixels).ok()?;
    Icon::from_rgba(pixels, image.width, image.height).ok()
}

/// Opens the content at once.
pub(super) fn open(
    _proxy: &EventLoopProxy<Wake>,
    opened: &Sender<OpenResult>,
    open: impl FnOnce() -> OpenResult,
) {
    // The receiver is alive: the window waits for it.
    let _ = opened.send(open());
}

/// A desktop needs a GPU to draw; the error says why there is none.
pub(super) fn paint_without_gpu(_window: &Arc<Window>, why: &EngineError) -> Result<Box<dyn Paint>> {
    Err(why.clone())
}

/// Prints what was chosen automatically.
pub(super) fn opened(_engine: &str, line: Option<String>) {
    if let Some(line) = line {
        eprintln!("{line}");
    }
}

/// Width of the window in points.
pub(super) fn points_across(window: &Window) -> f64 {
    window.inner_size().to_logical::<f64>(window.scale_factor()).width
}

/// Sets the title.
pub(super) fn set_title(window: &Window, title: &str) {
    window.set_title(title);
}

/// winit reports no desktop's setting for reduced motion.
pub(super) fn reduces_motion() -> bool {
    false
}

/// A desktop has a keyboard.
pub(super) fn has_fingers() -> bool {
    false
}

/// True if the panel was open.
pub(super) fn panel() -> bool {
    let read = user_folder::cache().and_then(|folder| user_folder::read(&folder, PANEL));
    read.is_some_and(|text| text == "open")
}

/// Stores whether the panel is open. Write errors are ignored.
pub(super) fn keep_panel(open: bool) {
    let Some(folder) = user_folder::cache() else { return };
    let text = if open { "open" } else { "closed" };
    if let Err(error) = user_folder::write(&folder, PANEL, text.to_owned()) {
        log::warn!("cannot save the state of the panel: {}", error.message);
    }
}

/// Does nothing: the program ends with the failure.
pub(super) fn report(_why: &Failure) {}

/// Opens the system's file dialog if requested, and loads the file that was chosen there.
pub(super) fn exchange(live: &mut Live) {
    let session = &mut live.session;
    if std::mem::take(&mut session.document.file_wanted) && live.dialog.is_none() {
        live.dialog = Some(FileDialog::open(wake(&live.proxy)));
    }
    let Some(answer) = live.dialog.as_ref().and_then(FileDialog::answer) else { return };
    live.dialog = None;
    match answer {
        Answer::Chosen(path) => session.apply(Action::LoadFile(path)),
        Answer::None => {}
        Answer::NoDialog => {
            session.controls.fail("this desktop has no file dialog; type the path and press Load".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_an_icon_and_may_be_as_small_as_its_option_allows() {
        let attributes = attributes([config::MIN_WINDOW_SIDE; 2]).expect("attributes");
        assert!(icon().is_some());
        assert!(attributes.inner_size.is_some() && attributes.inner_size == attributes.min_inner_size);
    }
}
