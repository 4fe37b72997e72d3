//! Archives, their files, and their checksums.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Result, at};

/// A file of an archive.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path in the archive, with slashes.
    pub path: String,
    pub bytes: Vec<u8>,
    pub mode: u32,
}

/// The mode of a program.
pub const EXECUTABLE: u32 = 0o755;

/// All files of a folder, sorted by path.
pub fn read(folder: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    add(folder, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn add(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result {
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let file = entry.map_err(at(folder))?.path();
        let path = format!("{prefix}{}", name(&file));
        if file.is_dir() {
            add(&file, &format!("{path}/"), files)?;
        } else {
            let bytes = std::fs::read(&file).map_err(at(&file))?;
            // By its name: file systems differ in what they keep.
            let program = matches!(path.as_str(), "murmuration" | "murmuration.exe");
            files.push(File { path, bytes, mode: if program { EXECUTABLE } else { 0o644 } });
        }
    }
    Ok(())
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Writes the files of a folder as an archive next to it.
pub fn write(folder: &Path, files: &[File], time: u64) -> Result {
    let name = name(folder);
    let inside = |file: &File| File { path: format!("{name}/{}", file.path), ..file.clone() };
    let inside: Vec<File> = files.iter().map(inside).collect();
    let windows = files.iter().any(|file| file.path.ends_with(".exe"));
    let archive = folder.with_file_name(format!("{name}.{}", if windows { "zip" } else { "tar.gz" }));
    let bytes = if windows { zip(&inside, time) } else { tar(&inside, time).and_then(|tar| gzip(&tar)) };
    crate::write(&archive, bytes.map_err(at(&archive))?)
}

/// A tape archive, owned by root.
pub fn tar(files: &[File], time: u64) -> std::io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    for file in files {
        let above = Path::new(&file.path).ancestors().skip(1).filter(|at| !at.as_os_str().is_empty());
        for folder in above.collect::<Vec<_>>().into_iter().rev() {
            // `dpkg` wants each folder before what lies in it.
            if folders.insert(folder.to_owned()) {
                let mut header = header(tar::EntryType::Directory, 0o755, time);
                builder.append_data(&mut header, format!("{}/", folder.display()), std::io::empty())?;
            }
        }
        let mut header = header(tar::EntryType::Regular, file.mode, time);
        header.set_size(file.bytes.len() as u64);
        builder.append_data(&mut header, &file.path, file.bytes.as_slice())?;
    }
    builder.into_inner()
}

fn header(kind: tar::EntryType, mode: u32, time: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header
}

/// Without a name or a time in its header.
pub fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub fn zip(files: &[File], time: u64) -> std::io::Result<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(moment(time).unwrap_or_default());
    for file in files {
        writer.start_file(&file.path, options.unix_permissions(file.mode))?;
        writer.write_all(&file.bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// A time as zip writes it: from 1980 on, in even seconds.
fn moment(time: u64) -> Option<zip::DateTime> {
    chrono::DateTime::from_timestamp(time.try_into().ok()?, 0)?.naive_utc().try_into().ok()
}

/// Writes `SHA256SUMS` of the files in a folder, in the format of `sha256sum`.
pub fn write_sums(folder: &Path) -> Result {
    const SUMS: &str = "SHA256SUMS";
    let mut lines = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let file = entry.map_err(at(folder))?.path();
        let name = name(&file);
        if file.is_file() && name != SUMS {
            let digest = Sha256::digest(std::fs::read(&file).map_err(at(&file))?);
            let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            lines.insert((name.clone(), format!("{digits}  {name}\n")));
        }
    }
    let text: String = lines.into_iter().map(|(_, line)| line).collect();
    crate::write(&folder.join(SUMS), text)
}

#[cfg(test)]
mod tests {
    use super::{File, gzip, tar, zip};

    #[test]
    fn the_same_files_give_the_same_bytes_and_another_time_others() {
        let file = |path: &str| File { path: path.to_owned(), bytes: vec![7; 9], mode: 0o644 };
        let files = [file("a/b/c"), file("a/d")];
        let tar = |time| tar(&files, time).and_then(|bytes| gzip(&bytes)).expect("in memory");
        let zip = |time| zip(&files, time).expect("in memory");
        assert_eq!((tar(1_000_000_000), zip(1_000_000_000)), (tar(1_000_000_000), zip(1_000_000_000)));
        assert!(tar(1_000_000_000) != tar(1_000_000_002) && zip(1_000_000_000) != zip(1_000_000_002));
    }
}
