//! Files that appear complete or not at all.

mod naming;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::NamedTempFile;

pub(crate) use self::naming::is_part;
use self::naming::{Target, create_part, keep_part, left, name_part, taken};
use crate::{Existing, Failure, Result};

/// A file that is written beside its target, and gets the target's name by [`AtomicFile::commit`].
///
/// If it is dropped without a commit, it leaves nothing behind and an older file of that name unchanged. A killed
/// process leaves the file beside the target, `.NAME.XXXXXX.murmuration-part.csv` for `NAME.csv`; no later call removes
/// it if it holds anything. A symbolic link is kept: its target is replaced, or created if missing.
/// A target that is not a regular file (a pipe, a terminal) cannot be renamed over and is written
/// to directly. An open stream of this process is also written to directly, under any name (`/dev/stdout`, even if
/// redirected to a regular file), and keeps its contents.
///
/// ```
/// use files::{AtomicFile, Existing};
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("states.csv");
/// let mut file = AtomicFile::create(&path, Existing::Keep)?;
/// file.write_all(b"id,x,y,z\n")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Beside(Beside),
    Direct(BufWriter<File>),
    Stdout(BufWriter<io::Stdout>),
}

/// A file beside its target.
#[derive(Debug)]
struct Beside {
    file: BufWriter<NamedTempFile>,
    target: Target,
    /// Bytes so far, and those up to the last whole sample.
    length: u64,
    whole: Option<u64>,
}

/// Set once the reader of stdout has left.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// True if a path stands for stdout: `-`.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// True once the reader of stdout has left: what is written there from then on is dropped.
pub fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Returns `done` for a broken pipe: a reader of stdout that closes early (`| head`) is no failure.
///
/// # Errors
/// Any other error of the write.
pub fn unless_unread<T>(result: io::Result<T>, done: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            UNREAD.store(true, Ordering::Relaxed);
            Ok(done)
        }
        result => result,
    }
}

/// True if creating a file at a path replaces contents. False for empty files and open streams of this process.
pub fn replaces(path: &Path) -> bool {
    let Ok(existing) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    if stream(path, &existing).is_ok_and(|stream| stream.is_some()) {
        return false;
    }
    existing.is_file() && existing.len() > 0
}

impl AtomicFile {
    /// Starts a file that will be called `path`. Fails if `path` is a folder or not writable, or its folder is missing,
    /// or a file with contents must be kept.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        let sink = open(path, existing).map_err(|source| Failure::create(path, source))?;
        Ok(Self { path: path.to_owned(), sink })
    }

    /// Like [`AtomicFile::create`], but `-` is stdout.
    pub(crate) fn create_or_stdout(path: &Path, existing: Existing) -> Result<Self> {
        if !is_stdout(path) {
            return Self::create(path, existing);
        }
        Ok(Self { path: "stdout".into(), sink: Sink::Stdout(BufWriter::new(io::stdout())) })
    }

    /// The file as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the target is not a regular file, so it is written to directly.
    pub(crate) fn is_direct(&self) -> bool {
        !matches!(self.sink, Sink::Beside(_))
    }

    /// The folder that holds the unfinished file, for temporary files.
    pub(crate) fn folder(&self) -> PathBuf {
        match &self.sink {
            Sink::Beside(beside) => folder_of(&beside.target.path),
            Sink::Direct(_) | Sink::Stdout(_) => std::env::temp_dir(),
        }
    }

    /// Turns a failed write into this file's error.
    pub fn failed(&self, source: io::Error) -> Failure {
        Failure::write(&self.path, source)
    }

    /// Overwrites bytes before the end; fails for a target that is not a regular file.
    pub(crate) fn rewrite(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let Sink::Beside(Beside { file, .. }) = &mut self.sink else {
            return Err(io::ErrorKind::NotSeekable.into());
        };
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::End(0)).map(drop)
    }

    /// Ends a sample: it can be read from now on, and if a later write fails, [`AtomicFile::commit_samples`] keeps it.
    pub(crate) fn end_sample(&mut self) -> io::Result<()> {
        self.flush()?;
        if let Sink::Beside(beside) = &mut self.sink {
            beside.whole = Some(beside.length);
        }
        Ok(())
    }

    /// Syncs the contents to the disk, if they are in a file beside the target.
    fn flush_and_sync(&mut self) -> io::Result<()> {
        self.flush()?;
        if let Sink::Beside(beside) = &self.sink {
            beside.file.get_ref().as_file().sync_all()
        } else {
            Ok(())
        }
    }

    /// Writes all of the contents, and gives the file its name.
    pub fn fill(mut self, contents: impl AsRef<[u8]>) -> Result<()> {
        self.write_all(contents.as_ref()).map_err(|source| self.failed(source))?;
        self.commit()
    }

    /// Flushes, and gives the file its name.
    ///
    /// # Errors
    /// When the contents cannot be written, for instance on a full disk; a file without samples is then removed. When
    /// a file that must be kept has the name; the error then names the file with the contents.
    pub fn commit(mut self) -> Result<()> {
        // Without it, a power failure could leave an empty file under the new name.
        if let Err(source) = self.flush_and_sync() {
            return Err(match self.sink {
                Sink::Beside(beside @ Beside { whole: Some(_), .. }) => {
                    left(&self.path, source, keep_part(beside.file.into_parts().0))
                }
                _ => Failure::write(&self.path, source),
            });
        }
        match self.sink {
            Sink::Beside(Beside { file, target, .. }) => named(&self.path, file.into_parts().0, &target),
            Sink::Direct(_) | Sink::Stdout(_) => Ok(()),
        }
    }

    /// Gives the file its name after a write has failed, with what was written up to the last whole sample. False if
    /// there is none; then nothing is left.
    pub(crate) fn commit_samples(self) -> Result<bool> {
        let Self { path, sink } = self;
        let Sink::Beside(Beside { file, target, whole: Some(whole), .. }) = sink else { return Ok(false) };
        // The buffer holds a part of the sample that was not finished.
        let (part, _) = file.into_parts();
        if let Err(source) = part.as_file().set_len(whole).and_then(|()| part.as_file().sync_all()) {
            return Err(left(&path, source, keep_part(part)));
        }
        named(&path, part, &target).map(|()| true)
    }
}

/// Gives a part its name; fails if that is taken, once the part has another one.
fn named(path: &Path, part: NamedTempFile, target: &Target) -> Result<()> {
    match name_part(part, target).map_err(|(source, part)| left(path, source, part))? {
        None => Ok(()),
        Some(other) => Err(taken(path, &other)),
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Beside(beside) => {
                let count = beside.file.write(bytes)?;
                beside.length += count as u64;
                Ok(count)
            }
            Sink::Direct(file) => file.write(bytes),
            Sink::Stdout(_) if is_unread() => Ok(bytes.len()),
            Sink::Stdout(out) => unless_unread(out.write(bytes), bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Beside(beside) => beside.file.flush(),
            Sink::Direct(file) => file.flush(),
            Sink::Stdout(_) if is_unread() => Ok(()),
            Sink::Stdout(out) => unless_unread(out.flush(), ()),
        }
    }
}

fn open(path: &Path, existing: Existing) -> io::Result<Sink> {
    let there = match fs::metadata(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return beside(Target { path: end_of_links(path)?, existing, before: None });
        }
        Err(error) => return Err(error),
    };
    if there.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[cfg(unix)]
    if let Some(stream) = stream(path, &there)? {
        return Ok(Sink::Direct(BufWriter::new(stream)));
    }
    if !there.is_file() {
        let file = OpenOptions::new().write(true).open(path)?;
        return Ok(Sink::Direct(BufWriter::new(file)));
    }
    // A rename would also replace a read-only file, so check that it is writable.
    OpenOptions::new().append(true).open(path)?;
    if existing == Existing::Keep && there.len() > 0 {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let permissions = there.permissions();
    let sink = beside(Target { path: fs::canonicalize(path)?, existing, before: Some(Box::new(there)) })?;
    if let Sink::Beside(Beside { file, .. }) = &sink {
        file.get_ref().as_file().set_permissions(permissions)?;
    }
    Ok(sink)
}

/// The standard stream or other open file of this process that a path leads to, at its current position.
#[cfg(unix)]
fn stream(path: &Path, existing: &fs::Metadata) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;
    let (out, err) = (io::stdout(), io::stderr());
    for standard in [out.as_fd(), err.as_fd()] {
        // A closed stream cannot be the target.
        let Ok(own) = standard.try_clone_to_owned().map(File::from) else { continue };
        if own.metadata().is_ok_and(|own| one_inode(&own, existing)) {
            return Ok(Some(own));
        }
    }
    if path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") {
        return OpenOptions::new().append(true).open(path).map(Some);
    }
    Ok(None)
}

/// Follows symbolic links from a path to a target that does not exist yet.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    // The limit of Linux.
    const MAX: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            // Not a link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The path of the file itself, with all symbolic links followed, whether it exists or not.
fn destination(path: &Path) -> io::Result<PathBuf> {
    if let Ok(path) = fs::canonicalize(path) {
        return Ok(path);
    }
    let end = end_of_links(path)?;
    let folder = fs::canonicalize(folder_of(&end))?;
    Ok(end.file_name().map_or(folder.clone(), |name| folder.join(name)))
}

/// True if two names are one file, by a symbolic or a hard link. Devices and pipes never count as the same file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let one_destination = || matches!((destination(a), destination(b)), (Ok(a), Ok(b)) if a == b);
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(one), Ok(other)) => one.is_file() && (one_inode(&one, &other) || one_destination()),
        (Err(_), Err(_)) => one_destination(),
        _ => false,
    }
}

#[cfg(unix)]
fn one_inode(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn one_inode(_a: &fs::Metadata, _b: &fs::Metadata) -> bool {
    false
}

fn beside(target: Target) -> io::Result<Sink> {
    let Some(name) = target.path.file_name() else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    let file = BufWriter::new(create_part(&folder_of(&target.path), name)?);
    Ok(Sink::Beside(Beside { file, target, length: 0, whole: None }))
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The extension of a file's name, in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Checks that the extension of a file's name is that of one of its formats, the first of which has the names without an
/// extension, too. A number is not an extension, any text may be CSV, and anything but a regular file may have any name.
///
/// # Errors
/// For any other extension.
pub fn check_ending(path: &Path, formats: &[&str]) -> Result<()> {
    let ending = extension(path);
    let is_text = formats.contains(&"csv") && matches!(ending.as_str(), "txt" | "dat");
    let is_number = ending.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || is_text || formats.contains(&ending.as_str()) || is_stdout(path) {
        return Ok(());
    }
    if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return Ok(());
    }
    let allowed: Vec<String> = formats.iter().map(|format| format!(".{format}")).collect();
    let allowed = match allowed.as_slice() {
        [more @ .., one, last] => [more, &[format!("{one} or {last}")]].concat().join(", "),
        _ => allowed.concat(),
    };
    Err(other_ending(path, &allowed))
}

/// The error for a name with another extension. The system takes `.png` for a name without an extension.
pub(crate) fn other_ending(path: &Path, allowed: &str) -> Failure {
    let bare = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let before = if bare { ", with a name before it" } else { "" };
    Failure::file(path, format!("the name must end in {allowed}{before}"))
}

#[cfg(test)]
mod tests;
