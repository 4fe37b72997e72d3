//! naga's output, checked by `spirv-val` and by glslang's front ends for GLSL and HLSL.
//!
//! glslang's HLSL lacks one construct that naga writes and the compilers of Direct3D take, an array that is zeroed by a
//! cast: `(uint[256])0`. It is written otherwise here, in the same place and type.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use naga::ShaderStage;

use super::translations::{Language, Translation};

use crate::scope::{self, Scope};

/// A call of a validator, and the files in it with the translations that they hold.
struct Call {
    program: &'static str,
    arguments: Vec<String>,
    files: Vec<(PathBuf, String)>,
}

/// True if the validators are installed, and this call tests with them; prints a line if not.
///
/// # Panics
/// When one is missing in a call that tests with it.
pub fn installed() -> bool {
    if scope::left_to_all("shaders by other readers than naga") {
        return false;
    }
    let names = ["spirv-val", "glslangValidator"];
    let Some(name) = names.into_iter().find(|name| start(name, &["--version".into()]).is_none()) else {
        return true;
    };
    scope::missing(Scope::All, &format!("{name} is not installed"));
    false
}

/// The validators' error messages: origin and text, one entry per file.
///
/// # Panics
/// When a validator is required and missing.
pub fn refused(translations: &[Translation]) -> Vec<String> {
    if !installed() {
        return Vec::new();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let calls = calls(translations, folder.path());
    let (rest, found) = (Mutex::new(calls.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(call) = rest.lock().expect("no panic").next() else { return };
                    let faults = faults(call);
                    found.lock().expect("no panic").extend(faults);
                }
            });
        }
    });
    found.into_inner().expect("no panic")
}

/// Writes each different text once. The front end for GLSL takes many files in one call, the others one.
fn calls(translations: &[Translation], folder: &Path) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut batch = Vec::new();
    let mut seen = HashSet::new();
    for (number, translation) in translations.iter().enumerate() {
        let Translation { origin, stage, entry, language, text } = translation;
        if *language == Language::Msl || !seen.insert((stage, entry, language, text)) {
            continue;
        }
        let file = folder.join(format!("{number}.{}", suffix(*stage)));
        let text = if *language == Language::Hlsl { &zeroed_otherwise(text) } else { text };
        std::fs::write(&file, text).expect("written");
        let files = vec![(file, origin.clone())];
        let words = |line: &str| line.split(' ').map(str::to_owned).collect();
        let (program, arguments) = match language {
            Language::SpirV13 => ("spirv-val", words("--target-env vulkan1.1")),
            Language::SpirV16 => ("spirv-val", words("--target-env vulkan1.3")),
            Language::Hlsl => {
                let output = folder.join(format!("{number}.spv"));
                let entry = format!("-e {entry} -S {} -o {}", suffix(*stage), output.display());
                // HLSL is read only to write SPIR-V, whose optimisation would take a second for each step.
                let line = format!("-D -V -Od --quiet {entry}");
                ("glslangValidator", words(&line))
            }
            _ => {
                batch.extend(files);
                continue;
            }
        };
        calls.push(Call { program, arguments, files });
    }
    if !batch.is_empty() {
        calls.push(Call { program: "glslangValidator", arguments: Vec::new(), files: batch });
    }
    calls
}

/// The name of a stage by which glslang knows it.
fn suffix(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vert",
        ShaderStage::Fragment => "frag",
        ShaderStage::Compute => "comp",
        other => panic!("no shader of the program is of stage {other:?}"),
    }
}

/// `NAME = (T[N])0;` without the cast: a declaration loses its value, an assignment gets it from a variable.
fn zeroed_otherwise(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let lines =
        text.lines().map(|line| match line.strip_suffix("])0;").and_then(|rest| rest.split_once(" = (")) {
            Some((left, _)) if left.trim().contains(' ') => format!("{left};"),
            Some((left, kind)) => {
                let (kind, length) = kind.split_once('[').expect("an array");
                format!("{{ {kind} zero[{length}]; {left} = zero; }}")
            }
            None => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

fn faults(call: &Call) -> Vec<String> {
    let mut arguments = call.arguments.clone();
    arguments.extend(call.files.iter().map(|(file, _)| file.display().to_string()));
    let Some((ok, output)) = start(call.program, &arguments) else {
        return vec![format!("{} did not start", call.program)];
    };
    if ok {
        return Vec::new();
    }
    if let [(_, origin)] = call.files.as_slice() {
        return vec![format!("{origin}: {output}")];
    }
    // It prints the name of each file, and what is wrong with it below.
    let mut found: Vec<String> = Vec::new();
    let mut origin = "";
    for line in output.lines().filter(|line| !line.is_empty()) {
        match call.files.iter().find(|(file, _)| Path::new(line) == file) {
            Some((_, named)) => origin = named,
            None => match found.last_mut() {
                Some(last) if last.starts_with(origin) => *last += &format!("\n{line}"),
                _ => found.push(format!("{origin}: {line}")),
            },
        }
    }
    found
}

/// True if a program exits with success, and its output; `None` if it is not installed.
fn start(program: &str, arguments: &[String]) -> Option<(bool, String)> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
}
