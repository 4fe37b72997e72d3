//! Destinations of results: stdout in place of a file, and existing files.

use super::{Folder, ended, first_line, lines};

#[test]
fn a_dash_in_place_of_a_file_is_stdout() {
    let folder = Folder::new();
    let call = "run --preset cornell -n 20 --engine cpu --steps 4";
    folder.done(&format!("{call} --every 2 --out out.csv --trajectory trajectory.csv --metrics metrics.csv"));
    for option in ["out", "trajectory", "metrics"] {
        let every = if option == "out" { "" } else { "--every 2" };
        let ended = folder.done(&format!("{call} {every} --{option} -"));
        assert_eq!(ended.stdout, folder.read(&format!("{option}.csv")), "{option}");
        assert_eq!(ended.stderr, "", "{option}");
    }
    assert_eq!(folder.files(), ["metrics.csv", "out.csv", "trajectory.csv"]);
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
            let first = lines.by_ref().take(rows).count();
            let sent = send.send(first);
            lines.for_each(drop);
            sent
        });
        let first = sample.recv_timeout(std::time::Duration::from_secs(120));
        super::ending::signal("-INT", child.id());
        assert_eq!(first, Ok(rows), "{option}");
        reader.join().expect("it ends").expect("sent");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
    }
}

#[test]
fn a_reader_of_a_dash_that_leaves_early_is_no_failure() {
    let folder = Folder::new();
    let mut child =
        folder.start("run --preset cornell --engine cpu --quiet --steps 300 --trajectory - --out a.csv");
    let line = first_line(&mut child);
    assert!(line.starts_with("step,id,"), "{line}");
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(folder.files(), ["a.csv"]);
}

#[test]
fn a_file_that_exists_is_replaced_only_when_the_call_says_so() {
    let folder = Folder::new();
    for name in ["a.csv", "a.png", "a.json"] {
        folder.write(name, "months of work\n");
    }
    let run = "run --preset cornell -n 20 --engine cpu --steps 1000000";
    let before = folder.files();
    for (call, named) in [
        (format!("{run} --out a.csv"), "--out a.csv"),
        (format!("{run} --init a.csv --out a.csv"), "--out a.csv"),
        (format!("{run} --trajectory a.csv"), "--trajectory a.csv"),
        (format!("{run} --metrics a.csv"), "--metrics a.csv"),
        ("render a.png --preset cornell --engine cpu --steps 1000000".to_owned(), "a.png"),
        ("profile --engine cpu --json a.json".to_owned(), "--json a.json"),
        ("profile --engine cpu --trace a.json".to_owned(), "--trace a.json"),
        ("profile --engine cpu --plot a.png".to_owned(), "--plot a.png"),
        ("conform --json a.json".to_owned(), "--json a.json"),
        ("conform --constants a.json".to_owned(), "--constants a.json"),
    ] {
        let ended = folder.call(&call);
        let why = format!("error: {named} already exists\nhint: --yes replaces it\n");
        assert_eq!((ended.code, ended.stdout, ended.stderr), (Some(2), String::new(), why), "{call}");
        let kept = ["a.csv", "a.png", "a.json"].map(|name| folder.read(name));
        assert_eq!(kept, ["months of work\n"; 3]);
    }
    assert_eq!(folder.files(), before);
    let run = "run --preset cornell -n 20 --engine cpu --steps 1";
    folder.done(&format!("{run} --out a.csv --yes"));
    assert_eq!(folder.read("a.csv").lines().count(), 21);
    // A state may be continued in place.
    folder.done(&format!("{run} --init a.csv -o a.csv --yes"));
    assert_eq!(folder.read("a.csv").lines().count(), 21);
    folder.done("render a.png --preset cornell --engine cpu --size 64x48 --steps 1 --quiet --yes");
    assert!(std::fs::read(folder.path("a.png")).expect("a picture").starts_with(b"\x89PNG"));
    // Nothing is lost where nothing is there, and a file that was made for its name only has nothing.
    folder.write("empty.csv", "");
    folder.done(&format!("{run} --out empty.csv --metrics new.csv"));
}

#[test]
fn a_film_rendered_to_a_dash_is_y4m_on_stdout() {
    let folder = Folder::new();
    let call =
        "render - --preset holoviews -n 20 --engine cpu --size 64x48 --skip 1 --steps 4 --every 2 --quiet";
    let output = folder.command(call).output().expect("the program starts");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    let header = b"YUV4MPEG2 W64 H48 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
    let frames = output.stdout.strip_prefix(header).expect("a header");
    // Steps 1, 3 and 5.
    assert_eq!(frames.len(), 3 * (6 + 64 * 48 * 3 / 2));
    assert!(frames.starts_with(b"FRAME\n"));
    let ended = folder.call("render - --preset holoviews --engine cpu --size 65x48 --steps 1");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(
        ended.stderr.contains("-: a size of 65x48 pixels is not possible; a film on stdout needs an even")
    );
    assert!(folder.files().is_empty());
}

/// The inputs, the outputs and the checkpoints of a run are different files.
#[test]
fn no_output_is_an_input_or_a_checkpoint() {
    let folder = Folder::new();
    folder.write("c.toml", "preset = \"yabi\"\n");
    folder.write("c.png", "preset = \"yabi\"\n");
    folder.write("study.toml", "[schedule]\n\"cohesion.weight\" = [1, 2]\n");
    let run = "run -n 20 --engine cpu --quiet --yes";
    folder.done(&format!("{run} --preset yabi --steps 1 --out x.2.csv"));
    folder.done(&format!("{run} --preset yabi --steps 1 --out y.csv"));
    let before: Vec<_> = folder.files().iter().map(|name| folder.read(name)).collect();
    for (call, why) in [
        (format!("{run} --config c.toml --metrics c.toml"), "--config and --metrics both name c.toml"),
        (format!("{run} --term c.toml --metrics ./c.toml"), "--term and --metrics both name ./c.toml"),
        (
            format!("{run} --schedule study.toml --out study.toml"),
            "--schedule and --out both name study.toml",
        ),
        ("render c.png --config c.png -y".to_owned(), "--config and FILE both name c.png"),
        ("render c.png --trajectory c.png -y".to_owned(), "--trajectory and FILE both name c.png"),
        (
            format!("{run} --checkpoint 2 --out x.csv --trajectory x.2.csv"),
            "--checkpoint and --trajectory both name x.2.csv",
        ),
        (
            format!("{run} --checkpoint 2 --out x.csv --metrics ./x.4.csv"),
            "--checkpoint and --metrics both name ./x.4.csv",
        ),
        (
            format!("{run} --preset yabi --checkpoint 2 --out x.csv --init x.2.csv"),
            "--checkpoint and --init both name x.2.csv",
        ),
    ] {
        let ended = folder.call(&call);
        assert_eq!((ended.code, ended.stderr), (Some(2), format!("error: {why}\n")), "{call}");
    }
    // A checkpoint is not replaced either, unless the call says so.
    let ended = folder.call("run -n 20 --engine cpu --preset yabi --steps 4 --checkpoint 2 --out x.csv");
    assert!(ended.stderr.starts_with("error: --checkpoint x.2.csv already exists"), "{ended:?}");
    let after: Vec<_> = folder.files().iter().map(|name| folder.read(name)).collect();
    assert_eq!(after, before);
    // An ending that is not `.csv` belongs to the name: two runs do not share what they keep.
    let ended = folder.call(&format!("{run} --checkpoint 2 --out x.a --trajectory x.a.2.csv"));
    assert_eq!(ended.stderr, "error: --checkpoint and --trajectory both name x.a.2.csv\n");
    // A run continues from a checkpoint under the same names.
    folder.done(&format!("{run} --preset yabi --steps 2 --out x.2.csv"));
    folder.done(&format!("{run} --preset yabi --init x.2.csv --checkpoint 2 --out x.csv"));
}
