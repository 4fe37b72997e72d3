//! Studies on clusters: the scripts of `examples/cluster`, on a Slurm of one node and under GNU parallel.

use std::path::Path;
use std::process::Command;

use super::Folder;
use super::slurm::{PROGRAMS, Slurm, installed, script, search_path};

/// 32 runs, 4 a shard of 8.
const SPEC: &str = "preset = \"yabi\"\nsteps = 12000\nseeds = 8\n[set]\nflock.boids = 100\n[vary]\n\
                    noise.weight = [0, 0.5, 1, 2]\n[measure]\nevery = 1000\ncolumns = [\"polarization\"]\n";

const TABLES: [&str; 3] = ["runs.csv", "summary.csv", "manifest.json"];

/// The folder of the program.
fn programs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().expect("a folder")
}

fn logged(folder: &Folder, out: &str) -> usize {
    let log = std::fs::read_to_string(folder.path(&format!("{out}/runs.log"))).unwrap_or_default();
    log.lines().count()
}

#[test]
fn a_slurm_array_is_one_run() {
    if !installed(&PROGRAMS) {
        return;
    }
    let folder = Folder::new();
    folder.write("a.toml", SPEC);
    let slurm = Slurm::start(folder.inside.path(), programs());
    let script = script("slurm.sh").display().to_string();
    let submit = |array| slurm.submit(&["--array", array, &script, "a.toml", "results", "8"]);
    let job = submit("0-7%2");
    slurm.wait("shard 2", |_| logged(&folder, "results/shard-2") > 0);
    slurm.kill(&format!("{job}_2"));
    slurm.wait_for(&job);
    let done = logged(&folder, "results/shard-2");
    assert!(done < 4, "the job was killed too late");
    let shards: Vec<String> = (0..8).map(|shard| format!("results/shard-{shard}")).collect();
    let merge = format!("sweep --merge {} --out all --quiet", shards.join(" "));
    let ended = folder.call(&merge);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains(&format!("{} of 32 runs are missing", 4 - done)), "{ended:?}");
    slurm.wait_for(&submit("2"));
    folder.done(&merge);
    folder.done("sweep a.toml --out one --engine cpu --quiet");
    for table in TABLES {
        assert!(folder.read(&format!("all/{table}")) == folder.read(&format!("one/{table}")), "{table}");
    }
}

#[test]
fn gnu_parallel_does_all_shards() {
    if !installed(&["parallel"]) {
        return;
    }
    let folder = Folder::new();
    folder.write("a.toml", &SPEC.replace("12000", "40").replace("1000", "10"));
    // Twice: the second time there is nothing to do.
    for _ in 0..2 {
        let mut command = Command::new("sh");
        command.arg(script("parallel.sh")).args(["a.toml", "results", "3"]);
        command
            .env("PATH", search_path(programs()))
            .env("MURMURATION_CACHE", "")
            .current_dir(folder.inside.path());
        let ended = super::ended(command.output().expect("sh starts"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    folder.done("sweep a.toml --out one --quiet");
    for table in TABLES {
        assert!(
            folder.read(&format!("results/all/{table}")) == folder.read(&format!("one/{table}")),
            "{table}"
        );
    }
}
