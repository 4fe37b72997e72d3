//! The ranks of a run and their messages in virtual time. A seed decides which rank runs, how long a message is on its
//! way, which rank is slow, and where one is killed.

use std::collections::VecDeque;

use super::Random;
use crate::transport::Lost;

/// How a killed rank ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// Its transport fails.
    Fails,
    /// A panic ends it within a call of the transport.
    Panics,
}

/// A rank that is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    pub rank: usize,
    /// Number of its call of the transport, from 1.
    pub call: u64,
    pub death: Death,
    /// Its messages that are still on their way never arrive.
    pub loses_messages: bool,
}

/// A defect of the transport, which the checks must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A message never arrives.
    Lost,
    /// A message arrives twice.
    Twice,
    /// Two messages of one pair change places.
    Swapped,
    /// One bit of a message changes.
    Altered,
    /// A rank receives the earliest message, whoever has sent it.
    AnySender,
    /// Each message of an exchange is waited for before the next is sent.
    WaitingExchange,
    /// The others do not hear that a rank is gone.
    Unheard,
}

/// All that happens in a run, apart from the flock.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    /// A rank that sends waits until its words are received, as MPI may; else it never waits.
    pub rendezvous: bool,
    pub kill: Option<Kill>,
    /// A fault, at the first message from this number on where it is possible.
    pub fault: Option<(Fault, u64)>,
}

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has reported its end.
    Reached,
    /// Its last call of the transport said that a rank is gone.
    Lost(usize),
    Killed,
    Panicked,
    /// It ended by itself, or has not ended.
    Unknown,
}

/// A run after all its ranks have ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// By rank.
    pub ends: Vec<End>,
    /// Calls of the transport, by rank.
    pub calls: Vec<u64>,
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that nobody has received.
    pub left: usize,
    /// Why no rank could go on, if that happened.
    pub stuck: Option<String>,
    pub killed: bool,
    /// True if the planned fault has happened.
    pub planted: bool,
    /// A hash of all events, in their order.
    pub trace: u64,
}

#[derive(Debug)]
pub struct Message {
    arrival: u64,
    words: Vec<u32>,
}

/// All from one rank to another.
#[derive(Debug)]
pub struct Pair {
    pub latency: u64,
    pub queue: VecDeque<Message>,
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that were received.
    pub taken: u64,
    /// Arrival of the last message: none overtakes it.
    pub last: u64,
    /// The time at which the receiver hears that the sender is gone.
    pub closed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It runs, or can from this time on.
    Ready(u64),
    /// It waits for a message.
    Receiving(usize),
    /// It waits until another rank has received so many of its messages.
    Sending(usize, u64),
    Gone,
}

#[derive(Debug)]
pub struct RankState {
    pub status: Status,
    /// Mean time of its work between two calls.
    pub pace: u64,
    /// Its own time, which may be ahead of the others': it waits for nothing before.
    pub clock: u64,
    pub calls: u64,
    pub end: End,
}

#[derive(Debug)]
pub struct World {
    pub plan: Plan,
    pub random: Random,
    pub now: u64,
    /// The rank that runs.
    pub turn: usize,
    pub states: Vec<RankState>,
    /// By sender, then receiver.
    pub pairs: Vec<Pair>,
    pub sent: u64,
    pub calls: u64,
    pub killed: bool,
    pub planted: bool,
    pub stuck: Option<String>,
    pub trace: u64,
}

impl World {
    pub fn new(plan: Plan, ranks: usize) -> Self {
        let mut random = Random::new(plan.seed);
        let slow = random.below(2 * ranks as u64) as usize;
        let slowness = 1 << random.below(9);
        let mut states = Vec::new();
        for rank in 0..ranks {
            let pace = if rank == slow { slowness } else { 1 };
            // Others than rank 0 begin when they come to it.
            let begins = if rank == 0 { 0 } else { random.below(8 * pace) };
            states.push(RankState {
                status: Status::Ready(begins),
                pace,
                clock: 0,
                calls: 0,
                end: End::Unknown,
            });
        }
        let mut pairs = Vec::new();
        for _ in 0..ranks * ranks {
            let scale = 1 << random.below(8);
            let latency = 1 + random.below(scale);
            pairs.push(Pair { latency, queue: VecDeque::new(), sent: 0, taken: 0, last: 0, closed: None });
        }
        World {
            plan,
            random,
            now: 0,
            turn: 0,
            states,
            pairs,
            sent: 0,
            calls: 0,
            killed: false,
            planted: false,
            stuck: None,
            trace: 0,
        }
    }

    pub fn pair(&mut self, from: usize, to: usize) -> &mut Pair {
        let ranks = self.states.len();
        &mut self.pairs[from * ranks + to]
    }

    fn note(&mut self, event: u64) {
        self.trace = (self.trace ^ event ^ self.now.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.trace ^= self.trace >> 29;
    }

    /// Lets a rank work for some time.
    pub fn work(&mut self, rank: usize) {
        let work = 1 + self.random.below(2 * self.states[rank].pace);
        self.states[rank].clock = self.time(rank) + work;
    }

    /// The time of a rank that runs.
    pub fn time(&self, rank: usize) -> u64 {
        self.now.max(self.states[rank].clock)
    }

    /// A time at which what a rank sends now arrives: usually soon, sometimes much later, never before the last.
    fn arrival(&mut self, from: usize, to: usize) -> u64 {
        let latency = self.pair(from, to).latency;
        let factor = if self.random.below(8) == 0 { 16 } else { 1 };
        let arrival = self.time(from) + factor * (latency + self.random.below(2 * latency));
        arrival.max(self.pair(from, to).last)
    }

    /// Sends a message. Returns its number within the pair.
    pub fn post(&mut self, from: usize, to: usize, words: Vec<u32>) -> u64 {
        let arrival = self.arrival(from, to);
        self.sent += 1;
        self.note(self.sent << 8 ^ (from as u64) << 4 ^ to as u64);
        let pair = self.pair(from, to);
        pair.last = arrival;
        pair.sent += 1;
        let number = pair.sent;
        pair.queue.push_back(Message { arrival, words });
        if let Some((fault, at)) = self.plan.fault
            && self.sent >= at
            && !self.planted
        {
            self.planted = self.plant(fault, from, to);
        }
        self.resume(to);
        number
    }

    /// Introduces a fault at the last message of a pair. Returns false if it is not possible there.
    fn plant(&mut self, fault: Fault, from: usize, to: usize) -> bool {
        let words = self.pair(from, to).queue.back().map_or(0, |message| message.words.len());
        let bit = self.random.below(32 * words.max(1) as u64);
        let queue = &mut self.pair(from, to).queue;
        let Some(Message { arrival, words }) = queue.pop_back() else { return false };
        let mut last = Message { arrival, words };
        let mut happened = true;
        match fault {
            Fault::Lost => return true,
            Fault::Twice => queue.push_back(Message { arrival, words: last.words.clone() }),
            Fault::Swapped => match queue.back_mut() {
                Some(before) if before.words != last.words => {
                    std::mem::swap(&mut before.words, &mut last.words);
                }
                _ => happened = false,
            },
            Fault::Altered => match last.words.get_mut(bit as usize / 32) {
                Some(word) => *word ^= 1 << (bit % 32),
                None => happened = false,
            },
            // They happen elsewhere.
            Fault::AnySender | Fault::WaitingExchange | Fault::Unheard => happened = false,
        }
        queue.push_back(last);
        happened
    }

    /// Sets the time from which a waiting rank can go on, if it can.
    pub fn resume(&mut self, rank: usize) {
        let now = self.now;
        let status = self.states[rank].status;
        let time = match status {
            Status::Receiving(from) if self.takes_any() => {
                self.earliest(rank).or(self.pair(from, rank).closed)
            }
            Status::Receiving(from) => {
                let pair = self.pair(from, rank);
                pair.queue.front().map(|message| message.arrival).or(pair.closed)
            }
            Status::Sending(to, number) if self.pair(rank, to).taken >= number => Some(now + 1),
            Status::Sending(to, _) => self.pair(to, rank).closed,
            Status::Ready(_) | Status::Gone => None,
        };
        if let Some(time) = time {
            self.states[rank].status = Status::Ready(time.max(self.states[rank].clock));
        }
    }

    pub fn plant_waiting(&mut self) -> bool {
        let is_planned = matches!(self.plan.fault, Some((Fault::WaitingExchange, _)));
        self.planted |= is_planned;
        is_planned
    }

    fn takes_any(&self) -> bool {
        matches!(self.plan.fault, Some((Fault::AnySender, _)))
    }

    /// Arrival of the earliest message for a rank.
    fn earliest(&mut self, to: usize) -> Option<u64> {
        self.earliest_sender(to).and_then(|from| Some(self.pair(from, to).queue.front()?.arrival))
    }

    fn earliest_sender(&mut self, to: usize) -> Option<usize> {
        let mut first = None;
        for from in 0..self.states.len() {
            let Some(message) = self.pair(from, to).queue.front() else { continue };
            if first.is_none_or(|(arrival, _)| message.arrival < arrival) {
                first = Some((message.arrival, from));
            }
        }
        first.map(|(_, from)| from)
    }

    /// Takes the message that a rank has waited for.
    pub fn take(&mut self, from: usize, to: usize) -> Result<Vec<u32>, Lost> {
        let sender = match self.earliest_sender(to) {
            Some(other) if self.takes_any() => {
                self.planted |= other != from;
                other
            }
            _ => from,
        };
        self.note((sender as u64) << 4 ^ to as u64);
        let pair = self.pair(sender, to);
        let Some(message) = pair.queue.pop_front() else {
            self.states[to].end = End::Lost(from);
            return Err(Lost(from));
        };
        pair.taken += 1;
        self.resume(sender);
        Ok(message.words)
    }

    /// Makes the others hear, some time later, that a rank is gone.
    pub fn close(&mut self, rank: usize) {
        if self.plan.fault.is_some_and(|(fault, _)| fault == Fault::Unheard) {
            self.planted = self.killed;
            return;
        }
        for other in 0..self.states.len() {
            if self.pair(rank, other).closed.is_none() {
                let heard = self.arrival(rank, other);
                self.pair(rank, other).closed = Some(heard);
                self.resume(other);
            }
        }
    }

    /// Kills a rank in the middle of a call.
    pub fn kill(&mut self, kill: Kill) {
        self.killed = true;
        self.states[kill.rank].end = End::Killed;
        let now = self.time(kill.rank);
        for to in 0..self.states.len() {
            let pair = self.pair(kill.rank, to);
            if kill.loses_messages {
                pair.queue.retain(|message| message.arrival <= now);
            }
        }
        self.close(kill.rank);
    }

    /// Selects the rank that runs next: the one whose time is earliest. None if all are gone.
    pub fn pick(&mut self) -> Option<usize> {
        let mut earliest = u64::MAX;
        let mut ready = 0;
        let mut next = None;
        for rank in 0..self.states.len() {
            let Status::Ready(at) = self.states[rank].status else { continue };
            if at < earliest {
                ready = 0;
                earliest = at;
            }
            if at == earliest {
                ready += 1;
                // Each of those with the same time is as likely.
                if self.random.below(ready) == 0 {
                    next = Some(rank);
                }
            }
        }
        if let Some(rank) = next {
            self.now = self.now.max(earliest);
            self.turn = rank;
            return next;
        }
        let waiting = self.states.iter().position(|state| state.status != Status::Gone)?;
        self.stop("a deadlock");
        self.turn = waiting;
        Some(waiting)
    }

    /// Ends a run in which no rank can go on: each call fails.
    pub fn stop(&mut self, why: &str) {
        if self.stuck.is_some() {
            return;
        }
        let statuses: Vec<Status> = self.states.iter().map(|state| state.status).collect();
        self.stuck = Some(format!("{why}: {statuses:?}"));
        for state in &mut self.states {
            if state.status != Status::Gone {
                state.status = Status::Ready(self.now);
            }
        }
    }

    /// All that has happened so far.
    pub fn report(&self) -> Report {
        Report {
            ends: self.states.iter().map(|state| state.end).collect(),
            calls: self.states.iter().map(|state| state.calls).collect(),
            sent: self.sent,
            left: self.pairs.iter().map(|pair| pair.queue.len()).sum(),
            stuck: self.stuck.clone(),
            killed: self.killed,
            planted: self.planted,
            trace: self.trace,
        }
    }
}
