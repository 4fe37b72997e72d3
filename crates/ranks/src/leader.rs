//! Rank 0 as the engine that its callers see, and the ranks that follow it.

use std::sync::{Arc, OnceLock};

use cpu::Role;
use engine::system::{NoThreads, Task, spawn};
use engine::{Engine, EngineError, Numeric, Result, State};
use flock::{Boid, Fixed, Parameters, Predator, start};

use crate::rank::{Rank, Settings};
use crate::transport::{Transport, add_integers, connect, pack, unpack, wide, words};
use crate::{InSitu, OnRanks, Packed, Sum};

/// An order to all ranks: the first of the words that rank 0 sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Order {
    /// Followed by the number of steps.
    Advance,
    Hash,
    /// Each rank sends its boids to rank 0.
    Gather,
    /// Followed by the step and the predators; rank 0 sends each rank its share of the boids.
    Restart,
    /// Followed by the step and the predators; each rank draws its share of the start.
    Start,
    /// Followed by the index of a predator and its position.
    Steer,
    /// Followed by the request: each rank answers it for its own boids.
    Analyse,
    End,
}

const ORDERS: [Order; 8] = {
    use Order::*;
    [Advance, Hash, Gather, Restart, Start, Steer, Analyse, End]
};

/// Initial state of a flock on ranks.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// The seeded start, as if at this step: each rank draws its share, and none holds the whole.
    Seeded(u64),
    /// A state held by rank 0.
    Given(&'a State),
}

/// A flock to open on ranks.
#[allow(missing_debug_implementations, reason = "a function has none")]
pub struct Setup<'a, T: Packed> {
    pub parameters: &'a Parameters,
    pub start: Start<'a>,
    pub settings: Settings,
    /// Makes a rank's share of an analysis.
    pub in_situ: &'a dyn Fn() -> Result<Box<dyn InSitu<T>>>,
    /// Called once by rank 0, where a cell of a flock in f32 is dense: its boids are stepped one by one.
    pub on_dense: Option<fn()>,
}

impl<T: Packed> Setup<'_, T> {
    /// Creates a rank without boids.
    fn rank<W: Transport>(&self, wires: W) -> Result<Rank<T, W>> {
        let mut rank = Rank::new(wires, self.parameters, self.settings)?;
        rank.in_situ = (self.in_situ)()?;
        Ok(rank)
    }
}

impl<T: Packed, W: Transport> Rank<T, W> {
    /// Executes this rank's part of an order.
    fn obey(&mut self, order: Order, words: &[u32]) -> Result {
        match order {
            Order::Advance => self.advance(words.first().copied().unwrap_or(0))?,
            Order::Hash => drop(self.hash()?),
            Order::Gather => {
                let local = self.packed();
                self.transport.send(0, local)?;
            }
            Order::Restart => {
                self.restart(words);
                let share = self.transport.receive(0)?;
                let flat = self.part.rule().flat;
                unpack(flat, &share).for_each(|(id, boid)| self.part.add(id, boid, Role::Own));
            }
            Order::Start => {
                self.restart(words);
                self.draw();
            }
            Order::Steer => {
                let [index, position @ ..] = words else { return Ok(()) };
                let position = [0, 1, 2].map(|k| f32::from_bits(position.get(k).copied().unwrap_or(0)));
                self.part.steer_predator(*index as usize, position)?;
            }
            Order::Analyse => drop(self.analyse(words)?),
            Order::End => {}
        }
        Ok(())
    }

    /// The hash of the flock; `None` if a number is not finite.
    fn hash(&mut self) -> Result<Option<u64>> {
        let local = self.part.hash();
        let mut numbers = [local.unwrap_or(0), u64::from(local.is_none())];
        self.transport.sum(&mut numbers)?;
        Ok((numbers[1] == 0).then_some(numbers[0]))
    }

    /// The own boids as words.
    fn packed(&self) -> Vec<u32> {
        let flat = self.part.rule().flat;
        let mut parcel = Vec::new();
        self.part.local().for_each(|(id, boid)| pack(flat, id, boid, &mut parcel));
        parcel
    }

    fn restart(&mut self, numbers: &[u32]) {
        let mut numbers = wide(numbers);
        let step = numbers.next().unwrap_or(0);
        let numbers: Vec<f64> = numbers.map(f64::from_bits).collect();
        let predators = numbers.chunks_exact(6).map(|numbers| {
            let vector = |first: usize| [0, 1, 2].map(|k| numbers[first + k]);
            Predator { position: vector(0), velocity: vector(3) }
        });
        self.part.restart(step, &predators.collect::<Vec<_>>());
        self.disturb();
    }
}

/// Follows rank 0 to its end; an error if a rank is gone or the flock cannot be stepped.
pub(crate) fn follow<T: Packed, W: Transport>(rank: &mut Rank<T, W>) -> Result {
    loop {
        let words = rank.transport.broadcast(Vec::new())?;
        let [first, rest @ ..] = &words[..] else { continue };
        let order = ORDERS.get(*first as usize).copied().unwrap_or(Order::End);
        rank.obey(order, rest)?;
        if order == Order::End {
            rank.transport.end();
            return Ok(());
        }
    }
}

/// Rank 0: an engine that steps its flock on all ranks.
#[derive(Debug)]
pub(crate) struct Leader<T: Packed, W: Transport> {
    rank: Rank<T, W>,
    /// Set once a rank has failed: no further order is given, since the others may be anywhere in the last one.
    failed: Option<EngineError>,
    /// The error that ended the first rank thread: the other ranks see only that it is gone.
    cause: Arc<OnceLock<EngineError>>,
    on_dense: Option<fn()>,
    /// Dropped after rank 0's wires, so that joining the threads cannot block.
    _followers: Followers,
}

/// Rank threads.
#[derive(Debug)]
struct Followers(Vec<Task<()>>);

impl Drop for Followers {
    fn drop(&mut self) {
        self.0.drain(..).for_each(Task::detach);
    }
}

/// [`Packed::on_threads`] in any number type, over the connections of all ranks.
pub(crate) fn on_threads<T: Packed, W: Transport + Send + 'static>(
    setup: &Setup<'_, T>,
    connections: Vec<W>,
) -> Result<Leader<T, W>> {
    let ranks = connections.len();
    let all = connections.into_iter().map(|connection| setup.rank(connection));
    let mut others = all.collect::<Result<Vec<_>>>()?;
    let first = others.remove(0);
    let cause = Arc::new(OnceLock::new());
    let others = others.into_iter().map(|mut rank| {
        let cause = cause.clone();
        // Set before the rank's wires are cut, and so before other ranks can notice.
        spawn("rank", move || drop(follow(&mut rank).map_err(|why| cause.set(why))))
    });
    let followers = others.collect::<Result<Vec<_>, _>>();
    let followers = followers.map_err(|error| broken(NoThreads::new(ranks, &error).to_string()))?;
    let mut leader = Leader::new(first, followers, setup.start)?;
    leader.cause = cause;
    leader.on_dense = setup.on_dense;
    Ok(leader)
}

/// [`Packed::on_processes`] in any number type.
#[cfg(feature = "mpi")]
pub(crate) fn on_processes<T: Packed>(
    setup: &Setup<'_, T>,
    processes: crate::processes::Processes,
) -> Result<Option<Box<dyn OnRanks>>> {
    let number = processes.rank();
    let mut rank = setup.rank(processes)?;
    if number > 0 {
        follow(&mut rank)?;
        return Ok(None);
    }
    let mut leader = Leader::new(rank, Vec::new(), setup.start)?;
    leader.on_dense = setup.on_dense;
    Ok(Some(Box::new(leader)))
}

impl<T: Packed, W: Transport> Leader<T, W> {
    /// Leads as rank 0; all other ranks [`follow`].
    pub fn new(rank: Rank<T, W>, followers: Vec<Task<()>>, start: Start<'_>) -> Result<Self> {
        let mut leader = Leader {
            rank,
            failed: None,
            cause: Arc::default(),
            on_dense: None,
            _followers: Followers(followers),
        };
        match start {
            Start::Given(state) => leader.set_state(state)?,
            Start::Seeded(step) => {
                let p = leader.rank.parameters;
                let predators: Vec<_> = (0..p.predators.count).map(|k| start::predator(&p, k)).collect();
                let numbers = beginning(step, &predators);
                leader.together(Order::Start, &numbers, |rank| rank.obey(Order::Start, &numbers))?;
            }
        }
        Ok(leader)
    }

    /// Sends an order to the other ranks, and executes this rank's part. After an error there are no further orders.
    fn together<R>(
        &mut self,
        order: Order,
        words: &[u32],
        on_leader: impl FnOnce(&mut Rank<T, W>) -> Result<R>,
    ) -> Result<R> {
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        // Remains if a panic ends the rank.
        self.failed = Some(broken("rank 0 has stopped".into()));
        let all = [&[order as u32], words].concat();
        let done = self.rank.transport.broadcast(all).map_err(EngineError::from);
        let done = done.and_then(|_| on_leader(&mut self.rank));
        // A rank that has ended gives its error: the others see only that it is gone.
        let done = done.map_err(|seen| self.cause.get().cloned().unwrap_or(seen));
        self.failed = done.as_ref().err().cloned();
        done
    }
}

impl<T: Packed, W: Transport> Rank<T, W> {
    /// The state from the boids of all ranks; rank 0 holds those of one other rank at a time.
    fn joined(&mut self) -> Result<State> {
        let count = self.parameters.flock.boids as usize;
        let Rank { part, transport, .. } = self;
        let flat = part.rule().flat;
        let (mut boids, mut seen) = (vec![Boid::default(); count], vec![false; count]);
        let mut add = |id: u32, boid: &Boid<T>| {
            let id = id as usize;
            if seen.get(id) != Some(&false) {
                return Err(broken(format!("boid {id} is on two ranks")));
            }
            (boids[id], seen[id]) = (part.rule().dequantise(boid), true);
            Ok(())
        };
        part.local().try_for_each(|(id, boid)| add(id, boid))?;
        for from in 1..transport.ranks() {
            let parcel = transport.receive(from)?;
            unpack::<T>(flat, &parcel).try_for_each(|(id, boid)| add(id, &boid))?;
        }
        if let Some(id) = seen.iter().position(|seen| !seen) {
            return Err(broken(format!("boid {id} is on no rank")));
        }
        Ok(State { step: part.step(), boids, predators: part.predators() })
    }

    /// Starts from a state held by rank 0, which sends each rank its share.
    fn deal(&mut self, numbers: &[u32], state: &State) -> Result {
        self.restart(numbers);
        for rank in 0..self.transport.ranks() {
            let share = self.share(rank);
            let Rank { part, transport, .. } = self;
            let (flat, mut parcel) = (part.rule().flat, Vec::new());
            for (id, boid) in share.clone().zip(&state.boids[share]) {
                let boid = part.rule().quantise(boid);
                match rank {
                    0 => part.add(id as u32, boid, Role::Own),
                    _ => pack(flat, id as u32, &boid, &mut parcel),
                }
            }
            if rank > 0 {
                transport.send(rank, parcel)?;
            }
        }
        Ok(())
    }
}

/// Packs a step and predators into words.
fn beginning(step: u64, predators: &[Predator<f64>]) -> Vec<u32> {
    let predators = predators.iter().flat_map(|p| p.position.into_iter().chain(p.velocity));
    let numbers: Vec<u64> = [step].into_iter().chain(predators.map(f64::to_bits)).collect();
    words(&numbers)
}

fn broken(what: String) -> EngineError {
    EngineError::Device { device: "ranks".into(), what }
}

impl<T: Packed, W: Transport> Engine for Leader<T, W> {
    fn describe(&self) -> String {
        let (ranks, of_rank) = (self.rank.transport.ranks(), self.rank.part.describe());
        let plural = if ranks == 1 { "" } else { "s" };
        format!("cpu, {ranks} rank{plural} of {of_rank}, {}", T::NUMERIC.name())
    }

    fn numeric(&self) -> Numeric {
        T::NUMERIC
    }

    fn boids(&self) -> u32 {
        self.rank.parameters.flock.boids
    }

    fn step_number(&self) -> u64 {
        self.rank.part.step()
    }

    fn advance(&mut self, steps: u32) -> Result {
        self.together(Order::Advance, &[steps], |rank| rank.advance(steps))?;
        if self.rank.dense
            && let Some(report) = self.on_dense.take()
        {
            report();
        }
        Ok(())
    }

    fn state(&mut self) -> Result<State> {
        self.together(Order::Gather, &[], Rank::joined)?.finite(T::NUMERIC)
    }

    fn hash(&mut self) -> Result<u64> {
        match self.together(Order::Hash, &[], Rank::hash)? {
            Some(hash) => Ok(hash),
            // The whole state names the boid that is not finite.
            None => self.state().map(|state| state.hash(T::NUMERIC, &self.rank.parameters)),
        }
    }

    fn set_state(&mut self, state: &State) -> Result {
        let (found, required) = (state.boids.len(), self.boids());
        if found != required as usize {
            let why = format!("the state must have {required} boids, the number on these ranks, not {found}");
            return Err(EngineError::Refused(why));
        }
        let numbers = beginning(state.step, &state.predators);
        self.together(Order::Restart, &numbers, |rank| rank.deal(&numbers, state))
    }

    fn set_parameters(&mut self, _: &Parameters) -> Result {
        Err(EngineError::Refused("the parameters of a flock on ranks cannot change".into()))
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result {
        let [x, y, z] = position.map(f32::to_bits);
        let words = [index as u32, x, y, z];
        self.together(Order::Steer, &words, |rank| rank.obey(Order::Steer, &words))
    }
}

impl<T: Packed, W: Transport> OnRanks for Leader<T, W> {
    fn analyse(&mut self, request: &[u32]) -> Result<Vec<u32>> {
        self.together(Order::Analyse, request, |rank| rank.analyse(request))
    }

    fn predators(&self) -> Vec<Predator<f64>> {
        self.rank.part.predators()
    }

    fn imbalance(&self) -> f64 {
        self.rank.imbalance
    }
}

impl<T: Packed, W: Transport> Drop for Leader<T, W> {
    fn drop(&mut self) {
        // After a failure, threads end as they notice a missing rank, and processes by `end_launch`.
        if self.together(Order::End, &[], |_| Ok(())).is_ok() {
            self.rank.transport.end();
        }
    }
}

// No function here is generic, so that all code of a rank is compiled in this crate, with the compiler flags of a step.
macro_rules! packed {
    ($number:ty, $sum:expr) => {
        impl Packed for $number {
            const SUM: Option<Sum<Self>> = $sum;

            fn on_threads(setup: &Setup<'_, Self>, ranks: usize) -> Result<Box<dyn OnRanks>> {
                Ok(Box::new(on_threads(setup, connect(ranks.max(1)))?))
            }

            #[cfg(feature = "mpi")]
            fn on_processes(
                setup: &Setup<'_, Self>,
                processes: crate::Processes,
            ) -> Result<Option<Box<dyn OnRanks>>> {
                on_processes(setup, processes)
            }
        }
    };
}

packed!(f32, None);
packed!(Fixed, Some(add_integers));
