//! A PNG a frame: `frame-%04d.png` names `frame-0000.png`, `frame-0001.png` and so on.

use std::path::{Path, PathBuf};

use super::encoder::{Encoder, Shape};
use super::png::Still;
use crate::atomic::AtomicFile;
use crate::error::Result;

/// Digits a number may have, at most.
const MOST_DIGITS: usize = 9;

/// Names with a number in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl Numbered {
    /// The names that a path with `%d` or `%04d` in its last part stands for; none for one without.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (before, rest) = name.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let padded = digits.strip_prefix('0').and_then(|digits| digits.parse().ok());
        let digits = if digits.is_empty() { 1 } else { padded.filter(|digits| *digits <= MOST_DIGITS)? };
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Some(Numbered { folder, before: before.to_owned(), digits, after: after.to_owned() })
    }

    /// A file that there is with one of the names.
    #[must_use]
    pub fn existing(&self) -> Option<PathBuf> {
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let names =
            std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut numbers = names.filter_map(|name| {
            let digits = name.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
            digits.parse::<u64>().ok().filter(|number| self.path(*number).ends_with(&name))
        });
        numbers.next().map(|number| self.path(number))
    }

    /// The name of a frame, counted from 0.
    #[must_use]
    pub fn path(&self, number: u64) -> PathBuf {
        let Numbered { folder, before, digits, after } = self;
        folder.join(format!("{before}{number:0digits$}{after}"))
    }
}

/// Writes each frame as it comes; every file is whole.
pub(super) struct Frames {
    names: Numbered,
    shape: Shape,
    taken: u64,
    /// The file of the next frame: that it can be written is known before the frame is drawn.
    next: AtomicFile,
}

impl Frames {
    pub(super) fn new(names: Numbered, shape: Shape) -> Result<Self> {
        let next = AtomicFile::create(&names.path(0))?;
        Ok(Frames { names, shape, taken: 0, next })
    }
}

impl Encoder for Frames {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        self.taken += 1;
        let next = AtomicFile::create(&self.names.path(self.taken))?;
        let file = std::mem::replace(&mut self.next, next);
        let mut still = Box::new(Still::new(file, self.shape));
        still.frame(rgba)?;
        still.finish()
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Film;
    use super::*;

    #[test]
    fn names_are_numbered() {
        let name = |pattern: &str, number| {
            Numbered::of(Path::new(pattern)).map(|names| names.path(number).display().to_string())
        };
        assert_eq!(name("a/f%04d.png", 7).as_deref(), Some("a/f0007.png"));
        assert_eq!(name("%d-x.png", 12).as_deref(), Some("12-x.png"));
        for none in ["f.png", "f%.png", "f%4d.png", "f%099d.png", "f%x.png", "a%d/f.png"] {
            assert_eq!(name(none, 0), None, "{none}");
        }
    }

    #[test]
    fn every_frame_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut film = Film::create(&folder.path().join("f%02d.png"), 3, 2, 30).unwrap();
        for value in [0, 7] {
            film.frame(&[value; 24]).unwrap();
        }
        film.finish().unwrap();
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["f00.png", "f01.png"]);
    }
}
