//! Libraries that a program takes from Linux, and how new their glibc must be.

use std::io::Read as _;
use std::path::Path;

use object::LittleEndian;
use object::elf::{DT_NEEDED, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _};

use crate::{Result, at};

/// A version of glibc.
pub type Glibc = [u32; 2];

/// The glibc from which programs of a release run: that of RHEL 8.
pub const OLDEST: Glibc = [2, 28];

/// The libraries that every Linux with glibc has, as PEP 600 lists them; those of a window are loaded when they are there.
const EVERYWHERE: [&str; 9] = [
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
];

/// Libraries and versions that a program needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The newest version of glibc whose symbols it uses; `None` for a static program.
    pub glibc: Option<Glibc>,
    /// The files of its libraries.
    pub libraries: Vec<String>,
}

impl Needs {
    /// Reads the dynamic section of a program for 64 bits, and the versions of the symbols that it uses.
    ///
    /// # Errors
    /// When it is not such a program.
    pub fn of(program: &[u8]) -> Result<Self> {
        Self::read(program).map_err(|why| format!("not a program for Linux: {why}"))
    }

    fn read(program: &[u8]) -> object::read::Result<Self> {
        let header = FileHeader64::<LittleEndian>::parse(program)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, program)?;
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let mut needs = Needs::default();
        if let Some((entries, strings)) = sections.dynamic(endian, program)? {
            let strings = sections.strings(endian, program, strings)?;
            for entry in entries.iter().filter(|entry| entry.tag(endian) == DT_NEEDED) {
                let name = strings.get(entry.val(endian) as u32).unwrap_or_default();
                needs.libraries.push(text(name));
            }
        }
        if let Some((libraries, strings)) = sections.gnu_verneed(endian, program)? {
            let strings = sections.strings(endian, program, strings)?;
            for library in libraries {
                for version in library?.1 {
                    let version = text(version?.name(endian, strings)?);
                    needs.glibc = needs.glibc.max(version.strip_prefix("GLIBC_").and_then(parse));
                }
            }
        }
        Ok(needs)
    }

    /// Checks that every Linux has the libraries, and that this glibc is new enough.
    fn check(&self, glibc: Glibc) -> Result {
        if let Some(library) = self.libraries.iter().find(|library| !EVERYWHERE.contains(&library.as_str())) {
            return Err(format!("it must only use libraries of every Linux, not {library}"));
        }
        match self.glibc {
            Some(needed) if needed > glibc => {
                Err(format!("it must require at most glibc {}, not {}", shown(glibc), shown(needed)))
            }
            _ => Ok(()),
        }
    }
}

/// A version as it is written.
pub fn shown([major, minor]: Glibc) -> String {
    format!("{major}.{minor}")
}

/// Major and minor of `2.28` or `2.2.5`; `None` for the private interface.
fn parse(text: &str) -> Option<Glibc> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??])
}

/// Checks a file: a wheel for Linux against its tag, a program for Linux against [`OLDEST`].
///
/// # Errors
/// When what it needs is not on each system that takes it.
pub fn check(file: &Path) -> Result {
    let bytes = std::fs::read(file).map_err(at(file))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let Some(tags) = name.strip_suffix(".whl") else {
        return check_programs(file, &[bytes], OLDEST);
    };
    if !tags.contains("linux") {
        return Ok(());
    }
    let tag = tags.split_once("manylinux_").and_then(|(_, version)| parse(&version.replace('_', ".")));
    let tag = tag.ok_or_else(|| format!("{name}: the tag must be manylinux_2_28 or another one of glibc"))?;
    check_programs(file, &modules(&bytes).map_err(at(file))?, tag)
}

fn check_programs(file: &Path, programs: &[Vec<u8>], glibc: Glibc) -> Result {
    for program in programs {
        let checked = Needs::of(program).and_then(|needs| needs.check(glibc));
        checked.map_err(|why| format!("{}: {why}", file.display()))?;
    }
    if programs.is_empty() { Err(format!("{}: the module is missing", file.display())) } else { Ok(()) }
}

/// The compiled modules in a wheel.
fn modules(wheel: &[u8]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(wheel))?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        if file.name()?.ends_with(".so") {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            found.push(bytes);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Needs, OLDEST, check, parse};

    #[test]
    fn libraries_and_versions_are_held_to_a_glibc() {
        assert!(parse("2.9") < parse("2.28") && parse("2.28") < parse("2.34"));
        let needs = |glibc, library: &str| Needs { glibc, libraries: vec![library.to_owned()] };
        assert_eq!(needs(Some([2, 28]), "libc.so.6").check(OLDEST), Ok(()));
        assert_eq!(needs(None, "libstdc++.so.6").check(OLDEST), Ok(()));
        let newer = needs(Some([2, 35]), "libm.so.6").check(OLDEST);
        assert_eq!(newer, Err("it must require at most glibc 2.28, not 2.35".to_owned()));
        let other = needs(Some([2, 17]), "libudev.so.1").check(OLDEST);
        assert_eq!(other, Err("it must only use libraries of every Linux, not libudev.so.1".to_owned()));
    }

    /// This test is a program for the machine's own glibc.
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    #[test]
    fn a_wheel_whose_tag_is_older_than_its_symbols_is_refused() {
        use crate::archive::{File, zip};

        let bytes = std::fs::read(std::env::current_exe().expect("a path")).expect("readable");
        let needs = Needs::of(&bytes).expect("a program");
        assert!(needs.libraries.iter().any(|library| library == "libc.so.6"), "{needs:?}");
        let [major, minor] = needs.glibc.expect("a version");
        let module = File { path: "murmuration_boids/native.abi3.so".to_owned(), bytes, mode: 0o644 };
        let wheel = zip(&[module], 1_000_000_000).expect("in memory");
        let folder = std::env::temp_dir().join(format!("murmuration-tags-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("writable");
        let checked = |minor: u32| {
            let file = folder.join(format!("a-1-cp311-abi3-manylinux_{major}_{minor}_x86_64.whl"));
            std::fs::write(&file, &wheel).expect("writable");
            check(&file)
        };
        assert_eq!(checked(minor), Ok(()));
        assert!(checked(minor - 1).is_err_and(|why| why.ends_with(&format!("not {major}.{minor}"))));
        std::fs::remove_dir_all(&folder).expect("writable");
    }
}
