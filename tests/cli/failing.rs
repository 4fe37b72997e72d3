//! Power, disk, memory, threads and devices that fail: a result is whole or absent, and one line says what failed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::faults::Faults;
use super::scope::{self, Scope};
use super::{Ended, Folder, ended, lines, one_line};

/// A system call on a file, by its path.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    Write(String),
    Sync(String),
    Rename(String, String),
}

const TRACED: &str = "trace=write,writev,pwrite64,pwritev,ftruncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,\
                      rename,renameat,renameat2,link,linkat";

/// The calls in a log of `strace -y` of one thread. Failed calls are left out.
fn calls(log: &str) -> Vec<Call> {
    log.lines().filter(|line| !line.contains(" = -1 ")).filter_map(call).collect()
}

fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    if name.starts_with("rename") || name.starts_with("link") {
        let mut names = names(rest).into_iter();
        return Some(Call::Rename(names.next()?, names.next()?));
    }
    // A descriptor and its path.
    let path = rest.split_once('<')?.1.split_once('>')?.0.to_owned();
    Some(if name.ends_with("sync") { Call::Sync(path) } else { Call::Write(path) })
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

/// The control: of a good log, each of its lines is needed, and so is their order.
#[test]
fn a_wrong_order_of_system_calls_is_caught() {
    let fault_in =
        |log: &[&str]| missing(&calls(&log.join("\n")), Path::new("/a/r.csv")).unwrap_or("nothing");
    let write = "write(3</a/.r.x>, \"\"..., 20) = 20";
    let sync = "fsync(3</a/.r.x>) = 0";
    let failed = "fsync(3</a/.r.x>) = -1 EIO (Input/output error)";
    let rename = "renameat(AT_FDCWD</a>, \"/a/./.r.x\", AT_FDCWD</a>, \"r.csv\") = 0";
    let folder = "fsync(3</a>) = 0";
    assert_eq!(fault_in(&[write, sync, rename, folder]), "nothing");
    for (log, word) in [
        (&[write, rename, sync, folder][..], "not synced before"),
        (&[write, failed, rename, folder], "not synced before"),
        (&[sync, write, rename, folder], "after they are synced"),
        (&[write, sync, folder, rename], "folder is not synced"),
        (&[sync, rename, folder], "any bytes"),
        (&[write, sync, folder], "given once"),
    ] {
        assert!(fault_in(log).contains(word), "{}, not {word}: {log:#?}", fault_in(log));
    }
}

/// The calls of the program on files, thread by thread; none where strace is not installed.
fn traced(folder: &Folder, line: &str) -> Option<Vec<Call>> {
    let plain = folder.command(line);
    let mut strace = Command::new("strace");
    strace.args(["-ff", "-y", "-s", "0", "-e", TRACED, "-o", "log"]).arg(plain.get_program());
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
    let logs: Vec<String> = folder.files().into_iter().filter(|name| name.starts_with("log.")).collect();
    let all = logs.iter().flat_map(|name| calls(&folder.read(name))).collect();
    logs.iter().for_each(|name| std::fs::remove_file(folder.path(name)).expect("removed"));
    Some(all)
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
        (format!("{profile} --json p.json"), &["p.json"]),
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

/// Linux has a device that is always full, and a folder that even root cannot write to.
#[test]
fn a_full_device_is_one_line_of_each_output() {
    let folder = Folder::new();
    for name in ["a.mp4", "a.gif", "a.png"] {
        std::os::unix::fs::symlink("/dev/full", folder.path(name)).expect("a link");
    }
    let run = "run --preset cornell --engine cpu --steps 2";
    let render = "render --preset cornell --engine cpu --steps 2 --size 64x48 --quiet";
    for (call, code, words) in [
        (format!("{run} --out /dev/full"), 1, "cannot write /dev/full: the disk is full"),
        (format!("{run} --trajectory /dev/full"), 1, "cannot write /dev/full: the disk is full"),
        (format!("{run} --metrics /dev/full"), 1, "cannot write /dev/full: the disk is full"),
        (format!("{render} a.mp4"), 1, "a.mp4: the disk is full"),
        (format!("{render} a.gif"), 1, "a.gif: the disk is full"),
        (format!("{render} a.png"), 1, "a.png: the disk is full"),
        (format!("{run} --out /proc/murmuration.csv"), 2, "/proc/murmuration.csv"),
    ] {
        let ended = folder.call(&call);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""), "{call}: {ended:?}");
        one_line(&ended, &[words]);
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    for call in ["presets".to_owned(), format!("{run} --hash --quiet"), format!("{run} --out - --quiet")] {
        let output = folder.command(&call).stdout(full.try_clone().expect("again")).output().expect("starts");
        let ended = ended(output);
        assert_eq!(ended.code, Some(1), "{call}: {ended:?}");
        one_line(&ended, &["stdout"]);
    }
    assert_eq!(folder.files(), ["a.gif", "a.mp4", "a.png"]);
}

/// Calls the program within a limit of the shell.
fn limited(folder: &Folder, limit: &str, line: &str) -> Ended {
    let script = format!("{limit}; exec {} {line}", env!("CARGO_BIN_EXE_murmuration"));
    let mut shell = Command::new("sh");
    ended(shell.args(["-c", &script]).current_dir(folder.inside.path()).output().expect("sh starts"))
}

/// A limit of file sizes stands for the end of a disk.
#[test]
fn a_full_disk_keeps_the_samples() {
    for trajectory in ["t.csv", "t.gsd"] {
        let folder = Folder::new();
        let run = "run --preset cornell -n 100 --engine cpu --quiet --steps 1000000";
        let files = format!("--metrics m.csv --out o.csv --trajectory {trajectory}");
        let ended = limited(&folder, "ulimit -f 200", &format!("{run} {files}"));
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let metrics = folder.read("m.csv");
        let last = metrics.lines().last().expect("rows").split(',').next().expect("a step");
        let kept = format!("; the samples up to step {last} of 1000000 are saved; --out was not written");
        one_line(&ended, &[&format!("error: cannot write {trajectory}: "), &kept]);
        assert_eq!(folder.files(), ["m.csv", trajectory]);
        if trajectory == "t.csv" {
            let rows = folder.read("t.csv");
            assert_eq!(rows.lines().count() - 1, 100 * (metrics.lines().count() - 1));
            assert!(rows.lines().last().expect("rows").starts_with(&format!("{last},99,boid,")));
        }
    }
}

#[test]
fn a_study_on_a_full_disk_resumes() {
    let folder = super::sweeping::with_spec();
    let sweep = "sweep a.toml --engine cpu --quiet --after 0 --every 1 --out";
    folder.done(&format!("{sweep} one"));
    // In blocks of 512 bytes or 1024; enough for the manifest.
    let full = limited(&folder, "trap '' XFSZ; ulimit -f 30", &format!("{sweep} full"));
    assert_eq!(full.code, Some(1), "{full:?}");
    one_line(
        &full,
        &["cannot write full/runs.log", "hint: finished runs are saved; use --resume to continue"],
    );
    let log = folder.read("full/runs.log");
    assert!((1..24).contains(&log.lines().count()) && log.ends_with('\n'), "{log}");
    folder.done(&format!("{sweep} full --resume"));
    assert!(super::sweeping::tables(&folder, "full") == super::sweeping::tables(&folder, "one"));
}

/// Wherever memory ends, the program says so in a line: in its own words, never by an abort.
#[test]
fn memory_that_runs_short_is_one_line() {
    let folder = Folder::new();
    let mut short = 0;
    for megabytes in [100, 150, 200, 300, 1000] {
        let limit = format!("ulimit -v {}", 1024 * megabytes);
        let ended = limited(&folder, &limit, "run --engine cpu --threads 1 -n 1M --steps 1 --quiet");
        if ended.code == Some(1) {
            one_line(&ended, &[]);
            short += 1;
        } else {
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{megabytes}");
        }
    }
    assert!((2..5).contains(&short), "memory ran short {short} times");
    // There is no memory for the start: the refusal comes before it is drawn.
    let large = limited(&folder, "ulimit -v 1500000", "run -n 40M --numeric fixed --engine cpu --threads 1");
    assert_eq!(large.code, Some(2), "{large:?}");
    one_line(&large, &["error: flock.boids must be at most "]);
}

/// Has a program start no second thread: by the limit of processes of a user that has no other.
fn without_a_second_thread(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: these calls may be made between fork and exec, and nothing else is done there.
    unsafe {
        command.pre_exec(|| {
            // No limit binds root, which becomes a user that nobody else is.
            if libc::geteuid() == 0 && libc::setuid(3_000_017) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
            match libc::setrlimit(libc::RLIMIT_NPROC, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
}

/// A container may have a limit of processes. One thread is enough, and Ctrl-C is heard by it.
#[test]
fn threads_that_the_system_does_not_give_are_one_line() {
    let folder = Folder::new();
    let run = "run --preset cornell --engine cpu --quiet";
    let call = |line: &str| {
        let mut command = folder.command(line);
        without_a_second_thread(&mut command);
        ended(command.output().expect("the program starts"))
    };
    let alone = call(&format!("{run} --threads 1 --steps 20 --hash"));
    assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""));
    assert_eq!(alone.stdout, folder.done(&format!("{run} --steps 20 --hash")).stdout);
    let three = call(&format!("{run} --threads 3"));
    let limit = "the system allows 1 process or thread (ulimit -u)\nhint: use --threads 1\n";
    assert_eq!((three.code, three.stderr), (Some(1), format!("error: cpu: cannot start 3 threads: {limit}")));
    for line in [run, "profile --engine cpu", "sweep --engine cpu --steps 1 --dry-run"] {
        let ended = call(line);
        let named = ended.stderr.starts_with("error: cpu: cannot start");
        assert!(ended.code == Some(0) || ended.code == Some(1) && named, "{line}: {ended:?}");
    }
    let mut command = folder.command(&format!("{run} --threads 1 --steps 4000000000 --hash"));
    without_a_second_thread(&mut command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut lines = lines(&mut child);
    lines.next().expect("a line").expect("text");
    super::ending::signal("-TERM", child.id());
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// The adapter that the faults' layer lies over.
const ENGINE: &str = "--engine gpu --adapter llvmpipe --backend vulkan";

/// The hashes of a run whose device is lost after a step, and how it ended.
fn run_and_lose(folder: &Folder, options: &str, step: usize) -> (Vec<String>, Ended) {
    let faults = Faults::new();
    let mut command = folder.command(&format!("run --preset cornell {ENGINE} --quiet --hash {options}"));
    faults.reach(&mut command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = lines(&mut child);
    let mut hashes: Vec<String> = lines.by_ref().take(step + 1).map(|line| line.expect("text")).collect();
    faults.order("lose");
    hashes.extend(lines.map(|line| line.expect("text")));
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert!(faults.done() && ended.code == Some(1), "{ended:?}");
    one_line(&ended, &["error: llvmpipe", "the device was lost", "hint: "]);
    (hashes, ended)
}

#[test]
fn a_run_whose_device_is_lost_keeps_what_was_sampled() {
    let folder = Folder::new();
    folder.write("out.csv", "the result of an earlier run\n");
    let files = "--metrics m.csv --trajectory t.csv --every 5";
    let (hashes, ended) = run_and_lose(&folder, &format!("--steps 1000000 {files} --out out.csv --yes"), 23);
    let last = hashes.len() - 1;
    let sampled = last - last % 5;
    let kept = format!("the samples up to step {sampled} of 1000000 are saved; --out was not written\n");
    assert!(ended.stderr.contains(&kept), "{ended:?}");
    assert_eq!(folder.files(), ["m.csv", "out.csv", "t.csv"]);
    assert_eq!(folder.read("out.csv"), "the result of an earlier run\n");
    // They are those of a run that was asked for so many steps, which also samples its last one.
    let whole = Folder::new();
    let expected =
        whole.done(&format!("run --preset cornell {ENGINE} --quiet --hash --steps {last} {files}"));
    assert_eq!(expected.stdout.lines().collect::<Vec<_>>(), hashes);
    for (file, rows) in [("m.csv", 6), ("t.csv", 6)] {
        let kept = folder.read(file);
        assert!(whole.read(file).starts_with(&kept) && kept.lines().count() >= rows, "{file}");
    }
    // Without samples nothing is said of any.
    let folder = Folder::new();
    let (_, ended) = run_and_lose(&folder, "--steps 1000000", 3);
    assert!(!ended.stderr.contains("kept") && !ended.stderr.contains("--out"), "{ended:?}");
    assert!(folder.files().is_empty());
}

/// Wherever the memory of the GPU ends, the program says so in a line.
#[test]
fn memory_of_the_gpu_that_runs_short_is_one_line() {
    let folder = Folder::new();
    let faults = Faults::new();
    let mut short = 0;
    let limits = [0, 1000, 100_000, 1_000_000, 5_000_000, 1_000_000_000];
    for most in limits {
        faults.order(&format!("memory {most}"));
        let mut command =
            folder.command(&format!("run -n 100k {ENGINE} --steps 1 --quiet --out out.csv --yes"));
        faults.reach(&mut command);
        let ended = ended(command.output().expect("the program starts"));
        if ended.code == Some(0) {
            assert_eq!(ended.stderr, "", "{most}");
        } else {
            assert!(matches!(ended.code, Some(1 | 3)) && folder.files().is_empty(), "{most}: {ended:?}");
            one_line(&ended, &["error: ", "llvmpipe"]);
            short += 1;
        }
    }
    assert!((3..limits.len()).contains(&short), "memory ran short {short} times");
    assert_eq!(folder.files(), ["out.csv"]);
}

/// Mesa's reference rasteriser says that it has compute shaders, and cannot compile them.
#[test]
fn an_adapter_whose_driver_refuses_a_pass_ends_with_3() {
    let folder = Folder::new();
    let with = |call: &str| {
        let mut command = folder.command(call);
        ended(command.env("GALLIUM_DRIVER", "softpipe").output().expect("the program starts"))
    };
    if !with("adapters").stdout.contains("softpipe") {
        return scope::missing(Scope::All, "there is no softpipe on this machine");
    }
    let ended = with("run --preset cornell --engine gpu --adapter softpipe --steps 2 --out a.csv");
    if ended.code == Some(0) {
        return scope::missing(Scope::All, "softpipe here has learnt to compile every pass");
    }
    assert_eq!(ended.code, Some(3));
    one_line(&ended, &["softpipe (gl)", "hint: ", "--engine cpu"]);
    assert!(folder.files().is_empty());
}
