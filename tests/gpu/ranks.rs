//! Ranks on GPUs, and on GPUs and cores together, have the bits of one engine of the CPU.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use config::presets::PRESETS;
use cpu::{Part, PartEngine, Totals};
use engine::{Engine, EngineError, State};
use flock::parameters::{Edges, Scope, Start as Shape};
use flock::{Fixed, Grid, Parameters};
use gpu::{Gpu, GpuEngine, readback};
use ranks::{Equipment, OnRanks, Ranked as _, Settings, Setup, Start};

use crate::adapters::Slot;
use crate::hashes::hashes;
use crate::rules::{base, some_cases};
use crate::{every, random_flock, random_terms, scope};

/// Numbers of ranks.
const COUNTS: [usize; 6] = [1, 2, 3, 4, 6, 8];

type Boxed = Box<dyn PartEngine<Fixed>>;

/// The hashes by one engine; none where the flock does not fit integers.
fn expected(p: &Parameters, steps: u32) -> Option<Vec<u64>> {
    let mut engine = cpu::open_as::<Fixed>(p, &State::start(p), Some(1)).ok()?;
    Some(hashes(&mut *engine, p, steps))
}

fn settings(halo: u32) -> Settings {
    Settings { halo: Some(halo), recut: 5, threads: Some(1) }
}

/// Opens the engine of a rank.
type OfRank<'a> = &'a dyn Fn(usize) -> Result<Option<Boxed>, EngineError>;

fn on_ranks(
    p: &Parameters,
    start: Start<'_>,
    count: usize,
    settings: Settings,
    engine: OfRank<'_>,
) -> Box<dyn OnRanks> {
    let equip = |rank| -> Result<Equipment<Fixed>, EngineError> { Ok((engine(rank)?, Box::new(()))) };
    Fixed::on_threads(&Setup { parameters: p, start, settings, equip: &equip }, count).expect("fits")
}

/// Ranks on a GPU; with `mixed` the first alone. A software adapter compiles the pipelines of each for long.
fn equip(gpu: &Gpu, p: &Parameters, mixed: bool, rank: usize) -> Result<Option<Boxed>, EngineError> {
    let on_gpu = !mixed || rank == 0;
    on_gpu.then(|| Ok(Box::new(GpuEngine::for_parts(gpu, p)?) as Boxed)).transpose()
}

/// Compares flock `number` on ranks with one engine; the number selects count, halo depth and engines of the ranks.
fn compare(gpu: &Gpu, what: &str, number: usize, p: &Parameters) -> bool {
    const STEPS: u32 = 6;
    let Some(one) = expected(p, STEPS) else { return false };
    let (count, halo, mixed) = (COUNTS[number % 6], 1 + (number / 2 % 8) as u32, !number.is_multiple_of(3));
    let start = Start::Seeded(0);
    let mut ranks = on_ranks(p, start, count, settings(halo), &|rank| equip(gpu, p, mixed, rank));
    assert_eq!(hashes(&mut *ranks, p, STEPS), one, "{what}, {count} ranks, halo {halo}, mixed {mixed}");
    assert_eq!(ranks.state().expect("whole").boids.len(), p.flock.boids as usize);
    true
}

fn presets_and_rules(gpu: &Gpu) {
    let mut number = 0;
    let mut next = |what: &str, p: &Parameters| {
        number += 1;
        compare(gpu, what, number, p)
    };
    for preset in PRESETS.iter().step_by(scope::choose(4, 2)) {
        for dimensions in [2, 3] {
            let mut p = preset.parameters().expect("built in");
            p.flock.dimensions = dimensions;
            p.set_boids(300);
            assert!(next(preset.name, &p), "{}", preset.name);
        }
    }
    for (name, mut p) in some_cases(gpu).into_iter().step_by(2) {
        p.set_boids(400);
        next(name, &p);
    }
}

/// Steps between two hashes, so that an engine takes as many at once as the halo allows.
fn many_steps_at_once(gpu: &Gpu) {
    let p = base(700, Edges::Wrap, 3);
    let one = expected(&p, 21).expect("fits").pop();
    for halo in 1..=4 {
        let start = Start::Seeded(0);
        let mut ranks = on_ranks(&p, start, 3, settings(halo), &|rank| equip(gpu, &p, false, rank));
        ranks.advance(21).expect("stepped");
        assert_eq!(ranks.hash(&p).ok(), one, "halo {halo}");
    }
}

/// The load of a cell is that of clusters, and grows beyond the plan: a guard stops the steps.
fn dense_flocks(gpu: &Gpu) {
    let mut p = base(2500, Edges::Open, 3);
    p.flock.start = Shape::Point;
    assert!(compare(gpu, "on one point", 5, &p));
}

/// A few rules, as a software adapter compiles them slowly: on one rank of two, every other rule with formulas.
fn random_rules(gpu: &Gpu) {
    let mut fit = 0;
    for number in 0..6 {
        let mut p = random_flock::parameters(number, 120);
        if number % 2 == 0 {
            p.terms = random_terms::terms(number).1;
        }
        fit += u32::from(compare(gpu, &format!("{p:?}"), 1 + 12 * number as usize, &p));
    }
    assert!(fit > 2, "only {fit} fit integers");
}

/// Two predators that attack, and means over the flock.
fn sums() -> Parameters {
    let mut p = base(500, Edges::Turn, 3);
    (p.predators.count, p.predators.attack_weight, p.predators.chase_weight) = (2, 0.5, 0.2);
    (p.cohesion.scope, p.alignment.scope) = (Scope::Flock, Scope::Flock);
    p
}

fn predators_are_steered_and_flocks_replaced(gpu: &Gpu) {
    let (p, state) = (sums(), State::start(&sums()));
    let mut alone = cpu::open_as::<Fixed>(&p, &state, Some(1)).expect("fits");
    let start = Start::Given(&state);
    let mut ranks = on_ranks(&p, start, 3, settings(2), &|rank| equip(gpu, &p, true, rank));
    for engine in [&mut *alone as &mut dyn Engine, &mut *ranks] {
        engine.advance(5).expect("stepped");
        engine.steer_predator(1, [3.0, 4.0, 5.0]).expect("steered");
        engine.advance(4).expect("stepped");
    }
    assert!(alone.state().expect("read") == ranks.state().expect("whole"));
    for engine in [&mut *alone as &mut dyn Engine, &mut *ranks] {
        engine.set_state(&State { step: 70, ..state.clone() }).expect("as many boids");
        engine.advance(3).expect("stepped");
    }
    assert!(alone.state().expect("read") == ranks.state().expect("whole"));
}

/// A poll of a device by one thread may report a result that another thread waits for.
fn one_thread_reads_while_another_polls(gpu: &Gpu) {
    let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: None, size: 64, usage, mapped_at_creation: false };
    let buffer = gpu.device.create_buffer(&descriptor);
    let done = AtomicBool::new(false);
    let read = |number: u8| {
        gpu.queue.write_buffer(&buffer, 0, &[number; 64]);
        let mut found = [0; 64];
        readback::read(gpu, &buffer, &mut found).map(|()| found == [number; 64])
    };
    let all = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = gpu.device.poll(wgpu::PollType::Poll);
            }
        });
        let all: Vec<_> = (0..12_000).map(|number| read(number as u8)).collect();
        done.store(true, Ordering::Relaxed);
        all
    });
    all.into_iter().for_each(|read| assert!(read.expect("read back")));
}

/// An engine that is told other than what is.
#[derive(Debug)]
struct Altered {
    engine: GpuEngine<Fixed>,
    blind: bool,
    stale: bool,
    /// Number of boids in each load.
    loads: Arc<Mutex<Vec<usize>>>,
}

impl PartEngine<Fixed> for Altered {
    fn describe(&self) -> String {
        PartEngine::describe(&self.engine)
    }

    fn load(&mut self, part: &mut Part<Fixed>) -> Result<(), EngineError> {
        let mut loads = self.loads.lock().expect("no panic");
        loads.push(part.all().0.len());
        if self.stale && loads.len() > 1 { Ok(()) } else { self.engine.load(part) }
    }

    fn advance(
        &mut self,
        part: &mut Part<Fixed>,
        steps: u32,
        sums: Option<&Totals<Fixed>>,
    ) -> Result<(), EngineError> {
        PartEngine::advance(&mut self.engine, part, steps, sums.filter(|_| !self.blind))
    }

    fn split(
        &mut self,
        part: &mut Part<Fixed>,
        grid: &Grid<Fixed>,
        inside: [[u32; 3]; 2],
    ) -> Result<(), EngineError> {
        self.engine.split(part, grid, inside)
    }

    fn fetch(&mut self, part: &mut Part<Fixed>) -> Result<(), EngineError> {
        self.engine.fetch(part)
    }

    fn sums(&mut self, part: &mut Part<Fixed>) -> Result<Totals<Fixed>, EngineError> {
        self.engine.sums(part)
    }

    fn hash(&mut self, part: &Part<Fixed>) -> Result<u64, EngineError> {
        PartEngine::hash(&mut self.engine, part)
    }
}

/// One rank, which has no halo: what differs is what it is told.
fn altered(gpu: &Gpu, blind: bool, stale: bool) -> Vec<u64> {
    let p = sums();
    let equip = |_| -> Result<Option<Boxed>, EngineError> {
        let engine = GpuEngine::for_parts(gpu, &p)?;
        Ok(Some(Box::new(Altered { engine, blind, stale, loads: Arc::default() })))
    };
    let mut ranks = on_ranks(&p, Start::Seeded(0), 1, settings(1), &equip);
    ranks.advance(4).expect("stepped");
    ranks.steer_predator(0, [1.0; 3]).expect("steered");
    hashes(&mut *ranks, &p, 3)
}

/// Only what others may perceive, or have sent, comes from and goes to a device between two cuts.
fn the_inside_stays_on_its_device(gpu: &Gpu) {
    let mut p = base(2000, Edges::Wrap, 3);
    p.world.max[0] = p.world.min[0] + 10.0 * (p.world.max[0] - p.world.min[0]);
    let loads = Arc::new(Mutex::new(Vec::new()));
    let equip = |rank| -> Result<Option<Boxed>, EngineError> {
        let engine = GpuEngine::for_parts(gpu, &p)?;
        let loads = if rank == 0 { loads.clone() } else { Arc::default() };
        Ok(Some(Box::new(Altered { engine, blind: false, stale: false, loads })))
    };
    let settings = Settings { recut: 64, ..settings(2) };
    let mut ranks = on_ranks(&p, Start::Seeded(0), 2, settings, &equip);
    assert_eq!(Some(hashes(&mut *ranks, &p, 12)), expected(&p, 12));
    let loads = loads.lock().expect("no panic");
    assert!(loads.len() == 6 && loads[1..].iter().all(|load| 0 < *load && 2 * load < loads[0]), "{loads:?}");
}

fn sums_or_changes_that_are_withheld_are_seen(gpu: &Gpu) {
    let right = altered(gpu, false, false);
    let p = sums();
    let mut alone = cpu::open_as::<Fixed>(&p, &State::start(&p), Some(1)).expect("fits");
    alone.advance(4).expect("stepped");
    alone.steer_predator(0, [1.0; 3]).expect("steered");
    assert_eq!(right, hashes(&mut *alone, &p, 3));
    assert_ne!(altered(gpu, true, false), right, "without sums");
    assert_ne!(altered(gpu, false, true), right, "without the steered predator");
}

on_every_adapter![predators_are_steered_and_flocks_replaced, one_thread_reads_while_another_polls];

/// The words from ranks to an engine are the same for every adapter; the engine's result is tested there without ranks.
#[test]
fn flocks_have_the_bits_of_one_engine() {
    every::on(Slot::LlvmpipeVulkan, presets_and_rules);
    every::on(Slot::LlvmpipeVulkan, dense_flocks);
}

#[test]
fn engines_take_many_steps_at_once() {
    every::on(Slot::LlvmpipeVulkan, many_steps_at_once);
}

#[test]
fn random_rules_have_the_bits_of_one_engine() {
    every::on(Slot::LlvmpipeVulkan, random_rules);
}

#[test]
fn a_part_is_loaded_whole_once() {
    every::on(Slot::LlvmpipeVulkan, the_inside_stays_on_its_device);
}

#[test]
fn what_an_engine_is_not_told_is_seen() {
    every::on(Slot::LlvmpipeVulkan, sums_or_changes_that_are_withheld_are_seen);
}
