//! Power that fails: by the order of system calls, whatever carries the name of a result is whole on the disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::scope::{self, Scope};
use super::{Folder, ended};

/// A system call on a file, by its path.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    Write(String),
    Sync(String),
    Rename(String, String),
}

const TRACED: &str = "trace=write,writev,pwrite64,pwritev,ftruncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,\
                      rename,renameat,renameat2,link,linkat";

/// The calls in a log of `strace -f -y`, at the least favourable time: a rename when it begins, all others when they
/// end. Failed calls are left out.
fn calls(log: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, String> = HashMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let Some((process, text)) = line.split_once(' ') else { continue };
        let text = text.trim_start();
        if let Some(text) = text.strip_suffix(" <unfinished ...>") {
            calls.extend(call(text, true));
            begun.insert(process, text.to_owned());
        } else if let Some((_, rest)) =
            text.strip_prefix("<... ").and_then(|text| text.split_once("resumed>"))
        {
            let whole = begun.remove(process).unwrap_or_default() + rest;
            calls.extend(call(&whole, false).filter(|call| !matches!(call, Call::Rename(..))));
        } else {
            calls.extend(call(text, false));
        }
    }
    calls
}

/// A line of the log as a call; of one that has only begun, a rename alone counts.
fn call(text: &str, begun: bool) -> Option<Call> {
    let (name, rest) = text.split_once('(')?;
    if text.contains(" = -1 ") {
        return None;
    }
    if name.starts_with("rename") || name.starts_with("link") {
        let mut names = names(rest).into_iter();
        return Some(Call::Rename(names.next()?, names.next()?));
    }
    // A descriptor and its path.
    let path = rest.split_once('<')?.1.split_once('>')?.0.to_owned();
    match name {
        _ if begun => None,
        "fsync" | "fdatasync" => Some(Call::Sync(path)),
        _ => Some(Call::Write(path)),
    }
}

/// The quoted names of a call, each below the folder of the descriptor before it, where there is one.
fn names(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split('"').collect();
    let name = |pair: &[&str]| {
        let folder = pair[0].split_once('<').and_then(|(_, path)| Some(path.split_once('>')?.0));
        let whole = Path::new(folder.unwrap_or_default()).join(pair[1]);
        // Its components are without those that are `.`.
        whole.components().collect::<PathBuf>().display().to_string()
    };
    parts.chunks_exact(2).map(name).collect()
}

/// The part of a file that would be missing after a power failure at the worst moment.
fn missing(calls: &[Call], target: &Path) -> Option<&'static str> {
    let name = target.to_str().expect("text");
    let folder = target.parent().and_then(Path::to_str).expect("text");
    let renames: Vec<(usize, &str)> = (0..)
        .zip(calls)
        .filter_map(|(k, call)| match call {
            Call::Rename(from, to) if to == name => Some((k, from.as_str())),
            _ => None,
        })
        .collect();
    let &[(renamed, part)] = &renames[..] else { return Some("a name that it is given once") };
    let at = |call: &Call| calls.iter().rposition(|other| other == call);
    let Some(synced) = at(&Call::Sync(part.to_owned())).filter(|synced| *synced < renamed) else {
        return Some("its bytes, which are not synced before it has its name");
    };
    let written = [part, name].into_iter().filter_map(|path| at(&Call::Write(path.to_owned()))).max();
    match written {
        None => return Some("any bytes"),
        Some(written) if written > synced => return Some("bytes that are written after they are synced"),
        Some(_) => {}
    }
    let lasts = at(&Call::Sync(folder.to_owned())).is_some_and(|synced| synced > renamed);
    (!lasts).then_some("its name, as its folder is not synced after it")
}

const GOOD: &str = "\
7 write(3</a/.r.csv.x1Y2z3.murmuration-part>, \"\"..., 20) = 20
8 write(4</b/other>, \"\"..., 20 <unfinished ...>
7 fsync(3</a/.r.csv.x1Y2z3.murmuration-part> <unfinished ...>
8 <... write resumed>) = 20
7 <... fsync resumed>) = 0
7 renameat(AT_FDCWD</a>, \"/a/./.r.csv.x1Y2z3.murmuration-part\", AT_FDCWD</a>, \"r.csv\") = 0
7 fsync(3</a>) = 0
";

/// The check can fail: each of these logs differs from a good one in a line or two.
#[test]
fn a_wrong_order_is_caught() {
    let fault_in = |log: &str| missing(&calls(log), Path::new("/a/r.csv"));
    assert_eq!(fault_in(GOOD), None);
    let lines: Vec<&str> = GOOD.lines().collect();
    let [write, other, sync, resumed, synced, rename, folder] = lines[..] else { panic!("{lines:?}") };
    let plain = "7 rename(\"/a/.r.csv.x1Y2z3.murmuration-part\", \"/a/r.csv\") = 0";
    assert_eq!(fault_in(&[write, sync, synced, plain, folder].join("\n")), None);
    let late = "7 write(3</a/r.csv>, \"\"..., 1) = 1";
    let failed = "7 fsync(3</a/.r.csv.x1Y2z3.murmuration-part>) = -1 EIO (Input/output error)";
    for (log, word) in [
        (vec![write, rename, sync, synced, folder], "not synced before"),
        (vec![write, rename, folder], "not synced before"),
        (vec![write, failed, rename, folder], "not synced before"),
        (vec![write, sync, rename, synced, folder], "not synced before"),
        (vec![sync, synced, write, rename, folder], "after they are synced"),
        (vec![write, sync, synced, rename, folder, late], "after they are synced"),
        (vec![write, sync, synced, folder, rename], "folder is not synced"),
        (vec![write, sync, synced, rename], "folder is not synced"),
        (vec![sync, synced, rename, folder], "any bytes"),
        (vec![write, sync, synced, rename, rename, folder], "given once"),
        (vec![write, other, sync, resumed, synced, folder], "given once"),
    ] {
        let found = fault_in(&log.join("\n")).unwrap_or("nothing");
        assert!(found.contains(word), "{found}, not {word}: {log:#?}");
    }
}

/// The calls of the program on files, and the folder with links followed; none where strace is not installed.
fn traced(folder: &Folder, line: &str) -> Option<Vec<Call>> {
    let plain = folder.command(line);
    let mut strace = std::process::Command::new("strace");
    strace.args(["-f", "-y", "-s", "0", "-e", TRACED, "-o", "log"]).arg(plain.get_program());
    strace.args(plain.get_args()).current_dir(folder.inside.path());
    let output = match strace.output() {
        Ok(output) => output,
        Err(why) => {
            scope::missing(Scope::Most, &format!("the order of system calls: strace does not start ({why})"));
            return None;
        }
    };
    let ended = ended(output);
    assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
    Some(calls(&folder.read("log")))
}

#[test]
fn every_result_is_on_the_disk_before_it_has_its_name() {
    let run = "run --yes --preset yabi -n 30 --engine cpu --quiet --steps 6 --every 2";
    let render = "render --yes --preset cornell --engine cpu --quiet --steps 4 --size 64x48";
    let profile = "profile --yes --engine cpu --no-drawing --quiet -n 100 --steps 2 --repeats 2 --warm-up 1";
    for (call, names) in [
        (format!("{run} --out a.csv --trajectory t.csv --metrics m.csv"), &["a.csv", "t.csv", "m.csv"][..]),
        (format!("{render} p.png"), &["p.png"]),
        (format!("{render} f.mp4"), &["f.mp4"]),
        (format!("{render} f.gif"), &["f.gif"]),
        (format!("{profile} --json p.json --trace t.json"), &["p.json", "t.json"]),
    ] {
        let folder = Folder::new();
        // Twice: a new file, and one that replaces another.
        for _ in 0..2 {
            let Some(calls) = traced(&folder, &call) else { return };
            let at = folder.inside.path().canonicalize().expect("a folder");
            for name in names {
                let missing = missing(&calls, &at.join(name));
                assert!(missing.is_none(), "{call}: {name} lacks {}", missing.unwrap_or_default());
            }
            let renames = calls.iter().filter(|call| matches!(call, Call::Rename(..))).count();
            assert_eq!(renames, names.len(), "{call}: {calls:#?}");
        }
    }
}
