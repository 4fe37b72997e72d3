//! The faults of `tests/faults.txt`, and a copy of the sources in which each is a switch: `a - b` becomes
//! `(if crate::planted::is(17) { a + b } else { a - b })`. So all faults share one build.

use crate::shell::{Error, Result, at};
use std::collections::BTreeMap;
use std::path::Path;

/// The variable that names the fault of a process.
pub const VARIABLE: &str = "MURMURATION_FAULT";

/// The module that is added to each crate with faults. A constructor reads the variable, so that a test costs a load.
const SWITCH: &str = "
#[doc(hidden)]
pub mod planted {
    use core::sync::atomic::{AtomicU32, Ordering};

    static FAULT: AtomicU32 = AtomicU32::new(0);

    #[inline(always)]
    pub fn is(fault: u32) -> bool {
        FAULT.load(Ordering::Relaxed) == fault
    }

    #[inline(always)]
    pub fn apart<R>(f: impl FnOnce() -> R) -> R {
        f()
    }

    unsafe extern \"C\" {
        fn getenv(name: *const core::ffi::c_char) -> *const core::ffi::c_char;
    }

    extern \"C\" fn read() {
        let value = unsafe { getenv(c\"MURMURATION_FAULT\".as_ptr()) };
        if !value.is_null() {
            let text = unsafe { core::ffi::CStr::from_ptr(value) };
            FAULT.store(text.to_str().unwrap_or(\"\").parse().unwrap_or(0), Ordering::Relaxed);
        }
    }

    #[used]
    #[unsafe(link_section = \".init_array\")]
    static READ: extern \"C\" fn() = read;
}
";

/// The folder of a copy that holds its faulty shaders. Each file is named after the fault; a NUL separates the shaders that
/// it replaces, and each begins with its name.
pub const FAULTY_SHADERS: &str = "target/faulty";

/// The crate of the shaders, which reads the faulty one at run time, so that it needs no build.
const SHADERS: &str = "
pub static FILES: std::sync::LazyLock<Vec<(&'static str, &'static str)>> = std::sync::LazyLock::new(|| {
    let files: &[(&'static str, &'static str)] = include!(concat!(env!(\"OUT_DIR\"), \"/files.rs\"));
    let mut files = files.to_vec();
    let fault = std::env::var(\"MURMURATION_FAULT\").unwrap_or_default();
    let folder = concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../target/faulty\");
    let Ok(faulty) = std::fs::read_to_string(format!(\"{folder}/{fault}\")) else { return files };
    for shader in String::leak(faulty).split('\\0') {
        let (name, text) = shader.split_once('\\n').expect(\"a name and a text\");
        files.iter_mut().find(|(known, _)| *known == name).expect(\"a shader\").1 = text;
    }
    files
});
";

/// A fault: an expression or a statement of a file, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub number: u32,
    pub file: String,
    /// The text within which the expression is looked for, where the file has it elsewhere, too.
    within: String,
    good: String,
    pub bad: String,
}

/// Reads the list: a line `NUMBER FILE`, then `@ TEXT AROUND` where it is needed, `- GOOD` and `+ BAD`.
pub fn read(list: &str) -> Result<Vec<Fault>> {
    let mut faults: Vec<Fault> = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let wrong = || Error::Failed(format!("tests/faults.txt: not understood: `{line}`"));
        let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
        match (mark, faults.last_mut()) {
            ("@", Some(fault)) => fault.within = text.into(),
            ("-", Some(fault)) => fault.good = text.into(),
            ("+", Some(fault)) => fault.bad = text.into(),
            _ => {
                let number = mark.parse().map_err(|_| wrong())?;
                if faults.iter().any(|fault| fault.number == number) {
                    return Err(wrong());
                }
                let file = text.to_owned();
                faults.push(Fault {
                    number,
                    file,
                    within: String::new(),
                    good: String::new(),
                    bad: String::new(),
                });
            }
        }
    }
    Ok(faults)
}

impl Fault {
    /// Where the good text stands; why it is not found.
    fn place(&self, text: &str) -> std::result::Result<usize, String> {
        let once = |text: &str, part: &str| match text.match_indices(part).collect::<Vec<_>>()[..] {
            [(place, _)] => Ok(place),
            ref places => Err(format!("{} times in {}: `{part}`", places.len(), self.file)),
        };
        if self.within.is_empty() {
            return once(text, &self.good);
        }
        let start = once(text, &self.within)?;
        Ok(start + once(&self.within, &self.good)?)
    }

    /// The text that chooses between good and bad at run time.
    fn switch(&self) -> String {
        let Fault { number, good, bad, .. } = self;
        if good.ends_with(';') {
            format!("if crate::planted::is({number}) {{ {bad} }} else {{ {good} }}")
        } else {
            format!("(if crate::planted::is({number}) {{ {bad} }} else {{ {good} }})")
        }
    }
}

/// The files with their switches, by path, and why some faults have no place. `source` reads a file of the repository.
pub fn plant(
    faults: &[Fault],
    source: impl Fn(&str) -> Result<String>,
) -> (BTreeMap<String, String>, BTreeMap<u32, String>) {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut lost = BTreeMap::new();
    let mut switches: BTreeMap<&str, Vec<(usize, &Fault)>> = BTreeMap::new();
    for fault in faults {
        let Ok(text) = source(&fault.file) else {
            lost.insert(fault.number, format!("there is no {}", fault.file));
            continue;
        };
        match fault.place(&text) {
            Err(why) => _ = lost.insert(fault.number, why),
            Ok(place) => match fault.file.strip_prefix("shaders/") {
                None => switches.entry(&fault.file).or_default().push((place, fault)),
                Some(name) => {
                    let faulty =
                        format!("{}{}{}", &text[..place], fault.bad, &text[place + fault.good.len()..]);
                    files.extend([faulty_shader(&fault.number.to_string(), name, &faulty)]);
                }
            },
        }
    }
    for (file, mut found) in switches {
        found.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
        let mut text = source(file).unwrap_or_default();
        for (place, fault) in found {
            text.replace_range(place..place + fault.good.len(), &fault.switch());
        }
        files.insert(file.to_owned(), text);
        files.entry(root_module(file)).or_default();
    }
    for (file, text) in &mut files {
        if *file == root_module(file) {
            if text.is_empty() {
                *text = source(file).unwrap_or_default();
            }
            *text = with_switch(text);
        }
    }
    files.insert("shaders/lib.rs".into(), SHADERS.into());
    (files, lost)
}

/// The root of a crate with the module of switches.
pub fn with_switch(text: &str) -> String {
    // On its first line, so that the others keep their numbers.
    format!("#![allow(warnings)] {text}{SWITCH}")
}

/// The file in a copy that holds a faulty shader, and its text.
pub fn faulty_shader(fault: &str, name: &str, text: &str) -> (String, String) {
    (format!("{FAULTY_SHADERS}/{fault}"), format!("{name}\n{text}"))
}

/// The root of the crate that a file belongs to.
fn root_module(file: &str) -> String {
    let (package, _) = file.split_once("src/").unwrap_or(("", file));
    format!("{package}src/lib.rs")
}

/// Writes a file where its text differs, so that no more is compiled than has changed.
pub fn write(file: &Path, text: &[u8]) -> Result {
    if std::fs::read(file).is_ok_and(|held| held == text) {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text)).map_err(at(file))
}

#[cfg(test)]
mod tests {
    use super::{plant, read, root_module};
    use crate::shell::Result;

    const LIST: &str = "# A comment.\n\n7 crates/a/src/b.rs\n- x - y\n+ x + y\n\n9 crates/a/src/b.rs\n@ go(); stop();\n- stop();\n+\n\n8 shaders/s.wgsl\n- 1u\n+ 2u\n\n11 crates/a/src/c.rs\n- z\n+ w\n";

    fn source(file: &str) -> Result<String> {
        Ok(match file {
            "crates/a/src/b.rs" => "let d = x - y;\ngo(); stop();\nstop();\n",
            "crates/a/src/lib.rs" => "mod b;\n",
            "shaders/s.wgsl" => "let n = 1u;\n",
            _ => "z z",
        }
        .to_owned())
    }

    #[test]
    fn every_fault_of_the_list_has_a_place() {
        let source = |file: &str| {
            let file = crate::shell::root().join(file);
            std::fs::read_to_string(&file).map_err(crate::shell::at(&file))
        };
        let faults = read(&source("tests/faults.txt").expect("the list")).expect("a list");
        assert_eq!(faults.len(), 200);
        let (_, lost) = plant(&faults, source);
        assert!(lost.is_empty(), "{lost:?}");
    }

    #[test]
    fn faults_become_switches_and_faulty_shaders() {
        let (files, lost) = plant(&read(LIST).expect("a list"), source);
        assert_eq!(
            files["crates/a/src/b.rs"],
            "let d = (if crate::planted::is(7) { x + y } else { x - y });\n\
             go(); if crate::planted::is(9) {  } else { stop(); }\nstop();\n"
        );
        assert!(files["crates/a/src/lib.rs"].starts_with("#![allow(warnings)] mod b;\n\n#[doc(hidden)]"));
        assert_eq!(files["target/faulty/8"], "s.wgsl\nlet n = 2u;\n");
        assert_eq!(lost[&11], "2 times in crates/a/src/c.rs: `z`");
        assert_eq!(root_module("src/cli/run.rs"), "src/lib.rs");
        assert!(read("x y\n").is_err() && read("1 a\n1 b\n").is_err());
    }
}
