//! Output and files of the commands.

use super::{Folder, NAMES};

#[test]
fn presets_are_listed_and_shown() {
    let folder = Folder::new();
    let list = folder.done("presets").stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    // Then the gallery of formulas.
    let (presets, gallery) = names.split_at(NAMES.len());
    assert_eq!((presets, gallery.len(), gallery[0]), (&NAMES[..], 12, "vortex"));
    assert_eq!(folder.done("presets --quiet").stdout, list);
    let json: serde_json::Value = serde_json::from_str(&folder.done("presets --json").stdout).expect("JSON");
    assert_eq!(json[1]["name"], "cornell");
    for name in names {
        // The output is a file of parameters of the same flock.
        let all = if name == "cornell" { " --all" } else { "" };
        folder.write("shown.toml", &folder.done(&format!("presets show {name}{all}")).stdout);
        let run = |source: &str| {
            folder.done(&format!("run {source} -n 300 --engine cpu --quiet --hash --steps 2")).stdout
        };
        assert_eq!(run("--config shown.toml"), run(&format!("--preset {name}")), "{name}");
    }
}

#[test]
fn version_and_completions_are_printed() {
    let folder = Folder::new();
    assert!(folder.done("--version").stdout.starts_with("murmuration 0."));
    assert_eq!(folder.done("help run").stdout, folder.done("run --help").stdout);
    assert!(folder.done("completions bash").stdout.contains("--preset"));
}

#[test]
fn the_manual_has_every_page_it_refers_to() {
    let manual = Folder::new().done("man").stdout.replace("\\-", "-");
    // Plain groff reads ASCII alone.
    assert!(manual.is_ascii() && !manual.contains("EXTRA"));
    let pages: Vec<&str> =
        manual.lines().filter_map(|line| line.strip_prefix(".TH ")?.split(' ').next()).collect();
    let words = manual.split(|c: char| c.is_whitespace() || c == ',');
    let referred: Vec<&str> = words.filter_map(|word| word.strip_suffix("(1)")).collect();
    assert!(referred.contains(&"murmuration-presets-show"), "{referred:?}");
    for page in referred {
        assert!(pages.contains(&page), "{page} is not among {pages:?}");
    }
}

#[test]
fn a_run_writes_state_trajectory_measures_and_summary() {
    let folder = Folder::new();
    let files = "--out end.csv --trajectory all.csv --metrics m.csv";
    let call = format!("run --preset yabi -n 30 --engine cpu --steps 7 --every 3 --json {files}");
    let ended = folder.done(&call);
    assert_eq!(folder.files(), ["all.csv", "end.csv", "m.csv"]);
    assert_eq!(ended.stderr, "");

    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["boids"], &json["last_step"]), (&30.into(), &7.into()));
    assert_eq!((&json["numeric"], &json["complete"]), (&"f32".into(), &true.into()));
    assert!(json["measures"]["polarization"].as_f64().is_some_and(|p| (0.0..=1.0).contains(&p)));
    assert!(json["measures"]["heading_error"].is_null(), "yabi has no scouts");

    // Every third step, the first and the last.
    let steps = |file: &str| -> Vec<String> {
        let text = folder.read(file);
        let mut steps: Vec<String> =
            text.lines().skip(1).filter_map(|line| Some(line.split_once(',')?.0.to_owned())).collect();
        steps.dedup();
        steps
    };
    assert_eq!(steps("m.csv"), ["0", "3", "6", "7"]);
    assert_eq!(steps("all.csv"), ["0", "3", "6", "7"]);
    assert_eq!(folder.read("all.csv").lines().count(), 1 + 4 * (30 + 5));
    assert!(folder.read("m.csv").starts_with("step,polarization,milling,mean_speed,"));
    // The trajectory ends with the state that was written.
    let (all, end) = (folder.read("all.csv"), folder.read("end.csv"));
    assert!(all.lines().skip(1 + 3 * (30 + 5)).eq(end.lines().skip(1)));
    assert!(end.lines().last().is_some_and(|row| row.starts_with("7,4,predator,") && row.ends_with(",,,")));
}

#[test]
fn the_summary_in_json_names_version_preset_seed_and_parameters() {
    let folder = Folder::new();
    let json = |line: &str| -> serde_json::Value {
        let out = folder.done(&format!("run {line} --engine cpu --steps 0 --json")).stdout;
        serde_json::from_str(&out).expect("JSON")
    };
    let summary = json("--preset cornell -n 20 --seed 7 --set cohesion.radius=3.5");
    assert_eq!(
        folder.done("--version").stdout.trim(),
        format!("murmuration {}", summary["version"].as_str().expect("text"))
    );
    assert_eq!((&summary["preset"], &summary["seed"]), (&"cornell".into(), &7.into()));
    let parameters = &summary["parameters"];
    assert_eq!((&parameters["flock"]["boids"], &parameters["flock"]["seed"]), (&20.into(), &7.into()));
    assert_eq!(parameters["cohesion"]["radius"], 3.5);
    assert_eq!(parameters["world"]["edges"], "turn");
    // A file of parameters is no preset.
    folder.write("a.toml", "[flock]\nboids = 5\n");
    let summary = json("--config a.toml");
    assert_eq!(
        (&summary["preset"], &summary["parameters"]["flock"]["boids"]),
        (&serde_json::Value::Null, &5.into())
    );
}

#[cfg(unix)]
#[test]
fn a_state_written_to_stdout_comes_after_the_hashes() {
    let folder = Folder::new();
    let call = "run --preset cornell -n 20 --engine cpu --quiet --hash --steps 3";
    folder.done(&format!("{call} --out a.csv"));
    let (hashes, state) = (folder.done(call).stdout, folder.read("a.csv"));
    assert!(hashes.lines().count() == 4 && state.lines().count() == 21);
    for name in ["/dev/stdout", "/dev/fd/1", "all.txt"] {
        // Into a regular file, as the shell's `> all.txt` does.
        let file = std::fs::File::create(folder.path("all.txt")).expect("a file");
        let mut command = folder.command(&format!("{call} --out {name}"));
        assert!(command.stdout(file).status().expect("the program starts").success());
        assert_eq!(folder.read("all.txt"), format!("{hashes}{state}"), "{name}");
    }
    assert_eq!(folder.files(), ["a.csv", "all.txt"]);
}

#[test]
fn sampling_does_not_change_the_run() {
    let folder = Folder::new();
    let hash = |rest: &str| {
        let out = folder.done(&format!("run --preset swarm --engine cpu --steps 40 --json {rest}")).stdout;
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        json["hash"].as_str().expect("a hash").to_owned()
    };
    let plain = hash("");
    assert_eq!(hash("--metrics m.csv --every 7"), plain);
    assert_eq!(hash("--hash"), plain);
}

#[test]
fn flocks_of_none_and_one_run_too() {
    let folder = Folder::new();
    for preset in NAMES {
        for boids in [0, 1, 2] {
            let call = format!(
                "run --preset {preset} -n {boids} --engine cpu --steps 5 --yes --out a.csv --metrics m.csv"
            );
            folder.done(&call);
            let rows = folder.read("a.csv").matches(",boid,").count();
            assert_eq!(rows, boids, "{call}");
            assert!(!folder.read("a.csv").contains("NaN"), "{call}");
            folder.done(&format!("run --preset {preset} --init a.csv --engine cpu --steps 1"));
        }
    }
}

#[test]
fn quiet_says_nothing_and_auto_says_what_it_took() {
    let folder = Folder::new();
    let auto = folder.done("run --preset think --steps 1");
    assert!(auto.stderr.starts_with("engine: ") && auto.stderr.lines().count() == 1, "{auto:?}");
    assert_eq!(folder.done("run --preset think --steps 1 --quiet").stderr, "");
    assert_eq!(folder.done("run --preset think --steps 1 --engine cpu").stderr, "");
}

#[test]
fn adapters_are_listed_with_what_they_can_do() {
    let folder = Folder::new();
    let list = folder.done("adapters").stdout;
    let json: serde_json::Value = serde_json::from_str(&folder.done("adapters --json").stdout).expect("JSON");
    let entries = json.as_array().expect("a list");
    assert!(!entries.is_empty() && list.lines().count() == entries.len());
    for (k, (entry, line)) in entries.iter().zip(list.lines()).enumerate() {
        assert_eq!(entry["index"], k);
        let name = entry["name"].as_str().expect("a name");
        assert!(line.starts_with(&format!("{k}  {name}  ")), "{line}");
        assert!(entry["most_boids"].as_u64().is_some_and(|most| most >= 1 << 20), "{entry}");
        // Each can be chosen by its index, and the run names it.
        let call = format!("run --preset think --steps 1 --json --adapter {k}");
        let run: serde_json::Value = serde_json::from_str(&folder.done(&call).stdout).expect("JSON");
        assert!(run["engine"].as_str().is_some_and(|engine| engine.contains(name)), "{run}");
    }
}
