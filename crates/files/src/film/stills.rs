//! PNG: the last frame, or one file per frame: `frame-%04d.png` names `frame-0000.png`, `frame-0001.png` and so on.

use std::path::{Path, PathBuf};

use super::{Encoder, Shape};
use crate::png::write;
use crate::{AtomicFile, Existing, Failure, Result, folder_of};

/// Maximum number of digits of a frame number.
const MAX_DIGITS: usize = 9;

/// File names that contain a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    path: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl Numbered {
    /// Parses a path with `%d` or `%04d` in its file name; `None` without a placeholder.
    pub fn of(path: &Path) -> Option<Self> {
        let (before, rest) = path.file_name()?.to_str()?.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let padded = digits.strip_prefix('0').and_then(|digits| digits.parse().ok());
        let digits = if digits.is_empty() { 1 } else { padded.filter(|digits| *digits <= MAX_DIGITS)? };
        Some(Numbered { path: path.to_owned(), before: before.to_owned(), digits, after: after.to_owned() })
    }

    /// An existing file with one of the names.
    pub fn existing(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(folder_of(&self.path)).ok()?;
        let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.find_map(|name| {
            let digits = name.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
            Some(self.path(digits.parse().ok()?)).filter(|path| path.ends_with(&name))
        })
    }

    /// The name of a frame, counted from 0.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        let Numbered { path, before, digits, after } = self;
        path.with_file_name(format!("{before}{number:0digits$}{after}"))
    }
}

/// True if a file name has a placeholder of another form, such as `%4d`.
pub(super) fn is_unsupported(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let rest = name.split_once('%').map_or("", |(_, rest)| rest);
    rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('d') && Numbered::of(path).is_none()
}

/// The encoder of a path that may have a number in its file name.
pub(super) fn encoder(path: &Path, shape: Shape, existing: Existing) -> Result<Box<dyn Encoder>> {
    let size = [shape.width, shape.height];
    let Some(names) = Numbered::of(path) else {
        return Ok(Box::new(Still { file: AtomicFile::create(path, existing)?, size, rgba: Vec::new() }));
    };
    let first = Some(AtomicFile::create(&names.path(0), existing)?);
    Ok(Box::new(Frames { names, size, existing, taken: 0, first }))
}

/// Keeps the last frame.
struct Still {
    file: AtomicFile,
    size: [u32; 2],
    rgba: Vec<u8>,
}

impl Encoder for Still {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        self.rgba.clear();
        self.rgba.extend(rgba);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        write(self.file, self.size, &self.rgba)
    }
}

/// Writes each frame as it comes, atomically.
struct Frames {
    names: Numbered,
    size: [u32; 2],
    existing: Existing,
    taken: u64,
    /// The file of the first frame, created before the frame is drawn so that an error is known early.
    first: Option<AtomicFile>,
}

impl Encoder for Frames {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let create = || {
            let file = AtomicFile::create(&self.names.path(self.taken), self.existing);
            file.map_err(|why| Failure::work(why.message))
        };
        let file = self.first.take().map_or_else(create, Ok)?;
        self.taken += 1;
        write(file, self.size, rgba)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
