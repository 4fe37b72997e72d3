//! Random rules, drawn over all parameters: brute force, the CPU in all registers, every adapter and the board have one
//! hash at every step.
//!
//! `cargo xtask rules` takes 300 by `MURMURATION_RULES`. Without that variable adapters and board take turns, because a
//! rule costs each of them seconds: each rule runs on one adapter, and every third on the board.

use std::sync::OnceLock;

use board::{Board, Rp2040Engine};
use cpu::Registers;
use engine::system::Threads;
use engine::{Engine, Numeric, State};
use flock::{Fixed, Parameters, fixed};
use gpu::{Gpu, GpuEngine};

use crate::hashes::hashes;
use crate::image::image;
use crate::random_flock;
use crate::reference::reference;

/// Rules that are compared where the environment does not say: the CPU takes more in a second than the others in ten.
const RULES: usize = 30;
const RULES_ON_THE_CPU: usize = 120;

/// Enough for neighbours, and few enough for the emulated board.
const BOIDS: u32 = 60;
const STEPS: u32 = 4;

/// A random rule with its start, and its hashes.
struct Drawn {
    number: u32,
    parameters: Parameters,
    start: State,
    hashes: Vec<u64>,
}

/// The number of rules from the environment.
fn asked() -> Option<usize> {
    Some(std::env::var("MURMURATION_RULES").ok()?.parse().expect("a number"))
}

/// The rules of one of three that take turns: all of them where the environment says how many.
fn turn(of: Option<usize>) -> Vec<&'static Drawn> {
    let all = rules(asked().unwrap_or(RULES)).iter().enumerate();
    let taken = all.filter(|(k, _)| asked().is_some() || of.is_none_or(|turn| k % 3 == turn));
    taken.map(|(_, rule)| rule).collect()
}

/// The first rules that fit integers, with the hashes by brute force.
fn rules(taken: usize) -> &'static [Drawn] {
    static ALL: OnceLock<Vec<Drawn>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let most = asked().unwrap_or(RULES_ON_THE_CPU);
        let drawn = (0..).map(|number| (number, random_flock::parameters(number, BOIDS)));
        let fitting = drawn.filter(|(_, p)| fixed::check(p).is_ok());
        let all = fitting.take(most).map(|(number, parameters)| {
            let start = State::start(&parameters);
            let states = std::iter::successors(Some(start.clone()), |state| {
                Some(reference::<Fixed>(&parameters, state, 1))
            });
            let hash = |state: State| state.hash(Numeric::Fixed, &parameters);
            let hashes = states.take(STEPS as usize + 1).map(hash).collect();
            Drawn { number, parameters, start, hashes }
        });
        all.collect()
    });
    &all[..taken]
}

/// Compares the hashes of all rules, and names those that differ.
fn all_have_the_same_bits(what: &str, rules: &[&Drawn], mut hashes: impl FnMut(&Drawn) -> Vec<u64>) {
    let differ: Vec<String> = rules
        .iter()
        .filter_map(|rule| {
            let found = hashes(rule);
            let first = found.iter().zip(&rule.hashes).position(|(found, expected)| found != expected);
            let step = first.or((found.len() != rule.hashes.len()).then_some(found.len()))?;
            Some(format!("rule {} on {what} from step {step} on: {:?}", rule.number, rule.parameters))
        })
        .collect();
    assert!(differ.is_empty(), "{} of {}:\n{}", differ.len(), rules.len(), differ.join("\n"));
}

pub fn random_rules_have_the_same_bits(gpu: &Gpu) {
    let software = ["llvmpipe", "SwiftShader"].iter().any(|name| gpu.info.name.contains(name));
    let turn_of = match gpu.info.backend {
        wgpu::Backend::Gl => Some(0),
        _ if gpu.info.name.contains("llvmpipe") => Some(1),
        _ => Some(2),
    };
    // One engine for all, so that none may leave a trace in the next.
    let mut engine: Option<GpuEngine<Fixed>> = None;
    all_have_the_same_bits(&gpu.info.name, &turn(turn_of.filter(|_| software)), |rule| {
        let Drawn { parameters: p, start, .. } = rule;
        match &mut engine {
            Some(engine) => {
                engine.set_parameters(p).expect("fits");
                engine.set_state(start).expect("fits");
                hashes(engine, p, STEPS)
            }
            none => hashes(none.insert(GpuEngine::<Fixed>::new(gpu, p, start).expect("fits")), p, STEPS),
        }
    });
}

pub fn on_the_cpu_in_all_registers() {
    let rules: Vec<&Drawn> = rules(asked().unwrap_or(RULES_ON_THE_CPU)).iter().collect();
    for registers in Registers::available() {
        all_have_the_same_bits(registers.name(), &rules, |rule| {
            let threads = Threads::new(Some(2)).expect("threads");
            let engine = cpu::open(Numeric::Fixed, threads, registers, &rule.parameters, &rule.start);
            let mut engine = engine.expect("fits");
            hashes(&mut *engine, &rule.parameters, STEPS)
        });
    }
}

pub fn on_the_board() {
    let Some(image) = image() else { return };
    let mut board = Some(Board::boot(&image).expect("the firmware runs"));
    all_have_the_same_bits("the board", &turn(Some(2)), |rule| {
        let one = board.take().expect("given back");
        let mut engine = Rp2040Engine::on(one, &rule.parameters, &rule.start).expect("it fits the board");
        let lines = engine.board.ask(&format!("hashes {STEPS}")).expect("hashes");
        board = Some(engine.board);
        let hash = |(_, hash)| u64::from_str_radix(hash, 16).ok();
        lines.iter().map(|line| line.split_once(',').and_then(hash).expect("a hash")).collect()
    });
}
