//! Writes the firmware to a board: by its drive, picotool or a debug probe.

use crate::error::{Error, Result, at};
use crate::firmware::{Options, build};
use crate::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file on the drive of the boot loader.
const MARK: &str = "INFO_UF2.TXT";

/// The label of that drive.
const LABEL: &str = "RPI-RP2";

/// Builds the firmware and writes it to the connected board.
///
/// # Errors
/// Without a board: how to connect one.
pub fn flash(options: &Options) -> Result {
    let image = build(options)?;
    if let Some(drive) = drive() {
        eprintln!("flash: copying {} to {}", image.uf2.display(), drive.display());
        std::fs::copy(&image.uf2, drive.join("murmuration.uf2")).map_err(at(&drive))?;
        eprintln!("flash: done; the board restarts by itself");
        return Ok(());
    }
    if shell::on_path("picotool") && shell::read(Command::new("picotool").arg("info")).is_some() {
        return shell::run(Command::new("picotool").args(["load", "-x"]).arg(&image.uf2));
    }
    if shell::on_path("probe-rs") && probe() {
        let chip = ["--chip", "RP2040"];
        shell::run(Command::new("probe-rs").arg("download").args(chip).arg(&image.elf))?;
        return shell::run(Command::new("probe-rs").arg("reset").args(chip));
    }
    let unmounted = Path::new("/dev/disk/by-label").join(LABEL).exists();
    let advice = if unmounted {
        format!("the drive {LABEL} is not mounted: mount it and try again")
    } else {
        format!(
            "hold BOOTSEL while you plug in the board, until the drive {LABEL} appears, or connect a debug probe"
        )
    };
    Err(Error::Failed(format!("no board found for {}: {advice}", image.uf2.display())))
}

/// True if a debug probe is connected.
fn probe() -> bool {
    shell::read(Command::new("probe-rs").arg("list")).is_some_and(|list| list.contains("[0]"))
}

/// The board's drive, where it is mounted.
fn drive() -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let linux = mounts.lines().filter_map(mount_point);
    let macos = std::iter::once(Path::new("/Volumes").join(LABEL));
    let windows = cfg!(windows).then_some('D'..='Z').into_iter().flatten();
    let windows = windows.map(|letter| PathBuf::from(format!("{letter}:\\")));
    linux.chain(macos).chain(windows).find(|folder| {
        let mark = std::fs::read_to_string(folder.join(MARK));
        mark.is_ok_and(|text| text.contains(LABEL))
    })
}

/// The mount point of a line of `/proc/mounts`, for file systems that the drive can have.
fn mount_point(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(' ');
    let (folder, kind) = (fields.nth(1)?, fields.next()?);
    (kind == "vfat").then(|| PathBuf::from(folder.replace("\\040", " ")))
}

#[cfg(test)]
mod tests {
    use super::mount_point;
    use std::path::Path;

    #[test]
    fn only_drives_of_the_boards_kind_are_looked_into() {
        let found = mount_point("/dev/sda1 /media/ann\\040lee/RPI-RP2 vfat rw 0 0");
        assert_eq!(found.as_deref(), Some(Path::new("/media/ann lee/RPI-RP2")));
        for line in ["proc /proc proc rw 0 0", "", "host:/data /mnt nfs rw 0 0"] {
            assert_eq!(mount_point(line), None, "{line}");
        }
    }
}
