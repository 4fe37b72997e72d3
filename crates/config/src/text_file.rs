//! Reads whole text files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum size in bytes: an endless file, such as `/dev/zero`, would fill the memory.
const LONGEST: u64 = 64 << 20;

/// The reason of [`too_many_files`], with what to do.
pub const TOO_MANY_FILES: &str = "too many open files; raise the limit with `ulimit -n`";

/// True if the process or the system has as many open files as it may have.
pub fn too_many_files(error: &io::Error) -> bool {
    // EMFILE and ENFILE, which have no kind of their own.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// True for a pipe or a device: reading it may wait for a writer for ever.
pub fn may_block(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// The text of a file.
///
/// # Errors
/// When the file cannot be read, is not UTF-8, or is longer than 64 MiB.
pub fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let length = File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
    if length as u64 > LONGEST {
        let problem = format!("the file is larger than {} MiB", LONGEST >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}
