//! Ranks that are processes: under mpirun this program is a rank, without it the test that launches itself.
//!
//! `cargo test -p murmuration-ranks --features mpi --test processes`

use std::process::{Command, ExitCode, Output};

use config::presets::{self, Preset};
use cpu::{CpuEngine, Engine, State};
use flock::{Fixed, Parameters};
use ranks::{Leader, Processes, Rank, Settings, Start, Transport as _, follow};

const STEPS: usize = 12;

/// Its sums are over the flock, and a predator's prey is one of them.
fn parameters() -> Parameters {
    let mut p = presets::find("yabi").and_then(Preset::parameters).expect("built in");
    p.predators.attack_weight = 0.5;
    p.set_boids(400);
    p
}

/// `step,hash` for each step; a rank may end at one.
fn hashes(engine: &mut dyn Engine, p: &Parameters) -> String {
    let line = |step| {
        if step > 0 {
            engine.advance(1).expect("stepped");
        }
        format!("{step},{:016x}\n", engine.hash(p).expect("finite"))
    };
    (0..=STEPS).map(line).collect()
}

/// A rank of the launch. Its words: how rank 0 begins, the steps of a halo, and the rank that dies.
fn rank(words: &[String]) -> ExitCode {
    let [begins, halo, dies] = words else { panic!("three words") };
    let processes = Processes::join().expect("MPI starts");
    if processes.rank().to_string() == *dies {
        std::process::abort();
    }
    let (p, me) = (parameters(), processes.rank());
    let settings = Settings { halo: halo.parse().expect("a number"), recut: 5, threads: Some(1) };
    let mut rank = Rank::<Fixed, _>::new(processes, &p, settings).expect("fits");
    if me > 0 {
        follow(&mut rank).expect("to the end");
        return ExitCode::SUCCESS;
    }
    let state = State::start(&p);
    let start = if begins == "given" { Start::Given(&state) } else { Start::Seeded(0) };
    let mut leader = Leader::new(rank, Vec::new(), start).expect("all are there");
    print!("{}", hashes(&mut leader, &p));
    let whole = leader.state().expect("nobody is lost");
    assert_eq!(whole.boids.len(), state.boids.len());
    ExitCode::SUCCESS
}

fn launch(ranks: usize, words: [&str; 3]) -> Output {
    let mut mpirun = Command::new("mpirun");
    // As root, and with more processes than cores, Open MPI asks for consent. Without a network it looks for none.
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
    let p = parameters();
    let mut one = CpuEngine::<Fixed>::new(&p, &State::start(&p), Some(1)).expect("fits");
    let expected = hashes(&mut one, &p);
    for (ranks, words) in [
        (1, ["seeded", "1", ""]),
        (2, ["given", "1", ""]),
        (3, ["seeded", "2", ""]),
        (4, ["seeded", "1", ""]),
        (4, ["given", "3", ""]),
    ] {
        let output = launch(ranks, words);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{ranks} ranks, {words:?}");
        println!("{ranks} processes, {words:?}: the hashes of one engine");
    }
    let output = launch(3, ["seeded", "1", "2"]);
    assert!(!output.status.success() && !output.stdout.ends_with(b"\n"), "{output:?}");
    println!("a process that dies ends all");
    ExitCode::SUCCESS
}
