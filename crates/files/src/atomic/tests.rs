use super::*;
use crate::failure::FailureKind;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn appears_only_when_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "old").unwrap();
    let mut file = AtomicFile::create(&path, Existing::Replace).unwrap();
    file.write_all(b"new").unwrap();
    file.flush().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    file.commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(folder.path()), ["a.csv"]);
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
    let mut file = AtomicFile::create(&link, Existing::Replace).unwrap();
    file.write_all(b"new").unwrap();
    file.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_link_to_no_file_stays_and_its_file_is_made() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("sub").join("real.csv");
    fs::create_dir(folder.path().join("sub")).unwrap();
    // One link leads by way of another, and both are relative.
    symlink("sub/second", folder.path().join("first")).unwrap();
    symlink("real.csv", folder.path().join("sub/second")).unwrap();
    let first = folder.path().join("first");
    let mut file = AtomicFile::create(&first, Existing::Replace).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(destination(&first).unwrap(), fs::canonicalize(folder.path()).unwrap().join("sub/real.csv"));
    file.commit().unwrap();
    assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(names(&folder.path().join("sub")).len(), 2);
}

fn begun(path: &Path, existing: Existing) -> AtomicFile {
    let mut file = AtomicFile::create(path, existing).unwrap();
    file.write_all(b"new").unwrap();
    file
}

#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for other in ["a-2.csv", "a-3.csv"] {
        let _ = fs::remove_file(&path);
        let file = begun(&path, Existing::Keep);
        fs::write(&path, "of another program").unwrap();
        let error = file.commit().unwrap_err();
        let shown = folder.path().display();
        let why = format!(
            "cannot write {shown}/a.csv: it was created in the meantime; the result is in {shown}/{other}"
        );
        assert_eq!((error.message, error.kind), (why, FailureKind::Work));
        assert_eq!(fs::read_to_string(&path).unwrap(), "of another program");
        assert_eq!(fs::read_to_string(folder.path().join(other)).unwrap(), "new");
    }
    begun(&path, Existing::Replace).commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    let error = AtomicFile::create(&path, Existing::Keep).unwrap_err();
    assert!(error.message.ends_with("a.csv: a file with this name already exists"), "{error}");
}

/// Another program may have opened an empty file to write to it.
#[test]
fn only_an_empty_file_that_was_there_before_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let file = begun(&path, Existing::Keep);
    let open = File::create(&path).unwrap();
    assert!(file.commit().unwrap_err().message.ends_with("a-2.csv"));
    assert_eq!(open.metadata().unwrap().len(), 0);
    begun(&path, Existing::Keep).commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    // It was empty, and is no more.
    fs::write(&path, "").unwrap();
    let file = begun(&path, Existing::Keep);
    fs::write(&path, "old").unwrap();
    assert!(file.commit().unwrap_err().message.ends_with("a-3.csv"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn whole_samples_are_kept_after_a_failed_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut file = begun(&path, Existing::Keep);
    assert!(!file.commit_samples().unwrap(), "no sample is whole");
    assert!(names(folder.path()).is_empty());
    file = begun(&path, Existing::Keep);
    file.end_sample().unwrap();
    let part = names(folder.path());
    assert_eq!(fs::read_to_string(folder.path().join(&part[0])).unwrap(), "new", "at once");
    file.write_all(&[b'x'; 20_000]).unwrap();
    file.write_all(b"half a sample").unwrap();
    assert!(file.commit_samples().unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(folder.path()), ["a.csv"]);
}
