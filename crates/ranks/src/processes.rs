//! Ranks as processes, on one machine or many, over MPI. An MPI error ends all of them, which is its default.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};

use crate::transport::{Lost, Transport};

/// True while other processes wait for this one.
static WAITED_FOR: AtomicBool = AtomicBool::new(false);

/// Ends all processes of the launch with this exit code, if this one failed before all reached the end: a launcher that
/// only waits for its processes would wait for ever. Otherwise returns.
pub fn end_launch(code: u8) {
    if WAITED_FOR.load(Ordering::Relaxed) {
        SimpleCommunicator::world().abort(code.into());
    }
}

/// This process among those of its launch.
pub struct Processes {
    world: SimpleCommunicator,
    /// Finalises MPI when dropped, for which processes wait for each other.
    universe: Option<Universe>,
    ended: bool,
    /// Another process has sent words.
    heard: bool,
}

impl fmt::Debug for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes").field("rank", &self.rank()).field("ranks", &self.ranks()).finish()
    }
}

impl Processes {
    /// Joins the processes of the launch; without a launcher there is only one. `None` at a second call.
    pub fn join() -> Option<Self> {
        // The joining thread carries the words, between the halves of a step.
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        Some(Processes { world: universe.world(), universe: Some(universe), ended: false, heard: false })
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // This process has failed; the program reports why before it ends the launch, and a panic has reported itself.
        // If all ranks refuse the flock, rank 0 orders nothing but ends the others, so that only one line reports it.
        if self.rank() > 0 && !self.heard {
            let _ = self.receive(0);
        }
        std::mem::forget(self.universe.take());
        WAITED_FOR.store(true, Ordering::Relaxed);
        if std::thread::panicking() {
            end_launch(PANICKED);
        }
    }
}

/// Exit code of a Rust program that panics.
const PANICKED: u8 = 101;

impl Transport for Processes {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn send(&mut self, to: usize, words: Vec<u32>) -> Result<(), Lost> {
        self.world.process_at_rank(to as i32).send(&words[..]);
        Ok(())
    }

    fn receive(&mut self, from: usize) -> Result<Vec<u32>, Lost> {
        self.heard = true;
        Ok(self.world.process_at_rank(from as i32).receive_vec().0)
    }

    fn end(&mut self) {
        self.ended = true;
    }

    /// All are sent before any is received: a plain send may block until it is received.
    fn exchange(&mut self, parcels: &mut [Vec<u32>]) -> Result<(), Lost> {
        let (me, world) = (self.rank(), &self.world);
        let outgoing: Vec<Vec<u32>> = parcels.iter_mut().map(std::mem::take).collect();
        let others = || (0..outgoing.len()).filter(|rank| *rank != me);
        scope(|scope| {
            let send = |to: usize| world.process_at_rank(to as i32).immediate_send(scope, &outgoing[to][..]);
            let sent: Vec<_> = others().map(send).collect();
            for from in others() {
                parcels[from] = world.process_at_rank(from as i32).receive_vec().0;
            }
            for request in sent {
                request.wait();
            }
        });
        Ok(())
    }

    fn sum(&mut self, numbers: &mut [u64]) -> Result<(), Lost> {
        let local = numbers.to_vec();
        self.world.all_reduce_into(&local[..], numbers, SystemOperation::sum());
        Ok(())
    }
}
