//! Faults of the driver: a device that is lost, and one whose memory is short.

use super::{Folder, ended, faults::Faults, lines};

/// The adapter that the faults' layer lies over.
const ENGINE: &str = "--engine gpu --adapter llvmpipe --backend vulkan";

/// The hashes of a run up to a step, after which its device is lost; how it ended, and the hashes after that.
fn run_and_lose(folder: &Folder, options: &str, step: usize) -> (Vec<String>, super::Ended) {
    let faults = Faults::new();
    let mut command = folder.command(&format!("run --preset cornell {ENGINE} --quiet --hash {options}"));
    faults.reach(&mut command);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut lines = lines(&mut child);
    let mut hashes: Vec<String> = lines.by_ref().take(step + 1).map(|line| line.expect("text")).collect();
    faults.order("lose");
    hashes.extend(lines.map(|line| line.expect("text")));
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert!(faults.done(), "{ended:?}");
    (hashes, ended)
}

#[test]
fn a_run_whose_device_is_lost_keeps_what_was_sampled() {
    let folder = Folder::new();
    folder.write("out.csv", "the result of an earlier run\n");
    let files = "--metrics m.csv --trajectory t.csv --every 5";
    let (hashes, ended) = run_and_lose(&folder, &format!("--steps 1000000 {files} --out out.csv --yes"), 23);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let said: Vec<&str> = ended.stderr.lines().collect();
    assert!(
        said.len() == 2 && said[0].starts_with("error: llvmpipe") && said[1].starts_with("hint: "),
        "{said:?}"
    );
    assert!(
        said[0].contains("the device was lost") && said[0].ends_with("; --out is not written"),
        "{said:?}"
    );
    // Hashes have no gap; samples end at the last one.
    assert!(hashes.len() > 23);
    assert!((0..).zip(&hashes).all(|(step, line)| line.starts_with(&format!("{step},"))), "{hashes:?}");
    let last = hashes.len() - 1;
    let sampled = last - last % 5;
    assert!(said[0].contains(&format!("the samples up to step {sampled} of 1000000 are kept")), "{said:?}");
    assert_eq!(folder.files(), ["m.csv", "out.csv", "t.csv"]);
    assert_eq!(folder.read("out.csv"), "the result of an earlier run\n");
    // They are those of a run that was asked for so many steps.
    let whole = Folder::new();
    let expected =
        whole.done(&format!("run --preset cornell {ENGINE} --quiet --hash --steps {last} {files}"));
    assert_eq!(expected.stdout.lines().collect::<Vec<_>>(), hashes);
    let rows = |folder: &Folder, file: &str| folder.read(file).lines().map(str::to_owned).collect::<Vec<_>>();
    for file in ["m.csv", "t.csv"] {
        let (kept, mut expected) = (rows(&folder, file), rows(&whole, file));
        // A run that ends in time also samples its last step.
        expected.truncate(kept.len());
        assert!(kept == expected && kept.len() >= 6, "{file}: {} rows", kept.len());
    }
}

#[test]
fn a_run_that_samples_nothing_says_only_that_its_device_was_lost() {
    let folder = Folder::new();
    let (_, ended) = run_and_lose(&folder, "--steps 1000000", 3);
    assert_eq!((ended.code, ended.stderr.lines().count()), (Some(1), 2), "{ended:?}");
    assert!(!ended.stderr.contains("kept") && !ended.stderr.contains("--out"), "{ended:?}");
    assert!(folder.files().is_empty());
}

/// Wherever the memory of the GPU ends, the program says so in a line.
#[test]
fn memory_of_the_gpu_that_runs_short_is_one_line() {
    let folder = Folder::new();
    let faults = Faults::new();
    let mut codes = Vec::new();
    for most in [0, 1000, 100_000, 1_000_000, 2_000_000, 5_000_000, 1_000_000_000] {
        faults.order(&format!("memory {most}"));
        let mut command =
            folder.command(&format!("run -n 200k {ENGINE} --steps 2 --quiet --out out.csv --yes"));
        faults.reach(&mut command);
        let ended = ended(command.output().expect("the program starts"));
        let lines: Vec<&str> = ended.stderr.lines().collect();
        match ended.code {
            Some(0) => assert!(lines.is_empty(), "{most}: {ended:?}"),
            Some(1 | 3) => {
                assert!(lines[0].starts_with("error: llvmpipe"), "{most}: {ended:?}");
                assert!(
                    lines.len() <= 2 && lines[1..].iter().all(|line| line.starts_with("hint: ")),
                    "{ended:?}"
                );
                assert!(folder.files().is_empty(), "{:?}", folder.files());
            }
            _ => panic!("{most}: {ended:?}"),
        }
        codes.push(ended.code);
    }
    assert!(codes.iter().filter(|code| **code != Some(0)).count() >= 3, "memory never ran short: {codes:?}");
    assert_eq!(codes.last(), Some(&Some(0)));
}
