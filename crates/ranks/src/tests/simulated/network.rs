//! A transport whose order of events is a function of a seed. Ranks are threads of which exactly one runs at a time: a call
//! of the transport is where one may hand over to another, which `world.rs` selects.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::world::{Death, End, Plan, Report, Status, World};
use crate::transport::{Lost, Transport};

/// Calls of the transport in a run above which it does not end.
const MOST_CALLS: u64 = 1_000_000;

/// A rank that has sent a message lets others run once in so many times.
const HANDS_OVER: u64 = 4;

/// The ranks of a run.
#[derive(Debug)]
pub struct Network {
    world: Mutex<World>,
    /// By rank: it is that rank's turn.
    turns: Vec<Condvar>,
}

impl Network {
    /// The connections of all ranks. Rank 0 runs first, on the thread of the caller.
    pub fn connect(plan: Plan, ranks: usize) -> (Arc<Self>, Vec<Link>) {
        let turns = (0..ranks).map(|_| Condvar::new()).collect();
        let network = Arc::new(Network { world: Mutex::new(World::new(plan, ranks)), turns });
        let links = (0..ranks).map(|rank| Link { network: network.clone(), rank }).collect();
        (network, links)
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a rank is gone or has been killed.
    pub fn is_gone(&self, rank: usize) -> bool {
        let world = self.lock();
        world.states.get(rank).is_some_and(|state| state.status == Status::Gone || state.end == End::Killed)
    }

    /// All that has happened so far.
    pub fn report(&self) -> Report {
        self.lock().report()
    }

    /// Waits until it is a rank's turn.
    fn wait<'a>(&self, mut world: MutexGuard<'a, World>, rank: usize) -> MutexGuard<'a, World> {
        while world.turn != rank {
            world = self.turns[rank].wait(world).unwrap_or_else(PoisonError::into_inner);
        }
        world
    }

    /// Lets the next rank run.
    fn hand_over(&self, world: &mut World, rank: usize) {
        if let Some(next) = world.pick()
            && next != rank
        {
            self.turns[next].notify_one();
        }
    }
}

/// A rank's connection to the others.
#[derive(Debug)]
pub struct Link {
    network: Arc<Network>,
    rank: usize,
}

impl Link {
    /// Begins a call, which fails if the rank is killed there or the run has been stopped.
    fn begin(&self, other: usize) -> Result<MutexGuard<'_, World>, Lost> {
        let mut world = self.network.wait(self.network.lock(), self.rank);
        let me = self.rank;
        world.states[me].calls += 1;
        world.calls += 1;
        world.work(me);
        if world.calls > MOST_CALLS {
            world.stop("no end");
        }
        if let Some(kill) = world.plan.kill
            && kill.rank == me
            && kill.call == world.states[me].calls
        {
            world.kill(kill);
            if kill.death == Death::Panics {
                drop(world);
                // A panic without its message.
                std::panic::resume_unwind(Box::new(()));
            }
        }
        if world.states[me].end == End::Killed {
            return Err(Lost(me));
        }
        if world.stuck.is_some() {
            world.states[me].end = End::Lost(other);
            return Err(Lost(other));
        }
        Ok(world)
    }

    /// Waits for what a status says, and lets others run meanwhile.
    fn pass<'a>(&self, mut world: MutexGuard<'a, World>, status: Status) -> MutexGuard<'a, World> {
        let me = self.rank;
        world.states[me].status = status;
        world.resume(me);
        self.network.hand_over(&mut world, me);
        self.network.wait(world, me)
    }

    /// Sends a message unless it is known that the receiver is gone; returns its number.
    fn post(&self, to: usize, words: Vec<u32>) -> Result<u64, Lost> {
        let mut world = self.begin(to)?;
        let now = world.time(self.rank);
        if world.pair(to, self.rank).closed.is_some_and(|heard| heard <= now) {
            world.states[self.rank].end = End::Lost(to);
            return Err(Lost(to));
        }
        let number = world.post(self.rank, to, words);
        // Only what it knows of lost ranks depends on the others: it need not wait for them at every message.
        if world.random.one_in(HANDS_OVER) {
            let time = world.time(self.rank);
            drop(self.pass(world, Status::Ready(time)));
        }
        Ok(number)
    }

    /// Waits until a message has been received.
    fn wait_for(&self, to: usize, number: u64) -> Result<(), Lost> {
        let mut world = self.begin(to)?;
        if world.pair(self.rank, to).taken < number {
            world = self.pass(world, Status::Sending(to, number));
        }
        if world.pair(self.rank, to).taken < number {
            world.states[self.rank].end = End::Lost(to);
            return Err(Lost(to));
        }
        Ok(())
    }

    fn waits_for_receivers(&self) -> bool {
        self.network.lock().plan.rendezvous
    }
}

impl Transport for Link {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.network.turns.len()
    }

    fn send(&mut self, to: usize, words: Vec<u32>) -> Result<(), Lost> {
        let number = self.post(to, words)?;
        if self.waits_for_receivers() { self.wait_for(to, number) } else { Ok(()) }
    }

    fn receive(&mut self, from: usize) -> Result<Vec<u32>, Lost> {
        let world = self.begin(from)?;
        let mut world_then = self.pass(world, Status::Receiving(from));
        world_then.take(from, self.rank)
    }

    fn end(&mut self) {
        let mut world = self.network.lock();
        world.states[self.rank].end = End::Reached;
    }

    /// All are sent before any is waited for, as by MPI.
    fn exchange(&mut self, parcels: &mut [Vec<u32>]) -> Result<(), Lost> {
        let me = self.rank;
        let is_waiting = self.network.lock().plant_waiting();
        let mut numbers = vec![0; parcels.len()];
        for to in 0..parcels.len() {
            if to != me {
                numbers[to] = self.post(to, std::mem::take(&mut parcels[to]))?;
                if is_waiting {
                    self.wait_for(to, numbers[to])?;
                }
            }
        }
        for (from, parcel) in parcels.iter_mut().enumerate() {
            if from != me {
                *parcel = self.receive(from)?;
            }
        }
        if self.waits_for_receivers() {
            for (to, number) in numbers.into_iter().enumerate() {
                if to != me {
                    self.wait_for(to, number)?;
                }
            }
        }
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let mut world = self.network.lock();
        let me = self.rank;
        if std::thread::panicking() && world.states[me].end != End::Killed {
            world.states[me].end = End::Panicked;
        }
        world.states[me].status = Status::Gone;
        world.close(me);
        // A rank that has never run is dropped by rank 0, whose turn it is.
        if world.turn == me {
            self.network.hand_over(&mut world, me);
        }
    }
}
