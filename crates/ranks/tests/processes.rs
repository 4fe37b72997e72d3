//! Ranks as processes: under mpirun this program is a rank, without it the test that launches itself. Under Slurm it
//! replaces the program that `examples/cluster/ranks.sh` calls, whose state it writes as `step,hash`.
//!
//! `cargo test -p murmuration-ranks --features mpi --test processes`

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../../../tests/support/scope.rs"]
mod scope;
#[path = "../../../tests/support/slurm.rs"]
mod slurm;

use std::process::{Command, ExitCode, Output};

use config::presets::{self, Preset};
use cpu::RankFlock;
use engine::{Engine, EngineError, State};
use flock::{Fixed, Parameters};
use ranks::{InSitu, Packed as _, Processes, Settings, Setup, Start, Transport, end_launch};
use slurm::{PROGRAMS, Slurm, installed, script};

const STEPS: usize = 12;

/// A flock with sums over the flock, one of them a predator's prey.
fn parameters() -> Parameters {
    let mut p = presets::find("yabi").and_then(Preset::parameters).expect("built in");
    p.predators.attack_weight = 0.5;
    p.set_boids(400);
    p
}

/// `step,hash` for each step; a rank may end at one.
fn hashes(engine: &mut dyn Engine) -> String {
    let line = |step| {
        if step > 0 {
            engine.advance(1).expect("stepped");
        }
        format!("{step},{:016x}\n", engine.hash().expect("finite"))
    };
    (0..=STEPS).map(line).collect()
}

/// An analysis for which ranks wait for each other, and one of them fails or panics.
#[derive(Debug)]
struct Fails(bool);

impl InSitu<Fixed> for Fails {
    fn analyse(
        &mut self,
        request: &[u32],
        _: &RankFlock<Fixed>,
        transport: &mut dyn Transport,
    ) -> Result<Vec<u32>, EngineError> {
        assert!(!self.0 || request.is_empty(), "one panics");
        if self.0 {
            return Err(EngineError::Lost { device: "a device".into(), why: "it fell off".into() });
        }
        transport.sum(&mut [1])?;
        Ok(Vec::new())
    }
}

/// Exit code of a rank that fails.
const FAILED: u8 = 7;

/// A rank of the launch that ends as the program does: with a line, and the launch with it.
fn rank(words: &[String]) -> ExitCode {
    match fly(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            end_launch(FAILED);
            ExitCode::from(FAILED)
        }
    }
}

/// The words of a rank: how rank 0 begins, the rank that dies, and the one that fails.
fn fly(words: &[String]) -> Result<(), EngineError> {
    let [begins, dies, fails] = words else { panic!("three words") };
    let processes = Processes::join().expect("MPI starts");
    if processes.rank().to_string() == *dies {
        std::process::abort();
    }
    let (p, me) = (parameters(), processes.rank());
    let settings = Settings { recut: 5, threads: Some(1) };
    let state = State::start(&p);
    let start = if begins == "given" { Start::Given(&state) } else { Start::Seeded(0) };
    let in_situ =
        || -> Result<Box<dyn InSitu<Fixed>>, EngineError> { Ok(Box::new(Fails(me.to_string() == *fails))) };
    let setup = Setup { parameters: &p, start, settings, in_situ: &in_situ, on_dense: None };
    let Some(mut leader) = Fixed::on_processes(&setup, processes)? else {
        return Ok(());
    };
    if !fails.is_empty() {
        leader.advance(3)?;
        let request: &[u32] = if begins == "panics" { &[1] } else { &[] };
        leader.analyse(request)?;
    }
    print!("{}", hashes(&mut *leader));
    let whole = leader.state().expect("nobody is lost");
    assert_eq!(whole.boids.len(), state.boids.len());
    Ok(())
}

/// `run --mpi` with these arguments, as `ranks.sh` calls it. An initial state must be that of its step.
fn run(words: &[String]) -> ExitCode {
    let after = |option: &str| words.iter().skip_while(|word| *word != option).nth(1);
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let initial = after("--init").map(|file| std::fs::read_to_string(file).expect("a file"));
    let first = initial.as_deref().and_then(|text| text.split(',').next()).map_or(0, number);
    let (processes, p) = (Processes::join().expect("MPI starts"), parameters());
    let all = processes.ranks();
    let in_situ = || -> Result<Box<dyn InSitu<Fixed>>, EngineError> { Ok(Box::new(())) };
    let (start, settings) = (Start::Seeded(0), Settings::default());
    let setup = Setup { parameters: &p, start, settings, in_situ: &in_situ, on_dense: None };
    let leader = Fixed::on_processes(&setup, processes);
    let Some(mut leader) = leader.expect("all are there, to the end") else { return ExitCode::SUCCESS };
    leader.advance(first).expect("stepped");
    let mut state = |steps: u32| {
        leader.advance(steps).expect("stepped");
        format!("{},{:016x}\n", leader.step_number(), leader.hash().expect("finite"))
    };
    if let Some(initial) = initial {
        assert_eq!(initial, state(0), "another state");
    }
    println!("{all} ranks from step {first}");
    let steps = number(after("--steps").expect("a number"));
    std::fs::write(after("--out").expect("a file"), state(steps)).expect("written");
    ExitCode::SUCCESS
}

/// The script for Slurm: from the start, from a state of an earlier job, and from one that is none.
fn under_slurm(expected: &str) {
    if !installed(&PROGRAMS) {
        return;
    }
    let folder = std::env::temp_dir().join(format!("ranks-{}", std::process::id()));
    let file = |name: &str| folder.join(name);
    std::fs::create_dir_all(file("bin")).expect("a folder");
    let this = std::env::current_exe().expect("a name");
    std::os::unix::fs::symlink(this, file("bin/murmuration")).expect("a link");
    {
        let slurm = Slurm::start(&folder, &file("bin"));
        let (script, steps) = (script("ranks.sh").display().to_string(), STEPS.to_string());
        let job = || {
            let words = ["--ntasks=2", "--output=said", &script, "flock.csv", &steps, "--preset", "yabi"];
            slurm.wait_for(&slurm.submit(&words));
            let said = std::fs::read_to_string(file("said")).unwrap_or_default();
            let state = std::fs::read_to_string(file("flock.csv")).unwrap_or_default();
            let _ = std::fs::remove_file(file("flock.csv"));
            (said, state)
        };
        let lines: Vec<String> = expected.lines().map(|line| format!("{line}\n")).collect();
        let (said, state) = job();
        assert_eq!((state.as_str(), said.as_str()), (lines[STEPS].as_str(), "2 ranks from step 0\n"));
        std::fs::write(file("flock.5.csv"), &lines[5]).expect("written");
        let (said, state) = job();
        assert_eq!((state.as_str(), said.as_str()), (lines[STEPS].as_str(), "2 ranks from step 5\n"));
        assert!(!file("flock.5.csv").exists());
        std::fs::write(file("flock.5.csv"), lines[4].replacen("4,", "5,", 1)).expect("written");
        let (said, state) = job();
        assert!(said.contains("another state") && state.is_empty() && file("flock.5.csv").exists(), "{said}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
    println!("under Slurm the script has the hashes of one engine, and goes on");
}

fn launch(ranks: usize, words: [&str; 3]) -> Output {
    let mut mpirun = Command::new("mpirun");
    // Open MPI requires consent to run as root and with more processes than cores. Without a network it looks for none.
    mpirun.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    mpirun.envs([("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_mpi_yield_when_idle", "1")]);
    mpirun.args(["-n", &ranks.to_string()]).arg(std::env::current_exe().expect("a name"));
    mpirun.arg("rank").args(words).output().expect("mpirun starts")
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "rank") {
        return rank(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "run") {
        return run(&words[1..]);
    }
    let p = parameters();
    let mut one = cpu::open_as::<Fixed>(&p, &State::start(&p), Some(1)).expect("fits");
    let expected = hashes(&mut *one);
    for (ranks, words) in [
        (1, ["seeded", "", ""]),
        (2, ["given", "", ""]),
        (3, ["seeded", "", ""]),
        (4, ["seeded", "", ""]),
        (4, ["given", "", ""]),
    ] {
        let output = launch(ranks, words);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{ranks} ranks, {words:?}");
        println!("{ranks} processes, {words:?}: the hashes of one engine");
    }
    let output = launch(3, ["seeded", "2", ""]);
    assert!(!output.status.success() && !output.stdout.ends_with(b"\n"), "{output:?}");
    println!("a process that dies ends all");
    for fails in ["0", "1", "2"] {
        let output = launch(3, ["seeded", "", fails]);
        let line = "a device: the device was lost: it fell off";
        let lines = String::from_utf8_lossy(&output.stderr).lines().filter(|found| *found == line).count();
        assert_eq!((output.status.code(), lines), (Some(FAILED.into()), 1), "{output:?}");
        let output = launch(3, ["panics", "", fails]);
        assert!(output.status.code() == Some(101) && output.stdout.is_empty(), "{output:?}");
    }
    println!("a process that fails or panics ends all, the first as well as the last");
    under_slurm(&expected);
    ExitCode::SUCCESS
}
