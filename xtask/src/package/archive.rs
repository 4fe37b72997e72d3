//! Archives, and their checksums.

use std::io::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::tree::{self, File};
use crate::{Result, at};

/// Writes a folder as an archive beside it.
///
/// # Errors
/// When a file cannot be read or written.
pub fn write(folder: &Path, time: u64) -> Result {
    let mut files = tree::read(folder)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let windows = files.iter().any(|file| file.path.ends_with(".exe"));
    files.iter_mut().for_each(|file| file.path = format!("{name}/{}", file.path));
    let archive = folder.with_file_name(format!("{name}.{}", if windows { "zip" } else { "tar.gz" }));
    let bytes = if windows { zip(&files, time) } else { tar(&files, time).and_then(|tar| gzip(&tar)) };
    let bytes = bytes.map_err(at(&archive))?;
    std::fs::write(&archive, bytes).map_err(at(&archive))
}

/// A tape archive, owned by root.
pub fn tar(files: &[File], time: u64) -> std::io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut folders = std::collections::BTreeSet::new();
    for file in files {
        let above = Path::new(&file.path).ancestors().skip(1).filter(|at| !at.as_os_str().is_empty());
        for folder in above.collect::<Vec<_>>().into_iter().rev() {
            // `dpkg` wants each folder before what lies in it.
            if folders.insert(folder.to_owned()) {
                let mut header = header(tar::EntryType::Directory, 0o755, time);
                builder.append_data(&mut header, format!("{}/", folder.display()), std::io::empty())?;
            }
        }
        let mut header = header(tar::EntryType::Regular, file.mode(), time);
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

fn zip(files: &[File], time: u64) -> std::io::Result<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(moment(time));
    for file in files {
        writer.start_file(&file.path, options.unix_permissions(file.mode()))?;
        writer.write_all(&file.bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// A time as zip writes it: from 1980 on, in even seconds.
fn moment(time: u64) -> zip::DateTime {
    // The day as a civil date: Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
    let days = (time / 86_400) as u32 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + u32::from(month <= 2);
    let [second, minute, hour] = [time % 60, time / 60 % 60, time / 3600 % 24].map(|part| part as u8);
    zip::DateTime::from_date_and_time(year as u16, month as u8, day as u8, hour, minute, second)
        .unwrap_or_default()
}

/// Writes `SHA256SUMS` of the files in a folder, in the format of `sha256sum`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn write_sums(folder: &Path) -> Result {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let file = entry.map_err(at(folder))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if file.is_file() && name != SUMS {
            let digest = Sha256::digest(std::fs::read(&file).map_err(at(&file))?);
            let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            lines.push((name.clone(), format!("{digits}  {name}\n")));
        }
    }
    lines.sort();
    let text: String = lines.into_iter().map(|(_, line)| line).collect();
    let file = folder.join(SUMS);
    std::fs::write(&file, text).map_err(at(&file))
}

const SUMS: &str = "SHA256SUMS";

#[cfg(test)]
mod tests {
    use super::{gzip, moment, tar, zip};
    use crate::tree::File;

    #[test]
    fn the_same_files_give_the_same_bytes_and_another_time_others() {
        let file = |path: &str| File { path: path.to_owned(), bytes: vec![7; 9], executable: false };
        let files = [file("a/b/c"), file("a/d")];
        let tar = |time| tar(&files, time).and_then(|bytes| gzip(&bytes)).expect("in memory");
        let zip = |time| zip(&files, time).expect("in memory");
        assert_eq!((tar(1_000_000_000), zip(1_000_000_000)), (tar(1_000_000_000), zip(1_000_000_000)));
        assert!(tar(1_000_000_000) != tar(1_000_000_002) && zip(1_000_000_000) != zip(1_000_000_002));
    }

    #[test]
    fn a_moment_is_that_of_the_calendar() {
        for (time, text) in [(951_782_400, "2000-02-29 00:00:00"), (1_798_761_599, "2026-12-31 23:59:58")] {
            // Zip counts in steps of two seconds.
            assert_eq!(moment(time).to_string(), text);
        }
    }
}
