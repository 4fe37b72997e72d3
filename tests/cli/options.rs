//! Values of options, and the suggestions for invalid ones.

use super::{Folder, NAMES};

#[test]
fn a_number_of_boids_takes_exponents_and_suffixes() {
    let folder = Folder::new();
    let boids = |typed: &str| {
        let out = folder.done(&format!("run --preset cornell --engine cpu --steps 0 --json {typed}")).stdout;
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        json["boids"].as_u64()
    };
    for typed in ["-n 1500", "-n 1.5e3", "-n 1.5k", "-n 0.0015M", "--boids=1_500", "--set flock.boids=1.5k"] {
        assert_eq!(boids(typed), Some(1500), "{typed}");
    }
}

#[test]
fn the_cpu_engine_takes_threads() {
    let folder = Folder::new();
    let run = |options: &str| {
        let ended = folder.done(&format!("run --preset cornell --steps 5 --json {options}"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let text = |key: &str| json[key].as_str().expect("text").to_owned();
        (text("engine"), text("hash"), ended.stderr)
    };
    let (one, hash, _) = run("--engine cpu --threads 1");
    assert!(one.starts_with("cpu, 1 thread, "), "{one}");
    let (three, same, _) = run("--engine cpu --threads 3");
    assert!(three.starts_with("cpu, 3 threads, ") && same == hash, "{three}");
    // Only the engine cpu has threads, so `--threads` selects it.
    let (auto, same, said) = run("--threads 2");
    assert!(auto.starts_with("cpu, 2 threads, ") && same == hash, "{auto}");
    assert_eq!(said, "engine: cpu, as --threads asks for it\n");
}

#[test]
fn o_is_the_short_form_of_out() {
    let folder = Folder::new();
    folder.done("run --preset cornell -n 5 --engine cpu --steps 0 -o a.csv");
    assert_eq!(folder.read("a.csv").lines().count(), 6);
}

#[test]
fn completions_offer_the_presets_by_name() {
    let folder = Folder::new();
    let names = NAMES;
    for (shell, list) in [("bash", names.join(" ")), ("zsh", names.join(" "))] {
        let script = folder.done(&format!("completions {shell}")).stdout;
        assert!(script.contains(&list), "{shell}: no {list}");
    }
    // fish completes values without an option, too.
    let script = folder.done("completions fish").stdout;
    for (after, words) in [
        ("presets; and __fish_seen_subcommand_from show", "murmuration cornell"),
        ("completions", "bash elvish fish powershell zsh"),
        ("help", "view run"),
    ] {
        let line = format!("_using_subcommand {after}\" -f -a \"{words}");
        assert!(script.contains(&line), "no {line}");
    }
}
