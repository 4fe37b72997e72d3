//! The transport that carries words between ranks, that of ranks which are threads of one process, and boids as words.

use std::sync::mpsc::{Receiver, Sender, channel};

use cpu::Totals;
use engine::EngineError;
use flock::state::split_tag;
use flock::{Boid, Fixed, Vec3};

use crate::Packed;

/// A rank is gone, and the flock with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank {0} is gone")]
pub struct Lost(pub usize);

impl From<Lost> for EngineError {
    fn from(lost: Lost) -> Self {
        EngineError::Device { device: "ranks".into(), what: lost.to_string() }
    }
}

/// One rank's connections to all other ranks. All ranks call [`Transport::exchange`], [`Transport::gather`],
/// [`Transport::broadcast`], [`Transport::sum`] and [`Transport::add`] in the same order.
pub trait Transport: std::fmt::Debug {
    /// Number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn ranks(&self) -> usize;

    /// Sends words to another rank, without waiting until they are received.
    ///
    /// # Errors
    /// When a rank is gone.
    fn send(&mut self, to: usize, words: Vec<u32>) -> Result<(), Lost>;

    /// Receives the next words from another rank, in the order of sending.
    ///
    /// # Errors
    /// When a rank is gone.
    fn receive(&mut self, from: usize) -> Result<Vec<u32>, Lost>;

    /// Reports that all ranks have reached the end. Other processes wait for one that has not: see `processes.rs`.
    fn end(&mut self) {}

    /// Sends every other rank its parcel, and replaces it by that rank's parcel for this one.
    ///
    /// # Errors
    /// When a rank is gone.
    fn exchange(&mut self, parcels: &mut [Vec<u32>]) -> Result<(), Lost> {
        let me = self.rank();
        for (to, parcel) in parcels.iter_mut().enumerate().filter(|(to, _)| *to != me) {
            self.send(to, std::mem::take(parcel))?;
        }
        for (from, parcel) in parcels.iter_mut().enumerate().filter(|(from, _)| *from != me) {
            *parcel = self.receive(from)?;
        }
        Ok(())
    }

    /// Gathers the words of all ranks at rank 0, by rank; empty at the others.
    ///
    /// # Errors
    /// When a rank is gone.
    fn gather(&mut self, words: Vec<u32>) -> Result<Vec<Vec<u32>>, Lost> {
        if self.rank() > 0 {
            self.send(0, words)?;
            return Ok(Vec::new());
        }
        let mut all = vec![words];
        for from in 1..self.ranks() {
            all.push(self.receive(from)?);
        }
        Ok(all)
    }

    /// Sends the words of rank 0 to every rank, and returns them.
    ///
    /// # Errors
    /// When a rank is gone.
    fn broadcast(&mut self, words: Vec<u32>) -> Result<Vec<u32>, Lost> {
        if self.rank() > 0 {
            return self.receive(0);
        }
        for to in 1..self.ranks() {
            self.send(to, words.clone())?;
        }
        Ok(words)
    }

    /// Adds the words of all ranks elementwise modulo 2³², at rank 0; empty at the others. Ranks add in pairs, then
    /// pairs of pairs: no rank receives more than log₂ of their number times.
    ///
    /// # Errors
    /// When a rank is gone.
    fn add(&mut self, mut words: Vec<u32>) -> Result<Vec<u32>, Lost> {
        let (me, mut apart) = (self.rank(), 1);
        while apart < self.ranks() {
            if me & apart > 0 {
                self.send(me - apart, words)?;
                return Ok(Vec::new());
            }
            if me + apart < self.ranks() {
                let others = self.receive(me + apart)?;
                words.iter_mut().zip(others).for_each(|(sum, word)| *sum = sum.wrapping_add(word));
            }
            apart *= 2;
        }
        Ok(words)
    }

    /// Replaces each number by its sum over all ranks modulo 2⁶⁴.
    ///
    /// # Errors
    /// When a rank is gone.
    fn sum(&mut self, numbers: &mut [u64]) -> Result<(), Lost> {
        let all = self.gather(words(numbers))?;
        let mut sums = vec![0_u64; numbers.len()];
        for part in &all {
            sums.iter_mut().zip(wide(part)).for_each(|(sum, number)| *sum = sum.wrapping_add(number));
        }
        let sums = self.broadcast(words(&sums))?;
        numbers.iter_mut().zip(wide(&sums)).for_each(|(number, sum)| *number = sum);
        Ok(())
    }
}

/// Splits numbers into words, the low word first.
pub(crate) fn words(numbers: &[u64]) -> Vec<u32> {
    numbers.iter().flat_map(|number| [*number as u32, (number >> 32) as u32]).collect()
}

/// Joins words into numbers: the inverse of `words`.
pub(crate) fn wide(words: &[u32]) -> impl Iterator<Item = u64> {
    words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
}

/// One rank's ends of the channels, by the rank at the other end.
#[derive(Debug)]
pub struct Wires {
    rank: usize,
    to: Vec<Sender<Vec<u32>>>,
    from: Vec<Receiver<Vec<u32>>>,
}

/// Connects `ranks` ranks.
pub fn connect(ranks: usize) -> Vec<Wires> {
    let ends = |rank| Wires { rank, to: Vec::new(), from: Vec::new() };
    let mut all: Vec<Wires> = (0..ranks).map(ends).collect();
    for from in 0..ranks {
        for to in 0..ranks {
            let (sender, receiver) = channel();
            all[from].to.push(sender);
            all[to].from.push(receiver);
        }
    }
    all
}

impl Transport for Wires {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, words: Vec<u32>) -> Result<(), Lost> {
        self.to[to].send(words).map_err(|_| Lost(to))
    }

    fn receive(&mut self, from: usize) -> Result<Vec<u32>, Lost> {
        self.from[from].recv().map_err(|_| Lost(from))
    }
}

/// Adds the sums of all ranks.
pub fn add_integers(totals: &mut Totals<Fixed>, transport: &mut dyn Transport) -> Result<(), Lost> {
    let Totals { offset, velocity, count, prey } = totals;
    let vectors = [*offset, *velocity].into_iter().chain(prey.iter().copied());
    let parts = vectors.flat_map(Vec3::to_array).map(|c| c as u64);
    let mut numbers: Vec<u64> = parts.chain([count.0 as u64]).collect();
    transport.sum(&mut numbers)?;
    let vector = |k: usize| Vec3::from([0, 1, 2].map(|axis| numbers[3 * k + axis] as i64));
    (*offset, *velocity) = (vector(0), vector(1));
    prey.iter_mut().zip(2..).for_each(|(sum, k)| *sum = vector(k));
    *count = numbers.last().map_or(*count, |all| Fixed(*all as i32));
    Ok(())
}

/// Number of words per boid.
fn words_a_boid(flat: bool) -> usize {
    if flat { 7 } else { 9 }
}

/// Appends a boid to a parcel: id, group and rest, bias, position, velocity; without z in two dimensions.
#[inline]
pub fn pack<T: Packed>(flat: bool, id: u32, boid: &Boid<T>, parcel: &mut Vec<u32>) {
    let ([x, y, z], [vx, vy, vz]) = (boid.position.map(Packed::word), boid.velocity.map(Packed::word));
    let words = [id, boid.tag(), boid.bias.word(), x, y, vx, vy, z, vz];
    parcel.extend_from_slice(&words[..words_a_boid(flat)]);
}

/// The boids of a parcel, with their ids.
pub fn unpack<T: Packed>(flat: bool, parcel: &[u32]) -> impl Iterator<Item = (u32, Boid<T>)> {
    parcel.chunks_exact(words_a_boid(flat)).map(|words| {
        let number = |k: usize| words.get(k).map_or(T::ZERO, |word| T::from_word(*word));
        let (group, rest) = split_tag(words[1]);
        let (position, velocity) = ([3, 4, 7].map(number), [5, 6, 8].map(number));
        (words[0], Boid { position, velocity, bias: number(2), group, rest })
    })
}
