//! Files that appear complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::{Error, Result};

/// A file that is written beside its target, and renamed over it by [`AtomicFile::commit`].
///
/// Dropped without a commit, it leaves nothing behind and an older file of that name unchanged.
/// A target that is not a regular file (a pipe, a terminal) cannot be renamed over and is written
/// to directly. So is an open stream of this process under any name (`/dev/stdout`, also where it
/// is redirected to a regular file), which keeps its contents.
///
/// ```
/// use murmuration::report::AtomicFile;
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
    Stdout(BufWriter<Stdout>),
}

/// Whether a path stands for stdout: `-`.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether a file made at a path replaces contents. An open stream of this process keeps its own; an empty file has none.
pub fn replaces(path: &Path) -> bool {
    let Ok(existing) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    if stream(path, &existing).is_ok_and(|stream| stream.is_some()) {
        return false;
    }
    existing.is_file() && existing.len() > 0
}

/// Stdout, which takes everything once its reader has left: `| head` is no failure.
#[derive(Debug)]
struct Stdout(io::Stdout);

impl Stdout {
    fn without_reader<T>(result: io::Result<T>, done: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(done),
            result => result,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::without_reader(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::without_reader(self.0.flush(), ())
    }
}

impl AtomicFile {
    /// Starts a file that will be called `path`.
    ///
    /// # Errors
    /// [`Error::Open`] where `path` is a folder, may not be written, or its folder does not exist.
    pub fn create(path: &Path) -> Result<Self> {
        let sink = open(path).map_err(|source| Error::create(path, source))?;
        let path = path.to_owned();
        Ok(Self { path, sink })
    }

    /// As [`AtomicFile::create`], but `-` is stdout.
    ///
    /// # Errors
    /// As [`AtomicFile::create`].
    pub fn create_or_stdout(path: &Path) -> Result<Self> {
        if !is_stdout(path) {
            return Self::create(path);
        }
        let sink = Sink::Stdout(BufWriter::new(Stdout(io::stdout())));
        Ok(Self { path: "stdout".into(), sink })
    }

    /// The file as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the target is no regular file, so that there is no place beside it.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.sink, Sink::Direct(_) | Sink::Stdout(_))
    }

    /// The folder that the bytes go to, for files that are needed on the way.
    pub(crate) fn folder(&self) -> PathBuf {
        match &self.sink {
            Sink::Beside(_, target) => folder_of(target),
            Sink::Direct(_) | Sink::Stdout(_) => std::env::temp_dir(),
        }
    }

    /// Turns a failed write into this file's error.
    pub(crate) fn failed(&self, source: io::Error) -> Error {
        Error::write(&self.path, source)
    }

    /// Flushes, and gives the file its name.
    ///
    /// # Errors
    /// [`Error::Write`], for instance on a full disk; nothing is left then.
    pub fn commit(self) -> Result<()> {
        let Self { path, sink } = self;
        finish(sink).map_err(|source| Error::write(&path, source))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Beside(file, _) => file.write(bytes),
            Sink::Direct(file) => file.write(bytes),
            Sink::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Beside(file, _) => file.flush(),
            Sink::Direct(file) => file.flush(),
            Sink::Stdout(out) => out.flush(),
        }
    }
}

fn open(path: &Path) -> io::Result<Sink> {
    let existing = match fs::metadata(path) {
        Ok(existing) => Some(existing),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let Some(existing) = existing else {
        return beside(path.to_owned(), None);
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
    // A rename would also replace a file that may not be written: ask first.
    OpenOptions::new().append(true).open(path)?;
    beside(fs::canonicalize(path)?, Some(existing.permissions()))
}

/// The standard stream, or other open file, that a path leads to. It goes on where that stands.
#[cfg(unix)]
fn stream(path: &Path, existing: &fs::Metadata) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let (out, err) = (io::stdout(), io::stderr());
    for standard in [out.as_fd(), err.as_fd()] {
        // A stream that was closed is not the one that is meant.
        let Ok(own) = standard.try_clone_to_owned().map(File::from) else { continue };
        let same = |own: fs::Metadata| (own.dev(), own.ino()) == (existing.dev(), existing.ino());
        if own.metadata().is_ok_and(same) {
            return Ok(Some(own));
        }
    }
    if path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") {
        return OpenOptions::new().append(true).open(path).map(Some);
    }
    Ok(None)
}

fn beside(target: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<Sink> {
    if target.file_name().is_none() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".part");
    #[cfg(unix)]
    {
        // The user's umask applies, as to any new file; the default would be private.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder_of(&target))?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(Sink::Beside(BufWriter::new(file), target))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn finish(sink: Sink) -> io::Result<()> {
    match sink {
        Sink::Beside(file, target) => {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(target).map(drop).map_err(|error| error.error)
        }
        Sink::Direct(file) => file.into_inner().map(drop).map_err(io::IntoInnerError::into_error),
        Sink::Stdout(mut out) => out.flush(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn appears_only_when_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn only_a_file_with_contents_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        assert!(!replaces(&path) && !replaces(folder.path()));
        fs::write(&path, "").unwrap();
        assert!(!replaces(&path));
        fs::write(&path, "old").unwrap();
        assert!(replaces(&path));
    }

    #[test]
    fn leaves_nothing_when_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(&folder.path().join("a.csv")).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert_eq!(names(folder.path()).len(), 1, "the part is beside it");
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn names_the_file_and_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(folder.path()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let shown = folder.path().display().to_string();
        assert_eq!(error.to_string(), format!("cannot write {shown}: it is a folder, a file is needed"));
        let error = AtomicFile::create(&folder.path().join("no/a.csv")).unwrap_err();
        assert!(error.to_string().ends_with("no/a.csv: no such file or folder"), "{error}");
        let file = folder.path().join("f");
        fs::write(&file, "").unwrap();
        let error = AtomicFile::create(&file.join("a.csv")).unwrap_err();
        assert!(error.to_string().contains("is a file, not a folder"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_of_the_work() {
        let mut file = AtomicFile::create(Path::new("/dev/full")).unwrap();
        file.write_all(b"x").unwrap();
        let error = file.commit().unwrap_err();
        assert_eq!(error.to_string(), "cannot write /dev/full: the disk is full");
        assert_eq!(error.exit_code(), 1);
        assert!(Path::new("/dev/full").exists());
    }

    #[cfg(unix)]
    #[test]
    fn follows_links_and_keeps_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
