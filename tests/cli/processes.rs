//! Ranks that are processes, by `--mpi`: `cargo xtask test --all` builds the program with that feature.

use std::process::{Command, Stdio};

use super::faults::Faults;
use super::{Ended, Folder, ended, lines};

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

/// The lines of ours: a launcher says in its own words that it ends the others.
fn errors(ended: &Ended) -> Vec<&str> {
    ended.stderr.lines().filter(|line| line.starts_with("error: ")).collect()
}

#[test]
fn hashes_and_pictures_are_those_of_one_engine() {
    let folder = Folder::new();
    let run = "run --preset yabi -n 300 --numeric fixed --steps 8 --hash --quiet";
    let one = folder.done(&format!("{run} --engine cpu")).stdout;
    for (ranks, options) in [(2, ""), (3, "--halo 2"), (2, "--devices cpu,llvmpipe")] {
        let found = call(&folder, ranks, &format!("{run} --mpi {options}"));
        assert_eq!((found.code, found.stdout.as_str()), (Some(0), one.as_str()), "{options}: {found:?}");
    }
    let render =
        "--preset swarm -n 500 --steps 9 --look paper --zoom 4 --colour speed --size 200x120 --quiet";
    folder.done(&format!("render one.png {render} --engine cpu"));
    let found = call(&folder, 3, &format!("render many.png {render} --mpi"));
    let read = |name: &str| std::fs::read(folder.path(name)).expect("a picture");
    assert!(found.code == Some(0) && read("many.png") == read("one.png"), "{found:?}");
}

/// Whichever rank it is: the others wait for it in the middle of a step.
#[test]
fn a_rank_whose_device_is_lost_ends_the_launch_with_a_line() {
    for devices in ["llvmpipe,cpu,cpu", "cpu,cpu,llvmpipe"] {
        let (folder, faults) = (Folder::new(), Faults::new());
        let run = "run --mpi --preset yabi -n 300 --numeric fixed --steps 1000000 --hash --quiet";
        let mut command = launch(&folder, 3, &format!("{run} --devices {devices}"));
        faults.reach(&mut command);
        let mut child = command.spawn().expect("mpirun starts");
        let mut lines = lines(&mut child);
        assert_eq!(lines.by_ref().take(20).count(), 20);
        faults.order("lose");
        lines.for_each(drop);
        let ended = ended(child.wait_with_output().expect("it ends"));
        let errors = errors(&ended);
        assert!(ended.code == Some(1) && errors.len() == 1, "{devices}: {ended:?}");
        assert!(
            errors[0].starts_with("error: llvmpipe") && errors[0].contains("the device was lost"),
            "{errors:?}"
        );
    }
}

/// All ranks find it at once, and one says so.
#[test]
fn what_all_ranks_refuse_is_said_once() {
    let folder = Folder::new();
    for (options, code, why) in [
        ("--preset yabi", 2, "error: alignment.scope = flock: allowed is neighbours in f32 on ranks"),
        ("--preset swarm --set flock.start=point", 1, "allowed are 127 boids in a cell"),
    ] {
        let ended = call(&folder, 3, &format!("run --mpi -n 400 --quiet {options}"));
        let errors = errors(&ended);
        assert!(ended.code == Some(code) && errors.len() == 1 && errors[0].contains(why), "{ended:?}");
    }
}
