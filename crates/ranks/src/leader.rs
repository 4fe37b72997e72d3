//! Rank 0 as the engine that its callers see, and the ranks that follow it.

use std::sync::{Arc, OnceLock};

use cpu::Role;
use engine::system::{NoThreads, Task, spawn};
use engine::{Engine, EngineError, Numeric, Result, State, add_to};
use flock::{Boid, Parameters, Predator, start};

use crate::in_situ::OnRanks;
use crate::packing::{Packed, pack, unpack};
use crate::rank::{Equipment, Rank, Residency, Settings};
use crate::threads::{Wires, connect};
use crate::transport::{Transport, wide, words};

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
    /// Each rank sends a description of what steps it, for users.
    Describe,
    End,
}

const ORDERS: [Order; 9] = {
    use Order::*;
    [Advance, Hash, Gather, Restart, Start, Steer, Analyse, Describe, End]
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
    /// Equipment of each rank, by its number from 0.
    pub equip: &'a dyn Fn(usize) -> Result<Equipment<T>>,
}

impl<T: Packed> Setup<'_, T> {
    /// Creates a rank without boids.
    fn rank<W: Transport>(&self, wires: W) -> Result<Rank<T, W>> {
        let number = wires.rank();
        let mut rank = Rank::new(wires, self.parameters, self.settings)?;
        (rank.engine, rank.in_situ) = (self.equip)(number)?;
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
                let own = self.packed()?;
                self.transport.send(0, own)?;
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
                self.fetch()?;
                self.part.steer_predator(*index as usize, position)?;
                self.place = Residency::Part;
            }
            Order::Analyse => drop(self.analyse(words)?),
            Order::Describe => drop(self.describe_all()?),
            Order::End => {}
        }
        Ok(())
    }

    /// The hash of the flock; `None` if a number is not finite.
    fn hash(&mut self) -> Result<Option<u64>> {
        let own = self.own_hash()?;
        let mut numbers = [own.unwrap_or(0), u64::from(own.is_none())];
        self.transport.sum(&mut numbers)?;
        Ok((numbers[1] == 0).then_some(numbers[0]))
    }

    /// Describes what steps the ranks, for users; the text is at rank 0.
    fn describe_all(&mut self) -> Result<String> {
        let own = self.describe().chars().map(u32::from).collect();
        let all = self.transport.gather(own)?.into_iter();
        let all: Vec<String> =
            all.map(|text| text.into_iter().filter_map(char::from_u32).collect()).collect();
        let ranks = |count: usize| format!("{count} rank{}", if count == 1 { "" } else { "s" });
        let mut groups: Vec<(&String, usize)> = Vec::new();
        for text in &all {
            add_to(&mut groups, text, 1);
        }
        if let [(text, count)] = groups[..] {
            let (kind, rest) = text.split_once(' ').unwrap_or_default();
            return Ok(format!("{kind}, {} {rest}", ranks(count)));
        }
        let groups: Vec<String> = groups.iter().map(|(text, count)| format!("{count} {text}")).collect();
        Ok(format!("{}: {}", ranks(all.len()), groups.join(", ")))
    }

    /// The own boids as words.
    fn packed(&mut self) -> Result<Vec<u32>> {
        self.fetch()?;
        let flat = self.part.rule().flat;
        let mut parcel = Vec::new();
        self.part.own().for_each(|(id, boid)| pack(flat, id, boid, &mut parcel));
        Ok(parcel)
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
    /// Description of what steps the ranks, for users.
    described: String,
    /// Dropped after rank 0's wires, so that joining the threads cannot block.
    _followers: Followers,
}

/// Rank threads.
#[derive(Debug)]
struct Followers(Vec<Task<()>>);

impl Drop for Followers {
    fn drop(&mut self) {
        self.0.drain(..).for_each(Task::leave);
    }
}

/// [`Ranked::on_threads`](crate::Ranked::on_threads) in any number type.
pub(crate) fn on_threads<T: Packed>(setup: &Setup<'_, T>, ranks: usize) -> Result<Leader<T, Wires>> {
    let all = connect(ranks.max(1)).into_iter().map(|wires| setup.rank(wires));
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
    Ok(leader)
}

/// [`Ranked::on_processes`](crate::Ranked::on_processes) in any number type.
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
    Ok(Some(Box::new(Leader::new(rank, Vec::new(), setup.start)?)))
}

impl<T: Packed, W: Transport> Leader<T, W> {
    /// Leads as rank 0; all other ranks [`follow`].
    pub fn new(rank: Rank<T, W>, followers: Vec<Task<()>>, start: Start<'_>) -> Result<Self> {
        let mut leader = Leader {
            rank,
            failed: None,
            cause: Arc::default(),
            described: String::new(),
            _followers: Followers(followers),
        };
        leader.described = leader.together(Order::Describe, &[], Rank::describe_all)?;
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
        own: impl FnOnce(&mut Rank<T, W>) -> Result<R>,
    ) -> Result<R> {
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        // Remains if a panic ends the rank.
        self.failed = Some(broken("rank 0 has ended".into()));
        let all = [&[order as u32], words].concat();
        let done = self.rank.transport.broadcast(all).map_err(EngineError::from);
        let done = done.and_then(|_| own(&mut self.rank));
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
        self.fetch()?;
        let Rank { part, transport, .. } = self;
        let flat = part.rule().flat;
        let (mut boids, mut seen) = (vec![Boid::default(); count], vec![false; count]);
        let mut add = |id: u32, boid: &Boid<T>| {
            let id = id as usize;
            if seen.get(id) != Some(&false) {
                return Err(broken(format!("boid {id} is on two ranks")));
            }
            (boids[id], seen[id]) = (part.rule().give_boid(boid), true);
            Ok(())
        };
        part.own().try_for_each(|(id, boid)| add(id, boid))?;
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
                let boid = part.rule().take_boid(boid);
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
        format!("{}, {}", self.described, T::NUMERIC.name())
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
        self.together(Order::Advance, &[steps], |rank| rank.advance(steps))
    }

    fn state(&mut self) -> Result<State> {
        self.together(Order::Gather, &[], Rank::joined)?.finite(T::NUMERIC)
    }

    fn hash(&mut self, parameters: &Parameters) -> Result<u64> {
        match self.together(Order::Hash, &[], Rank::hash)? {
            Some(hash) => Ok(hash),
            // The whole state names the boid that is not finite.
            None => self.state().map(|state| state.hash(T::NUMERIC, parameters)),
        }
    }

    fn set_state(&mut self, state: &State) -> Result {
        let (found, allowed) = (state.boids.len(), self.boids());
        if found != allowed as usize {
            let why = format!("{found} boids in a state: allowed on these ranks are {allowed}");
            return Err(EngineError::Refused(why));
        }
        let numbers = beginning(state.step, &state.predators);
        self.together(Order::Restart, &numbers, |rank| rank.deal(&numbers, state))
    }

    fn set_parameters(&mut self, _: &Parameters) -> Result {
        Err(EngineError::Refused("ranks: the parameters of a flock on ranks stay as they are".into()))
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

    fn depth(&self) -> u32 {
        self.rank.depth
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
