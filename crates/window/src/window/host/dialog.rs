//! The system's dialog that asks for a file to open.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use rfd::AsyncFileDialog;

/// Nobody dismisses a dialog so fast: there was none.
const AT_ONCE: Duration = Duration::from_millis(400);

/// A dialog that is open.
#[derive(Debug)]
pub struct FileDialog {
    answer: Receiver<Option<PathBuf>>,
    opened: Instant,
}

/// The answer of a person.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Chosen(PathBuf),
    /// The dialog was closed.
    None,
    /// The desktop has no dialog.
    NoDialog,
}

impl FileDialog {
    /// Opens it; `wake` is called once there is an answer.
    pub fn open(wake: impl Fn() + Send + 'static) -> Self {
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
    pub fn answer(&self) -> Option<Answer> {
        let is_early = self.opened.elapsed() < AT_ONCE;
        match self.answer.try_recv() {
            Ok(Some(path)) => Some(Answer::Chosen(path)),
            Ok(None) | Err(TryRecvError::Disconnected) if is_early => Some(Answer::NoDialog),
            Ok(None) | Err(TryRecvError::Disconnected) => Some(Answer::None),
            Err(TryRecvError::Empty) => None,
        }
    }
}
