//! Pipes that are closed early, and signals.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::{Folder, ended, first_line, lines};

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let folder = Folder::new();
    let mut child = folder.start("run --preset cornell --engine cpu --quiet --hash --steps 3000 --out a.csv");
    let line = first_line(&mut child);
    assert!(line.starts_with("0,"));
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(folder.path("a.csv").exists());
}

/// Like `murmuration run --hash | head -1`.
#[test]
fn a_run_whose_only_reader_leaves_ends() {
    let folder = Folder::new();
    for what in ["--hash", "--metrics -", "--trajectory -"] {
        let call = format!("run --preset cornell --engine cpu --quiet {what} --steps 4000000000");
        let mut child = folder.start(&call);
        let line = first_line(&mut child);
        assert!(line.starts_with("0,") || line.starts_with("step,"), "{what}: {line}");
        let ended = ended(child.wait_with_output().expect("it ends"));
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{what}");
        assert!(folder.files().is_empty());
    }
}

/// Sends a signal to a process by the shell's built-in `kill`: not every system has it as a program.
#[cfg(unix)]
pub fn signal(name: &str, id: u32) {
    let kill = Command::new("sh").args(["-c", &format!("kill {name} {id}")]).status();
    assert!(kill.expect("sh runs").success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_sigterm_keep_what_was_done_and_end_with_130() {
    for (name, engine) in [("-INT", "--engine cpu"), ("-TERM", "--engine cpu"), ("-TERM", "--ranks 3")] {
        keeps_what_was_done(name, engine);
    }
}

/// Slurm's `--signal=USR1@60`, and a limit of processor time.
#[cfg(unix)]
#[test]
fn the_warnings_of_a_cluster_keep_what_was_done() {
    for name in ["-USR1", "-XCPU"] {
        keeps_what_was_done(name, "--engine cpu");
    }
}

/// Nothing is there to be kept while a pipe is read, which may never end: the first Ctrl-C ends the program.
#[cfg(unix)]
#[test]
fn ctrl_c_while_a_pipe_is_read_ends_at_once() {
    use std::os::unix::process::ExitStatusExt as _;
    for call in [
        "render a.png --engine cpu --config pipe",
        "render a.png --engine cpu --trajectory pipe",
        "profile --engine cpu --config pipe --json a.json",
        "profile --engine cpu --versus noise.weight=1 --term pipe.toml",
        "sweep pipe --engine cpu --out out",
        "sweep --config pipe --engine cpu --out out",
        "run --engine cpu --init pipe --out a.csv",
    ] {
        let folder = Folder::new();
        let name = if call.contains("pipe.toml") { "pipe.toml" } else { "pipe" };
        let made = Command::new("mkfifo").arg(folder.path(name)).status();
        assert!(made.expect("mkfifo runs").success());
        let mut child = folder.start(call);
        // Opened when the program reads it, and never written to.
        let pipe = std::fs::File::options().write(true).open(folder.path(name)).expect("a pipe");
        signal("-INT", child.id());
        let begun = std::time::Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            if begun.elapsed().as_secs() > 60 {
                child.kill().expect("killed");
                panic!("{call}: the signal was swallowed");
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        drop(pipe);
        assert!(status.signal() == Some(2) || status.code() == Some(130), "{call}: {status}");
        assert_eq!(folder.files(), [name], "{call}");
    }
}

/// Has a program start no second thread: by the limit of processes of a user that has no other.
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
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
    let limit = "the system allows 1 process or thread (ulimit -u)\n";
    let hint = "hint: --threads 1 needs no second thread\n";
    let three = call(&format!("{run} --threads 3"));
    let line = format!("error: cpu: cannot start 3 threads: {limit}{hint}");
    assert_eq!((three.code, three.stderr), (Some(1), line));
    for line in [run, "profile --engine cpu", "sweep --engine cpu --steps 1 --dry-run"] {
        let ended = call(line);
        let named = ended.stderr.starts_with("error: cpu: cannot start") && ended.stderr.contains(limit);
        assert!(ended.code == Some(0) || ended.code == Some(1) && named, "{line}: {ended:?}");
    }
    let mut command = folder.command(&format!("{run} --threads 1 --steps 4000000000 --hash"));
    without_a_second_thread(&mut command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut lines = lines(&mut child);
    lines.next().expect("a line").expect("text");
    signal("-TERM", child.id());
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[cfg(unix)]
#[test]
fn the_second_ctrl_c_ends_at_once() {
    let folder = Folder::new();
    let pipe = Command::new("mkfifo").arg(folder.path("pipe")).status();
    assert!(pipe.expect("mkfifo runs").success());
    // The pipe is not read, so the program blocks on it and cannot react to the first Ctrl-C.
    let mut child = folder
        .command("run --preset cornell --steps 1 --out pipe")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut said).expect("a line");
    assert!(said.starts_with("engine: "), "{said}");
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
    for ignores in [false, true] {
        let trap = if ignores { "trap '' HUP;" } else { "" };
        let program = env!("CARGO_BIN_EXE_murmuration");
        // Steps for some minutes: a program that does not hear the signal ends by itself, with another code.
        let line = format!("{trap} exec {program} run --preset cornell --engine cpu --hash --steps 1000000");
        let mut shell = Command::new("sh");
        hear_hang_up(&mut shell);
        let shell = shell.args(["-c", &line]).stdout(Stdio::piped()).stderr(Stdio::null());
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

/// These tests may themselves have been started to outlive their terminal, and a program inherits that.
#[cfg(unix)]
fn hear_hang_up(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: `signal` may be called between fork and exec, and nothing else is done there.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            Ok(())
        });
    }
}

#[cfg(unix)]
fn keeps_what_was_done(name: &str, engine: &str) {
    let folder = Folder::new();
    let files = "--out a.csv --metrics m.csv --every 50";
    let call = format!("run --preset cornell {engine} --hash --steps 4000000000 {files}");
    let mut child = folder.start(&call);
    let mut lines = lines(&mut child);
    // At the first line the handler of Ctrl-C is installed.
    lines.next().expect("a line").expect("text");
    signal(name, child.id());
    let last = lines.map(|line| line.expect("text")).last().expect("more lines");
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("stopped at step"), "{ended:?}");

    assert_eq!(folder.files(), ["a.csv", "m.csv"]);
    let (step, hash) = last.split_once(',').expect("two columns");
    assert!(folder.read("m.csv").lines().last().expect("rows").starts_with(&format!("{step},")));
    // The state that was written is the last one that was hashed.
    let call = "run --preset cornell --engine cpu --hash --steps 0 --init a.csv";
    assert_eq!(folder.done(call).stdout, format!("{step},{hash}\n"));
}

/// Wherever memory ends, the program says so in a line: in its own words, never by an abort.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_short_is_one_line() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_murmuration");
    let mut short = 0;
    for megabytes in [150, 200, 250, 300, 400, 500, 700, 1000] {
        let script = format!(
            "ulimit -v {}; exec {program} run --engine cpu --threads 1 -n 2M --steps 1 --quiet",
            1024 * megabytes
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.inside.path());
        let ended = ended(shell.output().expect("sh starts"));
        let lines = ended.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        match ended.code {
            Some(0) => assert_eq!(lines, 0, "{megabytes}: {ended:?}"),
            Some(1) => {
                assert!(lines == 1 && ended.stderr.lines().count() <= 2, "{megabytes}: {ended:?}");
                short += 1;
            }
            _ => panic!("{megabytes}: {ended:?}"),
        }
    }
    assert!(short >= 2, "memory never ran short");
}

/// There is no memory for the start: the refusal comes before it is drawn.
#[cfg(target_os = "linux")]
#[test]
fn a_flock_too_large_for_integers_is_refused_before_its_start_is_drawn() {
    let program = env!("CARGO_BIN_EXE_murmuration");
    let run = "run -n 40M --numeric fixed --engine cpu --threads 1";
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v 1500000; exec {program} {run}")]);
    let ended = ended(shell.output().expect("sh starts"));
    let refused = ended.stderr.starts_with("error: flock.boids = 40000000: allowed is at most");
    assert!(ended.code == Some(2) && refused, "{ended:?}");
}

/// `timeout` interrupts the program and then its group: two signals, one wish.
#[cfg(target_os = "linux")]
#[test]
fn two_signals_at_once_keep_what_was_done() {
    let folder = Folder::new();
    let mut child = folder.start("run --preset cornell --engine cpu --hash --steps 4000000000 --out a.csv");
    let mut lines = lines(&mut child);
    lines.next().expect("a line").expect("text");
    signal("-INT", child.id());
    signal("-INT", child.id());
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(folder.files(), ["a.csv"]);
}
