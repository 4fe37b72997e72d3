//! Rank 0 as the engine that others see, and the ranks that follow it.

use cpu::system::{Task, spawn};
use cpu::{Engine, EngineError, Numeric, State};
use flock::{Boid, Parameters, Predator};

use crate::packing::{Packed, pack, unpack};
use crate::rank::{Rank, Settings};
use crate::threads::{Wires, connect};
use crate::transport::{Transport, wide, words};

/// What all ranks are to do: the first of the words that rank 0 sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Order {
    /// Then the number of steps.
    Advance,
    Hash,
    /// Each sends its boids to rank 0.
    Gather,
    /// Then the step and the predators; rank 0 has all boids.
    Restart,
    /// Then the number of a predator and its position.
    Steer,
    End,
}

const ORDERS: [Order; 6] =
    [Order::Advance, Order::Hash, Order::Gather, Order::Restart, Order::Steer, Order::End];

impl<T: Packed, W: Transport> Rank<T, W> {
    /// Does its part of an order.
    fn obey(&mut self, order: Order, words: &[u32]) -> Result<(), EngineError> {
        match order {
            Order::Advance => self.advance(words.first().copied().unwrap_or(0))?,
            Order::Hash => drop(self.hash()?),
            Order::Gather => drop(self.gather()?),
            Order::Restart => self.restart(words),
            Order::Steer => {
                let [index, position @ ..] = words else { return Ok(()) };
                let position = [0, 1, 2].map(|k| f32::from_bits(position.get(k).copied().unwrap_or(0)));
                self.part.steer_predator(*index as usize, position);
            }
            Order::End => {}
        }
        Ok(())
    }

    /// The fingerprint of the flock; none where a number is not finite.
    fn hash(&mut self) -> Result<Option<u64>, EngineError> {
        let own = self.part.hash();
        let mut numbers = [own.unwrap_or(0), u64::from(own.is_none())];
        self.transport.sum(&mut numbers)?;
        Ok((numbers[1] == 0).then_some(numbers[0]))
    }

    /// The boids of all ranks, at rank 0.
    fn gather(&mut self) -> Result<Vec<Vec<u32>>, EngineError> {
        let flat = self.part.rule().flat;
        let mut parcel = Vec::new();
        self.part.own().for_each(|(id, boid)| pack(flat, id, boid, &mut parcel));
        Ok(self.transport.gather(parcel)?)
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

/// Follows rank 0 to its end.
///
/// # Errors
/// When a rank is gone, or the flock cannot be stepped.
pub fn follow<T: Packed, W: Transport>(mut rank: Rank<T, W>) -> Result<(), EngineError> {
    loop {
        let words = rank.transport.broadcast(Vec::new())?;
        let [first, rest @ ..] = &words[..] else { continue };
        let order = ORDERS.get(*first as usize).copied().unwrap_or(Order::End);
        rank.obey(order, rest)?;
        if order == Order::End {
            return Ok(());
        }
    }
}

/// Rank 0: an engine that steps its flock on all ranks.
#[derive(Debug)]
pub struct Leader<T: Packed, W: Transport> {
    rank: Rank<T, W>,
    boids: u32,
    /// The ranks that are threads.
    followers: Vec<Task<()>>,
}

/// A flock on ranks that are threads of this process.
///
/// # Errors
/// When the parameters do not fit the number type or ranks, or threads cannot be started.
pub fn on_threads<T: Packed>(
    parameters: &Parameters,
    state: &State,
    ranks: usize,
    settings: Settings,
) -> Result<Leader<T, Wires>, EngineError> {
    let boids = state.boids.len() as u32;
    let all = connect(ranks.max(1)).into_iter();
    let all = all.map(|wires| Rank::<T, Wires>::new(wires, parameters, boids, settings));
    let mut others = all.collect::<Result<Vec<_>, _>>()?;
    let first = others.remove(0);
    // Why a rank ends, rank 0 sees as well, or it sees that the rank is gone.
    let others = others.into_iter().map(|rank| spawn("rank", || drop(follow(rank))));
    let followers = others.collect::<Result<Vec<_>, _>>();
    let followers = followers.map_err(|error| broken(format!("no thread for a rank: {error}")))?;
    Leader::new(first, followers, state)
}

impl<T: Packed, W: Transport> Leader<T, W> {
    /// Takes over rank 0; all others [`follow`].
    ///
    /// # Errors
    /// When a rank is gone.
    pub fn new(rank: Rank<T, W>, followers: Vec<Task<()>>, state: &State) -> Result<Self, EngineError> {
        let mut leader = Leader { rank, boids: state.boids.len() as u32, followers };
        leader.set_state(state)?;
        Ok(leader)
    }

    /// The greatest load of a rank over the mean, at the last cut.
    pub fn imbalance(&self) -> f64 {
        self.rank.imbalance()
    }

    /// Has all other ranks do something: this one is to do the same.
    fn order(&mut self, order: Order, words: &[u32]) -> Result<(), EngineError> {
        let all = [&[order as u32], words].concat();
        self.rank.transport.broadcast(all)?;
        Ok(())
    }

    /// The state from the boids of all ranks.
    fn joined(&self, parcels: &[Vec<u32>]) -> Result<State, EngineError> {
        let (part, count) = (&self.rank.part, self.boids as usize);
        let flat = part.rule().flat;
        let (mut boids, mut seen) = (vec![Boid::default(); count], vec![false; count]);
        for (id, boid) in parcels.iter().flat_map(|parcel| unpack::<T>(flat, parcel)) {
            let id = id as usize;
            if seen.get(id) != Some(&false) {
                return Err(broken(format!("boid {id} is on two ranks")));
            }
            (boids[id], seen[id]) = (part.rule().give_boid(&boid), true);
        }
        if let Some(id) = seen.iter().position(|seen| !seen) {
            return Err(broken(format!("boid {id} is on no rank")));
        }
        Ok(State { step: part.step(), boids, predators: part.predators() })
    }
}

fn broken(what: String) -> EngineError {
    EngineError::Device { device: "ranks".into(), what }
}

impl<T: Packed, W: Transport> Engine for Leader<T, W> {
    fn describe(&self) -> String {
        let ranks = self.rank.transport.ranks();
        let plural = if ranks == 1 { "" } else { "s" };
        format!("cpu, {ranks} rank{plural} of {}, {}", self.rank.part.describe(), T::NUMERIC.name())
    }

    fn numeric(&self) -> Numeric {
        T::NUMERIC
    }

    fn boids(&self) -> u32 {
        self.boids
    }

    fn step_number(&self) -> u64 {
        self.rank.part.step()
    }

    fn advance(&mut self, steps: u32) -> Result<(), EngineError> {
        self.order(Order::Advance, &[steps])?;
        self.rank.advance(steps)
    }

    fn state(&mut self) -> Result<State, EngineError> {
        self.order(Order::Gather, &[])?;
        let parcels = self.rank.gather()?;
        self.joined(&parcels)?.finite(T::NUMERIC)
    }

    fn hash(&mut self, parameters: &Parameters) -> Result<u64, EngineError> {
        self.order(Order::Hash, &[])?;
        match self.rank.hash()? {
            Some(hash) => Ok(hash),
            // The whole state says which boid is not finite.
            None => self.state().map(|state| state.hash(T::NUMERIC, parameters)),
        }
    }

    fn set_state(&mut self, state: &State) -> Result<(), EngineError> {
        if state.boids.len() != self.boids as usize {
            let why =
                format!("{} boids in a state: allowed on these ranks are {}", state.boids.len(), self.boids);
            return Err(EngineError::Refused(why));
        }
        let predators = state.predators.iter().flat_map(|p| p.position.into_iter().chain(p.velocity));
        let numbers: Vec<u64> = [state.step].into_iter().chain(predators.map(f64::to_bits)).collect();
        let numbers = words(&numbers);
        self.order(Order::Restart, &numbers)?;
        self.rank.restart(&numbers);
        // The first exchange brings them to their ranks.
        for (id, boid) in (0..).zip(&state.boids) {
            let boid = self.rank.part.rule().take_boid(boid);
            self.rank.part.add(id, boid, cpu::Role::Own);
        }
        Ok(())
    }

    fn set_parameters(&mut self, _: &Parameters) -> Result<(), EngineError> {
        Err(EngineError::Refused("ranks: the parameters of a flock on ranks stay as they are".into()))
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        let [x, y, z] = position.map(f32::to_bits);
        let words = [index as u32, x, y, z];
        // A rank that is gone is noticed by the next step.
        if self.order(Order::Steer, &words).is_ok() {
            let _ = self.rank.obey(Order::Steer, &words);
        }
    }
}

impl<T: Packed, W: Transport> Drop for Leader<T, W> {
    fn drop(&mut self) {
        // Ranks that are gone have ended by themselves.
        let _ = self.order(Order::End, &[]);
        for follower in self.followers.drain(..) {
            follower.join();
        }
    }
}
