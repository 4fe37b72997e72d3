//! Files that appear complete or not at all.

mod part;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::unread::{is_unread, unless_unread};
use crate::{Failure, Result};

/// A file that is written beside its target, and renamed over it by [`AtomicFile::commit`].
///
/// If it is dropped without a commit, it leaves nothing behind and an older file of that name unchanged. The remains of
/// a killed process are removed by the next file of the same name. A symbolic link is kept: its target is replaced, or
/// created if missing.
/// A target that is not a regular file (a pipe, a terminal) cannot be renamed over and is written
/// to directly. An open stream of this process is also written to directly, under any name (`/dev/stdout`, even if
/// redirected to a regular file), and keeps its contents.
///
/// ```
/// use report::AtomicFile;
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("states.csv");
/// let mut file = AtomicFile::create(&path)?;
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
    /// The file beside the target, and the target with symbolic links followed.
    Beside(BufWriter<NamedTempFile>, PathBuf),
    Direct(BufWriter<File>),
    Stdout(BufWriter<io::Stdout>),
}

/// True if a path stands for stdout: `-`.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
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
    /// Starts a file that will be called `path`. Fails if `path` is a folder or not writable, or its folder is missing.
    pub fn create(path: &Path) -> Result<Self> {
        let sink = open(path).map_err(|source| Failure::create(path, source))?;
        Ok(Self { path: path.to_owned(), sink })
    }

    /// Like [`AtomicFile::create`], but `-` is stdout.
    pub(crate) fn create_or_stdout(path: &Path) -> Result<Self> {
        if !is_stdout(path) {
            return Self::create(path);
        }
        Ok(Self { path: "stdout".into(), sink: Sink::Stdout(BufWriter::new(io::stdout())) })
    }

    /// The file as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the target is not a regular file, so it is written to directly.
    pub(crate) fn is_direct(&self) -> bool {
        !matches!(self.sink, Sink::Beside(..))
    }

    /// The folder that holds the unfinished file, for temporary files.
    #[cfg(feature = "film")]
    pub(crate) fn folder(&self) -> PathBuf {
        match &self.sink {
            Sink::Beside(_, target) => folder_of(target),
            Sink::Direct(_) | Sink::Stdout(_) => std::env::temp_dir(),
        }
    }

    /// Turns a failed write into this file's error.
    pub fn failed(&self, source: io::Error) -> Failure {
        Failure::write(&self.path, source)
    }

    /// Overwrites the first bytes; fails for a target that is not a regular file. This must be the last write: further
    /// bytes would follow the overwritten ones.
    pub(crate) fn rewrite_start(&mut self, bytes: &[u8]) -> Result<()> {
        let rewritten = match &mut self.sink {
            Sink::Beside(file, _) => file.rewind().and_then(|()| file.write_all(bytes)),
            Sink::Direct(_) | Sink::Stdout(_) => Err(io::ErrorKind::NotSeekable.into()),
        };
        rewritten.map_err(|source| self.failed(source))
    }

    /// Syncs the contents to the disk, if they are in a file beside the target.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        self.flush()?;
        if let Sink::Beside(file, _) = &self.sink { file.get_ref().as_file().sync_all() } else { Ok(()) }
    }

    /// Writes all of the contents, and gives the file its name.
    pub fn fill(mut self, contents: impl AsRef<[u8]>) -> Result<()> {
        self.write_all(contents.as_ref()).map_err(|source| self.failed(source))?;
        self.commit()
    }

    /// Flushes, and gives the file its name. Where that fails, for instance on a full disk, nothing is left.
    pub fn commit(mut self) -> Result<()> {
        // Else a power failure could leave the new name with none of the bytes.
        let settled = self.settle();
        settled.and_then(|()| finish(self.sink)).map_err(|source| Failure::write(&self.path, source))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Beside(file, _) => file.write(bytes),
            Sink::Direct(file) => file.write(bytes),
            Sink::Stdout(_) if is_unread() => Ok(bytes.len()),
            Sink::Stdout(out) => unless_unread(out.write(bytes), bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Beside(file, _) => file.flush(),
            Sink::Direct(file) => file.flush(),
            Sink::Stdout(_) if is_unread() => Ok(()),
            Sink::Stdout(out) => unless_unread(out.flush(), ()),
        }
    }
}

fn open(path: &Path) -> io::Result<Sink> {
    let existing = match fs::metadata(path) {
        Ok(existing) => existing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return beside(end_of_links(path)?, None),
        Err(error) => return Err(error),
    };
    if existing.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[cfg(unix)]
    if let Some(stream) = stream(path, &existing)? {
        return Ok(Sink::Direct(BufWriter::new(stream)));
    }
    if !existing.is_file() {
        let file = OpenOptions::new().write(true).open(path)?;
        return Ok(Sink::Direct(BufWriter::new(file)));
    }
    // A rename would also replace a read-only file, so check that it is writable.
    OpenOptions::new().append(true).open(path)?;
    beside(fs::canonicalize(path)?, Some(existing.permissions()))
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
            // It is no link, or there is nothing.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link in a circle"))
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

fn beside(target: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<Sink> {
    let Some(name) = target.file_name() else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    let file = part::create(&folder_of(&target), name)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(Sink::Beside(BufWriter::new(file), target))
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
/// extension, too. A number is no extension, any text may be CSV, and what is no regular file may have any name.
///
/// # Errors
/// For any other extension.
pub fn check_ending(path: &Path, formats: &[&str]) -> Result<()> {
    let ending = extension(path);
    let is_text = formats.contains(&"csv") && matches!(ending.as_str(), "txt" | "dat");
    let is_number = ending.bytes().all(|byte| byte.is_ascii_digit());
    let is_stream = || is_stdout(path) || fs::metadata(path).is_ok_and(|file| !file.is_file());
    if is_number || is_text || formats.contains(&ending.as_str()) || is_stream() {
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

/// Gives a file whose bytes are flushed its name.
fn finish(sink: Sink) -> io::Result<()> {
    let Sink::Beside(file, target) = sink else { return Ok(()) };
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    let folder = folder_of(&target);
    file.persist(target).map_err(|error| error.error)?;
    // Makes the rename last. The file is whole either way, so a folder that cannot be synced is no failure.
    if cfg!(unix)
        && let Err(error) = File::open(&folder).and_then(|folder| folder.sync_all())
    {
        log::warn!("{}: {error}", folder.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
