//! How a run ends before its time: pipes that are closed early, and signals.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::{Folder, ended, first_line, lines};

/// Like `murmuration run --hash | head -1`: the only reader ends a run that writes nothing else.
#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let run = "run --preset cornell --engine cpu --quiet";
    for (call, files) in [
        ("--hash --steps 3000 --out a.csv", &["a.csv"][..]),
        ("--trajectory - --steps 300 --out a.csv", &["a.csv"]),
        ("--hash --steps 4000000000", &[]),
        ("--metrics - --steps 4000000000", &[]),
        ("--trajectory - --steps 4000000000", &[]),
    ] {
        let folder = Folder::new();
        let mut child = folder.start(&format!("{run} {call}"));
        let line = first_line(&mut child);
        assert!(line.starts_with("0,") || line.starts_with("step,"), "{call}: {line}");
        let ended = ended(child.wait_with_output().expect("it ends"));
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{call}");
        assert_eq!(folder.files(), files, "{call}");
    }
}

/// Sends a signal to a process by the shell's built-in `kill`: not every system has it as a program.
#[cfg(unix)]
pub fn signal(name: &str, id: u32) {
    let kill = Command::new("sh").args(["-c", &format!("kill {name} {id}")]).status();
    assert!(kill.expect("sh runs").success());
}

#[cfg(unix)]
fn make_pipe(folder: &Folder, name: &str) {
    let made = Command::new("mkfifo").arg(folder.path(name)).status();
    assert!(made.expect("mkfifo runs").success());
}

/// Waits for an end that is near.
#[cfg(unix)]
fn wait(child: &mut Child) -> std::process::ExitStatus {
    let begun = std::time::Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if begun.elapsed().as_secs() > 60 {
            child.kill().expect("killed");
            panic!("the signal was swallowed");
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// USR1 and XCPU are the warnings of a cluster: Slurm's `--signal=USR1@60`, and a limit of processor time. `timeout`
/// interrupts the program and then its group: two signals, one wish.
#[cfg(unix)]
#[test]
fn signals_keep_what_was_done_and_end_with_130() {
    for (signals, engine) in [
        (&["-INT", "-INT"][..], "--engine cpu"),
        (&["-TERM"], "--engine cpu"),
        (&["-TERM"], "--ranks 3"),
        (&["-USR1"], "--engine cpu"),
        (&["-XCPU"], "--engine cpu"),
    ] {
        let folder = Folder::new();
        let files = "--out a.csv --metrics m.csv --every 50";
        let mut child =
            folder.start(&format!("run --preset cornell {engine} --hash --steps 4000000000 {files}"));
        let mut lines = lines(&mut child);
        // At the first line the handler of Ctrl-C is installed.
        lines.next().expect("a line").expect("text");
        for name in signals {
            signal(name, child.id());
        }
        let last = lines.map(|line| line.expect("text")).last().expect("more lines");
        let ended = ended(child.wait_with_output().expect("it ends"));
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert!(ended.stderr.contains("stopped at step"), "{ended:?}");
        assert_eq!(folder.files(), ["a.csv", "m.csv"]);
        let (step, _) = last.split_once(',').expect("two columns");
        assert!(folder.read("m.csv").lines().last().expect("rows").starts_with(&format!("{step},")));
        // The state that was written is the last one that was hashed.
        let call = "run --preset cornell --engine cpu --hash --steps 0 --init a.csv";
        assert_eq!(folder.done(call).stdout, format!("{last}\n"));
    }
}

/// Nothing is there to be kept while a pipe is read, which may never end: the first Ctrl-C ends the program.
#[cfg(unix)]
#[test]
fn ctrl_c_while_a_pipe_is_read_ends_at_once() {
    use std::os::unix::process::ExitStatusExt as _;
    for call in [
        "render a.png --engine cpu --config pipe.toml",
        "render a.png --engine cpu --trajectory pipe.toml",
        "profile --engine cpu --versus noise.weight=1 --term pipe.toml",
        "sweep pipe.toml --engine cpu --out out",
        "run --engine cpu --init pipe.toml --out a.csv",
    ] {
        let folder = Folder::new();
        make_pipe(&folder, "pipe.toml");
        let mut child = folder.start(call);
        // Opened when the program reads it, and never written to.
        let pipe = std::fs::File::options().write(true).open(folder.path("pipe.toml")).expect("a pipe");
        signal("-INT", child.id());
        let status = wait(&mut child);
        drop(pipe);
        assert!(status.signal() == Some(2) || status.code() == Some(130), "{call}: {status}");
        assert_eq!(folder.files(), ["pipe.toml"], "{call}");
    }
}

#[cfg(unix)]
#[test]
fn the_second_ctrl_c_ends_at_once() {
    let folder = Folder::new();
    make_pipe(&folder, "pipe");
    // The pipe is not read, so the program blocks on it and cannot react to the first Ctrl-C.
    let mut child = folder.start("run --preset cornell --steps 1 --out pipe");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut said).expect("a line");
    assert!(said.starts_with("note: engine: "), "{said}");
    while child.try_wait().expect("a child").is_none() {
        // Two simultaneous signals would count as one.
        signal("-INT", child.id());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// Like `nohup`: the program outlives its terminal.
#[cfg(unix)]
#[test]
fn hang_up_ends_a_run_but_not_one_that_is_to_ignore_it() {
    use std::os::unix::process::CommandExt as _;
    for ignores in [false, true] {
        let trap = if ignores { "trap '' HUP;" } else { "" };
        let program = env!("CARGO_BIN_EXE_murmuration");
        // Steps for some minutes: a program that does not hear the signal ends by itself, with another code.
        let line = format!("{trap} exec {program} run --preset cornell --engine cpu --hash --steps 1000000");
        let mut shell = Command::new("sh");
        // SAFETY: `signal` may be called between fork and exec, and nothing else is done there.
        unsafe {
            shell.pre_exec(|| {
                // These tests may themselves have been started to outlive their terminal.
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                Ok(())
            });
        }
        shell.args(["-c", &line]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = shell.spawn().expect("the program starts");
        let mut lines = lines(&mut child);
        lines.next().expect("a line").expect("text");
        signal("-HUP", child.id());
        if ignores {
            // Far more than the pipe can have held at the signal.
            assert_eq!(lines.by_ref().take(20_000).count(), 20_000);
            signal("-TERM", child.id());
        }
        lines.for_each(drop);
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
    }
}

/// The second sample is never taken: without the end of the run a block of lines would not be full.
#[cfg(unix)]
#[test]
fn samples_on_stdout_come_one_by_one() {
    let folder = Folder::new();
    for (option, rows) in [("--metrics", 2), ("--trajectory", 4)] {
        let call = format!("run --preset cornell -n 3 --engine cpu --steps 4000000000 {option} -");
        let mut child = folder.start(&format!("{call} --every 4000000000"));
        let mut lines = lines(&mut child);
        let (send, sample) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            send.send(lines.by_ref().take(rows).count()).expect("sent");
            lines.for_each(drop);
        });
        let first = sample.recv_timeout(std::time::Duration::from_secs(120));
        signal("-INT", child.id());
        assert_eq!(first, Ok(rows), "{option}");
        reader.join().expect("it ends");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
    }
}
