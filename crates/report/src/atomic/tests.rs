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
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    file.flush().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    file.commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(folder.path()), ["a.csv"]);
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
    assert_eq!(error.kind, FailureKind::Usage);
    let shown = folder.path().display().to_string();
    assert_eq!(error.message, format!("cannot write {shown}: it is a folder, a file is needed"));
    let error = AtomicFile::create(&folder.path().join("no/a.csv")).unwrap_err();
    assert!(error.message.ends_with("no/a.csv: no such file or folder"), "{error}");
    let file = folder.path().join("f");
    fs::write(&file, "").unwrap();
    let error = AtomicFile::create(&file.join("a.csv")).unwrap_err();
    assert!(error.message.contains("is a file, not a folder"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_the_work() {
    let mut file = AtomicFile::create(Path::new("/dev/full")).unwrap();
    file.write_all(b"x").unwrap();
    let error = file.commit().unwrap_err();
    assert_eq!(error.message, "cannot write /dev/full: the disk is full");
    assert_eq!(error.kind, FailureKind::Work);
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
    let mut file = AtomicFile::create(&first).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(destination(&first).unwrap(), fs::canonicalize(folder.path()).unwrap().join("sub/real.csv"));
    file.commit().unwrap();
    assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    assert_eq!(names(&folder.path().join("sub")).len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_into_no_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink("none/real.csv", &link).unwrap();
    let error = AtomicFile::create(&link).unwrap_err();
    assert!(error.message.ends_with("link.csv: no such file or folder"), "{error}");
    assert_eq!(names(folder.path()), ["link.csv"]);
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
