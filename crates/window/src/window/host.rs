//! A window on a desktop.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use arboard::Clipboard;
use egui::OutputCommand;
use egui_winit::State;
use rfd::AsyncFileDialog;
use winit::dpi::LogicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{EventLoop, EventLoopProxy};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::raw_window_handle::{HasDisplayHandle, RawDisplayHandle};
use winit::window::{Icon, Window, WindowAttributes};

use super::{App, Live, OpenResult, Options, Wake, no_display, wake};
use crate::painter::Paint;
use crate::panel::gallery;
use crate::session::Action;
use crate::worker::journal;
use engine::{EngineError, Result};
use files::failure::Failure;
use files::{interrupt, user_folder};

#[cfg(target_os = "linux")]
mod display;

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
    let ([width, height], pixels) = gallery::unpack(include_bytes!("icon.png"))?;
    Icon::from_rgba(pixels, width, height).ok()
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
    let (session, dialog) = (&mut live.session, &mut live.services.dialog);
    if std::mem::take(&mut session.document.file_wanted) && dialog.is_none() {
        *dialog = Some(FileDialog::open(wake(&live.proxy)));
    }
    let Some(answer) = dialog.as_ref().and_then(FileDialog::answer) else { return };
    *dialog = None;
    match answer {
        Answer::Chosen(path) => session.apply(Action::LoadFile(path)),
        Answer::None => {}
        Answer::NoDialog => {
            session.controls.fail("this desktop has no file dialog; type the path and press Load".to_owned());
        }
    }
}

/// Nobody dismisses a dialog so fast: there was none.
const AT_ONCE: Duration = Duration::from_millis(400);

/// The system's dialog that asks for a file to open, while it is open.
#[derive(Debug)]
pub(super) struct FileDialog {
    answer: Receiver<Option<PathBuf>>,
    opened: Instant,
}

/// The answer of a person.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Chosen(PathBuf),
    /// The dialog was closed.
    None,
    /// The desktop has no dialog.
    NoDialog,
}

impl FileDialog {
    /// Opens it; `wake` is called once there is an answer.
    fn open(wake: impl Fn() + Send + 'static) -> Self {
        let dialog = AsyncFileDialog::new()
            .set_title("Open a flock")
            .add_filter("flocks and flights", &["toml", "flight"])
            .add_filter("all files", &["*"]);
        // Some systems show dialogs only by the thread of the window, which must not wait for them.
        let chosen = dialog.pick_file();
        let (sender, answer) = channel();
        std::thread::spawn(move || {
            let file = pollster::block_on(chosen);
            let _ = sender.send(file.map(|file| file.path().to_owned()));
            wake();
        });
        FileDialog { answer, opened: Instant::now() }
    }

    /// The answer, once there is one.
    fn answer(&self) -> Option<Answer> {
        let is_early = self.opened.elapsed() < AT_ONCE;
        match self.answer.try_recv() {
            Ok(Some(path)) => Some(Answer::Chosen(path)),
            Ok(None) | Err(TryRecvError::Disconnected) if is_early => Some(Answer::NoDialog),
            Ok(None) | Err(TryRecvError::Disconnected) => Some(Answer::None),
            Err(TryRecvError::Empty) => None,
        }
    }
}

/// The system's clipboard and file dialog.
///
/// egui's own support for copying and pasting includes images, with their dependencies, except on Wayland: there it is for
/// text only, and has the access that only a program with a window has. Without a clipboard, text stays in the program.
pub(super) struct Services {
    /// `None` where egui has access to the clipboard.
    clipboard: Option<Clipboard>,
    held: ModifiersState,
    /// The dialog, while it is open.
    dialog: Option<FileDialog>,
}

impl Services {
    /// Those of this session of the desktop.
    pub fn open(window: &Window) -> Self {
        let wayland =
            window.display_handle().is_ok_and(|on| matches!(on.as_raw(), RawDisplayHandle::Wayland(_)));
        let open = || Clipboard::new().inspect_err(|why| log::warn!("clipboard: {why}")).ok();
        let clipboard = (!wayland).then(open).flatten();
        Services { clipboard, held: ModifiersState::empty(), dialog: None }
    }

    /// Passes the clipboard's text to egui before the key that pastes it.
    pub fn paste(&mut self, event: &WindowEvent, input: &mut State) {
        if let WindowEvent::ModifiersChanged(held) = event {
            self.held = held.state();
        }
        if let Some(clipboard) = &mut self.clipboard
            && pastes(event, self.held)
        {
            // A clipboard may hold no text.
            input.set_clipboard_text(clipboard.get_text().unwrap_or_default());
        }
    }

    /// Copies egui's texts to the clipboard.
    pub fn copy(&mut self, commands: &[OutputCommand]) {
        let Some(clipboard) = &mut self.clipboard else { return };
        for command in commands {
            if let OutputCommand::CopyText(text) = command
                && let Err(why) = clipboard.set_text(text)
            {
                log::warn!("clipboard: {why}");
            }
        }
    }
}

/// True if egui treats the key as a paste.
fn pastes(event: &WindowEvent, held: ModifiersState) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    event.state == ElementState::Pressed
        && match &event.logical_key {
            Key::Named(NamedKey::Paste) => true,
            Key::Named(NamedKey::Insert) => held.shift_key(),
            Key::Character(letter) => {
                (held.control_key() || held.super_key()) && letter.eq_ignore_ascii_case("v")
            }
            _ => false,
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
