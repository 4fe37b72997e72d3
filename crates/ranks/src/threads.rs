//! Ranks as threads of one process, with a channel from each to each.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::transport::{Lost, Transport};

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
