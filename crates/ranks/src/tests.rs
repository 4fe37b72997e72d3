//! Any number of ranks has the bits of one engine.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use config::presets::{self, PRESETS};
use cpu::{RankFlock, Role};
use engine::system::spawn;
use engine::{Engine, EngineError, Result, State};
use flock::parameters::Edges;
use flock::random::draw;
use flock::{Fixed, Parameters};

use super::leader::{Leader, follow, on_threads};
use super::rank::Rank;
use super::transport::{Wires, connect};
use super::*;
use hashes::hashes;

#[path = "../../../tests/support/hashes.rs"]
mod hashes;
#[path = "../../../tests/support/random_flock.rs"]
mod random_flock;
#[expect(dead_code, reason = "these flocks are random in all parameters")]
#[path = "../../../tests/support/random_terms.rs"]
mod random_terms;
#[expect(dead_code, reason = "nothing that these tests require is missing")]
#[path = "../../../tests/support/scope.rs"]
mod scope;
mod simulated;

const RANKS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// The hashes of a single engine; `None` if the flock does not fit the number type.
fn expected<T: Packed>(p: &Parameters, state: &State, steps: u32) -> Option<Vec<u64>> {
    let mut engine = cpu::open_as::<T>(p, state, Some(1)).ok()?;
    Some(hashes(&mut *engine, p, steps))
}

/// The hashes on ranks; at the end no boid is lost or duplicated.
fn on_ranks<T: Packed>(p: &Parameters, state: &State, ranks: usize, recut: u32, steps: u32) -> Vec<u64> {
    let mut engine = threads::<T>(p, Start::Given(state), ranks, recut).expect("fits");
    let found = hashes(&mut engine, p, steps);
    assert_eq!(engine.state().expect("whole").boids.len(), state.boids.len());
    found
}

/// In integers the flock on ranks has the hashes of one engine.
fn same_on_ranks(what: &str, p: &Parameters, state: &State, ranks: &[usize], recut: u32, steps: u32) {
    let one = expected::<Fixed>(p, state, steps).expect("fits");
    for ranks in ranks {
        assert_eq!(on_ranks::<Fixed>(p, state, *ranks, recut, steps), one, "{what}, {ranks} ranks");
    }
}

/// A flock on ranks of one thread, without an analysis.
fn threads<T: Packed>(
    parameters: &Parameters,
    start: Start<'_>,
    ranks: usize,
    recut: u32,
) -> Result<Leader<T, Wires>> {
    let in_situ = || -> Result<Box<dyn InSitu<T>>> { Ok(Box::new(())) };
    let settings = settings(recut);
    on_threads(&Setup { parameters, start, settings, in_situ: &in_situ, on_dense: None }, connect(ranks))
}

fn settings(recut: u32) -> Settings {
    Settings { recut, threads: Some(1) }
}

fn preset(name: &str, dimensions: u32, boids: u32) -> Parameters {
    let mut p = presets::find(name).and_then(presets::Preset::parameters).expect("built in");
    p.flock.dimensions = dimensions;
    p.set_boids(boids);
    p
}

/// A dense flock in a world that has some cells along each axis.
fn packed(dimensions: u32, edges: Edges, cells: f64, boids: u32) -> (Parameters, State) {
    let mut p = Parameters::default();
    (p.flock.boids, p.flock.dimensions, p.world.edges) = (boids, dimensions, edges);
    (p.world.min, p.world.max) = ([0.0; 3], [1.01 * cells; 3]);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (0.5, 1.0, 1.0);
    (p.motion.min_speed, p.motion.max_speed) = (0.05, 0.2);
    let state = State::start(&p);
    (p, state)
}

#[test]
fn random_rules_have_the_bits_of_one_rank() {
    let mut fit = 0;
    for number in 0..160 {
        let mut p = random_flock::parameters(number, 120);
        if number % 2 == 0 {
            p.terms = random_terms::terms(number).1;
        }
        let state = State::start(&p);
        let Some(one) = expected::<Fixed>(&p, &state, 6) else { continue };
        fit += 1;
        let [ranks, recut, ..] = draw(number, 7, 7, 7);
        let (ranks, recut) = (RANKS[ranks as usize % 6], 1 + recut % 4);
        let found = on_ranks::<Fixed>(&p, &state, ranks, recut, 6);
        assert_eq!(found, one, "{number}, {ranks} ranks, cut every {recut} steps: {p:?}");
    }
    assert!(fit > 80, "only {fit} fit integers");
}

/// Boids on the points of a lattice, which is where cells end: on faces, edges and corners of blocks.
#[test]
fn boids_on_faces_edges_and_corners_are_perceived() {
    for (dimensions, edges) in [(2, Edges::Wrap), (3, Edges::Wrap), (3, Edges::Open), (2, Edges::Turn)] {
        let (p, mut state) = packed(dimensions, edges, 6.0, 216);
        for (k, boid) in state.boids.iter_mut().enumerate() {
            let at = |stride: usize| (k / stride % 6) as f64 * 1.01;
            boid.position = [at(1), at(6), if dimensions == 3 { at(36) } else { 0.0 }];
            // Some a last digit before the face.
            boid.position[k % 2] -= (k % 3) as f64 / 1e6;
        }
        same_on_ranks(&format!("{dimensions}-D, {edges:?}"), &p, &state, &[2, 3, 8], 64, 8);
    }
}

#[test]
fn worlds_of_a_few_cells_wrap_around_a_rank() {
    // One cell, so that all boids are on one rank; two and three, so that all blocks are near all.
    for cells in [1.0, 2.0, 3.0, 4.5] {
        for (dimensions, edges) in [(2, Edges::Wrap), (3, Edges::Wrap), (3, Edges::Turn)] {
            let (p, state) = packed(dimensions, edges, cells, 150);
            same_on_ranks(&format!("{dimensions}-D, {edges:?}, {cells} cells"), &p, &state, &[2, 8], 2, 6);
        }
    }
}

#[test]
fn ranks_may_be_empty() {
    for boids in [0, 1, 3, 60] {
        let (p, mut state) = packed(3, Edges::Open, 9.0, boids);
        // All in one block, one of them far away.
        for (k, boid) in state.boids.iter_mut().enumerate() {
            boid.position = if k == 2 { [-90.0, 60.0, 300.0] } else { [4.0 + 1e-3 * k as f64, 4.0, 4.0] };
        }
        same_on_ranks(&format!("{boids} boids"), &p, &state, &[8], 3, 10);
    }
}

/// Without sums over the flock and dense cells, f32 has the bits of one rank, too.
#[test]
fn floating_point_has_the_bits_of_one_rank() {
    let mut compared = 0;
    for (known, dimensions) in PRESETS.iter().flat_map(|known| [(known, 2), (known, 3)]) {
        let p = preset(known.name, dimensions, 300);
        if check(&p, Numeric::F32).is_err() {
            assert!(threads::<f32>(&p, Start::Seeded(0), 2, 64).is_err());
            continue;
        }
        let state = State::start(&p);
        let one = expected::<f32>(&p, &state, 10).expect("fits");
        for ranks in [3, 8] {
            let found = on_ranks::<f32>(&p, &state, ranks, 4, 10);
            assert_eq!(found, one, "{}, {dimensions}-D, {ranks} ranks", known.name);
        }
        compared += 1;
    }
    assert!(compared >= 8, "{compared} flocks were compared");
}

/// More cells than a rank's own grid: some share a number in integers; in f32 their order is the flock's.
#[test]
fn a_grid_larger_than_a_rank_has_the_bits_of_one_rank() {
    let (mut p, _) = packed(3, Edges::Wrap, 10.0, 9000);
    // A grid shares the numbers of its longest axis first, and along x that is the order of cells.
    p.world.max[0] *= 8.0;
    let state = State::start(&p);
    let one = expected::<f32>(&p, &state, 3).expect("fits");
    assert_eq!(on_ranks::<f32>(&p, &state, 4, 64, 3), one);
    same_on_ranks("a large grid", &p, &state, &[3, 8], 64, 3);
}

/// Clumps that lie across many cells, so that any cut divides them; `spread` is their diameter in cells.
fn clumped(dimensions: u32, edges: Edges, spread: f64) -> (Parameters, State) {
    let (p, mut state) = packed(dimensions, edges, 9.0, 6000);
    for (k, boid) in state.boids.iter_mut().enumerate() {
        let shares = draw(3, 4, k as u32, 5).map(|word| f64::from(word) / f64::from(u32::MAX) - 0.5);
        let middle = [2.0, 6.5][k % 2];
        for (c, share) in boid.position.iter_mut().zip(shares).take(dimensions as usize) {
            *c = 1.01 * (middle + spread * share);
        }
        *boid = boid.convert::<f32>().convert();
    }
    (p, state)
}

/// The hashes of a whole flock in f32 that is stepped without clusters.
fn without_clusters(p: &Parameters, state: &State, steps: u32) -> Vec<u64> {
    let boids = state.boids.len() as u32;
    let mut whole = RankFlock::<f32>::new(p, boids, boids, Some(2)).expect("fits");
    whole.use_no_clusters();
    whole.restart(state.step, &state.predators);
    for (id, boid) in (0..).zip(&state.boids) {
        whole.add(id, whole.rule().quantise(boid), Role::Own);
    }
    let mut hashes = vec![whole.hash().expect("finite")];
    for _ in 0..steps {
        whole.begin();
        whole.finish();
        hashes.push(whole.hash().expect("finite"));
    }
    hashes
}

/// In f32 ranks use no clusters, and have the bits of a flock without them. Other sums have other orders.
#[test]
fn dense_cells_have_the_bits_of_a_flock_without_clusters() {
    let mut with_clusters_differ = 0;
    for (dimensions, edges) in [(2, Edges::Wrap), (3, Edges::Open), (3, Edges::Turn)] {
        let (p, state) = clumped(dimensions, edges, 2.5);
        let one = without_clusters(&p, &state, 4);
        for ranks in [1, 3, 8] {
            let found = on_ranks::<f32>(&p, &state, ranks, 2, 4);
            assert_eq!(found, one, "{dimensions}-D, {edges:?}, {ranks} ranks");
        }
        with_clusters_differ += u32::from(expected::<f32>(&p, &state, 4).expect("fits") != one);
    }
    assert!(with_clusters_differ > 0, "no cell was dense");
}

static REPORTS: AtomicU32 = AtomicU32::new(0);

/// Whichever rank has the dense cell; in integers, and in a flock without one, nothing is reported.
#[test]
fn a_dense_cell_is_reported_once() {
    fn reports<T: Packed>(p: &Parameters, state: &State) -> u32 {
        REPORTS.store(0, Relaxed);
        let in_situ = || -> Result<Box<dyn InSitu<T>>> { Ok(Box::new(())) };
        let on_dense: Option<fn()> = Some(|| {
            REPORTS.fetch_add(1, Relaxed);
        });
        let start = Start::Given(state);
        let setup = Setup { parameters: p, start, settings: settings(64), in_situ: &in_situ, on_dense };
        let mut engine = on_threads(&setup, connect(3)).expect("fits");
        for _ in 0..3 {
            engine.advance(2).expect("stepped");
        }
        REPORTS.load(Relaxed)
    }
    for corner in [0.5, 4.0, 8.5] {
        let (p, mut state) = packed(3, Edges::Turn, 9.0, 600);
        assert_eq!(reports::<f32>(&p, &state), 0);
        state.boids.iter_mut().step_by(2).for_each(|boid| boid.position = [corner; 3]);
        assert_eq!((reports::<f32>(&p, &state), reports::<Fixed>(&p, &state)), (1, 0), "{corner}");
    }
}

/// The first rank leads, the others follow on threads of their own.
fn led<W: Transport + Send + 'static>(
    ranks: impl Iterator<Item = Rank<Fixed, W>>,
    start: Start<'_>,
) -> Result<Leader<Fixed, W>> {
    let mut all: Vec<_> = ranks.collect();
    let first = all.remove(0);
    let follows = |mut rank| spawn("rank", move || drop(follow(&mut rank))).expect("a thread");
    Leader::new(first, all.into_iter().map(follows).collect(), start)
}

/// The hashes of a flock on ranks after a defect is introduced.
fn altered(alter: fn(&mut Rank<Fixed, Wires>)) -> Vec<u64> {
    let (p, state) = packed(3, Edges::Wrap, 8.0, 600);
    let rank = |wires| {
        let mut rank = Rank::<Fixed, _>::new(wires, &p, settings(64)).expect("fits");
        alter(&mut rank);
        rank
    };
    let mut leader = led(connect(8).into_iter().map(rank), Start::Given(&state)).expect("all there");
    hashes(&mut leader, &p, 6)
}

#[test]
fn a_halo_without_a_face_or_without_corners_would_be_noticed() {
    let (p, state) = packed(3, Edges::Wrap, 8.0, 600);
    let one = expected::<Fixed>(&p, &state, 6).expect("fits");
    assert_eq!(altered(|_| ()), one);
    assert_ne!(altered(|rank| rank.halo.seen = |[x, ..]| x), one, "no face along x");
    let no_corners = |rank: &mut Rank<Fixed, Wires>| {
        rank.halo.seen = |within| within.iter().filter(|within| !**within).count() < 2;
    };
    assert_ne!(altered(no_corners), one, "no edges and corners");
}

#[test]
fn a_rank_that_is_gone_ends_the_flock_with_a_line() {
    let (p, state) = packed(3, Edges::Wrap, 8.0, 100);
    // The third of three is dropped.
    let ranks = connect(3).into_iter().take(2);
    let ranks = ranks.map(|wires| Rank::<Fixed, _>::new(wires, &p, settings(64)).expect("fits"));
    let why = led(ranks, Start::Given(&state)).map(drop).expect_err("rank 2 is not there");
    assert_eq!(why.to_string(), "ranks: rank 2 is gone");
}

/// A transport that panics at a receive of its rank.
#[derive(Debug)]
struct Failing(Wires, usize);

impl Transport for Failing {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn send(&mut self, to: usize, words: Vec<u32>) -> Result<(), Lost> {
        self.0.send(to, words)
    }

    fn receive(&mut self, from: usize) -> Result<Vec<u32>, Lost> {
        self.1 -= 1;
        if self.1 == 0 {
            // A panic without its message.
            std::panic::resume_unwind(Box::new(()));
        }
        self.0.receive(from)
    }
}

#[test]
fn a_rank_that_panics_ends_the_flock_with_a_line() {
    let (p, _) = packed(3, Edges::Wrap, 8.0, 100);
    for receives in [1, 5, 40] {
        let rank = |wires: Wires| {
            let receives = if wires.rank() == 2 { receives } else { usize::MAX };
            Rank::<Fixed, _>::new(Failing(wires, receives), &p, settings(64)).expect("fits")
        };
        let leader = led(connect(3).into_iter().map(rank), Start::Seeded(0));
        let why = leader.and_then(|mut leader| leader.advance(1000));
        let why = why.expect_err("a rank is gone").to_string();
        assert!(["ranks: rank 1 is gone", "ranks: rank 2 is gone"].contains(&why.as_str()), "{why}");
    }
}

/// Each rank draws a part of the start: the boids of the whole, at any step.
#[test]
fn a_start_in_parts_is_the_start() {
    let mut p = preset("yabi", 3, 301);
    p.predators.attack_weight = 0.5;
    let state = State { step: 9, ..State::start(&p) };
    let one = expected::<Fixed>(&p, &state, 4).expect("fits");
    for ranks in RANKS {
        let mut engine = threads::<Fixed>(&p, Start::Seeded(9), ranks, 3).expect("fits");
        assert_eq!(hashes(&mut engine, &p, 4), one, "{ranks} ranks");
    }
}

/// Boids in a ball, in a world that is mostly empty: dense at its centre.
#[test]
fn a_flock_that_clumps_is_balanced() {
    let (p, mut state) = packed(3, Edges::Open, 40.0, 6000);
    for (k, boid) in state.boids.iter_mut().enumerate() {
        let [x, y, z, far] = draw(1, 2, k as u32, 3).map(|word| f64::from(word) / f64::from(u32::MAX));
        boid.position = [x, y, z].map(|c| 20.0 + 12.0 * (c - 0.5) * far);
    }
    let one = expected::<Fixed>(&p, &state, 12).expect("fits");
    for ranks in [2, 3, 4, 8] {
        let mut engine = threads::<Fixed>(&p, Start::Given(&state), ranks, 4).expect("fits");
        assert_eq!(hashes(&mut engine, &p, 12), one, "{ranks} ranks");
        assert!(engine.imbalance() < 1.2, "{ranks} ranks: {}", engine.imbalance());
    }
}

#[test]
fn a_flock_may_be_replaced_and_its_predators_steered() {
    let mut p = preset("yabi", 3, 200);
    p.predators.attack_weight = 0.5;
    let state = State::start(&p);
    let mut alone = cpu::open_as::<Fixed>(&p, &state, Some(1)).expect("fits");
    let mut engine = threads::<Fixed>(&p, Start::Given(&state), 3, 64).expect("fits");
    for engine in [&mut *alone as &mut dyn Engine, &mut engine] {
        engine.advance(5).expect("stepped");
        engine.steer_predator(1, [3.0, 4.0, 5.0]).expect("steered");
        engine.steer_predator(99, [0.0; 3]).expect("ignored");
        engine.advance(4).expect("stepped");
    }
    let first = alone.state().expect("read");
    assert!(first == engine.state().expect("whole"));
    for engine in [&mut *alone as &mut dyn Engine, &mut engine] {
        engine.set_state(&State { step: 70, ..state.clone() }).expect("as many boids");
        engine.advance(3).expect("stepped");
    }
    let second = alone.state().expect("read");
    assert!(second == engine.state().expect("whole") && second != first && second.step == 73);
    let other = State::start(&preset("yabi", 3, 199));
    assert!(engine.set_state(&other).is_err());
}

/// Counts boids by id modulo `request[0]`, each with the weight `request[1]`; a rank may fail.
#[derive(Debug)]
struct Counts {
    fails: Option<usize>,
}

impl<T: Packed> InSitu<T> for Counts {
    fn analyse(
        &mut self,
        request: &[u32],
        part: &RankFlock<T>,
        transport: &mut dyn Transport,
    ) -> Result<Vec<u32>> {
        if self.fails == Some(transport.rank()) {
            return Err(EngineError::Refused("no analysis".into()));
        }
        let mut counts = vec![0; request[0] as usize];
        for (id, _) in part.local() {
            let count: &mut u32 = &mut counts[id as usize % request[0] as usize];
            *count = count.wrapping_add(request[1]);
        }
        Ok(transport.add(counts)?)
    }
}

/// A flock of 401 on ranks that count, after five steps.
fn counting(ranks: usize, fails: Option<usize>) -> (Parameters, Leader<Fixed, Wires>) {
    let (p, state) = packed(3, Edges::Wrap, 8.0, 401);
    let in_situ = || -> Result<Box<dyn InSitu<Fixed>>> { Ok(Box::new(Counts { fails })) };
    let (start, settings) = (Start::Given(&state), settings(4));
    let setup = Setup { parameters: &p, start, settings, in_situ: &in_situ, on_dense: None };
    let mut leader = on_threads(&setup, connect(ranks)).expect("fits");
    leader.advance(5).expect("stepped");
    (p, leader)
}

const REQUEST: [u32; 2] = [7, u32::MAX / 3];

/// Counts by id modulo seven: each boid is counted at one rank, whichever has it; the words wrap.
#[test]
fn words_of_all_ranks_are_added() {
    let third = |count: u32| count.wrapping_mul(u32::MAX / 3);
    let expected: Vec<u32> = (0..7).map(|k| third(401 / 7 + u32::from(k < 401 % 7))).collect();
    for ranks in [1, 4, 9] {
        let (p, mut leader) = counting(ranks, None);
        assert_eq!(leader.predators().len(), p.predators.count as usize);
        assert_eq!(leader.analyse(&REQUEST).expect("counted"), expected, "{ranks} ranks");
    }
}

#[test]
fn a_rank_that_fails_says_why() {
    for (ranks, fails) in [(1, 0), (4, 3), (4, 0)] {
        let (_, mut leader) = counting(ranks, Some(fails));
        let why = "no analysis";
        assert_eq!(leader.analyse(&REQUEST).expect_err("fails").to_string(), why, "{fails} of {ranks}");
        // The other ranks stand in the middle of an order: nothing more is asked of them.
        assert_eq!(leader.hash().expect_err("ended").to_string(), why);
        assert_eq!(leader.steer_predator(0, [0.0; 3]).expect_err("ended").to_string(), why);
    }
}

/// Ranks support every term of today: the refusal of others is tried with fewer.
#[test]
fn a_rule_with_a_term_that_is_not_supported_is_refused() {
    let mut p = Parameters::default();
    p.alignment.inner_radius = 0.5;
    let used = Rule::<f32>::new(&p).terms;
    assert_eq!(check_terms(used, SUPPORTED), Ok(()));
    let refused = check_terms(used, Terms::PAIRWISE).expect_err("zones are not pairwise");
    assert!(refused.contains(Term::Zones.switch()), "{refused}");
}

#[test]
fn what_is_a_sum_over_the_flock_is_named_in_f32_only() {
    let refused = |change: &dyn Fn(&mut Parameters)| {
        let mut p = Parameters::default();
        change(&mut p);
        assert_eq!(check(&p, Numeric::Fixed), Ok(()));
        check(&p, Numeric::F32).err().unwrap_or_default()
    };
    assert_eq!(refused(&|_| ()), "");
    let hunt = |p: &mut Parameters| (p.predators.count, p.predators.attack_weight) = (2, 0.5);
    assert!(refused(&hunt).starts_with("predators.attack_weight must be 0, not 0.5"));
    let chase = |p: &mut Parameters| (p.predators.count, p.predators.chase_weight) = (1, 0.25);
    assert!(refused(&chase).starts_with("predators.chase_weight must be 0, not 0.25"));
    // Without predators their weights are of no use.
    assert_eq!(refused(&|p| p.predators.attack_weight = 0.5), "");
    let whole = |p: &mut Parameters| (p.cohesion.scope, p.cohesion.weight) = (Scope::Flock, 0.1);
    assert!(refused(&whole).starts_with("cohesion.scope must be neighbours, not flock"));
    let whole = |p: &mut Parameters| (p.alignment.scope, p.alignment.weight) = (Scope::Flock, 0.1);
    assert!(refused(&whole).starts_with("alignment.scope must be neighbours, not flock"));
    assert!(check(&Parameters::default(), Numeric::F64).is_err_and(|why| why.contains("fixed or f32")));
}
