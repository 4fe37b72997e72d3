//! The flight in a file while it is flown, so that a program that is killed leaves it. The file is in the user's cache
//! folder and goes when the window closes. A page has no such folder, and keeps none.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use web_time::Instant;

use files::{Failure, Result, user_folder};
use flight::{ENDING, Flight, Writer};

/// Time between two writes.
const INTERVAL: Duration = Duration::from_secs(1);
/// Number of flights of killed programs that are kept.
const MOST_LOST: usize = 5;
/// The beginnings of the names: of a flight that is flown, and of one that was lost.
const FLOWN: &str = "flown-";
const LOST: &str = "lost-";

/// The file of this process.
pub fn path() -> Option<PathBuf> {
    Some(user_folder::cache()?.join(format!("{FLOWN}{}{ENDING}", std::process::id())))
}

/// Removes the file of this process, at the end of its window.
pub fn remove() {
    if let Some(path) = path() {
        let _ = fs::remove_file(path);
    }
}

/// A flight that is written while it is flown.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Option<File>,
    writer: Writer,
    /// The revision of the flight that is in the file.
    revision: u64,
    next: Instant,
}

impl Journal {
    /// The journal of this process; `None` without a cache folder.
    pub fn new() -> Option<Self> {
        let (file, writer, revision) = (None, Writer::default(), 0);
        Some(Journal { path: path()?, file, writer, revision, next: Instant::now() + INTERVAL })
    }

    /// Writes what was flown since the last write, if it is time. A flight of another revision is written anew.
    pub fn write(&mut self, flight: &Flight, revision: u64) {
        if self.next > Instant::now() {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        if let Err(why) = self.append(flight, revision) {
            // A full disk does not stop a flock.
            log::warn!("{}", why.message);
            self.file = None;
        }
    }

    fn append(&mut self, flight: &Flight, revision: u64) -> Result {
        let failed = |source| Failure::write(&self.path, source);
        if let Some(file) = self.file.as_mut().filter(|_| self.revision == revision) {
            return file.write_all(self.writer.lines(flight, flight.end).as_bytes()).map_err(failed);
        }
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) else { return Ok(()) };
        let mut writer = Writer::default();
        let text = flight.header() + &writer.lines(flight, flight.end);
        // It takes the place of the one before once it is whole: on a full disk that one is all there is.
        user_folder::write(folder, &name.to_string_lossy(), text)?;
        let file = File::options().append(true).open(&self.path).map_err(failed)?;
        (self.file, self.writer, self.revision) = (Some(file), writer, revision);
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.file.take().is_some() && !std::thread::panicking() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The newest flight of a program that was killed, under its new name. Each is reported once. To be called before this
/// process keeps a journal.
pub fn lost() -> Option<PathBuf> {
    let folder = user_folder::cache()?;
    let own = std::process::id();
    lost_in(&folder, |process| process != own && is_running(process))
}

fn lost_in(folder: &Path, is_running: impl Fn(u32) -> bool) -> Option<PathBuf> {
    let mut found = Vec::new();
    let mut all_lost = Vec::new();
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let time = entry.metadata().and_then(|about| about.modified()).ok();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(LOST) && name.ends_with(ENDING) {
            all_lost.push((time, entry.path()));
            continue;
        }
        let process = name.strip_prefix(FLOWN).and_then(|name| name.strip_suffix(ENDING)?.parse().ok());
        let Some(process) = process.filter(|process| !is_running(*process)) else { continue };
        let path = folder.join(format!("{LOST}{process}{ENDING}"));
        if fs::rename(entry.path(), &path).is_ok() {
            found.push((time, path));
        }
    }
    found.sort();
    // The flight that is reported is kept, whatever its age.
    let reported = found.pop();
    all_lost.append(&mut found);
    all_lost.sort();
    let most = MOST_LOST - usize::from(reported.is_some());
    let surplus = all_lost.len().saturating_sub(most);
    for (_, path) in &all_lost[..surplus] {
        let _ = fs::remove_file(path);
    }
    reported.map(|(_, path)| path)
}

/// True if a process has this number.
fn is_running(process: u32) -> bool {
    #[cfg(unix)]
    {
        let Ok(process) = libc::pid_t::try_from(process) else { return false };
        // SAFETY: signal 0 only asks whether the process exists.
        let found = unsafe { libc::kill(process, 0) } == 0;
        found || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
    }
    // Elsewhere a file that another process has open cannot be renamed.
    #[cfg(not(unix))]
    {
        let _ = process;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::View;
    use engine::Numeric;
    use flight::{First, Start};
    use flock::Parameters;

    /// The file before it is another one: it stays as it was until the new one is whole.
    #[test]
    fn a_flight_of_another_revision_takes_the_place_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, before] = ["flown-1.flight", "before"].map(|name| folder.path().join(name));
        let end = |path: &Path| {
            let text = fs::read_to_string(path).expect("a text");
            flight::parse(&text, "a flight").expect("a flight").end
        };
        let (parameters, view, engine) = (Parameters::default(), View::default(), String::new());
        let first = First::Seed;
        let mut flight =
            Flight::new(Start { preset: None, parameters, view, numeric: Numeric::F32, engine, first });
        let (file, writer, next) = (None, Writer::default(), Instant::now());
        let mut journal = Journal { path: path.clone(), file, writer, revision: 0, next };
        let mut append = |last, revision| {
            flight.end = last;
            journal.append(&flight, revision).expect("written");
        };
        append(5, 0);
        append(9, 0);
        fs::hard_link(&path, &before).expect("a second name");
        append(3, 1);
        assert_eq!((end(&path), end(&before)), (3, 9));
        append(4, 1);
        assert_eq!((end(&path), end(&before)), (4, 9));
    }

    #[test]
    fn the_flight_of_a_killed_program_is_found_once_and_few_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, age: u64| {
            let path = folder.path().join(name);
            fs::write(&path, "{}").expect("written");
            let time = std::time::SystemTime::now() - Duration::from_secs(age);
            File::options()
                .append(true)
                .open(&path)
                .and_then(|file| file.set_modified(time))
                .expect("a time");
            path
        };
        // The killed program's flight is older than all that are kept.
        let (running, killed) = (file("flown-7.flight", 30), file("flown-8.flight", 20));
        let others: Vec<PathBuf> = (0..8).map(|k| file(&format!("lost-{k}.flight"), 8 - k)).collect();
        let found = lost_in(folder.path(), |process| process == 7);
        assert_eq!(found.as_deref(), Some(folder.path().join("lost-8.flight").as_path()));
        assert!(running.exists() && !killed.exists());
        assert!(folder.path().join("lost-8.flight").exists());
        let kept: Vec<bool> = others.iter().map(|path| path.exists()).collect();
        assert_eq!(kept, [false, false, false, false, true, true, true, true]);
        assert_eq!(lost_in(folder.path(), |process| process == 7), None);
    }
}
