//! Reads whole text files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum size in bytes: an endless file, such as `/dev/zero`, would fill the memory.
const LONGEST: u64 = 64 << 20;

/// The reason of an error of the operating system without its number, in words that fit after a colon.
pub fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder, not a file".into(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::QuotaExceeded => "the disk quota is exceeded".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        // That of `read` has a text of its own.
        io::ErrorKind::FileTooLarge if error.get_ref().is_none() => {
            "the file is larger than the system allows".into()
        }
        io::ErrorKind::BrokenPipe => "broken pipe".into(),
        io::ErrorKind::AlreadyExists => "a file with this name already exists".into(),
        _ if too_many_files(error) => "too many open files; raise the limit with `ulimit -n`".into(),
        _ => {
            // Drops the system's error number and the name of a temporary file.
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            // The system's messages begin with a capital.
            let end = text.chars().next().map_or(0, char::len_utf8);
            text[..end].to_lowercase() + &text[end..]
        }
    }
}

/// True if the process or the system has as many open files as it may have.
fn too_many_files(error: &io::Error) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reason_has_the_number_of_the_system() {
        for number in 1..200 {
            let reason = io_reason(&io::Error::from_raw_os_error(number));
            assert!(!reason.contains("os error"), "{number}: {reason}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_file_is_too_large() {
        let error = read(Path::new("/dev/zero")).expect_err("an endless file");
        assert_eq!(io_reason(&error), "the file is larger than 64 MiB");
    }
}
