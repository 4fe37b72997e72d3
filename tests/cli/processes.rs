//! Ranks that are processes, by `--mpi`: `cargo xtask test --all` builds the program with that feature.

use std::process::{Command, Stdio};

use super::{Ended, Folder, ended};

/// The program in so many processes.
fn launch(folder: &Folder, ranks: u32, line: &str) -> Command {
    let program = folder.command("");
    let mut mpirun = Command::new("mpirun");
    mpirun.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    // Open MPI requires consent to run as root, and to run more processes than there are cores.
    mpirun.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    mpirun.envs([("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_mpi_yield_when_idle", "1")]);
    mpirun.args(["-n", &ranks.to_string()]).arg(program.get_program()).args(line.split_whitespace());
    mpirun.current_dir(folder.path("")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    mpirun
}

fn call(folder: &Folder, ranks: u32, line: &str) -> Ended {
    ended(launch(folder, ranks, line).output().expect("mpirun starts"))
}

/// How many lines begin so: a launcher says in its own words that it ends the others.
fn said(ended: &Ended, line: &str) -> usize {
    ended.stderr.lines().filter(|found| found.starts_with(line)).count()
}

#[test]
fn hashes_and_pictures_are_those_of_one_engine() {
    let folder = Folder::new();
    let run = "run --preset yabi -n 300 --numeric fixed --steps 8 --hash --quiet";
    let one = folder.done(&format!("{run} --engine cpu")).stdout;
    for ranks in [2, 3] {
        let found = call(&folder, ranks, &format!("{run} --mpi"));
        assert_eq!((found.code, found.stdout.as_str()), (Some(0), one.as_str()), "{ranks}: {found:?}");
    }
    let render =
        "--preset swarm -n 500 --steps 9 --look paper --zoom 4 --colour speed --size 200x120 --quiet";
    folder.done(&format!("render one.png {render} --engine cpu"));
    let found = call(&folder, 3, &format!("render many.png {render} --mpi"));
    let read = |name: &str| std::fs::read(folder.path(name)).expect("a picture");
    assert!(found.code == Some(0) && read("many.png") == read("one.png"), "{found:?}");
}

/// All ranks find it at once, and one says so.
#[test]
fn what_all_ranks_find_is_said_once() {
    let folder = Folder::new();
    let run = |flock: &str| call(&folder, 3, &format!("run --mpi -n 400 --hash --steps 3 {flock}"));
    let refused = run("--preset yabi");
    let line = "error: alignment.scope = flock: allowed is neighbours in f32 on ranks";
    assert_eq!((refused.code, said(&refused, line)), (Some(2), 1), "{refused:?}");
    let dense = run("--preset swarm --set flock.start=point");
    let line = "ranks: 128 or more boids share a cell";
    assert_eq!((dense.code, said(&dense, line), dense.stdout.lines().count()), (Some(0), 1, 4), "{dense:?}");
}
