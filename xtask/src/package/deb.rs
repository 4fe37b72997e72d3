//! A package for Debian and Ubuntu: an `ar` archive of two tape archives, the package's data and its files.

use std::path::Path;

use crate::archive::{EXECUTABLE, File, gzip, tar};
use crate::glibc::{Needs, shown};
use crate::{Result, at};

/// Writes the package of an archive's files next to their folder.
pub fn write(folder: &Path, files: Vec<File>, architecture: &str, time: u64, maintainer: &str) -> Result {
    let version = env!("CARGO_PKG_VERSION");
    let package = folder.with_file_name(format!("murmuration_{version}_{architecture}.deb"));
    let mut files: Vec<File> = files.into_iter().filter_map(installed).collect();
    for file in files.iter_mut().filter(|file| file.path.starts_with("./usr/share/man/")) {
        file.bytes = gzip(&file.bytes).map_err(at(&package))?;
        file.path.push_str(".gz");
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let program = files.iter().find(|file| file.mode == EXECUTABLE);
    let program = program.ok_or_else(|| format!("{}: the program is missing", folder.display()))?;
    let size = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    let control = control(architecture, maintainer, size, &Needs::of(&program.bytes)?);
    let control = File { path: "./control".to_owned(), bytes: control.into_bytes(), mode: 0o644 };
    let compressed = |files: &[File]| tar(files, time).and_then(|tar| gzip(&tar)).map_err(at(&package));
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", compressed(&[control])?),
        ("data.tar.gz", compressed(&files)?),
    ];
    crate::write(&package, ar(&members, time))
}

/// The description of a package of `size` KiB.
fn control(architecture: &str, maintainer: &str, size: usize, needs: &Needs) -> String {
    let (version, depends) = (env!("CARGO_PKG_VERSION"), depends(needs));
    // The libraries of a window and the drivers are loaded when they are there: the command line works without.
    format!(
        "\
Package: murmuration
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: libvulkan1, mesa-vulkan-drivers, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon0, libxkbcommon-x11-0
Section: science
Priority: optional
Description: boids simulator for the GPU
 A million boids, drawn live, and the same flock, bit for bit, on every GPU, on
 the CPU and on a microcontroller.
"
    )
}

/// The path at which a file of the archive is installed.
fn installed(file: File) -> Option<File> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let to = match (folder, name) {
        ("", "murmuration") => "bin/murmuration".to_owned(),
        ("", "murmuration.desktop") => "share/applications/murmuration.desktop".to_owned(),
        ("", "murmuration.svg") => "share/icons/hicolor/scalable/apps/murmuration.svg".to_owned(),
        ("", "LICENCES.txt") => "share/doc/murmuration/copyright".to_owned(),
        ("man", name) => format!("share/man/man1/{name}"),
        ("completions", "murmuration.bash") => "share/bash-completion/completions/murmuration".to_owned(),
        ("completions", "_murmuration") => "share/zsh/vendor-completions/_murmuration".to_owned(),
        ("completions", "murmuration.fish") => "share/fish/vendor_completions.d/murmuration.fish".to_owned(),
        ("presets" | "firmware", name) => format!("share/murmuration/{folder}/{name}"),
        // Files of other systems, or contained in the copyright.
        _ => return None,
    };
    Some(File { path: format!("./usr/{to}"), ..file })
}

/// The packages that have the libraries of a program.
fn depends(needs: &Needs) -> String {
    let libc = needs.glibc.map(|glibc| format!("libc6 (>= {})", shown(glibc)));
    let mut packages = Vec::from_iter(libc);
    for (library, package) in [("libgcc_s.so.1", "libgcc-s1"), ("libstdc++.so.6", "libstdc++6")] {
        if needs.libraries.iter().any(|needed| needed == library) {
            packages.push(package.to_owned());
        }
    }
    packages.join(", ")
}

fn ar(members: &[(&str, Vec<u8>)], time: u64) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let (mode, length) = ("100644", content.len());
        bytes.extend(format!("{name:<16}{time:<12}{0:<6}{0:<6}{mode:<8}{length:<10}`\n", 0).bytes());
        bytes.extend(content);
        bytes.extend(b"\n".iter().take(length % 2));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Needs, ar, depends};

    #[test]
    fn the_packages_are_those_of_the_libraries() {
        let libraries = ["libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"].map(str::to_owned);
        let needs = |many: usize| Needs { glibc: Some([2, 28]), libraries: libraries[..many].to_vec() };
        assert_eq!(depends(&needs(3)), "libc6 (>= 2.28), libgcc-s1, libstdc++6");
        assert_eq!(depends(&needs(1)), "libc6 (>= 2.28)");
        assert_eq!(depends(&Needs::default()), "");
    }

    #[test]
    fn members_begin_at_even_places() {
        let bytes = ar(&[("a", vec![1]), ("b", vec![2, 3])], 5);
        assert_eq!(bytes.len(), 8 + 60 + 2 + 60 + 2);
        assert_eq!(&bytes[70..71], b"b");
    }
}
