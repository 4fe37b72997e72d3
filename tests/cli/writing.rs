//! The files that a run writes: what a kill leaves, and names that are one file.

#[cfg(unix)]
use super::ending::signal;
use super::{Folder, first_line, lines};

#[test]
fn a_killed_run_without_samples_leaves_nothing_to_the_next() {
    let folder = Folder::new();
    let mut child = folder.start("run --preset cornell --engine cpu --hash --steps 4000000000 --out a.csv");
    // At the first line the file has been begun.
    first_line(&mut child);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let left = folder.files();
    assert!(left.len() == 1 && left[0].starts_with(".a."), "{left:?}");
    folder.done("run --preset cornell --engine cpu --steps 1 --out b.csv");
    assert_eq!(folder.files(), [left[0].as_str(), "b.csv"], "the part of another file stays");
    folder.done("run --preset cornell --engine cpu --steps 1 --out a.csv");
    assert_eq!(folder.files(), ["a.csv", "b.csv"]);
}

/// Samples are read by the name of the part, up to the last whole one, and no later run removes them.
#[test]
fn what_a_killed_run_leaves_is_read_and_stays() {
    let folder = Folder::new();
    let files = "--metrics m.csv --trajectory t.csv";
    let run = format!("run --preset cornell -n 400 --engine cpu --hash {files}");
    let mut child = folder.start(&format!("{run} --steps 4000000000"));
    assert_eq!(lines(&mut child).take(30).count(), 30);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let left = folder.files();
    assert!(left.len() == 2 && left.iter().all(|name| name.ends_with(".murmuration-part.csv")), "{left:?}");
    let [metrics, trajectory] = [&left[0], &left[1]];
    assert!(metrics.starts_with(".m.") && trajectory.starts_with(".t."), "{left:?}");
    let before: Vec<_> = left.iter().map(|name| folder.read(name)).collect();
    assert!(before[0].lines().count() >= 29 && before[1].lines().count() >= 28 * 400);
    folder.done(&format!("plot {metrics} -o m.png"));
    folder
        .done(&format!("render t.png --preset cornell --engine cpu --size 64x48 --trajectory {trajectory}"));
    folder.done(&format!("run --preset cornell -n 400 --engine cpu --init {trajectory} --steps 1"));
    folder.done(&format!("{run} --steps 1"));
    let after: Vec<_> = left.iter().map(|name| folder.read(name)).collect();
    assert!(after == before, "a later run changed them");
    assert_eq!(folder.files().len(), 6);
}

/// A limit of file sizes stands for the end of a disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_samples() {
    for trajectory in ["t.csv", "t.gsd"] {
        let folder = Folder::new();
        let run = "run --preset cornell -n 100 --engine cpu --quiet --steps 1000000";
        let files = format!("--metrics m.csv --out o.csv --trajectory {trajectory}");
        let program = env!("CARGO_BIN_EXE_murmuration");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("ulimit -f 200; exec {program} {run} {files}")]);
        let ended = super::ended(shell.current_dir(folder.inside.path()).output().expect("sh starts"));
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let said = ended.stderr.lines().next().expect("a line");
        assert!(said.starts_with(&format!("error: cannot write {trajectory}: ")), "{said}");
        assert!(said.ends_with(" of 1000000 are kept; --out is not written"), "{said}");
        let mut files = ["m.csv", trajectory];
        files.sort_unstable();
        assert_eq!(folder.files(), files);
        let metrics = folder.read("m.csv");
        let last = metrics.lines().last().expect("rows").split(',').next().expect("a step");
        assert!(said.contains(&format!("; the samples up to step {last} of 1000000 are kept")), "{said}");
        if trajectory == "t.csv" {
            let rows = folder.read("t.csv");
            assert_eq!(rows.lines().count() - 1, 100 * (metrics.lines().count() - 1));
            assert!(rows.lines().last().expect("rows").starts_with(&format!("{last},99,boid,")));
        }
    }
}

/// Two runs into one file, or a run and any other program.
#[cfg(unix)]
#[test]
fn a_file_that_appears_while_a_run_goes_is_kept() {
    let folder = Folder::new();
    let flock = "run --preset yabi -n 20 --engine cpu";
    for (option, name, other) in [
        ("--out", "s.csv", "s-2.csv"),
        ("--metrics", "m.csv", "m-2.csv"),
        ("--trajectory", "t.csv", "t-2.csv"),
        ("--trajectory", "g.gsd", "g-2.gsd"),
    ] {
        let call = format!("{flock} --hash --steps 4000000000 {option} {name}");
        for (yes, expected) in [("", Some(1)), (" --yes", Some(130))] {
            let mut child = folder.start(&(call.clone() + yes));
            let mut lines = lines(&mut child);
            lines.next().expect("a line").expect("text");
            folder.write(name, "of another program");
            signal("-INT", child.id());
            lines.for_each(drop);
            let ended = super::ended(child.wait_with_output().expect("it ends"));
            assert_eq!(ended.code, expected, "{call}{yes}: {ended:?}");
            let error = format!("error: cannot write {name}: the file exists; the result is in {other}\n");
            assert_eq!(ended.stderr.ends_with(&error), yes.is_empty(), "{ended:?}");
            let kept = std::fs::read(folder.path(name)).expect("a file") == b"of another program";
            assert_eq!(kept, yes.is_empty(), "{call}{yes}");
            std::fs::remove_file(folder.path(name)).expect("a file");
        }
    }
    // A result with another name is whole.
    folder.done(&format!("{flock} --init s-2.csv --steps 1"));
    folder.done("plot m-2.csv -o m.png");
}

#[cfg(unix)]
#[test]
fn two_outputs_that_are_one_file_by_a_link_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sub")).expect("a folder");
    symlink("sub", folder.path("other")).expect("a link");
    symlink("none.csv", folder.path("link.csv")).expect("a link");
    folder.write("one.csv", "");
    std::fs::hard_link(folder.path("one.csv"), folder.path("two.csv")).expect("a link");
    let before = folder.files();
    for (one, other) in [
        ("one.csv", "two.csv"),
        ("none.csv", "link.csv"),
        ("sub/a.csv", "other/a.csv"),
        ("sub/a.csv", "sub/../sub/a.csv"),
    ] {
        let call = format!("run --preset cornell --engine cpu --steps 1 --out {one} --metrics {other}");
        let ended = folder.call(&call);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{call}: {ended:?}");
        let line = ended.stderr.lines().next().expect("a line");
        for word in ["error: --out ", "--metrics ", other, "one file"] {
            assert!(line.contains(word), "{call}: no {word} in {line}");
        }
    }
    assert_eq!(folder.files(), before);
    // A run may go on from a file and replace it, by a link too; what a link leads to is written.
    folder.done("run --preset cornell --engine cpu --steps 1 --out link.csv");
    folder.done("run --preset cornell --engine cpu --steps 1 --init none.csv --yes --out link.csv");
    assert!(folder.path("none.csv").exists() && folder.path("link.csv").is_symlink());
    folder.done("run --preset cornell --engine cpu --steps 1 --out /dev/null --metrics /dev/fd/2");
}

#[test]
fn a_name_of_another_format_is_refused() {
    let folder = Folder::new();
    for (files, why) in [
        ("--out a.gsd", "a.gsd: the name must end in .csv"),
        ("--out a.json", "a.json: the name must end in .csv"),
        ("--metrics m.csv.gz", "m.csv.gz: the name must end in .csv"),
        ("--metrics m.xlsx", "m.xlsx: the name must end in .csv"),
        ("--trajectory t.h5", "t.h5: the name must end in .csv or .gsd"),
        ("--trajectory t.xyz", "t.xyz: the name must end in .csv or .gsd"),
        ("--init a.csv.gz", "a.csv.gz: the name must end in .csv"),
        ("--out a.parquet", "a.parquet: the name must end in .csv"),
        ("--metrics a.parquet", "a.parquet: the name must end in .csv"),
        ("--trajectory a.parquet", "a.parquet: the name must end in .csv or .gsd"),
        ("--init a.parquet", "a.parquet: the name must end in .csv"),
        ("--metrics a.gsd", "a.gsd: the name must end in .csv"),
    ] {
        let ended = folder.call(&format!("run --preset cornell --engine cpu --steps 4000000000 {files}"));
        assert_eq!((ended.code, ended.stderr), (Some(2), format!("error: {why}\n")), "{files}");
    }
    for (call, why) in [
        ("plot m.json -o a.png", "m.json: the name must end in .csv"),
        ("plot m.parquet -o a.png", "m.parquet: the name must end in .csv"),
        ("profile --engine cpu --json p.csv", "p.csv: the name must end in .json"),
        ("render a.png --preset cornell --engine cpu --trajectory t.xyz", "t.xyz: the name must end in .csv"),
        (
            "render a.png --preset cornell --engine cpu --trajectory t.parquet",
            "t.parquet: the name must end in .csv",
        ),
    ] {
        let ended = folder.call(call);
        assert_eq!((ended.code, ended.stderr), (Some(2), format!("error: {why}\n")), "{call}");
    }
    assert!(folder.files().is_empty());
    // A number and no ending are no other format.
    folder.done("run --preset cornell --engine cpu --steps 1 --out state --metrics m.7 --trajectory t.txt");
}

/// Each of these calls would run for hours if a file were opened only after the steps.
#[test]
fn every_output_is_checked_before_the_first_step() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a.csv")).expect("a folder");
    for option in ["--out", "--trajectory", "--metrics"] {
        let call = format!("run --preset yabi --engine cpu --steps 4000000000 {option} a.csv");
        let ended = folder.call(&call);
        assert_eq!(ended.code, Some(2), "{call}: {ended:?}");
        assert_eq!(ended.stderr, "error: cannot write a.csv: it is a folder, a file is needed\n");
    }
    assert_eq!(folder.files(), ["a.csv"]);
}

#[cfg(unix)]
#[test]
fn a_device_takes_a_state_with_its_predators() {
    let folder = Folder::new();
    folder.done("run --preset yabi --engine cpu --steps 2 --out /dev/null");
    assert!(folder.files().is_empty());
}

/// On a plane a boid that turned round had a z of −0, which loading took for 0.
#[test]
fn a_state_from_a_file_has_the_hash_that_was_printed() {
    let folder = Folder::new();
    let flock = "run --preset vicsek --set noise.angle=140 -n 60 --engine cpu --hash";
    for numeric in ["f32", "f64"] {
        let printed = folder.done(&format!("{flock} --numeric {numeric} --steps 1 --yes --out v.csv")).stdout;
        let again = format!("{flock} --numeric {numeric} --steps 0 --init v.csv");
        assert_eq!(folder.done(&again).stdout, printed.lines().last().expect("a line").to_owned() + "\n");
    }
}
